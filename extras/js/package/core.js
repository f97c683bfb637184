// What all engines share: messages in batches that are hashed side by side, and hashers.

const BUFFER = 4 << 20; // the most bytes that are hashed in one call
const LONG = 128 << 10; // longer messages are hashed in pieces
const PLACES = 32; // the most long messages side by side
const MESSAGES = 1 << 14; // the most messages in one call
// The same for digestManyAsync: copying this much takes about a millisecond.
const SHARED_BUFFER = 1 << 20;
const SHARED_MESSAGES = 1 << 11;

const encoder = new TextEncoder();

const HEX = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function toHex(bytes) {
  let hex = "";
  for (let i = 0; i < bytes.length; i++) hex += HEX[bytes[i]];
  return hex;
}

// Bytes that are ASCII, as a string.
export function text(bytes) {
  return String.fromCharCode(...bytes);
}

// Writes messages one after the other, and where each is and its length.
export function pack(messages, bytes, pieces) {
  let end = 0;
  messages.forEach((message, i) => {
    bytes.set(message, end);
    pieces[2 * i] = end;
    pieces[2 * i + 1] = message.length;
    end += message.length;
  });
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

// Takes steps, each of which is a call that gets whether its result may come later.
function now(steps) {
  try {
    let step = steps.next();
    while (!step.done) step = steps.next(step.value(false));
    return step.value;
  } finally {
    steps.return();
  }
}

async function later(steps) {
  try {
    let step = steps.next();
    while (!step.done) step = steps.next(await step.value(true));
    return step.value;
  } finally {
    steps.return();
  }
}

export class Hashlanes {
  #engine;
  #numbers;
  // Closes the sessions of hashers that were dropped before their end.
  #dropped = new FinalizationRegistry((session) => session.close());

  // The reason says why it is no other engine.
  constructor(engine, reason) {
    this.#engine = engine;
    this.#numbers = new Map(engine.names.map((name, i) => [name, i]));
    this.algorithms = Object.freeze([...engine.names]);
    this.engine = engine.engine;
    this.fallback = reason;
  }

  #number(algorithm) {
    const number = this.#numbers.get(algorithm);
    if (number === undefined) throw new RangeError(`unknown algorithm ${algorithm}`);
    return number;
  }

  kernel(algorithm, messages = 1024) {
    if (!Number.isInteger(messages) || messages < 0 || messages >= 2 ** 32) {
      throw new RangeError(`messages must be an integer from 0 to 2 ** 32 - 1, not ${messages}`);
    }
    return this.#engine.kernel(this.#number(algorithm), messages);
  }

  selfTest() {
    this.#engine.selfTest();
  }

  digest(message, algorithm, encoding) {
    return this.digestMany([message], algorithm, encoding)[0];
  }

  digestMany(messages, algorithm, encoding) {
    return now(this.#digests(messages, algorithm, encoding, BUFFER, MESSAGES));
  }

  async digestManyAsync(messages, algorithm, encoding) {
    return later(this.#digests(messages, algorithm, encoding, SHARED_BUFFER, SHARED_MESSAGES));
  }

  * #digests(messages, algorithm, encoding, buffer, most) {
    // It can be iterated over, but each of its characters would be a message.
    if (Object.prototype.toString.call(messages) === "[object String]") {
      throw new TypeError("messages must be an iterable of messages, not a string");
    }
    const engine = this.#engine;
    const number = this.#number(algorithm);
    output(new Uint8Array(), encoding); // rejects an unknown one at once
    const digests = [];
    let long = [];
    let batch = [];
    let size = 0;
    const hashBatch = function* () {
      const some = batch.map(({ bytes }) => bytes);
      const all = yield (later) => engine.digestMany(number, some, later);
      const length = all.length / batch.length;
      batch.forEach(({ index }, i) => {
        digests[index] = output(all.subarray(i * length, (i + 1) * length), encoding);
      });
      batch = [];
      size = 0;
    };
    const hashLong = function* () {
      yield* inPieces(engine.open(number, long.length), long, digests, encoding, buffer);
      long = [];
    };
    // Any other iterable may fill one buffer again for each message. So a message is copied before
    // the next one is asked for, or hashed if it is very long.
    const lasts = isArray(messages);
    let index = 0;
    for (const message of messages) {
      let bytes = bytesOf(message);
      const kept = lasts || bytes.length <= BUFFER;
      // Not by `slice`, which shares the memory of a Buffer of Node.js.
      if (kept && !lasts && typeof message !== "string") bytes = new Uint8Array(bytes);
      if (bytes.length > LONG) {
        long.push({ bytes, index });
        if (long.length === PLACES || !kept) yield* hashLong();
      } else {
        if (batch.length === most || size + bytes.length > buffer) yield* hashBatch();
        batch.push({ bytes, index });
        size += bytes.length;
      }
      index += 1;
    }
    if (batch.length > 0) yield* hashBatch();
    if (long.length > 0) yield* hashLong();
    return digests;
  }

  createHash(algorithm) {
    return this.#hasher(this.#engine.open(this.#number(algorithm), 1));
  }

  restore(saved) {
    if (typeof saved === "string") throw new TypeError("a saved state must be bytes");
    return this.#hasher(this.#engine.restore(bytesOf(saved)));
  }

  // The hasher of the message in the only place of a session.
  #hasher(session) {
    const hasher = new Hasher(session, () => this.#dropped.unregister(hasher));
    this.#dropped.register(hasher, session, hasher);
    return hasher;
  }
}

// Hashes a piece of each message, then the next piece of each, until the last one ends.
function* inPieces(session, long, digests, encoding, buffer) {
  const piece = Math.floor(buffer / long.length);
  try {
    const most = long.reduce((most, { bytes }) => Math.max(most, bytes.length), 0);
    for (let offset = 0; offset < most; offset += piece) {
      const pieces = long.map(({ bytes }) => bytes.subarray(offset, offset + piece));
      yield (later) => session.update(pieces, later);
    }
    long.forEach(({ index }, place) => {
      digests[index] = output(session.finish(place), encoding);
    });
  } finally {
    session.close();
  }
}

class Hasher {
  #session;
  #ended;

  constructor(session, ended) {
    this.#session = session;
    this.#ended = ended;
  }

  // The session, unless the message has ended.
  #open() {
    if (this.#session === null) throw new Error("the digest has already been computed");
    return this.#session;
  }

  update(piece) {
    const bytes = bytesOf(piece);
    const session = this.#open();
    for (let offset = 0; offset < bytes.length; offset += BUFFER) {
      session.update([bytes.subarray(offset, offset + BUFFER)], false);
    }
    return this;
  }

  save() {
    return this.#open().save(0);
  }

  digest(encoding) {
    output(new Uint8Array(), encoding); // leaves the message as it was if it is unknown
    const session = this.#open();
    this.#session = null;
    const digest = session.finish(0);
    session.close();
    this.#ended();
    return output(digest, encoding);
  }
}
