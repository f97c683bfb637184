/*
 * SHA-1 (FIPS 180-4 section 6.1) of many messages.
 * Licence: MIT or Apache-2.0.
 *
 * A program has one context per message, and a manager. It submits contexts with pieces of their
 * messages. Each comes back when its piece has been hashed, in any order and from any later call. A
 * manager holds fewer than ISAL_SHA1_MAX_LANES contexts when a call returns.
 *
 * Contexts and managers are the program's memory, aligned to 8 bytes. Nothing is allocated, and
 * nothing has to be freed. A context that the manager does not hold may be copied and moved. While
 * the manager holds a context, the program must not use it or change its buffer.
 *
 * Threads may use different managers concurrently. Only one thread at a time may use a manager and
 * the contexts that it holds.
 */
#ifndef HASHLANES_ISAL_SHA1_MB_H
#define HASHLANES_ISAL_SHA1_MB_H

#include <stdint.h>
#include <string.h>

#include "multi_buffer.h"
#include "types.h"

#if !defined(_MSC_VER) && !defined(__cplusplus)
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The names used before 2.25. */
#ifndef NO_COMPAT_ISAL_CRYPTO_API_2_24
#define SHA1_DIGEST_NWORDS ISAL_SHA1_DIGEST_NWORDS
#define SHA1_MAX_LANES ISAL_SHA1_MAX_LANES
#define SHA1_MIN_LANES ISAL_SHA1_MIN_LANES
#define SHA1_BLOCK_SIZE ISAL_SHA1_BLOCK_SIZE
#define SHA1_PADLENGTHFIELD_SIZE ISAL_SHA1_PADLENGTHFIELD_SIZE
#define SHA1_WORD_T ISAL_SHA1_WORD_T
#define SHA1_JOB ISAL_SHA1_JOB
#define SHA1_LANE_DATA ISAL_SHA1_LANE_DATA
#define SHA1_MB_JOB_MGR ISAL_SHA1_MB_JOB_MGR
#define SHA1_HASH_CTX_MGR ISAL_SHA1_HASH_CTX_MGR
#define SHA1_HASH_CTX ISAL_SHA1_HASH_CTX
#endif

#define ISAL_SHA1_DIGEST_NWORDS 5
#define ISAL_SHA1_MAX_LANES 64
#define ISAL_SHA1_MIN_LANES 4
#define ISAL_SHA1_BLOCK_SIZE 64
#define ISAL_SHA1_PADLENGTHFIELD_SIZE 8

typedef uint32_t sha1_digest_array[ISAL_SHA1_DIGEST_NWORDS][ISAL_SHA1_MAX_LANES];
typedef uint32_t ISAL_SHA1_WORD_T;

/* The part of a context that the manager works on. */
typedef struct {
    uint8_t *buffer;
    uint32_t len; /* blocks left to compress */
    uint32_t result_digest[ISAL_SHA1_DIGEST_NWORDS];
    ISAL_JOB_STS status;
    void *user_data; /* for the program's use */
} ISAL_SHA1_JOB;

typedef struct {
    ISAL_SHA1_JOB *job_in_lane;
} ISAL_SHA1_LANE_DATA;

typedef struct {
    ISAL_SHA1_LANE_DATA ldata[ISAL_SHA1_MAX_LANES];
    uint32_t num_lanes_inuse; /* contexts held */
    uint32_t finished; /* finished contexts among them */
    uint32_t reserved[3];
} ISAL_SHA1_MB_JOB_MGR;

typedef struct {
    ISAL_SHA1_MB_JOB_MGR mgr;
} ISAL_SHA1_HASH_CTX_MGR;

typedef struct {
    ISAL_SHA1_JOB job;
    ISAL_HASH_CTX_STS status;
    ISAL_HASH_CTX_ERROR error;
    uint64_t total_length; /* bytes of the message so far */
    const void *incoming_buffer;
    uint32_t incoming_buffer_length; /* bytes */
    uint8_t partial_block_buffer[ISAL_SHA1_BLOCK_SIZE * 2];
    uint32_t partial_block_buffer_length; /* bytes */
    void *user_data; /* for the program's use */
} ISAL_SHA1_HASH_CTX;

/*
 * Initialises an empty manager.
 *
 * Returns 0, or ISAL_CRYPTO_ERR_NULL_MGR if `mgr` is null.
 */
int isal_sha1_ctx_mgr_init(ISAL_SHA1_HASH_CTX_MGR *mgr);

/*
 * Submits a context with a piece of its message: `len` bytes at `buffer`, which must not change
 * until the context comes back. `buffer` may be null if `len` is 0 and the piece is the first or
 * the last.
 *
 * Writes the context that comes back to `ctx_out`: this one, another one, or null. A rejected
 * context comes back at once, with the reason in its member `error`.
 *
 * Returns 0, or a code of ISAL_CRYPTO_ERROR: for a null pointer, or for the error of the context
 * that comes back.
 */
int isal_sha1_ctx_mgr_submit(ISAL_SHA1_HASH_CTX_MGR *mgr, ISAL_SHA1_HASH_CTX *ctx_in,
    ISAL_SHA1_HASH_CTX **ctx_out, const void *buffer, const uint32_t len,
    const ISAL_HASH_CTX_FLAG flags);

/*
 * Hashes everything that the manager holds, and writes one finished context to `ctx_out`, or null
 * if the manager holds none.
 *
 * Returns 0, or a code of ISAL_CRYPTO_ERROR for a null pointer.
 */
int isal_sha1_ctx_mgr_flush(ISAL_SHA1_HASH_CTX_MGR *mgr, ISAL_SHA1_HASH_CTX **ctx_out);

/* The same functions without error codes. They return the context that comes back, or null. */

ISAL_DEPRECATED("use isal_sha1_ctx_mgr_init")
void sha1_ctx_mgr_init(ISAL_SHA1_HASH_CTX_MGR *mgr);

ISAL_DEPRECATED("use isal_sha1_ctx_mgr_submit")
ISAL_SHA1_HASH_CTX *sha1_ctx_mgr_submit(ISAL_SHA1_HASH_CTX_MGR *mgr, ISAL_SHA1_HASH_CTX *ctx,
    const void *buffer, uint32_t len, ISAL_HASH_CTX_FLAG flags);

ISAL_DEPRECATED("use isal_sha1_ctx_mgr_flush")
ISAL_SHA1_HASH_CTX *sha1_ctx_mgr_flush(ISAL_SHA1_HASH_CTX_MGR *mgr);

#ifdef __cplusplus
}
#endif

#endif
