/*
 * SHA-512 (FIPS 180-4 section 6.4) of many messages. `hash_mb.inc` says how a program uses it.
 * Licence: MIT or Apache-2.0.
 */
#ifndef HASHLANES_ISAL_SHA512_MB_H
#define HASHLANES_ISAL_SHA512_MB_H

#include <stdint.h>
#include <string.h>

#include "multi_buffer.h"
#include "types.h"

/* The names used before 2.25. */
#ifndef NO_COMPAT_ISAL_CRYPTO_API_2_24
#define SHA512_DIGEST_NWORDS ISAL_SHA512_DIGEST_NWORDS
#define SHA512_MAX_LANES ISAL_SHA512_MAX_LANES
#define SHA512_MIN_LANES ISAL_SHA512_MIN_LANES
#define SHA512_BLOCK_SIZE ISAL_SHA512_BLOCK_SIZE
#define SHA512_PADLENGTHFIELD_SIZE ISAL_SHA512_PADLENGTHFIELD_SIZE
#define SHA512_WORD_T ISAL_SHA512_WORD_T
#define SHA512_JOB ISAL_SHA512_JOB
#define SHA512_LANE_DATA ISAL_SHA512_LANE_DATA
#define SHA512_MB_JOB_MGR ISAL_SHA512_MB_JOB_MGR
#define SHA512_HASH_CTX_MGR ISAL_SHA512_HASH_CTX_MGR
#define SHA512_HASH_CTX ISAL_SHA512_HASH_CTX
#endif

#define ISAL_SHA512_DIGEST_NWORDS 8
#define ISAL_SHA512_MAX_LANES 64
#define ISAL_SHA512_MIN_LANES 2
#define ISAL_SHA512_BLOCK_SIZE 128
#define ISAL_SHA512_PADLENGTHFIELD_SIZE 16

typedef uint64_t sha512_digest_array[ISAL_SHA512_DIGEST_NWORDS][ISAL_SHA512_MAX_LANES];
typedef uint64_t ISAL_SHA512_WORD_T;

#define HASHLANES_T(name) ISAL_SHA512_##name
#define HASHLANES_F(name) isal_sha512_##name
#define HASHLANES_OLD(name) sha512_##name
#define HASHLANES_PREFIX "isal_sha512_"
#define HASHLANES_WORD_T uint64_t
#define HASHLANES_BLOCKS_T uint64_t
#include "hash_mb.inc"

#endif
