#include <isa-l_crypto.h>
#include <stdio.h>

static ISAL_SHA1_HASH_CTX_MGR mgr;
static ISAL_SHA1_HASH_CTX context, *done;

/* Prints the SHA-1 digest of `abc` with the interface of ISA-L crypto. */
int main(void)
{
    isal_hash_ctx_init(&context);
    if (isal_sha1_ctx_mgr_init(&mgr) != 0
        || isal_sha1_ctx_mgr_submit(&mgr, &context, &done, "abc", 3, ISAL_HASH_ENTIRE) != 0)
        return 1;
    if (done == NULL && isal_sha1_ctx_mgr_flush(&mgr, &done) != 0)
        return 1;
    for (int word = 0; word < 5; word++)
        printf("%08x", isal_hash_ctx_digest(done)[word]);
    return 0;
}
