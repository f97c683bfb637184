/* OpenSSL's libcrypto: EVP, one message after another. Context and algorithm are created once. */
#include "engine.h"

#include <openssl/crypto.h>
#include <openssl/evp.h>

static EVP_MD *fetched(enum algorithm algorithm)
{
    static const char *const names[] = { "MD5", "SHA1", "SHA256", "SHA512" };
    static EVP_MD *algorithms[4];
    if (algorithms[algorithm] == NULL)
        algorithms[algorithm] = EVP_MD_fetch(NULL, names[algorithm], NULL);
    return algorithms[algorithm];
}

const char *engine_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION);
}

int engine_supports(enum algorithm algorithm)
{
    return fetched(algorithm) != NULL;
}

const char *engine_hash(enum algorithm algorithm, const uint8_t *const *messages,
                        const size_t *lengths, size_t count, uint8_t *digests)
{
    static EVP_MD_CTX *context;
    const EVP_MD *md = fetched(algorithm);
    if (context == NULL)
        context = EVP_MD_CTX_new();
    if (context == NULL || md == NULL)
        return "no memory, or no such algorithm";
    for (size_t i = 0; i < count; i++) {
        if (!EVP_DigestInit_ex2(context, md, NULL)
            || !EVP_DigestUpdate(context, messages[i], lengths[i])
            || !EVP_DigestFinal_ex(context, digests, NULL))
            return "EVP_Digest failed";
        digests += digest_length(algorithm);
    }
    return NULL;
}
