/*
 * SHA-1 (FIPS 180-4 section 6.1) of many messages. `hash_mb.inc` says how a program uses it.
 * Licence: MIT or Apache-2.0.
 */
#ifndef HASHLANES_ISAL_SHA1_MB_H
#define HASHLANES_ISAL_SHA1_MB_H

#include <stdint.h>
#include <string.h>

#include "multi_buffer.h"
#include "types.h"

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

#define HASHLANES_T(name) ISAL_SHA1_##name
#define HASHLANES_F(name) isal_sha1_##name
#define HASHLANES_OLD(name) sha1_##name
#define HASHLANES_PREFIX "isal_sha1_"
#define HASHLANES_WORD_T uint32_t
#define HASHLANES_BLOCKS_T uint32_t
#include "hash_mb.inc"

#endif
