// The entry for Node.js and what is like it: the addon or the module is a file beside this one.

import { readFile } from "node:fs/promises";

import { Hashlanes, toHex } from "./core.js";
import { native as addon } from "./native.js";
import { hasVectors, instantiate } from "./wasm.js";

export { hasVectors, toHex };

export async function load({ native, simd, wasm } = {}) {
  let reason;
  if (native ?? (simd === undefined && wasm === undefined)) {
    try {
      return new Hashlanes(addon());
    } catch (error) {
      if (native) throw error;
      reason = error.message;
    }
  }
  const url = simd ?? hasVectors()
    ? new URL("./hashlanes-simd128.wasm", import.meta.url)
    : new URL("./hashlanes.wasm", import.meta.url);
  return new Hashlanes(await instantiate(wasm ?? await readFile(url)), reason);
}
