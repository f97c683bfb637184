// Tests the page in headless Chromium: `node test.mjs PAGE TOOLS`, see `cargo xtask web --test`.
//
// Real files are dropped on it, and each digest is compared with that of coreutils.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, unlinkSync,
  writeFileSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { finished, open } from "./browser.mjs";

const [folder, tools] = process.argv.slice(2).map((path) => resolve(path));
// If given, only tests with this in their names run.
const filter = process.argv[4] ?? "";
const files = mkdtempSync(join(tmpdir(), "hashlanes-web-"));
const { browser, url, close } = await open(folder, tools);
let failed = true;
try {
  await run();
  failed = false;
} finally {
  await close();
  rmSync(files, { recursive: true });
  if (failed) console.error("the page: FAILED");
}

async function run() {
  const names = makeFiles();
  await test("every algorithm, with vectors", async () => {
    const page = await newPage("");
    for (const name of ["md5", "sha1", "sha224", "sha256", "sha384", "sha512"]) {
      await drop(page, name, names);
      checkManifest(await manifest(page), name, names);
    }
    const figures = JSON.parse(await page.getAttribute("body", "data-figures"));
    assert.equal(figures.bytes, names.reduce((sum, { size }) => sum + size, 0));
    assert.match(figures.kernel, /^simd128/);
    await page.close();
  });
  await test("SHA-512/256, which coreutils lack", async () => {
    const page = await newPage("");
    const some = names.slice(5, 25);
    await drop(page, "sha512-256", some);
    const lines = (await manifest(page)).trimEnd().split("\n");
    const right = some.map(({ name, path }) => {
      const digest = createHash("sha512-256").update(readFileSync(path)).digest("hex");
      return `SHA512/256 (${name}) = ${digest}`;
    });
    assert.deepEqual(lines, right);
    await page.close();
  });
  await test("without vectors", async () => {
    const page = await newPage("?plain");
    for (const name of ["md5", "sha256", "sha512"]) {
      await drop(page, name, names);
      checkManifest(await manifest(page), name, names);
    }
    const figures = JSON.parse(await page.getAttribute("body", "data-figures"));
    assert.match(figures.kernel, /^portable/);
    await page.close();
  });
  await test("the same digests as crypto.subtle", async () => {
    const page = await newPage("");
    await drop(page, "sha256", names, true);
    const subtle = JSON.parse(await page.getAttribute("body", "data-subtle"));
    assert.equal(subtle.files, names.length);
    assert.equal(subtle.wrong, 0);
    await page.screenshot({ path: join(tools, "light.png"), fullPage: false });
    await page.emulateMedia({ colorScheme: "dark" });
    await page.screenshot({ path: join(tools, "dark.png"), fullPage: false });
    await drop(page, "md5", names.slice(0, 3), true);
    assert.match(await page.textContent("#subtle-note"), /has no MD5/);
    await page.close();
  });
  await test("a file that cannot be read, between others", async () => {
    const page = await newPage("");
    const gone = join(files, "gone");
    writeFileSync(gone, "it is there when it is chosen");
    const some = [...names.slice(0, 5), { name: "gone", path: gone }, ...names.slice(5, 40)];
    await page.evaluate(() => { document.getElementById("compare").checked = false; });
    await choose(page, some);
    unlinkSync(gone);
    await dropChosen(page, "sha256");
    const readable = some.filter(({ name }) => name !== "gone");
    checkManifest(await manifest(page), "sha256", readable);
    assert.match(await page.textContent("#summary"), /1 cannot be read/);
    assert.match(await page.textContent("td.error"), /cannot be read/);
    await page.close();
  });
  await test("a run that is cancelled, and one after it", async () => {
    const page = await newPage("");
    await choose(page, Array.from({ length: 6 }, () => names[0]));
    await setOptions(page, "sha512", false);
    await dropNow(page);
    await page.waitForFunction(() => document.getElementById("bar").value > 0.02);
    await page.click("#cancel");
    await finished(page);
    assert.equal(await page.textContent("#status"), "Cancelled.");
    assert.match(await page.textContent("#summary"), /6 not hashed/);
    await drop(page, "md5", names.slice(1, 30));
    checkManifest(await manifest(page), "md5", names.slice(1, 30));
    await page.close();
  });
  await test("memory stays bounded", async () => {
    const page = await newPage("");
    await drop(page, "md5", Array.from({ length: 4 }, () => names[0]));
    const bytes = await page.evaluate(async () => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      return performance.memory.usedJSHeapSize;
    });
    assert.ok(bytes < 64 << 20, `${bytes} bytes of JavaScript's heap`);
    await page.close();
  });
}

async function test(name, work) {
  if (!name.includes(filter)) return;
  const began = Date.now();
  await work();
  console.log(`ok: ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
}

// A large file, an empty one, one of a single byte, non-ASCII names, and many small files.
function makeFiles() {
  mkdirSync(files, { recursive: true });
  const made = [];
  const add = (name, pieces) => {
    const path = join(files, name);
    const file = openSync(path, "w");
    let size = 0;
    for (const piece of pieces) size += writeSync(file, piece);
    closeSync(file);
    made.push({ name, path, size });
  };
  const mebibyte = randomBytes(1 << 20);
  const large = Array.from({ length: 300 }, (_, i) => {
    mebibyte.writeUInt32LE(i, 0);
    return Buffer.from(mebibyte);
  });
  add("large.bin", large);
  add("empty", []);
  add("one byte", ["x"]);
  add("Übung – 練習 🦀.txt", ["not only ASCII"]);
  add("back\\slash and\nnewline", ["escaped in a manifest"]);
  for (let i = 0; i < 200; i++) add(`small-${i}`, [randomBytes(Math.floor(i * i * 1.7))]);
  add("some-mebibytes", [randomBytes(3_456_789)]);
  return made;
}

async function newPage(query) {
  const page = await browser.newPage({ viewport: { width: 1100, height: 900 } });
  page.on("pageerror", (error) => { throw error; });
  await page.goto(url + query);
  // Only an input can bring files from the disk into a page. They are dropped from there.
  await page.evaluate(() => {
    const input = Object.assign(document.createElement("input"), { type: "file", multiple: true });
    input.id = "chosen";
    input.hidden = true;
    document.body.append(input);
  });
  return page;
}

async function choose(page, some) {
  await page.setInputFiles("#chosen", some.map(({ path }) => path));
}

async function setOptions(page, algorithm, compare) {
  await page.evaluate(([algorithm, compare]) => {
    document.getElementById("algorithm").value = algorithm;
    document.getElementById("compare").checked = compare;
  }, [algorithm, compare]);
}

async function dropNow(page) {
  await page.evaluate(() => {
    document.body.dataset.state = "dropped";
    const dataTransfer = new DataTransfer();
    for (const file of document.getElementById("chosen").files) dataTransfer.items.add(file);
    const event = new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true });
    document.getElementById("drop").dispatchEvent(event);
  });
}

async function dropChosen(page, algorithm, compare = false) {
  await setOptions(page, algorithm, compare);
  await dropNow(page);
  await finished(page);
}

async function drop(page, algorithm, some, compare = false) {
  await choose(page, some);
  await dropChosen(page, algorithm, compare);
}

// The manifest that the Save button downloads.
async function manifest(page) {
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save")]);
  return readFileSync(await download.path(), "utf8");
}

// Compares with the output of coreutils, byte for byte.
function checkManifest(manifest, algorithm, some) {
  const program = `${algorithm}sum`;
  const right = execFileSync(program, ["--", ...some.map(({ name }) => name)], {
    cwd: files, encoding: "utf8", maxBuffer: 1 << 26,
  });
  const wrong = manifest.split("\n").find((line, i) => line !== right.split("\n")[i]);
  assert.equal(wrong, undefined, `not what ${program} prints`);
  assert.equal(manifest.length, right.length);
  // coreutils accept the manifest too.
  execFileSync(program, ["--check", "--quiet", "--strict"], { cwd: files, input: manifest });
}
