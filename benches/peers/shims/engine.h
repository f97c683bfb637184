/*
 * The interface of a C library for the benchmark. For each library, a file beside this one
 * implements these three functions. It is compiled where it is used, against the headers of that
 * machine.
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

/*
 * The library's version, for people. The string stays valid. It is empty if the library tells none:
 * then git describes the library's folder.
 */
const char *engine_version(void);

/* Whether the library supports the algorithm. */
int engine_supports(enum algorithm algorithm);

/*
 * Hashes `count` messages and writes their digests, concatenated, to `digests`. Returns NULL, or a
 * static string that says what went wrong.
 *
 * One thread calls this repeatedly, so contexts and managers should be kept between calls.
 * When it returns, even with an error, nothing may point to the messages or the digests any more.
 */
const char *engine_hash(enum algorithm algorithm, const uint8_t *const *messages,
                        const size_t *lengths, size_t count, uint8_t *digests);

#endif
