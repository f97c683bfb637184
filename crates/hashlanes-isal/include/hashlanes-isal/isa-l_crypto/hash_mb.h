/*
 * Contexts, managers and functions of one hash function.
 * Licence: MIT or Apache-2.0.
 *
 * A program includes `md5_mb.h`, `sha256_mb.h` and so on, and each of them includes this file, with
 * these macros, which this file removes:
 *
 *   HASHLANES_T(name)    a type or a constant: ISAL_MD5_name
 *   HASHLANES_F(name)    a function: isal_md5_name
 *   HASHLANES_OLD(name)  the same without error codes: md5_name
 *   HASHLANES_PREFIX     the beginning of the names of functions: "isal_md5_"
 *   HASHLANES_WORD_T     the type of a word of the state
 *   HASHLANES_BLOCKS_T   the type of a number of blocks
 *
 * A program has one context per message, and a manager. It submits contexts with pieces of their
 * messages. Each comes back when its piece has been hashed, in any order and from any later call. A
 * manager holds fewer than ISAL_MD5_MAX_LANES contexts when a call returns.
 *
 * Contexts and managers are the program's memory, aligned to 8 bytes. Nothing is allocated, and
 * nothing has to be freed. A context that the manager does not hold may be copied and moved. While
 * the manager holds a context, the program must not use it or change its buffer.
 *
 * Threads may use different managers concurrently. Only one thread at a time may use a manager and
 * the contexts that it holds.
 */
#ifndef HASHLANES_T
#error "include md5_mb.h, sha1_mb.h, sha256_mb.h, sha512_mb.h or sm3_mb.h"
#endif

#if !defined(_MSC_VER) && !defined(__cplusplus)
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The part of a context that the manager works on. */
typedef struct {
    uint8_t *buffer;
    HASHLANES_BLOCKS_T len; /* blocks left to compress */
    HASHLANES_WORD_T result_digest[HASHLANES_T(DIGEST_NWORDS)];
    ISAL_JOB_STS status;
    void *user_data; /* for the program's use */
} HASHLANES_T(JOB);

typedef struct {
    HASHLANES_T(JOB) *job_in_lane;
} HASHLANES_T(LANE_DATA);

typedef struct {
    HASHLANES_T(LANE_DATA) ldata[HASHLANES_T(MAX_LANES)];
    uint32_t num_lanes_inuse; /* contexts held */
    uint32_t finished; /* finished contexts among them */
    uint32_t reserved[3];
} HASHLANES_T(MB_JOB_MGR);

typedef struct {
    HASHLANES_T(MB_JOB_MGR) mgr;
} HASHLANES_T(HASH_CTX_MGR);

typedef struct {
    HASHLANES_T(JOB) job;
    ISAL_HASH_CTX_STS status;
    ISAL_HASH_CTX_ERROR error;
    uint64_t total_length; /* bytes of the message so far */
    const void *incoming_buffer;
    uint32_t incoming_buffer_length; /* bytes */
    uint8_t partial_block_buffer[HASHLANES_T(BLOCK_SIZE) * 2];
    uint32_t partial_block_buffer_length; /* bytes */
    void *user_data; /* for the program's use */
} HASHLANES_T(HASH_CTX);

/*
 * Initialises an empty manager.
 *
 * Returns 0, or ISAL_CRYPTO_ERR_NULL_MGR if `mgr` is null.
 */
int HASHLANES_F(ctx_mgr_init)(HASHLANES_T(HASH_CTX_MGR) *mgr);

/*
 * Submits a context with a piece of its message: `len` bytes at `buffer`, which must not change
 * until the context comes back. `buffer` may be null if `len` is 0 and the piece is the first or
 * the last, or any piece with SM3.
 *
 * Writes the context that comes back to `ctx_out`: this one, another one, or null. A rejected
 * context comes back at once, with the reason in its member `error`.
 *
 * Returns 0, or a code of ISAL_CRYPTO_ERROR: for a null pointer, or for the error of the context
 * that comes back.
 */
int HASHLANES_F(ctx_mgr_submit)(HASHLANES_T(HASH_CTX_MGR) *mgr, HASHLANES_T(HASH_CTX) *ctx_in,
    HASHLANES_T(HASH_CTX) **ctx_out, const void *buffer, const uint32_t len,
    const ISAL_HASH_CTX_FLAG flags);

/*
 * Hashes everything that the manager holds, and writes one finished context to `ctx_out`, or null
 * if the manager holds none.
 *
 * Returns 0, or a code of ISAL_CRYPTO_ERROR for a null pointer.
 */
int HASHLANES_F(ctx_mgr_flush)(HASHLANES_T(HASH_CTX_MGR) *mgr, HASHLANES_T(HASH_CTX) **ctx_out);

/* The same functions without error codes. They return the context that comes back, or null. */

ISAL_DEPRECATED("use " HASHLANES_PREFIX "ctx_mgr_init")
void HASHLANES_OLD(ctx_mgr_init)(HASHLANES_T(HASH_CTX_MGR) *mgr);

ISAL_DEPRECATED("use " HASHLANES_PREFIX "ctx_mgr_submit")
HASHLANES_T(HASH_CTX) *HASHLANES_OLD(ctx_mgr_submit)(HASHLANES_T(HASH_CTX_MGR) *mgr,
    HASHLANES_T(HASH_CTX) *ctx, const void *buffer, uint32_t len, ISAL_HASH_CTX_FLAG flags);

ISAL_DEPRECATED("use " HASHLANES_PREFIX "ctx_mgr_flush")
HASHLANES_T(HASH_CTX) *HASHLANES_OLD(ctx_mgr_flush)(HASHLANES_T(HASH_CTX_MGR) *mgr);

#ifdef __cplusplus
}
#endif

#undef HASHLANES_T
#undef HASHLANES_F
#undef HASHLANES_OLD
#undef HASHLANES_PREFIX
#undef HASHLANES_WORD_T
#undef HASHLANES_BLOCKS_T
