// The entry for browsers and bundlers, which find the modules by these URLs.

import { Hashlanes, toHex } from "./core.js";
import { hasVectors, instantiate } from "./wasm.js";

export { hasVectors, toHex };

export async function load({ simd = hasVectors(), wasm } = {}) {
  if (wasm !== undefined) return new Hashlanes(await instantiate(wasm));
  const url = simd
    ? new URL("./hashlanes-simd128.wasm", import.meta.url)
    : new URL("./hashlanes.wasm", import.meta.url);
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
  return new Hashlanes(await instantiate(await response.arrayBuffer()));
}
