/*
 * ISA-L crypto's multi-buffer hashing interface, implemented with the kernels of hashlanes.
 * Licence: MIT or Apache-2.0.
 *
 * Includes all supported headers. AES, multi-hash and rolling hashes are not supported.
 */
#ifndef HASHLANES_ISAL_ISA_L_CRYPTO_H
#define HASHLANES_ISAL_ISA_L_CRYPTO_H

#include <isa-l_crypto/isal_crypto_api.h>
#include <isa-l_crypto/md5_mb.h>
#include <isa-l_crypto/multi_buffer.h>
#include <isa-l_crypto/sha1_mb.h>
#include <isa-l_crypto/sha256_mb.h>
#include <isa-l_crypto/sha512_mb.h>
#include <isa-l_crypto/sm3_mb.h>
#include <isa-l_crypto/types.h>

#endif
