/*
 * ISA-L crypto's interface to multi-buffer hashing, with the kernels of hashlanes behind it.
 * Licence: MIT or Apache-2.0.
 *
 * All headers that there are. AES, multi-hash and rolling hashes are not among them.
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
