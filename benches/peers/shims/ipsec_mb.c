/* Intel's ipsec-mb. Jobs only hash. They are submitted one after another, then flushed. */
#include "engine.h"

#include <intel-ipsec-mb.h>

static IMB_MGR *manager(void)
{
    static IMB_MGR *manager;
    if (manager == NULL && (manager = alloc_mb_mgr(0)) != NULL)
        init_mb_mgr_auto(manager, NULL);
    return manager;
}

const char *engine_version(void)
{
    return imb_get_version_str();
}

int engine_supports(enum algorithm algorithm)
{
    /* The library has HMAC-MD5, but not MD5. */
    return manager() != NULL && algorithm != MD5_;
}

/* Takes finished jobs, `job` first. Counts the successful ones, and keeps the first error. */
static void take(IMB_MGR *mgr, IMB_JOB *job, IMB_JOB *(*next)(IMB_MGR *), size_t *done,
                 const char **error)
{
    for (; job != NULL; job = next(mgr)) {
        int code;

        if (job->status == IMB_STATUS_COMPLETED)
            ++*done;
        else if (*error == NULL)
            *error = (code = imb_get_errno(mgr)) ? imb_get_strerror(code) : "a job was refused";
    }
}

const char *engine_hash(enum algorithm algorithm, const uint8_t *const *messages,
                        const size_t *lengths, size_t count, uint8_t *digests)
{
    static const IMB_HASH_ALG algorithms[] = {
        0, IMB_AUTH_SHA_1, IMB_AUTH_SHA_256, IMB_AUTH_SHA_512
    };
    IMB_MGR *mgr = manager();
    const char *error = NULL;
    size_t done = 0;

    for (size_t i = 0; i < count && error == NULL; i++) {
        IMB_JOB *job = IMB_GET_NEXT_JOB(mgr);
        job->cipher_mode = IMB_CIPHER_NULL;
        job->cipher_direction = IMB_DIR_ENCRYPT;
        job->chain_order = IMB_ORDER_HASH_CIPHER;
        job->hash_alg = algorithms[algorithm];
        job->src = messages[i];
        job->hash_start_src_offset_in_bytes = 0;
        job->msg_len_to_hash_in_bytes = lengths[i];
        job->auth_tag_output = digests + i * digest_length(algorithm);
        job->auth_tag_output_len_in_bytes = digest_length(algorithm);
        take(mgr, IMB_SUBMIT_JOB(mgr), mgr->get_completed_job, &done, &error);
    }
    /* Flush after an error, too, since jobs in flight point to memory of the caller. */
    take(mgr, IMB_FLUSH_JOB(mgr), mgr->flush_job, &done, &error);
    if (error == NULL && done != count)
        error = "jobs were lost";
    return error;
}
