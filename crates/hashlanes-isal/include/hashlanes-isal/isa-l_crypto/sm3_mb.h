/*
 * SM3 (GB/T 32905-2016) of many messages. `hash_mb.inc` says how a program uses it.
 * Licence: MIT or Apache-2.0.
 */
#ifndef HASHLANES_ISAL_SM3_MB_H
#define HASHLANES_ISAL_SM3_MB_H

#include <stdint.h>
#include <string.h>

#include "multi_buffer.h"
#include "types.h"

/* The names used before 2.25. */
#ifndef NO_COMPAT_ISAL_CRYPTO_API_2_24
#define SM3_DIGEST_NWORDS ISAL_SM3_DIGEST_NWORDS
#define SM3_MAX_LANES ISAL_SM3_MAX_LANES
#define SM3_BLOCK_SIZE ISAL_SM3_BLOCK_SIZE
#define SM3_JOB ISAL_SM3_JOB
#define SM3_LANE_DATA ISAL_SM3_LANE_DATA
#define SM3_MB_JOB_MGR ISAL_SM3_MB_JOB_MGR
#define SM3_HASH_CTX_MGR ISAL_SM3_HASH_CTX_MGR
#define SM3_HASH_CTX ISAL_SM3_HASH_CTX
#define sm3_digest_array isal_sm3_digest_array
#endif

#define ISAL_SM3_DIGEST_NWORDS 8
#define ISAL_SM3_MAX_LANES 64
#define ISAL_SM3_BLOCK_SIZE 64

typedef uint32_t isal_sm3_digest_array[ISAL_SM3_DIGEST_NWORDS][ISAL_SM3_MAX_LANES];

#define HASHLANES_T(name) ISAL_SM3_##name
#define HASHLANES_F(name) isal_sm3_##name
#define HASHLANES_OLD(name) sm3_##name
#define HASHLANES_PREFIX "isal_sm3_"
#define HASHLANES_WORD_T uint32_t
#define HASHLANES_BLOCKS_T uint64_t
#include "hash_mb.inc"

#endif
