/*
 * MD5 (RFC 1321) of many messages. `hash_mb.inc` says how a program uses it.
 * Licence: MIT or Apache-2.0.
 */
#ifndef HASHLANES_ISAL_MD5_MB_H
#define HASHLANES_ISAL_MD5_MB_H

#include <stdint.h>
#include <string.h>

#include "multi_buffer.h"
#include "types.h"

/* The names used before 2.25. */
#ifndef NO_COMPAT_ISAL_CRYPTO_API_2_24
#define MD5_DIGEST_NWORDS ISAL_MD5_DIGEST_NWORDS
#define MD5_MAX_LANES ISAL_MD5_MAX_LANES
#define MD5_MIN_LANES ISAL_MD5_MIN_LANES
#define MD5_BLOCK_SIZE ISAL_MD5_BLOCK_SIZE
#define MD5_PADLENGTHFIELD_SIZE ISAL_MD5_PADLENGTHFIELD_SIZE
#define MD5_WORD_T ISAL_MD5_WORD_T
#define MD5_JOB ISAL_MD5_JOB
#define MD5_LANE_DATA ISAL_MD5_LANE_DATA
#define MD5_MB_JOB_MGR ISAL_MD5_MB_JOB_MGR
#define MD5_HASH_CTX_MGR ISAL_MD5_HASH_CTX_MGR
#define MD5_HASH_CTX ISAL_MD5_HASH_CTX
#define md5_digest_array isal_md5_digest_array
#endif

#define ISAL_MD5_DIGEST_NWORDS 4
#define ISAL_MD5_MAX_LANES 64
#define ISAL_MD5_MIN_LANES 8
#define ISAL_MD5_BLOCK_SIZE 64
#define ISAL_MD5_PADLENGTHFIELD_SIZE 8

typedef uint32_t isal_md5_digest_array[ISAL_MD5_DIGEST_NWORDS][ISAL_MD5_MAX_LANES];
typedef uint32_t ISAL_MD5_WORD_T;

#define HASHLANES_T(name) ISAL_MD5_##name
#define HASHLANES_F(name) isal_md5_##name
#define HASHLANES_OLD(name) md5_##name
#define HASHLANES_PREFIX "isal_md5_"
#define HASHLANES_WORD_T uint32_t
#define HASHLANES_BLOCKS_T uint32_t
#include "hash_mb.inc"

#endif
