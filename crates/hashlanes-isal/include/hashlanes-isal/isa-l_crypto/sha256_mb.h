/*
 * SHA-256 (FIPS 180-4 section 6.2) of many messages. `hash_mb.inc` says how a program uses it.
 * Licence: MIT or Apache-2.0.
 */
#ifndef HASHLANES_ISAL_SHA256_MB_H
#define HASHLANES_ISAL_SHA256_MB_H

#include <stdint.h>
#include <string.h>

#include "multi_buffer.h"
#include "types.h"

/* The names used before 2.25. */
#ifndef NO_COMPAT_ISAL_CRYPTO_API_2_24
#define SHA256_DIGEST_NWORDS ISAL_SHA256_DIGEST_NWORDS
#define SHA256_MAX_LANES ISAL_SHA256_MAX_LANES
#define SHA256_MIN_LANES ISAL_SHA256_MIN_LANES
#define SHA256_BLOCK_SIZE ISAL_SHA256_BLOCK_SIZE
#define SHA256_PADLENGTHFIELD_SIZE ISAL_SHA256_PADLENGTHFIELD_SIZE
#define SHA256_WORD_T ISAL_SHA256_WORD_T
#define SHA256_JOB ISAL_SHA256_JOB
#define SHA256_LANE_DATA ISAL_SHA256_LANE_DATA
#define SHA256_MB_JOB_MGR ISAL_SHA256_MB_JOB_MGR
#define SHA256_HASH_CTX_MGR ISAL_SHA256_HASH_CTX_MGR
#define SHA256_HASH_CTX ISAL_SHA256_HASH_CTX
#endif

#define ISAL_SHA256_DIGEST_NWORDS 8
#define ISAL_SHA256_MAX_LANES 64
#define ISAL_SHA256_MIN_LANES 4
#define ISAL_SHA256_BLOCK_SIZE 64
#define ISAL_SHA256_PADLENGTHFIELD_SIZE 8

typedef uint32_t sha256_digest_array[ISAL_SHA256_DIGEST_NWORDS][ISAL_SHA256_MAX_LANES];
typedef uint32_t ISAL_SHA256_WORD_T;

#define HASHLANES_T(name) ISAL_SHA256_##name
#define HASHLANES_F(name) isal_sha256_##name
#define HASHLANES_OLD(name) sha256_##name
#define HASHLANES_PREFIX "isal_sha256_"
#define HASHLANES_WORD_T uint32_t
#define HASHLANES_BLOCKS_T uint64_t
#include "hash_mb.inc"

#endif
