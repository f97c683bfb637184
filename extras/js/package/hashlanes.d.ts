/** The names of the hash functions. */
export type Algorithm =
  | "md5" | "sha1" | "sha224" | "sha256" | "sha384" | "sha512" | "sha512-256" | "sm3"
  | "sha3-224" | "sha3-256" | "sha3-384" | "sha3-512" | "keccak256" | "keccak512"
  | "shake128" | "shake256" | "blake2b" | "blake2s" | "blake3" | "sha256d";

/** A message or a piece of one. A string is hashed as UTF-8. */
export type Message = string | ArrayBufferLike | ArrayBufferView;

/**
 * A `WebAssembly.Module`. It has a name of its own because TypeScript defines that type, which has
 * no members either, only for browsers, and programs for Node.js may have only `--lib es2022`.
 */
export type CompiledModule = object;

export interface LoadOptions {
  /**
   * Whether to load the addon for Node.js. By default, if this system has it and neither of the
   * other options is given. With `true`, the reason is thrown if it cannot be loaded.
   */
  native?: boolean;
  /** Whether to load the module with 128-bit vectors. By default, if this engine has them. */
  simd?: boolean;
  /** The module, or its bytes, where it cannot be found beside this package. */
  wasm?: CompiledModule | ArrayBuffer | ArrayBufferView;
}

/** Loads the addon or the module. Each instance has a memory of its own. */
export function load(options?: LoadOptions): Promise<Hashlanes>;

/** Whether this engine has 128-bit vectors. */
export function hasVectors(): boolean;

/** The bytes as lower-case hexadecimal digits. */
export function toHex(bytes: Uint8Array): string;

export interface Hashlanes {
  readonly algorithms: readonly Algorithm[];

  /** What hashes: the addon for Node.js, or WebAssembly. */
  readonly engine: "native" | "wasm";

  /** Why it is not the addon, if it was looked for. */
  readonly fallback: string | undefined;

  /**
   * The digest of each message, side by side in lanes. Digests of one call share `ArrayBuffer`s:
   * whoever transfers the buffer of one empties others. `digest.slice()` has a buffer of its own.
   *
   * @throws RangeError if the algorithm or the encoding is unknown, or memory is short
   * @throws TypeError if something is not a `Message`, or `messages` is a string
   */
  digestMany(messages: Iterable<Message>, algorithm: Algorithm): Uint8Array[];
  digestMany(messages: Iterable<Message>, algorithm: Algorithm, encoding: "hex"): string[];

  /**
   * The same in other threads, if the engine is the addon. Otherwise, other tasks run between any
   * two of its batches of at most 1 MiB. Messages must stay as they are until then.
   */
  digestManyAsync(messages: Iterable<Message>, algorithm: Algorithm): Promise<Uint8Array[]>;
  digestManyAsync(
    messages: Iterable<Message>, algorithm: Algorithm, encoding: "hex",
  ): Promise<string[]>;

  /** The digest of one message. */
  digest(message: Message, algorithm: Algorithm): Uint8Array;
  digest(message: Message, algorithm: Algorithm, encoding: "hex"): string;

  /** Begins a message that comes in pieces. */
  createHash(algorithm: Algorithm): Hasher;

  /**
   * Continues a message whose hasher was saved: here, in another process, or in another language.
   *
   * @throws RangeError if the bytes are damaged, of another version, or of a message under a key
   */
  restore(saved: ArrayBufferLike | ArrayBufferView): Hasher;

  /**
   * The kernel that hashes this many messages, with the number of its lanes.
   *
   * @throws RangeError if the algorithm is unknown, or `messages` not an integer below 2 ** 32
   */
  kernel(algorithm: Algorithm, messages?: number): { name: string; lanes: number };

  /**
   * Hashes known messages with every algorithm in every kernel.
   *
   * @throws Error if a digest is wrong; it names the algorithm and the kernel
   */
  selfTest(): void;
}

export interface Hasher {
  /** Appends a piece, and returns the hasher. */
  update(piece: Message): this;

  /** The state of the message so far, for `restore`. Whoever has it can extend the message. */
  save(): Uint8Array;

  /** Ends the message. The hasher cannot be used after that. */
  digest(): Uint8Array;
  digest(encoding: "hex"): string;
}
