// The engine in an addon for Node.js, which uses all instructions of the CPU, and other threads.

import { createRequire } from "node:module";
import { arch, platform } from "node:process";

import { pack } from "./core.js";

const NONE = new Uint8Array();

// The engine. Throws why this system has none.
export function native() {
  return new Native(createRequire(import.meta.url)(`./hashlanes-${platform}-${arch}.node`));
}

class Native {
  engine = "native";
  #addon;
  // Memory for copies of messages, between two calls: the largest so far. No call has more than 4
  // MiB of messages.
  #free = NONE;

  constructor(addon) {
    this.#addon = addon;
    this.names = addon.names();
  }

  // Calls with copies of the messages, which no one else can change or transfer meanwhile. A single
  // one is not copied if the result comes at once.
  #call(messages, later, call) {
    const [first] = messages;
    if (!later && messages.length === 1 && first.buffer instanceof ArrayBuffer) {
      return call(first, new Uint32Array([0, first.length]), false);
    }
    const size = messages.reduce((sum, { length }) => sum + length, 0);
    const bytes = size <= this.#free.length ? this.#free : new Uint8Array(size);
    this.#free = NONE;
    const pieces = new Uint32Array(2 * messages.length);
    pack(messages, bytes, pieces);
    const done = (result) => {
      if (bytes.length > this.#free.length) this.#free = bytes;
      return result;
    };
    const result = call(bytes, pieces, later);
    return later ? result.then(done) : done(result);
  }

  kernel(number, messages) {
    return this.#addon.kernel(number, messages);
  }

  selfTest() {
    this.#addon.selfTest();
  }

  digestMany(number, messages, later) {
    return this.#call(messages, later, this.#addon.digestMany.bind(null, number));
  }

  open(number, places) {
    return this.#session(new this.#addon.Session(number, places));
  }

  restore(saved) {
    try {
      return this.#session(this.#addon.Session.restore(new Uint8Array(saved)));
    } catch (error) {
      throw new RangeError(error.message);
    }
  }

  #session(session) {
    return {
      update: (pieces, later) => this.#call(pieces, later, session.update.bind(session)),
      finish: (place) => session.finish(place),
      save: (place) => session.save(place),
      close() {},
    };
  }
}
