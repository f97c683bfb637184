// What all engines share: messages into the memory of the module, and digests out of it.

// A module with one function that uses a vector. An engine without vectors rejects it.
const VECTOR_MODULE = new Uint8Array([
  0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253,
  15, 253, 98, 11,
]);

const BUFFER = 4 << 20; // the most bytes that are hashed in one call
const LONG = 128 << 10; // longer messages are hashed in pieces
const PLACES = 32; // the most long messages side by side
const MESSAGES = 1 << 14; // the most messages in one call

const encoder = new TextEncoder();

export function hasVectors() {
  return WebAssembly.validate(VECTOR_MODULE);
}

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Instantiates the module: its bytes, or a WebAssembly.Module.
export async function instantiate(wasm) {
  const module = wasm instanceof WebAssembly.Module ? wasm : await WebAssembly.compile(wasm);
  return new Hashlanes((await WebAssembly.instantiate(module, {})).exports);
}

// The bytes of a message, which are not copied unless it is a string.
function bytesOf(message) {
  if (typeof message === "string") return encoder.encode(message);
  if (message instanceof Uint8Array) return message;
  if (ArrayBuffer.isView(message)) {
    return new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
  }
  // By its tag: a buffer of another page, or one that is shared, is of another class.
  const tag = Object.prototype.toString.call(message);
  if (tag === "[object ArrayBuffer]" || tag === "[object SharedArrayBuffer]") {
    return new Uint8Array(message);
  }
  throw new TypeError("a message must be a string, an ArrayBuffer or a view of one");
}

function isArray(messages) {
  return Array.isArray(messages) && messages[Symbol.iterator] === Array.prototype[Symbol.iterator];
}

function output(digest, encoding) {
  if (encoding === undefined) return digest;
  if (encoding === "hex") return toHex(digest);
  throw new RangeError(`unknown encoding ${encoding}`);
}

class Hashlanes {
  #exports;
  #numbers = new Map();
  // Closes the sessions of hashers that were dropped before their end.
  #dropped = new FinalizationRegistry((session) => this.#exports.close(session));

  constructor(exports) {
    this.#exports = exports;
    for (let i = 0, length; (length = exports.name(i)) > 0; i++) {
      this.#numbers.set(String.fromCharCode(...this.#answer(length)), i);
    }
    this.algorithms = Object.freeze([...this.#numbers.keys()]);
  }

  #number(algorithm) {
    const number = this.#numbers.get(algorithm);
    if (number === undefined) throw new RangeError(`unknown algorithm ${algorithm}`);
    return number;
  }

  // A copy, because the next call overwrites it.
  #answer(length) {
    return new Uint8Array(this.#exports.memory.buffer, this.#exports.answer(), length).slice();
  }

  // Writes messages to the memory of the module, one after the other.
  #write(messages) {
    const { memory, reserve, buffer, pieces } = this.#exports;
    const size = messages.reduce((sum, { length }) => sum + length, 0);
    if (!reserve(size, messages.length)) throw new RangeError("not enough memory");
    const bytes = new Uint8Array(memory.buffer, buffer(), size);
    const places = new Uint32Array(memory.buffer, pieces(), 2 * messages.length);
    let end = 0;
    messages.forEach((message, i) => {
      bytes.set(message, end);
      places[2 * i] = end;
      places[2 * i + 1] = message.length;
      end += message.length;
    });
  }

  kernel(algorithm, messages = 1024) {
    const answer = this.#exports.kernel(this.#number(algorithm), messages);
    const name = String.fromCharCode(...this.#answer(answer >>> 16));
    return { name, lanes: answer & 0xffff };
  }

  selfTest() {
    const length = this.#exports.self_test();
    if (length > 0) throw new Error(String.fromCharCode(...this.#answer(length)));
  }

  digest(message, algorithm, encoding) {
    return this.digestMany([message], algorithm, encoding)[0];
  }

  digestMany(messages, algorithm, encoding) {
    const number = this.#number(algorithm);
    output(new Uint8Array(), encoding); // rejects an unknown one at once
    const digests = [];
    const long = [];
    let batch = [];
    let size = 0;
    const hashBatch = () => {
      this.#whole(number, batch.map(({ bytes }) => bytes)).forEach((digest, i) => {
        digests[batch[i].index] = output(digest, encoding);
      });
      batch = [];
      size = 0;
    };
    // Any other iterable may fill one buffer again for each message. So a message is copied before
    // the next one is asked for, or hashed if it is very long.
    const lasts = isArray(messages);
    let index = 0;
    for (const message of messages) {
      let bytes = bytesOf(message);
      if (!lasts && bytes.length > BUFFER) {
        this.#inPieces(number, [{ bytes, index }], digests, encoding);
        index += 1;
        continue;
      }
      // Not by `slice`, which shares the memory of a Buffer of Node.js.
      if (!lasts && typeof message !== "string") bytes = new Uint8Array(bytes);
      if (bytes.length > LONG) {
        long.push({ bytes, index });
        if (long.length === PLACES) this.#inPieces(number, long.splice(0), digests, encoding);
      } else {
        if (batch.length === MESSAGES || size + bytes.length > BUFFER) hashBatch();
        batch.push({ bytes, index });
        size += bytes.length;
      }
      index += 1;
    }
    if (batch.length > 0) hashBatch();
    if (long.length > 0) this.#inPieces(number, long, digests, encoding);
    return digests;
  }

  // The digests of short messages.
  #whole(number, messages) {
    this.#write(messages);
    const length = this.#exports.digest_many(number, messages.length);
    if (length === 0) throw new RangeError("not enough memory");
    const all = this.#answer(messages.length * length);
    return messages.map((_, i) => all.subarray(i * length, (i + 1) * length));
  }

  // Hashes a piece of each message, then the next piece of each, until the last one ends.
  #inPieces(number, long, digests, encoding) {
    const session = this.#exports.open(number, long.length);
    const piece = Math.floor(BUFFER / long.length);
    try {
      const most = long.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);
      for (let offset = 0; offset < most; offset += piece) {
        this.#write(long.map(({ bytes }) => bytes.subarray(offset, offset + piece)));
        this.#exports.update(session);
      }
      long.forEach(({ index }, place) => {
        digests[index] = output(this.#answer(this.#exports.finish(session, place)), encoding);
      });
    } finally {
      this.#exports.close(session);
    }
  }

  createHash(algorithm) {
    return this.#hasher(this.#exports.open(this.#number(algorithm), 1));
  }

  restore(saved) {
    if (typeof saved === "string") throw new TypeError("a saved state must be bytes");
    const bytes = bytesOf(saved);
    this.#write([bytes]);
    const session = this.#exports.restore(bytes.length);
    if (session > 0) return this.#hasher(session);
    throw new RangeError(String.fromCharCode(...this.#answer(-session)));
  }

  // The hasher of the message in the only place of a session.
  #hasher(session) {
    const exports = this.#exports;
    const hasher = new Hasher({
      update: (bytes) => {
        for (let offset = 0; offset < bytes.length; offset += BUFFER) {
          this.#write([bytes.subarray(offset, offset + BUFFER)]);
          exports.update(session);
        }
      },
      save: () => this.#answer(exports.save(session, 0)),
      digest: () => {
        const digest = this.#answer(exports.finish(session, 0));
        exports.close(session);
        this.#dropped.unregister(hasher);
        return digest;
      },
    });
    this.#dropped.register(hasher, session, hasher);
    return hasher;
  }
}

class Hasher {
  #session;

  constructor(session) {
    this.#session = session;
  }

  update(piece) {
    const bytes = bytesOf(piece);
    if (this.#session === null) throw new Error("the digest has already been computed");
    this.#session.update(bytes);
    return this;
  }

  save() {
    if (this.#session === null) throw new Error("the digest has already been computed");
    return this.#session.save();
  }

  digest(encoding) {
    output(new Uint8Array(), encoding); // leaves the message as it was if it is unknown
    if (this.#session === null) throw new Error("the digest has already been computed");
    const session = this.#session;
    this.#session = null;
    return output(session.digest(), encoding);
  }
}
