// What a type checker must accept, and, after each @ts-expect-error, what it must reject.

import { type Algorithm, type Hasher, hasVectors, load, toHex } from "hashlanes";

const hashlanes = await load({ simd: hasVectors() });
const digests: Uint8Array[] = hashlanes.digestMany(["a", new Uint8Array(1)], "sha256");
const texts: string[] = hashlanes.digestMany(new Set(["a"]), "md5", "hex");
const hasher: Hasher = hashlanes.createHash("blake3").update(new ArrayBuffer(1));
const digest: string = hasher.digest("hex") + toHex(digests[0]) + texts[0];
const saved: Uint8Array = hashlanes.restore(hashlanes.createHash("md5").save()).save();
const names: readonly Algorithm[] = hashlanes.algorithms;
await load({ wasm: new Uint8Array(8) });
await load({ native: true });
const later: Uint8Array[] = await hashlanes.digestManyAsync(["a"], "md5");
const laterTexts: string[] = await hashlanes.digestManyAsync(["a"], "md5", "hex");
const engine: "native" | "wasm" = hashlanes.engine;
hashlanes.selfTest();
const lanes: string = hashlanes.kernel("sm3").lanes.toFixed();
// Not printed: `console` is not in all libraries of types that this is checked with.
export { digest, engine, lanes, later, laterTexts, names, saved };

// @ts-expect-error: it may not have been looked for
hashlanes.fallback.length;

// @ts-expect-error: no such algorithm
hashlanes.digest("a", "sha257");
// @ts-expect-error: not a message
hashlanes.digest(5, "md5");
// @ts-expect-error: a number of bytes is no iterable of messages
hashlanes.digestMany(5, "md5");
// @ts-expect-error: a saved state is no text
hashlanes.restore("text");
// @ts-expect-error: no such encoding
hashlanes.digest("a", "md5", "base64");
// @ts-expect-error: neither a module nor bytes
await load({ wasm: "hashlanes.wasm" });
// @ts-expect-error: the list is fixed
hashlanes.algorithms.push("md5");
// @ts-expect-error: bytes are not text
const wrong: string = hashlanes.digest("a", "md5");
