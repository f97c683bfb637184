// The engine in WebAssembly: messages into the memory of the module, and digests out of it.

import { pack, text } from "./core.js";

// A module with one function that uses a vector. An engine without vectors rejects it.
const VECTOR_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
  15, 253, 98, 11,
]);

export function hasVectors() {
  return WebAssembly.validate(VECTOR_MODULE);
}

// Instantiates the module: its bytes, or a WebAssembly.Module.
export async function instantiate(wasm) {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  return new Wasm((await WebAssembly.instantiate(module, {})).exports);
}

// Lets other tasks run first if there is time: it is this thread that hashes.
function run(later, job) {
  return later ? new Promise((resolve) => setTimeout(resolve)).then(job) : job();
}

class Wasm {
  engine = "wasm";
  names = [];
  #exports;

  constructor(exports) {
    this.#exports = exports;
    for (let i = 0, length; (length = exports.name(i)) > 0; i++) {
      this.names.push(text(this.#answer(length)));
    }
  }

  // A copy, because the next call overwrites it.
  #answer(length) {
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.answer(), length).slice();
  }

  // Writes messages to the memory of the module.
  #write(messages) {
    const { memory, reserve, buffer, pieces } = this.#exports;
    const size = messages.reduce((sum, { length }) => sum + length, 0);
    if (!reserve(size, messages.length)) throw new RangeError("not enough memory");
    pack(messages, new Uint8Array(memory.buffer, buffer(), size),
      new Uint32Array(memory.buffer, pieces(), 2 * messages.length));
  }

  kernel(number, messages) {
    const answer = this.#exports.kernel(number, messages);
    return { name: text(this.#answer(answer >>> 16)), lanes: answer & 0xffff };
  }

  selfTest() {
    const length = this.#exports.self_test();
    if (length > 0) throw new Error(text(this.#answer(length)));
  }

  digestMany(number, messages, later) {
    return run(later, () => {
      this.#write(messages);
      const length = this.#exports.digest_many(number, messages.length);
      if (length === 0) throw new RangeError("not enough memory");
      return this.#answer(messages.length * length);
    });
  }

  open(number, places) {
    return this.#session(this.#exports.open(number, places));
  }

  restore(saved) {
    this.#write([saved]);
    const session = this.#exports.restore(saved.length);
    if (session > 0) return this.#session(session);
    throw new RangeError(text(this.#answer(-session)));
  }

  #session(session) {
    const { update, finish, save, close } = this.#exports;
    return {
      update: (pieces, later) => run(later, () => {
        this.#write(pieces);
        update(session);
      }),
      finish: (place) => this.#answer(finish(session, place)),
      save: (place) => this.#answer(save(session, place)),
      close: () => close(session),
    };
  }
}
