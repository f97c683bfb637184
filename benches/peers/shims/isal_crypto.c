/*
 * ISA-L crypto's multi-buffer managers. Each message is submitted ENTIRE, then all are flushed. The
 * interface is that of 2.25 and later.
 */
#include "engine.h"

#include <stdlib.h>
#include <string.h>

#include <isa-l_crypto/isal_crypto_api.h>
#include <isa-l_crypto/md5_mb.h>
#include <isa-l_crypto/sha1_mb.h>
#include <isa-l_crypto/sha256_mb.h>
#include <isa-l_crypto/sha512_mb.h>

/* The four algorithms differ in names, word, and byte order: MD5's words are little-endian. */
#define ENGINE(name, NAME, word_t, to_bytes)                                                       \
    static const char *name(const uint8_t *const *messages, const size_t *lengths,                 \
                            size_t count, uint8_t *digests)                                        \
    {                                                                                              \
        static ISAL_##NAME##_HASH_CTX_MGR *manager;                                                \
        static ISAL_##NAME##_HASH_CTX *contexts, *done;                                            \
        static size_t room;                                                                        \
        if (manager == NULL) {                                                                     \
            if (posix_memalign((void **) &manager, 64, sizeof *manager)                            \
                || isal_##name##_ctx_mgr_init(manager))                                            \
                return "cannot make a manager";                                                    \
        }                                                                                          \
        if (room < count) {                                                                        \
            free(contexts);                                                                        \
            room = 0;                                                                              \
            if (posix_memalign((void **) &contexts, 64, count * sizeof *contexts))                 \
                return "no memory";                                                                \
            room = count;                                                                          \
        }                                                                                          \
        for (size_t i = 0; i < count; i++) {                                                       \
            isal_hash_ctx_init(&contexts[i]);                                                      \
            if (isal_##name##_ctx_mgr_submit(manager, &contexts[i], &done, messages[i],            \
                                             (uint32_t) lengths[i], ISAL_HASH_ENTIRE)) {           \
                /* Forget the jobs in flight, which point to memory of the caller. */              \
                isal_##name##_ctx_mgr_init(manager);                                               \
                return "submit failed";                                                            \
            }                                                                                      \
        }                                                                                          \
        do {                                                                                       \
            if (isal_##name##_ctx_mgr_flush(manager, &done)) {                                     \
                isal_##name##_ctx_mgr_init(manager);                                               \
                return "flush failed";                                                             \
            }                                                                                      \
        } while (done != NULL);                                                                    \
        for (size_t i = 0; i < count; i++) {                                                       \
            for (size_t w = 0; w < ISAL_##NAME##_DIGEST_NWORDS; w++) {                             \
                word_t word = to_bytes(contexts[i].job.result_digest[w]);                          \
                memcpy(digests, &word, sizeof word);                                               \
                digests += sizeof word;                                                            \
            }                                                                                      \
        }                                                                                          \
        return NULL;                                                                               \
    }

ENGINE(md5, MD5, uint32_t, )
ENGINE(sha1, SHA1, uint32_t, __builtin_bswap32)
ENGINE(sha256, SHA256, uint32_t, __builtin_bswap32)
ENGINE(sha512, SHA512, uint64_t, __builtin_bswap64)

const char *engine_version(void)
{
    return isal_crypto_get_version_str();
}

int engine_supports(enum algorithm algorithm)
{
    (void) algorithm;
    return 1;
}

const char *engine_hash(enum algorithm algorithm, const uint8_t *const *messages,
                        const size_t *lengths, size_t count, uint8_t *digests)
{
    switch (algorithm) {
    case MD5_:
        return md5(messages, lengths, count, digests);
    case SHA1_:
        return sha1(messages, lengths, count, digests);
    case SHA256_:
        return sha256(messages, lengths, count, digests);
    case SHA512_:
        return sha512(messages, lengths, count, digests);
    }
    return "no such algorithm";
}
