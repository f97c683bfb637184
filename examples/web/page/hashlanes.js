// Hashes files in the workers of a page: one worker per core, with many files side by side in each.
//
//     import { Pool } from "./hashlanes.js";
//     const pool = await Pool.load();
//     const { digests } = await pool.hash(input.files, { algorithm: "sha256" });

// In the order of the library's `Algorithm::ALL`. `subtle` is the name in `crypto.subtle`, if it
// has the algorithm.
export const ALGORITHMS = [
  { name: "md5", label: "MD5", subtle: null },
  { name: "sha1", label: "SHA-1", subtle: "SHA-1" },
  { name: "sha224", label: "SHA-224", subtle: null },
  { name: "sha256", label: "SHA-256", subtle: "SHA-256" },
  { name: "sha384", label: "SHA-384", subtle: "SHA-384" },
  { name: "sha512", label: "SHA-512", subtle: "SHA-512" },
  { name: "sha512-256", label: "SHA-512/256", subtle: null },
  { name: "sm3", label: "SM3", subtle: null },
];

// A module with one function that uses a vector. An engine without vectors rejects it.
const VECTOR_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
  15, 253, 98, 11,
]);

export function hasVectors() {
  return WebAssembly.validate(VECTOR_MODULE);
}

export class Pool {
  #module;
  #workers = [];
  #size;

  constructor(module, simd, size) {
    this.#module = module;
    this.simd = simd;
    this.#size = size;
  }

  // Fetches the module that this engine can run. `simd: false` selects the one without vectors.
  static async load({ simd = hasVectors(), workers = navigator.hardwareConcurrency || 1 } = {}) {
    const url = new URL(simd ? "hashlanes-simd128.wasm" : "hashlanes.wasm", import.meta.url);
    const response = await fetch(url);
    if (!response.ok) throw new Error(`${url}: ${response.status} ${response.statusText}`);
    const module = await WebAssembly.compile(await response.arrayBuffer());
    return new Pool(module, simd, workers);
  }

  // Hashes files (`File` or `Blob`). Resolves to statistics and the hexadecimal digests in the
  // order of the files, `null` for those that cannot be read. Must not be called again before it
  // resolves.
  //
  // `onFile(index, digest, error)` is called when a file is done, and `onBytes(count)` with the
  // bytes hashed since the last call. `signal` is an AbortSignal, which ends the workers at once
  // and rejects the promise.
  async hash(files, { algorithm = "sha256", onFile, onBytes, signal } = {}) {
    const number = ALGORITHMS.findIndex((one) => one.name === algorithm);
    if (number < 0) throw new RangeError(`unknown algorithm ${algorithm}`);
    files = [...files];
    const size = Math.max(1, Math.min(this.#size, files.length));
    while (this.#workers.length < size) {
      this.#workers.push(new Worker(new URL("worker.js", import.meta.url), { type: "module" }));
    }
    const workers = this.#workers.slice(0, size);
    const digests = new Array(files.length).fill(null);
    const figures = { bytes: 0, busy: 0, kernel: "", lanes: 1, workers: size };
    const began = performance.now();
    let next = 0;
    let running = size;

    await new Promise((resolve, reject) => {
      const stop = (reason) => {
        this.close();
        reject(reason);
      };
      if (signal?.aborted) return stop(signal.reason);
      const abort = () => stop(signal.reason);
      signal?.addEventListener("abort", abort, { once: true });

      for (const worker of workers) {
        worker.onerror = (event) => stop(new Error(event.message || "a worker failed"));
        worker.onmessage = ({ data }) => {
          if (data.kernel && data.lanes >= figures.lanes) {
            Object.assign(figures, { kernel: data.kernel, lanes: data.lanes });
          }
          figures.bytes += data.bytes;
          figures.busy += data.busy;
          if (data.bytes > 0) onBytes?.(data.bytes);
          for (const { index, digest, error } of data.done) {
            digests[index] = digest ?? null;
            onFile?.(index, digest, error);
          }
          if (data.want > 0) {
            // Limits the share, so that the last files are spread over all workers.
            const share = Math.ceil((files.length - next) / size);
            const last = Math.min(files.length, next + Math.min(data.want, share));
            const given = [];
            for (; next < last; next++) given.push({ index: next, file: files[next] });
            worker.postMessage({ files: given });
          }
          if (data.ended && --running === 0) {
            signal?.removeEventListener("abort", abort);
            resolve();
          }
        };
        worker.postMessage({ begin: { module: this.#module, algorithm: number } });
      }
    });
    return { digests, ...figures, seconds: (performance.now() - began) / 1000 };
  }

  // Ends the workers. The next call of `hash` starts new ones.
  close() {
    for (const worker of this.#workers) worker.terminate();
    this.#workers = [];
  }
}

// A manifest line for `sha256sum -c`, its siblings and `hashlanes check`. A name with a newline or
// a backslash is escaped in the same way.
export function manifestLine(algorithm, digest, name) {
  const escaped = name.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
  const mark = escaped === name ? "" : "\\";
  // Without a tag, digests of SHA-512/256 and SM3 would be taken for SHA-256, which has the same
  // length.
  const tag = { "sha512-256": "SHA512/256", sm3: "SM3" }[algorithm];
  if (tag) return `${mark}${tag} (${escaped}) = ${digest}\n`;
  return `${mark}${digest}  ${escaped}\n`;
}
