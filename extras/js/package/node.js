// The entry for Node.js and what is like it: the module is a file beside this one.

import { readFile } from "node:fs/promises";

import { hasVectors, instantiate, toHex } from "./core.js";

export { hasVectors, toHex };

export async function load({ simd = hasVectors(), wasm } = {}) {
  const url = simd
    ? new URL("./hashlanes-simd128.wasm", import.meta.url)
    : new URL("./hashlanes.wasm", import.meta.url);
  return instantiate(wasm ?? await readFile(url));
}
