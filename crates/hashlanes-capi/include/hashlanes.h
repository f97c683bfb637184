// hashlanes: cryptographic hashes of many messages side by side, in the SIMD lanes of one core.
//
// Made by cbindgen from the crate hashlanes-capi. Do not change it by hand.
//
// What holds for all functions:
//
// * A function returns HASHLANES_OK or the reason why it did nothing, as a number
//   (hashlanes_error_text has its text). Each function lists its own reasons. All can also return
//   HASHLANES_ERROR_NULL, HASHLANES_ERROR_MISALIGNED, HASHLANES_ERROR_OVERFLOW (a length that is
//   larger than the address space), and HASHLANES_ERROR_INTERNAL. Functions that return something
//   else cannot fail, or say what they return on failure.
// * A pointer that is not NULL must point to as much memory as the function asks for, and a text
//   must end with a zero byte: this cannot be checked. Arrays of no elements and data of no bytes
//   may be NULL.
// * An object lives from its create function to its destroy function. It must not be used before or
//   after, nor destroyed twice; destroying NULL does nothing.
// * Memory that a function writes to must not overlap what it reads; this is checked where digests
//   are written.
// * "Threads" says from how many threads a function may be called at the same time. An object may
//   go from one thread to another. There is no global state but the environment variable
//   HASHLANES_KERNEL, which is read once: it names a kernel that hashes all messages of the
//   algorithms that have it. After fork, parent and child each have their own copy of an object. A
//   server must not be in use in another thread when the process forks.
// * No function throws, jumps or calls back. Without memory a function returns an error or does
//   without: none ends the process. The first call of all may return
//   HASHLANES_ERROR_MEMORY if HASHLANES_KERNEL is set.


#ifndef HASHLANES_H
#define HASHLANES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>


// The length of the longest digest in bytes.
#define HASHLANES_MAX_DIGEST_LENGTH 64

// The version of the header: its major number.
#define HASHLANES_VERSION_MAJOR 0

// The version of the header: its minor number. While the major number is 0, each minor number has
// an interface of its own.
#define HASHLANES_VERSION_MINOR 1

// The version of the header: its patch number.
#define HASHLANES_VERSION_PATCH 0

// Nothing is handed out now.
#define HASHLANES_NOTHING 0

// A piece has been hashed; its message continues.
#define HASHLANES_PIECE 1

// A message is complete.
#define HASHLANES_MESSAGE 2

// A hasher of one message that comes in pieces.
typedef struct hashlanes_hasher hashlanes_hasher;

// A key for HMAC (RFC 2104, FIPS 198-1), prepared for any number of messages. It must be
// kept as secret as the bytes that it was made from.
typedef struct hashlanes_hmac_key hashlanes_hmac_key;

// A manager of many messages in progress. Whole messages or pieces are submitted, and come back
// when they are hashed, in any order.
//
// | to hash | call | what comes back later |
// |---|---|---|
// | a whole message | `hashlanes_manager_entire` | `HASHLANES_MESSAGE` with the digest |
// | a message's first piece | `hashlanes_manager_first` | `HASHLANES_PIECE` with a job |
// | a further piece | `hashlanes_manager_update` with the job | `HASHLANES_PIECE` with a job |
// | the last piece | `hashlanes_manager_last` with the job | `HASHLANES_MESSAGE` with the digest |
//
// Each of these calls may hand out one finished piece or message in `*done`: usually one that was
// submitted before. If there is none, `done->kind` is `HASHLANES_NOTHING`.
// `hashlanes_manager_flush` hands out the rest. Nothing is hashed until the manager is full or is
// flushed.
//
// Buffers are not copied. From the call that submits it until it comes back as `done->data`, or
// until the manager is destroyed, a buffer must stay in place. If its bytes are changed meanwhile,
// only the digest of this message is wrong. If its memory is freed meanwhile, the behaviour is
// undefined: this cannot be checked.
//
// All other mistakes are errors. A job is a number that is valid for one call. A message cannot be
// continued twice at once, nor after its last piece: the number is invalid then, and the call
// returns `HASHLANES_ERROR_JOB` and does nothing. But do not mix the jobs of two managers: the
// same number can mean different messages in both.
typedef struct hashlanes_manager hashlanes_manager;

// A common prefix of many messages: a tag, a domain separator. Its whole blocks are hashed once.
typedef struct hashlanes_prefix hashlanes_prefix;

// Makes hashers for many concurrent messages, in one thread or in many, that share the lanes of
// the CPU.
//
// A single hasher is as fast as one without a server. The more there are, the more messages are
// hashed side by side. A server has no thread of its own.
typedef struct hashlanes_server hashlanes_server;

// A streaming hasher of one message, whose work is shared with the other hashers of its server.
typedef struct hashlanes_server_hasher hashlanes_server_hasher;

// What a function returns: `HASHLANES_OK`, or why it did nothing.
typedef int32_t hashlanes_error;

// A hash function: one of the constants `HASHLANES_MD5` and so on, or a number from
// `hashlanes_with_kernel`, which means a hash function whose messages are all hashed by one
// kernel.
//
// Any number may be passed. An unknown one is an error.
typedef uint32_t hashlanes_algorithm;

// A feature of CPUs that kernels use.
typedef struct hashlanes_cpu_feature {
    // Its name.
    char name[32];
    // Whether this CPU has it and the operating system allows it.
    bool present;
} hashlanes_cpu_feature;

// One kernel of an algorithm.
typedef struct hashlanes_kernel {
    // The name by which `hashlanes_with_kernel` chooses it.
    char name[32];
    // The names of the CPU's features that it needs, separated by commas and spaces.
    char needs[128];
    // Those of them that this CPU or the operating system lacks.
    char lacks[128];
    // The number of messages that it hashes side by side.
    size_t lanes;
    // Whether it can run here: nothing is missing.
    bool available;
} hashlanes_kernel;

// A message in progress, which the caller may continue. 0 is none.
typedef uint64_t hashlanes_job;

// What a manager hands out. Unused members are 0.
typedef struct hashlanes_done {
    // `HASHLANES_NOTHING`, `HASHLANES_PIECE` or `HASHLANES_MESSAGE`.
    uint32_t kind;
    // Bytes of the digest, if this is a message.
    uint32_t digest_length;
    // The message, if this is a piece: to be continued or abandoned.
    hashlanes_job job;
    // What was given with the message or with its first piece.
    void *user;
    // The buffer of the message or piece. It is the caller's again.
    const void *data;
    // Bytes of the buffer.
    size_t length;
    // The message's digest or MAC.
    uint8_t digest[64];
} hashlanes_done;

// Options of a server. Set all to 0 first: 0 means the default, and later versions may use the
// reserved members.
typedef struct hashlanes_server_options {
    // The most bytes of memory for the deferred data of all hashers; by default 16 MiB. If this is
    // less than one buffer, a hasher defers 1 KiB at most.
    size_t memory;
    // The most bytes that are deferred in one buffer, at least 2 KiB; by default 64 KiB. A longer
    // write is never copied.
    size_t staging;
    // The least number of deferred bytes with which a message helps to fill the lanes; by default
    // 16 KiB.
    size_t ready;
    // 1 to always copy a write that fits a buffer, so that most writes return in microseconds, at
    // the cost of CPU time. By default 0.
    uint32_t low_latency;
    // 0.
    uint32_t reserved[7];
} hashlanes_server_options;

// What a server has done since it was made. A hasher reports what it hashes by itself from time to
// time and at the end of a message, so the figures lag a little behind.
typedef struct hashlanes_server_stats {
    // Digests handed out.
    uint64_t messages;
    // Bytes hashed.
    uint64_t bytes;
    // Bytes hashed side by side with other messages.
    uint64_t bytes_shared;
    // How often two or more messages were hashed side by side.
    uint64_t rounds;
    // The mean number of filled lanes, weighted by bytes. 0 if there was no round.
    double mean_lanes;
    // How many messages fill the lanes of the best kernel; 1 if sharing lanes gains nothing on
    // this CPU.
    size_t full_lanes;
    // The number of kernels that ran, which `hashlanes_server_kernel_at` describes.
    size_t kernels;
} hashlanes_server_stats;

// A kernel's share in what a server has done.
typedef struct hashlanes_server_kernel {
    // Its name.
    char name[32];
    // Bytes of the rounds that began in it.
    uint64_t bytes;
    // Rounds that began in it.
    uint64_t rounds;
} hashlanes_server_kernel;

// The state of a message after some of its whole blocks. It may be copied and saved, and another
// process may continue it.
typedef struct hashlanes_state {
    // The words of the algorithm's standard, in its order: 4 of MD5, 5 of SHA-1, 8 of the others.
    // Words of 32 bits are in the lower halves. The rest is 0. The digest consists of the first
    // words of the last state.
    uint64_t words[8];
} hashlanes_state;

// MD5 (RFC 1321), 16 bytes. Broken: unsafe for data that an attacker can choose.
#define HASHLANES_MD5 1

// SHA-1 (FIPS 180-4), 20 bytes. Broken: unsafe for data that an attacker can choose.
#define HASHLANES_SHA1 2

// SHA-224 (FIPS 180-4), 28 bytes.
#define HASHLANES_SHA224 3

// SHA-256 (FIPS 180-4), 32 bytes.
#define HASHLANES_SHA256 4

// SHA-384 (FIPS 180-4), 48 bytes.
#define HASHLANES_SHA384 5

// SHA-512 (FIPS 180-4), 64 bytes.
#define HASHLANES_SHA512 6

// SHA-512/256 (FIPS 180-4), 32 bytes.
#define HASHLANES_SHA512_256 7

// SM3 (GB/T 32905-2016), 32 bytes.
#define HASHLANES_SM3 8

// The call succeeded.
#define HASHLANES_OK 0

// A pointer is NULL where it must not be.
#define HASHLANES_ERROR_NULL 1

// A pointer to something other than bytes is not aligned for it.
#define HASHLANES_ERROR_MISALIGNED 2

// A length or an array is larger than the address space.
#define HASHLANES_ERROR_OVERFLOW 3

// No algorithm has this number or name.
#define HASHLANES_ERROR_ALGORITHM 4

// The algorithm has no kernel of this name.
#define HASHLANES_ERROR_KERNEL 5

// The CPU, or the operating system, lacks what the kernel needs.
#define HASHLANES_ERROR_UNSUPPORTED 6

// The memory for digests is too small.
#define HASHLANES_ERROR_SIZE 7

// The memory for digests overlaps the bytes to be hashed.
#define HASHLANES_ERROR_OVERLAP 8

// A chunk length of 0 was passed.
#define HASHLANES_ERROR_CHUNK 9

// An index is out of range.
#define HASHLANES_ERROR_INDEX 10

// A key's algorithm differs from that of the object or of the other keys.
#define HASHLANES_ERROR_KEY 11

// The MAC is not that of the message.
#define HASHLANES_ERROR_MISMATCH 12

// The job is not the caller's: it was used before, or never handed out.
#define HASHLANES_ERROR_JOB 13

// An option has an invalid value.
#define HASHLANES_ERROR_OPTION 14

// There is not enough memory.
#define HASHLANES_ERROR_MEMORY 15

// A bug in the library. The object that was used must be destroyed.
#define HASHLANES_ERROR_INTERNAL 16

// The bytes are not whole blocks.
#define HASHLANES_ERROR_BLOCKS 17

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The number of algorithms, which are numbered from 1. Later versions may have more.
//
// Threads: any number at once.
uint32_t hashlanes_algorithm_count(void);

// The algorithm of a name: `sha256`, `SHA-256`, `sha512/256`. Case does not matter, and one `-`,
// `_` or `/` may stand between the parts of a name. Blanks are refused.
//
// Errors: `HASHLANES_ERROR_ALGORITHM` if no algorithm has the name.
//
// Threads: any number at once.
hashlanes_error hashlanes_algorithm_from_name(const char *name, hashlanes_algorithm *algorithm);

// The name of an algorithm in lower case: `md5`, `sha512-256`. NULL if there is no such algorithm.
//
// The text lives as long as the library is loaded.
//
// Threads: any number at once.
const char *hashlanes_algorithm_name(hashlanes_algorithm algorithm);

// Bytes of a digest or of a MAC: 16 to `HASHLANES_MAX_DIGEST_LENGTH`. 0 if there is no such
// algorithm.
//
// Threads: any number at once.
size_t hashlanes_digest_length(hashlanes_algorithm algorithm);

// Bytes of a message block: 64 or 128. 0 if there is no such algorithm.
//
// Threads: any number at once.
size_t hashlanes_block_length(hashlanes_algorithm algorithm);

// Makes a number for an algorithm whose messages are all hashed by the kernel of this name,
// however many there are: for tests and measurements. `hashlanes_kernel` has the names. The number
// can be passed wherever an algorithm can. It is valid in this process only, since other CPUs may
// have other kernels.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`; `HASHLANES_ERROR_KERNEL` if the algorithm has no kernel of
// the name; `HASHLANES_ERROR_UNSUPPORTED` if it cannot run here.
//
// Threads: any number at once.
hashlanes_error hashlanes_with_kernel(hashlanes_algorithm algorithm,
                                      const char *kernel,
                                      hashlanes_algorithm *chosen);

// Writes the digest of one message to `digest`, which has room for `size` bytes. `data` may be
// NULL if `length` is 0.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
//
// Threads: any number at once.
hashlanes_error hashlanes_digest(hashlanes_algorithm algorithm,
                                 const void *data,
                                 size_t length,
                                 uint8_t *digest,
                                 size_t size);

// Writes the digests of `count` independent messages, of any lengths, to `digests`, contiguously
// and in their order. Many messages are hashed side by side: that is what this library is for.
//
// `messages[i]` points to `lengths[i]` bytes, and may be NULL if that is 0. Messages may overlap
// each other. `digests` has room for `size` bytes, at least `count` times the digest's length.
//
// Up to 256 messages need no memory but the stack. For more, 16 bytes each are allocated
// during the call. The call takes up to 72 KiB of the stack.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
// `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once.
hashlanes_error hashlanes_digest_many(hashlanes_algorithm algorithm,
                                      const void *const *messages,
                                      const size_t *lengths,
                                      size_t count,
                                      uint8_t *digests,
                                      size_t size);

// The number of chunks of `chunk_length` bytes in a buffer of `length` bytes; the last may be
// shorter. An empty buffer has none. 0 if `chunk_length` is 0.
//
// Threads: any number at once.
size_t hashlanes_chunk_count(size_t length, size_t chunk_length);

// Writes the digests of the consecutive chunks of a buffer to `digests`, contiguously: Merkle
// leaves, pieces, parts. Each chunk is `chunk_length` bytes long, but the last may be shorter.
// `hashlanes_chunk_count` is their number.
//
// One level of a binary Merkle tree is this call with the level below as the buffer and twice the
// digest's length as the chunk's length.
//
// Nothing is allocated. The call takes up to 64 KiB of the stack.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_CHUNK`, `HASHLANES_ERROR_SIZE`,
// `HASHLANES_ERROR_OVERLAP`.
//
// Threads: any number at once.
hashlanes_error hashlanes_digest_chunks(hashlanes_algorithm algorithm,
                                        const void *data,
                                        size_t length,
                                        size_t chunk_length,
                                        uint8_t *digests,
                                        size_t size);

// The text of a code, in English and without a full stop. There is also one for unknown codes.
//
// Never NULL. The text lives as long as the library is loaded.
//
// Threads: any number at once.
const char *hashlanes_error_text(hashlanes_error code);

// Makes a hasher of an empty message.
//
// On an error `*hasher` is NULL.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once.
hashlanes_error hashlanes_hasher_create(hashlanes_algorithm algorithm,
                                        struct hashlanes_hasher **hasher);

// Appends bytes to the message. `data` may be NULL if `length` is 0. The bytes need not outlive
// the call.
//
// Errors: only those for pointers and lengths; then nothing was appended.
//
// Threads: one at a time for each hasher.
hashlanes_error hashlanes_hasher_update(struct hashlanes_hasher *hasher,
                                        const void *data,
                                        size_t length);

// Writes the digest of the message so far to `digest`, which has room for `size` bytes. The
// message continues.
//
// Errors: `HASHLANES_ERROR_SIZE`.
//
// Threads: any number at once, as long as none changes the hasher.
hashlanes_error hashlanes_hasher_digest(const struct hashlanes_hasher *hasher,
                                        uint8_t *digest,
                                        size_t size);

// Writes the digest of the message to `digest`, which has room for `size` bytes, and begins a new
// message. Called twice in a row, it writes the digest of the empty message the second time.
//
// Errors: `HASHLANES_ERROR_SIZE`; then the message continues.
//
// Threads: one at a time for each hasher.
hashlanes_error hashlanes_hasher_finish(struct hashlanes_hasher *hasher,
                                        uint8_t *digest,
                                        size_t size);

// Abandons the message and begins a new one.
//
// Errors: only those for pointers.
//
// Threads: one at a time for each hasher.
hashlanes_error hashlanes_hasher_reset(struct hashlanes_hasher *hasher);

// Makes another hasher, which continues the same message independently.
//
// On an error `*copy` is NULL.
//
// Errors: `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, as long as none changes the hasher.
hashlanes_error hashlanes_hasher_clone(const struct hashlanes_hasher *hasher,
                                       struct hashlanes_hasher **copy);

// Writes the length of the message so far in bytes, without a prefix; at most `UINT64_MAX`.
//
// Errors: only those for pointers.
//
// Threads: any number at once, as long as none changes the hasher.
hashlanes_error hashlanes_hasher_length(const struct hashlanes_hasher *hasher, uint64_t *length);

// Destroys a hasher. Does nothing if it is NULL. Cannot fail.
//
// Threads: when no other thread uses the hasher.
void hashlanes_hasher_destroy(struct hashlanes_hasher *hasher);

// Prepares a key of `length` bytes, which need not outlive the call. `bytes` may be NULL if
// `length` is 0.
//
// On an error `*key` is NULL.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once.
hashlanes_error hashlanes_hmac_key_create(hashlanes_algorithm algorithm,
                                          const void *bytes,
                                          size_t length,
                                          struct hashlanes_hmac_key **key);

// Writes the MAC of one message to `mac`, which has room for `size` bytes. A MAC is as long as a
// digest.
//
// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
//
// Threads: any number at once, even with the same key.
hashlanes_error hashlanes_hmac(const struct hashlanes_hmac_key *key,
                               const void *data,
                               size_t length,
                               uint8_t *mac,
                               size_t size);

// As `hashlanes_digest_many`, for the MACs of many messages under one key.
//
// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same key.
hashlanes_error hashlanes_hmac_many(const struct hashlanes_hmac_key *key,
                                    const void *const *messages,
                                    const size_t *lengths,
                                    size_t count,
                                    uint8_t *macs,
                                    size_t size);

// As `hashlanes_hmac_many`, each message under a key of its own: `messages[i]` under `keys[i]`.
// All keys are of one algorithm, and messages may share keys. 24 bytes for each message are
// allocated during the call. The library chooses the kernel, even if a key was made for one.
//
// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
// `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same keys.
hashlanes_error hashlanes_hmac_many_keys(const struct hashlanes_hmac_key *const *keys,
                                         const void *const *messages,
                                         const size_t *lengths,
                                         size_t count,
                                         uint8_t *macs,
                                         size_t size);

// Checks whether `mac`, of `mac_length` bytes, is the MAC of the message, in a time that does not
// depend on where they differ. A truncated MAC is not accepted.
//
// Errors: `HASHLANES_ERROR_MISMATCH` if it is not.
//
// Threads: any number at once, even with the same key.
hashlanes_error hashlanes_hmac_verify(const struct hashlanes_hmac_key *key,
                                      const void *data,
                                      size_t length,
                                      const uint8_t *mac,
                                      size_t mac_length);

// Makes a hasher of messages under the key: the first one, and all that it begins later. Its
// digests are their MACs. The key may be destroyed before the hasher.
//
// On an error `*hasher` is NULL.
//
// Errors: `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same key.
hashlanes_error hashlanes_hmac_hasher(const struct hashlanes_hmac_key *key,
                                      struct hashlanes_hasher **hasher);

// Destroys a key. Does nothing if it is NULL. Cannot fail.
//
// Threads: when no other thread uses the key.
void hashlanes_hmac_key_destroy(struct hashlanes_hmac_key *key);

// The version of the loaded library as a text: `0.1.0`. It lives as long as the library is loaded.
//
// Threads: any number at once.
const char *hashlanes_version(void);

// The number of features that `hashlanes_cpu_feature_at` describes.
//
// Threads: any number at once.
size_t hashlanes_cpu_feature_count(void);

// Describes one of the CPU's features that kernels use.
//
// Errors: `HASHLANES_ERROR_INDEX`.
//
// Threads: any number at once.
hashlanes_error hashlanes_cpu_feature_at(size_t index, struct hashlanes_cpu_feature *feature);

// The number of the algorithm's kernels on this architecture, including those that the CPU cannot
// run. 0 if there is no such algorithm.
//
// Threads: any number at once.
size_t hashlanes_kernel_count(hashlanes_algorithm algorithm);

// Describes one of the algorithm's kernels.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_INDEX`.
//
// Threads: any number at once.
hashlanes_error hashlanes_kernel_at(hashlanes_algorithm algorithm,
                                    size_t index,
                                    struct hashlanes_kernel *kernel);

// Describes the kernel that hashes `messages` messages of equal length. If the lengths differ, the
// library continues in narrower kernels when few messages are left.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`.
//
// Threads: any number at once.
hashlanes_error hashlanes_kernel_for(hashlanes_algorithm algorithm,
                                     size_t messages,
                                     struct hashlanes_kernel *kernel);

// Makes a manager with room for `capacity` pieces. 0 means 128, which keeps the lanes of every CPU
// full when lengths are mixed. With less room, results come back sooner. All memory for pieces is
// allocated here, some 600 bytes each.
//
// On an error `*manager` is NULL.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once.
hashlanes_error hashlanes_manager_create(hashlanes_algorithm algorithm,
                                         size_t capacity,
                                         struct hashlanes_manager **manager);

// Submits a whole message. If `key` is not NULL, what comes back is its MAC. The key may be
// destroyed when this returns. `user` comes back with the message; the library does not look at
// what it points to.
//
// Errors: `HASHLANES_ERROR_KEY`. After an error nothing was submitted, and the buffer is the
// caller's.
//
// Threads: one at a time for each manager.
hashlanes_error hashlanes_manager_entire(struct hashlanes_manager *manager,
                                         const struct hashlanes_hmac_key *key,
                                         const void *data,
                                         size_t length,
                                         void *user,
                                         struct hashlanes_done *done);

// Submits the first piece, of any length, of a message. All else is as in
// `hashlanes_manager_entire`.
//
// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_MEMORY`. After an error nothing was submitted,
// and the buffer is the caller's.
//
// Threads: one at a time for each manager.
hashlanes_error hashlanes_manager_first(struct hashlanes_manager *manager,
                                        const struct hashlanes_hmac_key *key,
                                        const void *data,
                                        size_t length,
                                        void *user,
                                        struct hashlanes_done *done);

// Submits a further piece, of any length, of a message. The job is no longer valid; the next
// one comes with the piece.
//
// Errors: `HASHLANES_ERROR_JOB`. After an error nothing was submitted, and the buffer is the
// caller's.
//
// Threads: one at a time for each manager.
hashlanes_error hashlanes_manager_update(struct hashlanes_manager *manager,
                                         hashlanes_job job,
                                         const void *data,
                                         size_t length,
                                         struct hashlanes_done *done);

// Submits the last piece, of any length, of a message. The job is no longer valid.
//
// Errors: `HASHLANES_ERROR_JOB`. After an error nothing was submitted, and the buffer is the
// caller's.
//
// Threads: one at a time for each manager.
hashlanes_error hashlanes_manager_last(struct hashlanes_manager *manager,
                                       hashlanes_job job,
                                       const void *data,
                                       size_t length,
                                       struct hashlanes_done *done);

// Abandons a message. The job is no longer valid.
//
// Errors: `HASHLANES_ERROR_JOB`.
//
// Threads: one at a time for each manager.
hashlanes_error hashlanes_manager_abandon(struct hashlanes_manager *manager, hashlanes_job job);

// Hashes what was submitted, and hands out one piece or message. Call it until `done->kind` is
// `HASHLANES_NOTHING`: then everything has been handed out.
//
// Errors: only those for pointers.
//
// Threads: one at a time for each manager.
hashlanes_error hashlanes_manager_flush(struct hashlanes_manager *manager,
                                        struct hashlanes_done *done);

// The number of pieces and messages that were submitted and not yet handed out. 0 if `manager` is
// NULL.
//
// Threads: one at a time for each manager.
size_t hashlanes_manager_count(const struct hashlanes_manager *manager);

// Destroys a manager. What it has not handed out is not hashed, and its buffers are the
// caller's again. Its jobs are no longer valid. Does nothing if it is NULL. Cannot fail.
//
// Threads: when no other thread uses the manager.
void hashlanes_manager_destroy(struct hashlanes_manager *manager);

// Makes a prefix of `length` bytes, which need not outlive the call. `bytes` may be NULL if
// `length` is 0.
//
// On an error `*prefix` is NULL.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once.
hashlanes_error hashlanes_prefix_create(hashlanes_algorithm algorithm,
                                        const void *bytes,
                                        size_t length,
                                        struct hashlanes_prefix **prefix);

// As `hashlanes_digest_many`, of the prefix followed by each message.
//
// Errors: `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same prefix.
hashlanes_error hashlanes_prefix_digest_many(const struct hashlanes_prefix *prefix,
                                             const void *const *messages,
                                             const size_t *lengths,
                                             size_t count,
                                             uint8_t *digests,
                                             size_t size);

// As `hashlanes_digest_chunks`, of the prefix followed by each chunk.
//
// Errors: `HASHLANES_ERROR_CHUNK`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`.
//
// Threads: any number at once, even with the same prefix.
hashlanes_error hashlanes_prefix_digest_chunks(const struct hashlanes_prefix *prefix,
                                               const void *data,
                                               size_t length,
                                               size_t chunk_length,
                                               uint8_t *digests,
                                               size_t size);

// Makes a hasher of messages that begin with the prefix: the first one, and all that it begins
// later. The prefix may be destroyed before the hasher.
//
// On an error `*hasher` is NULL.
//
// Errors: `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same prefix.
hashlanes_error hashlanes_prefix_hasher(const struct hashlanes_prefix *prefix,
                                        struct hashlanes_hasher **hasher);

// Destroys a prefix. Does nothing if it is NULL. Cannot fail.
//
// Threads: when no other thread uses the prefix.
void hashlanes_prefix_destroy(struct hashlanes_prefix *prefix);

// Makes a server. `options` may be NULL, for the defaults.
//
// On an error `*server` is NULL.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_OPTION`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once.
hashlanes_error hashlanes_server_create(hashlanes_algorithm algorithm,
                                        const struct hashlanes_server_options *options,
                                        struct hashlanes_server **server);

// Makes a hasher of an empty message. If `key` is not NULL, its digest is the message's MAC
// under this key. The server and the key may be destroyed before the hasher.
//
// Where each of many connections has many short messages, keep a hasher for each connection. If
// each message gets a new hasher, messages may never share lanes.
//
// On an error `*hasher` is NULL.
//
// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same server.
hashlanes_error hashlanes_server_hasher_create(const struct hashlanes_server *server,
                                               const struct hashlanes_hmac_key *key,
                                               struct hashlanes_server_hasher **hasher);

// Appends bytes to the message. `data` may be NULL if `length` is 0. The bytes need not outlive
// the call.
//
// Short writes are copied and hashed later. Long writes are hashed before this returns, together
// with deferred bytes of other hashers. The call may wait for another thread that hashes this
// message.
//
// Errors: only those for pointers and lengths; then nothing was appended.
//
// Threads: one at a time for each hasher. Hashers of one server may be used by any number of
// threads at once.
hashlanes_error hashlanes_server_hasher_update(struct hashlanes_server_hasher *hasher,
                                               const void *data,
                                               size_t length);

// Writes the digest of the message so far to `digest`, which has room for `size` bytes. The
// message continues. Its deferred bytes are hashed.
//
// Errors: `HASHLANES_ERROR_SIZE`.
//
// Threads: one at a time for each hasher.
hashlanes_error hashlanes_server_hasher_digest(struct hashlanes_server_hasher *hasher,
                                               uint8_t *digest,
                                               size_t size);

// Writes the digest of the message to `digest`, which has room for `size` bytes, and begins a new
// message.
//
// Errors: `HASHLANES_ERROR_SIZE`; then the message continues.
//
// Threads: one at a time for each hasher.
hashlanes_error hashlanes_server_hasher_finish(struct hashlanes_server_hasher *hasher,
                                               uint8_t *digest,
                                               size_t size);

// Abandons the message and begins a new one. It does not wait for a thread that hashes the
// message.
//
// Errors: `HASHLANES_ERROR_MEMORY`; then the message continues.
//
// Threads: one at a time for each hasher.
hashlanes_error hashlanes_server_hasher_reset(struct hashlanes_server_hasher *hasher);

// Destroys a hasher. Does nothing if it is NULL. Cannot fail.
//
// Threads: when no other thread uses the hasher.
void hashlanes_server_hasher_destroy(struct hashlanes_server_hasher *hasher);

// Writes what the server has done so far.
//
// Errors: `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same server.
hashlanes_error hashlanes_server_stats_now(const struct hashlanes_server *server,
                                           struct hashlanes_server_stats *stats);

// Describes one of the kernels that ran in a server. Later there may be more of them.
//
// Errors: `HASHLANES_ERROR_INDEX`, `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, even with the same server.
hashlanes_error hashlanes_server_kernel_at(const struct hashlanes_server *server,
                                           size_t index,
                                           struct hashlanes_server_kernel *kernel);

// Destroys a server. Its hashers stay valid. Does nothing if it is NULL. Cannot fail.
//
// Threads: when no other thread uses the server itself; its hashers may be in use.
void hashlanes_server_destroy(struct hashlanes_server *server);

// Writes the initial state of a message.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`.
//
// Threads: any number at once.
hashlanes_error hashlanes_state_begin(hashlanes_algorithm algorithm, struct hashlanes_state *state);

// Continues one message by `length` bytes, which are whole blocks: the compression function,
// without padding. See `hashlanes_compress_many`.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_BLOCKS`, `HASHLANES_ERROR_OVERLAP`.
//
// Threads: any number at once, each with a state of its own.
hashlanes_error hashlanes_compress(hashlanes_algorithm algorithm,
                                   struct hashlanes_state *state,
                                   const void *blocks,
                                   size_t length);

// Continues `count` messages side by side: `states[i]` by the `lengths[i]` bytes at `blocks[i]`,
// which are whole blocks. It is the compression function, without padding: for callers who keep
// the length and the last bytes of each message themselves. All others use a manager or a server.
//
// `blocks[i]` may be NULL if `lengths[i]` is 0. Up to 256 messages need no memory but the stack.
// For more, 16 bytes each are allocated during the call. The call takes up to 72 KiB of the stack.
//
// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_BLOCKS`, `HASHLANES_ERROR_OVERLAP`,
// `HASHLANES_ERROR_MEMORY`.
//
// Threads: any number at once, each with states of its own.
hashlanes_error hashlanes_compress_many(hashlanes_algorithm algorithm,
                                        struct hashlanes_state *states,
                                        const void *const *blocks,
                                        const size_t *lengths,
                                        size_t count);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* HASHLANES_H */
