/*
 * What a C library looks like to the benchmark: one file beside this one implements these three functions with the
 * library's own interface. It is compiled where it is used, against the headers of that machine.
 */
#ifndef ENGINE_H
#define ENGINE_H

#include <stddef.h>
#include <stdint.h>

enum algorithm { MD5_ = 0, SHA1_ = 1, SHA256_ = 2, SHA512_ = 3 };

static inline size_t digest_length(enum algorithm algorithm)
{
    static const size_t lengths[] = { 16, 20, 32, 64 };
    return lengths[algorithm];
}

/* The library's version, for people. */
const char *engine_version(void);

/* Whether the library has the algorithm. */
int engine_supports(enum algorithm algorithm);

/*
 * Hashes `count` messages and writes their digests, one after the other, to `digests`. Returns NULL, or what went wrong.
 * Called again and again from one thread: what can be kept from call to call (contexts, managers) should be. Nothing may
 * point to the messages or the digests after it has returned, with an error or without.
 */
const char *engine_hash(enum algorithm algorithm, const uint8_t *const *messages, const size_t *lengths, size_t count,
                        uint8_t *digests);

#endif
