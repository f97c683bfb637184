/* Firedancer's batches of SHA-256 messages: each is added, and the batch is finished at the end. */
#include "engine.h"

#include <ballet/sha256/fd_sha256.h>

const char *engine_version(void)
{
    return "";
}

int engine_supports(enum algorithm algorithm)
{
    return algorithm == SHA256_;
}

const char *engine_hash(enum algorithm algorithm, const uint8_t *const *messages,
                        const size_t *lengths, size_t count, uint8_t *digests)
{
    uchar memory[FD_SHA256_BATCH_FOOTPRINT] __attribute__((aligned(FD_SHA256_BATCH_ALIGN)));
    fd_sha256_batch_t *batch = fd_sha256_batch_init(memory);

    (void) algorithm;
    for (size_t i = 0; i < count; i++)
        fd_sha256_batch_add(batch, messages[i], lengths[i], digests + i * FD_SHA256_HASH_SZ);
    fd_sha256_batch_fini(batch);
    return NULL;
}
