// Uses every function, flag and error of ISA-L crypto's interface, and compares the digests with
// OpenSSL's.

#include <isa-l_crypto.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: is false: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

enum { LITTLE, BIG, AS_BYTES };
enum { CANARY = 0xa5 };

// The numbers are the same in every run (xorshift).
static uint32_t random_below(uint32_t limit)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 32) % limit);
}

static unsigned char *random_bytes(size_t length)
{
    // The block has exactly this size, so that valgrind notices a read past its end.
    unsigned char *bytes = malloc(length > 0 ? length : 1);
    CHECK(bytes != NULL);
    for (size_t i = 0; i < length; i++)
        bytes[i] = (unsigned char)random_below(256);
    return bytes;
}

static void digest_of(const char *name, const void *bytes, size_t length, unsigned char *digest)
{
    CHECK(EVP_Digest(bytes, length, digest, NULL, EVP_get_digestbyname(name), NULL));
}

#define LOWER md5
#define UPPER MD5
#define WORD uint32_t
#define BYTES 16
#define ORDER LITTLE
#define EVP "md5"
#include "isal_function.h"

#define LOWER sha1
#define UPPER SHA1
#define WORD uint32_t
#define BYTES 20
#define ORDER BIG
#define EVP "sha1"
#include "isal_function.h"

#define LOWER sha256
#define UPPER SHA256
#define WORD uint32_t
#define BYTES 32
#define ORDER BIG
#define EVP "sha256"
#include "isal_function.h"

#define LOWER sha512
#define UPPER SHA512
#define WORD uint64_t
#define BYTES 64
#define ORDER BIG
#define EVP "sha512"
#include "isal_function.h"

#define LOWER sm3
#define UPPER SM3
#define WORD uint32_t
#define BYTES 32
#define ORDER AS_BYTES
#define EVP "sm3"
#include "isal_function.h"

int main(void)
{
    CHECK(isal_crypto_get_version() == ISAL_CRYPTO_VERSION);
    CHECK(isal_crypto_get_version() == ISAL_CRYPTO_MAKE_VERSION(2, 26, 0));
    CHECK(strcmp(isal_crypto_get_version_str(), ISAL_CRYPTO_VERSION_STR) == 0);
    CHECK(isal_self_tests() == ISAL_CRYPTO_ERR_NONE);
    CHECK(ISAL_CRYPTO_ERR_SELF_TEST == 2016 && ISAL_CRYPTO_ERR_FIPS_DISABLED == 2023);
    md5_all();
    sha1_all();
    sha256_all();
    sha512_all();
    sm3_all();
    puts("every function of five");
    return 0;
}
