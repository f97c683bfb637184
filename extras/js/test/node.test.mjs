// The installed package in Node.js, compared with node:crypto for every function that both have.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { readFile, rename, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import test from "node:test";

import { hasVectors, load, toHex } from "hashlanes";

// The names in node:crypto, with the length of output where it has none of its own.
const NODE = {
  md5: ["md5"], sha1: ["sha1"], sha224: ["sha224"], sha256: ["sha256"], sha384: ["sha384"],
  sha512: ["sha512"], "sha512-256": ["sha512-256"], sm3: ["sm3"], "sha3-224": ["sha3-224"],
  "sha3-256": ["sha3-256"], "sha3-384": ["sha3-384"], "sha3-512": ["sha3-512"],
  shake128: ["shake128", 32], shake256: ["shake256", 64], blake2b: ["blake2b512"],
  blake2s: ["blake2s256"],
};

// The digests of "abc" by functions that node:crypto lacks.
const ABC = {
  keccak256: "4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45",
  keccak512: "18587dc2ea106b9a1563e32b3312421ca164c7f1f07bc922a9c83d77cea3a1e5" +
    "d0c69910739025372dc14ac9642629379540c17e2a65b19d77aa511a9d00bb96",
  blake3: "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85",
  sha256d: "4f8b42c22dd3729b519ba6f68d2da7cc5b2d606d05daed5ad5128cc03e6c6358",
};

function expected(message, algorithm) {
  const [name, outputLength] = NODE[algorithm];
  return createHash(name, { outputLength }).update(message).digest("hex");
}

// Each length around two blocks of any function, and some of a few blocks, some of which repeat.
const lengths = [...Array(300).keys(), 511, 512, 513, 1023, 1024, 1025, 4096, 65_537, 1, 0, 64];
const messages = lengths.map((length) => randomBytes(length));

const BUILDS = {
  "the addon": { native: true },
  "with vectors": { simd: true },
  "without vectors": { simd: false },
};

for (const [what, options] of Object.entries(BUILDS)) {
  const hashlanes = await load(options);

  test(`${what}: the right build is loaded`, () => {
    assert.equal(hashlanes.engine, options.native ? "native" : "wasm");
    assert.equal(hashlanes.fallback, undefined);
    const { name, lanes } = hashlanes.kernel("sha256");
    if (!options.native) {
      assert.match(name, options.simd ? /^simd128/ : /^portable/);
      assert.ok(lanes >= (options.simd ? 4 : 1));
    }
    hashlanes.selfTest();
    for (const some of [0, 1, 2 ** 32 - 1]) assert.ok(hashlanes.kernel("md5", some).lanes > 0);
    for (const wrong of [-1, NaN, Infinity, 2 ** 32, 1.5, "5"]) {
      assert.throws(() => hashlanes.kernel("md5", wrong), { name: "RangeError",
        message: `messages must be an integer from 0 to 2 ** 32 - 1, not ${wrong}` });
    }
  });

  test(`${what}: the vectors that all languages share`, async () => {
    const text = await readFile("digests.txt", "utf8");
    const lines = text.split("\n").map((line) => line.split(" "));
    for (const algorithm of hashlanes.algorithms) {
      const mine = lines.filter(([kind, name]) => kind === "digest" && name === algorithm);
      assert.ok(mine.length > 0, algorithm);
      const messages = mine.map(([, , length]) =>
        Uint8Array.from({ length: Number(length) }, (_, i) => i % 251));
      const right = mine.map(([, , , digest]) => digest);
      assert.deepEqual(hashlanes.digestMany(messages, algorithm, "hex"), right);
      assert.deepEqual(await hashlanes.digestManyAsync(messages, algorithm, "hex"), right);
    }
  });

  test(`${what}: every function, for messages of many lengths`, () => {
    assert.deepEqual([...hashlanes.algorithms].sort(), [...Object.keys(NODE),
      ...Object.keys(ABC)].sort());
    for (const algorithm of Object.keys(NODE)) {
      const digests = hashlanes.digestMany(messages, algorithm, "hex");
      assert.deepEqual(digests, messages.map((message) => expected(message, algorithm)));
    }
  });

  test(`${what}: saved states of all languages are continued`, async () => {
    const lines = (await readFile("states.txt", "utf8")).split("\n");
    const bytes = (length) => Uint8Array.from({ length }, (_, i) => i % 251);
    const seen = new Set();
    for (const line of lines.filter((line) => line && !line.startsWith("#"))) {
      const [algorithm, length, hex] = line.split(" ");
      const saved = Buffer.from(hex, "hex");
      const message = bytes(Number(length));
      const whole = Buffer.concat([message, Buffer.from("more")]);
      // Rust has hashed whole subtrees of BLAKE3 at once, which leads to another state.
      if (algorithm !== "blake3" || length % 1024 > 0 || length === "0") {
        assert.equal(toHex(hashlanes.createHash(algorithm).update(message).save()), hex);
      }
      const hasher = hashlanes.restore(saved);
      assert.equal(toHex(hasher.save()), hex);
      assert.equal(hasher.update("more").digest("hex"), hashlanes.digest(whole, algorithm, "hex"));
      saved[saved.length - 1] ^= 1;
      assert.throws(() => hashlanes.restore(saved), /RangeError: the saved state is damaged/);
      seen.add(algorithm);
    }
    assert.deepEqual([...seen].sort(), [...hashlanes.algorithms].sort());
    assert.throws(() => hashlanes.restore(new Uint8Array(3)), /not a saved state/);
    assert.throws(() => hashlanes.restore("text"), TypeError);
    const ended = hashlanes.createHash("md5");
    ended.digest();
    assert.throws(() => ended.save(), /already been computed/);
  });

  test(`${what}: functions that Node lacks`, () => {
    for (const [algorithm, digest] of Object.entries(ABC)) {
      assert.equal(hashlanes.digest("abc", algorithm, "hex"), digest);
      // Many are hashed in lanes.
      assert.deepEqual(hashlanes.digestMany(Array(50).fill("abc"), algorithm, "hex"),
        Array(50).fill(digest));
      const whole = hashlanes.digestMany(messages, algorithm, "hex");
      assert.deepEqual(messages.map((message) =>
        hashlanes.createHash(algorithm).update(message).digest("hex")), whole);
    }
    const twice = messages.map((message) =>
      createHash("sha256").update(createHash("sha256").update(message).digest()).digest("hex"));
    assert.deepEqual(hashlanes.digestMany(messages, "sha256d", "hex"), twice);
  });

  test(`${what}: more than a call takes, long messages among short ones`, () => {
    const bytes = randomBytes(9 << 20);
    const many = Array.from({ length: 20_000 }, (_, i) => bytes.subarray(i, i + (i % 700)));
    for (let i = 0; i < 40; i++) {
      many.splice(i * 31, 0, bytes.subarray(i, (128 << 10) + i * 4099));
    }
    many.push(bytes, bytes.subarray(1));
    for (const algorithm of ["md5", "sha256", "blake2b"]) {
      const digests = hashlanes.digestMany(many, algorithm, "hex");
      const wrong = many.findIndex((one, i) => expected(one, algorithm) !== digests[i]);
      assert.equal(wrong, -1);
    }
  });

  test(`${what}: messages in pieces, of several hashers in turns`, () => {
    const algorithms = Object.keys(NODE);
    const hashers = algorithms.map((algorithm) => hashlanes.createHash(algorithm));
    const bytes = randomBytes(5 << 20);
    for (const [first, end] of [[0, 1], [1, 1], [1, 200], [200, 70_000], [70_000, 5 << 20]]) {
      for (const hasher of hashers) assert.equal(hasher.update(bytes.subarray(first, end)), hasher);
      hashlanes.digest("between", "md5");
    }
    algorithms.forEach((algorithm, i) => {
      assert.equal(hashers[i].digest("hex"), expected(bytes, algorithm));
      assert.throws(() => hashers[i].update("more"), /the digest has already been computed/);
      assert.throws(() => hashers[i].digest(), /the digest has already been computed/);
    });
  });

  test(`${what}: digests stay as they are after other calls`, () => {
    const [first] = hashlanes.digestMany(["a"], "sha256");
    const second = hashlanes.createHash("sha256").update("b").digest();
    hashlanes.digestMany(messages, "sha512");
    assert.equal(toHex(first), expected("a", "sha256"));
    assert.equal(toHex(second), expected("b", "sha256"));
  });
}

for (const [what, options] of Object.entries(BUILDS)) {
  test(`${what}: promises, several at once, of all lengths`, async () => {
    const hashlanes = await load(options);
    const bytes = randomBytes(5 << 20);
    const many = Array.from({ length: 9_000 }, (_, i) => bytes.subarray(i, i + (i % 700)));
    for (let i = 0; i < 40; i++) {
      many.splice(i * 31, 0, bytes.subarray(i, (128 << 10) + i * 4099));
    }
    many.push(bytes, bytes.subarray(1), new Uint8Array(new SharedArrayBuffer(9)), "text");
    const three = ["md5", "sha256", "blake2b"];
    const waiting = three.map((name) => hashlanes.digestManyAsync(many, name, "hex"));
    // Between them, what comes at once, and hashers.
    const hasher = hashlanes.createHash("sha1").update("a");
    assert.deepEqual(hashlanes.digestMany(["a", "b"], "md5", "hex"),
      ["a", "b"].map((message) => expected(message, "md5")));
    (await Promise.all(waiting)).forEach((digests, i) => {
      const message = (one) => typeof one === "string" ? one : Buffer.from(one);
      const wrong = many.findIndex((one, j) => expected(message(one), three[i]) !== digests[j]);
      assert.equal(wrong, -1);
    });
    assert.equal(hasher.update("b").digest("hex"), expected("ab", "sha1"));
    assert.deepEqual(await hashlanes.digestManyAsync([], "md5"), []);
    await assert.rejects(hashlanes.digestManyAsync(["a", 5], "md5"), TypeError);
    await assert.rejects(hashlanes.digestManyAsync(["a"], "md6"), RangeError);
  });
}

test("the event loop runs while promises wait", async () => {
  const hashlanes = await load({ native: true });
  const bytes = Array.from({ length: 64 }, () => randomBytes(2 << 20));
  let turns = 0;
  let ended = false;
  const count = () => {
    turns += 1;
    if (!ended) setImmediate(count);
  };
  setImmediate(count);
  await hashlanes.digestManyAsync(bytes, "sha512");
  ended = true;
  // 128 MiB in copies of 1 MiB.
  assert.ok(turns >= 128, `${turns} turns`);
});

test("many small calls at once take little memory", async () => {
  const hashlanes = await load({ native: true });
  const right = ["a", "b"].map((message) => expected(message, "sha256"));
  const before = process.memoryUsage().arrayBuffers;
  const promises = Array.from({ length: 1000 }, () =>
    hashlanes.digestManyAsync(["a", "b"], "sha256", "hex"));
  const grown = process.memoryUsage().arrayBuffers - before;
  for (const digests of await Promise.all(promises)) assert.deepEqual(digests, right);
  assert.ok(grown < 4 << 20, `grown by ${grown} bytes`);
});

test("memory that is transferred meanwhile is not read", async () => {
  const hashlanes = await load({ native: true });
  const message = new Uint8Array(1000).fill(7);
  const right = hashlanes.digest(message, "sha256", "hex");
  const promise = hashlanes.digestManyAsync([message, message], "sha256", "hex");
  const moved = structuredClone(message.buffer, { transfer: [message.buffer] });
  new Uint8Array(moved).fill(8);
  assert.deepEqual(await promise, [right, right]);
});

test("without the addon, WebAssembly hashes, and why is said", async () => {
  const require = createRequire(import.meta.url);
  const addon = require.resolve("hashlanes/package.json").replace("package.json",
    `hashlanes-${process.platform}-${process.arch}.node`);
  const script = `import { load } from "hashlanes";
    const hashlanes = await load();
    console.log(JSON.stringify([hashlanes.engine, hashlanes.fallback,
      hashlanes.digest("abc", "md5", "hex")]));
    await load({ native: true }).then(() => console.log("loaded"), ({ message }) =>
      console.log(JSON.stringify(message)));`;
  const loaded = () => execFileSync(process.execPath, ["--input-type=module", "-e", script],
    { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] }).trim().split("\n");
  const abc = expected("abc", "md5");
  assert.deepEqual(loaded(), [JSON.stringify(["native", null, abc]), "loaded"]);
  await rename(addon, `${addon}.away`);
  try {
    for (const content of [undefined, "no library"]) {
      if (content !== undefined) await writeFile(addon, content);
      const [first, second] = loaded().map((line) => JSON.parse(line));
      assert.deepEqual([first[0], first[2]], ["wasm", abc]);
      assert.match(first[1], /hashlanes-\w+-\w+\.node/);
      assert.equal(second, first[1]);
    }
  } finally {
    await rename(`${addon}.away`, addon);
  }
});

test("all kinds of messages", async () => {
  const { digest, digestMany } = bound(await load());
  const bytes = new Uint8Array([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  const shared = new Uint8Array(new SharedArrayBuffer(8)).fill(7);
  const kinds = [bytes, bytes.buffer, bytes.subarray(2, 5), new DataView(bytes.buffer, 3, 4),
    new Uint16Array(bytes.buffer, 2, 3), Buffer.from("abc"), shared, shared.buffer];
  const right = [bytes, bytes, bytes.subarray(2, 5), bytes.subarray(3, 7), bytes.subarray(2, 8),
    "abc", Buffer.from(shared), Buffer.from(shared)];
  assert.deepEqual(digestMany(kinds, "sha1", "hex"), right.map((one) => expected(one, "sha1")));
  const texts = ["", "Übung", "練習 🦀", "\u0000"];
  assert.deepEqual(digestMany(texts.values(), "sha1", "hex"),
    texts.map((text) => expected(text, "sha1")));
  assert.deepEqual(digestMany([], "md5"), []);
  assert.equal(digest("abc", "md5") instanceof Uint8Array, true);
});

// Fills one buffer again for each message, as a loop over reads does.
function* refilled(contents, kind) {
  const memory = new Uint8Array(Math.max(...contents.map(({ length }) => length)));
  for (const content of contents) {
    memory.set(content);
    yield kind(memory.buffer, content.length);
    memory.fill(255);
  }
}

const REFILLED = {
  digestMany: (hashlanes) => refill(hashlanes, "digestMany"),
  digestManyAsync: (hashlanes) => refill(hashlanes, "digestManyAsync"),
};

async function refill(hashlanes, method) {
  const lengths = [0, 5, 64, 1000, 131_072, 131_073, 200_000, 4 << 20, (4 << 20) + 1, 5 << 20];
  const contents = [...lengths, ...lengths.slice(0, 8), ...lengths].map((length) =>
    randomBytes(length));
  const kinds = [(buffer, length) => new Uint8Array(buffer, 0, length),
    (buffer, length) => Buffer.from(buffer, 0, length),
    (buffer, length) => new DataView(buffer, 0, length)];
  const right = contents.map((content) => expected(content, "sha256"));
  for (const kind of kinds) {
    const iterator = refilled(contents, kind);
    assert.deepEqual(await hashlanes[method](iterator, "sha256", "hex"), right);
    class Batch extends Array {
      * [Symbol.iterator]() { yield* refilled(contents, kind); }
    }
    for (const iterable of [new Batch(), { [Symbol.iterator]: () => refilled(contents, kind) }]) {
      assert.deepEqual(await hashlanes[method](iterable, "sha256", "hex"), right);
    }
  }
}

test("each message is read before the next one is asked for", async () => {
  const require = createRequire(import.meta.url);
  const types = require.resolve("hashlanes/package.json").replace("package.json", "hashlanes.d.ts");
  const text = await readFile(types, "utf8");
  const several = [...text.matchAll(/(\w+)\([^)]*(?:Iterable<|\[\])/g)].map(([, name]) => name);
  assert.deepEqual([...new Set(several)], Object.keys(REFILLED));
  for (const options of Object.values(BUILDS)) {
    const hashlanes = await load(options);
    for (const test of Object.values(REFILLED)) await test(hashlanes);
  }
});

test("what is wrong is named, and harms nothing", async () => {
  const hashlanes = await load();
  assert.throws(() => hashlanes.digest("a", "sha257"),
    { name: "RangeError", message: "unknown algorithm sha257" });
  assert.throws(() => hashlanes.createHash("SHA256"), RangeError);
  assert.throws(() => hashlanes.kernel(undefined), RangeError);
  assert.throws(() => hashlanes.digest("a", "md5", "base64"),
    { name: "RangeError", message: "unknown encoding base64" });
  for (const wrong of [null, undefined, 1, {}, [1, 2]]) {
    assert.throws(() => hashlanes.digestMany(["a", wrong], "md5"), TypeError);
  }
  assert.throws(() => hashlanes.digestMany(5, "md5"), TypeError);
  for (const wrong of ["abc", "", new String("abc")]) {
    const error = { name: "TypeError", message: /^messages must be an iterable .* not a string$/ };
    assert.throws(() => hashlanes.digestMany(wrong, "md5"), error);
    await assert.rejects(hashlanes.digestManyAsync(wrong, "md5"), error);
  }
  const hasher = hashlanes.createHash("md5").update("a");
  assert.throws(() => hasher.update(7), TypeError);
  assert.throws(() => hasher.digest("utf8"), RangeError);
  assert.equal(hasher.update("b").digest("hex"), expected("ab", "md5"));
});

test("the module can be given", async () => {
  const bytes = await readFile(createRequire(import.meta.url).resolve("hashlanes/hashlanes.wasm"));
  for (const wasm of [bytes, await WebAssembly.compile(bytes)]) {
    const hashlanes = await load({ wasm });
    assert.equal(hashlanes.digest("abc", "md5", "hex"), expected("abc", "md5"));
    assert.match(hashlanes.kernel("md5").name, /^portable/);
  }
  assert.equal(hasVectors(), true);
});

test("CommonJS and tools find what they need", async () => {
  const require = createRequire(import.meta.url);
  assert.equal(require("hashlanes/package.json").name, "hashlanes");
  if (process.features.require_module) {
    const hashlanes = await require("hashlanes").load();
    assert.equal(hashlanes.digest("abc", "md5", "hex"), expected("abc", "md5"));
  }
});

test("hashers that are dropped take no memory", async () => {
  for (const native of [true, false]) await dropped(await load({ native }));
});

async function dropped(hashlanes) {
  const drop = () => {
    for (let i = 0; i < 20_000; i++) hashlanes.createHash("sha512").update("x");
  };
  const before = process.memoryUsage().rss;
  for (let i = 0; i < 10; i++) {
    drop();
    // Collected objects are reported in a task of their own.
    gc();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  // 200,000 sessions of more than 256 bytes would take 50 MB.
  const grown = process.memoryUsage().rss - before;
  assert.ok(grown < 40e6, `grown by ${grown} bytes`);
}

test("the examples of the guide and of the package's page run", async () => {
  for (const page of ["javascript.md", "node_modules/hashlanes/README.md"]) {
    const text = await readFile(new URL(page, import.meta.url), "utf8");
    const example = /```js\n(.*?)```/s.exec(text)[1];
    const file = new URL("example.mjs", import.meta.url);
    await writeFile(file, `${example}\nexport { digests, texts };`);
    const { digests, texts } = await import(`${file}?${page}`);
    assert.equal(toHex(digests[0]), expected("abc", "sha256"));
    assert.equal(texts[0], ABC.blake3);
  }
});

function bound(object) {
  return { digest: object.digest.bind(object), digestMany: object.digestMany.bind(object) };
}
