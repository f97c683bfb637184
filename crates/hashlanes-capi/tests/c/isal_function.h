// The tests of one hash function of ISA-L's interface. `isal.c` includes this file once for each
// function, with these macros:
//   LOWER, UPPER   its name in function names and in type names
//   WORD           the type of its state words
//   BYTES          the length of a digest in bytes
//   ORDER          the byte order of a digest in its words: LITTLE, BIG or AS_BYTES
//   EVP            OpenSSL's name for it

#define PASTE_(a, b, c) a##b##c
#define PASTE(a, b, c) PASTE_(a, b, c)
#define CALL(function) PASTE(isal_, LOWER, _ctx_mgr_##function)
#define OLD(function) PASTE(, LOWER, _ctx_mgr_##function)
#define TYPE(type) PASTE(ISAL_, UPPER, _##type)
#define OLD_TYPE(type) PASTE(, UPPER, _##type)
#define LOCAL(name) PASTE(LOWER, _, name)

// Memory for a manager or contexts, aligned to 16 bytes and no more. The canaries before and after
// it must not change.
static void *LOCAL(get)(size_t size)
{
    unsigned char *all = aligned_alloc(64, (size + 64 + 127) / 64 * 64);
    CHECK(all != NULL);
    memset(all, CANARY, size + 64);
    return all + 16;
}

static void LOCAL(put_back)(void *memory, size_t size)
{
    unsigned char *all = (unsigned char *)memory - 16;
    for (size_t i = 0; i < 16; i++)
        CHECK(all[i] == CANARY);
    for (size_t i = 16 + size; i < size + 64; i++)
        CHECK(all[i] == CANARY);
    free(all);
}

static void LOCAL(check)(const TYPE(HASH_CTX) *ctx, const unsigned char *right)
{
    unsigned char digest[BYTES];
    CHECK(isal_hash_ctx_complete(ctx));
    CHECK(isal_hash_ctx_error(ctx) == ISAL_HASH_CTX_ERROR_NONE);
    for (size_t i = 0; i < BYTES; i++) {
        WORD word = isal_hash_ctx_digest(ctx)[i / sizeof(WORD)];
        size_t byte = i % sizeof(WORD);
        switch (ORDER) {
        case LITTLE:
            digest[i] = (unsigned char)(word >> 8 * byte);
            break;
        case BIG:
            digest[i] = (unsigned char)(word >> 8 * (sizeof(WORD) - 1 - byte));
            break;
        default:
            digest[i] = ((const unsigned char *)isal_hash_ctx_digest(ctx))[i];
        }
    }
    CHECK(memcmp(digest, right, BYTES) == 0);
}

// A message in progress.
struct LOCAL(message) {
    unsigned char *bytes;
    unsigned char right[EVP_MAX_MD_SIZE];
    uint32_t length, done;
    int begun, complete;
};

// Submits the next piece. Returns the context that comes back.
static TYPE(HASH_CTX) *LOCAL(go_on)(TYPE(HASH_CTX_MGR) *mgr, TYPE(HASH_CTX) *ctx,
                                    uint32_t most)
{
    struct LOCAL(message) *message = isal_hash_ctx_user_data(ctx);
    uint32_t left = message->length - message->done;
    uint32_t piece = most == 0 ? left : random_below(most + 1);
    int flags = message->begun ? ISAL_HASH_UPDATE : ISAL_HASH_FIRST;
    if (piece >= left && random_below(3) > 0) {
        piece = left;
        flags |= ISAL_HASH_LAST;
    } else if (piece > left) {
        piece = left;
    }
    if (most == 0)
        flags = ISAL_HASH_ENTIRE;
    const unsigned char *at = message->bytes + message->done;
    message->begun = 1;
    message->done += piece;
    TYPE(HASH_CTX) *back;
    CHECK(CALL(submit)(mgr, ctx, &back, at, piece, (ISAL_HASH_CTX_FLAG)flags) == 0);
    return back;
}

// Hashes messages of random lengths, in random pieces of up to `most` bytes, or whole if `most` is
// 0.
static void LOCAL(many)(size_t count, uint32_t longest, uint32_t most)
{
    TYPE(HASH_CTX_MGR) *mgr = LOCAL(get)(sizeof *mgr);
    TYPE(HASH_CTX) *contexts = LOCAL(get)(count * sizeof *contexts);
    struct LOCAL(message) *messages = calloc(count, sizeof *messages);
    CHECK(messages != NULL);
    CHECK(CALL(init)(mgr) == 0);
    for (size_t i = 0; i < count; i++) {
        messages[i].length = random_below(longest + 1);
        messages[i].bytes = random_bytes(messages[i].length);
        digest_of(EVP, messages[i].bytes, messages[i].length, messages[i].right);
        isal_hash_ctx_init(&contexts[i]);
        CHECK(isal_hash_ctx_complete(&contexts[i]) && !isal_hash_ctx_processing(&contexts[i]));
        isal_hash_ctx_user_data(&contexts[i]) = &messages[i];
    }
    size_t next = 0, complete = 0, held = 0;
    while (complete < count) {
        TYPE(HASH_CTX) *back;
        if (next < count) {
            back = LOCAL(go_on)(mgr, &contexts[next++], most);
            held++;
        } else {
            CHECK(CALL(flush)(mgr, &back) == 0);
            CHECK(back != NULL);
        }
        while (back != NULL) {
            held--;
            struct LOCAL(message) *message = isal_hash_ctx_user_data(back);
            CHECK(back == &contexts[message - messages]);
            CHECK(back->total_length == message->done && !isal_hash_ctx_processing(back));
            if (isal_hash_ctx_complete(back)) {
                CHECK(!message->complete && message->done == message->length);
                LOCAL(check)(back, message->right);
                message->complete = 1;
                complete++;
                break;
            }
            CHECK(isal_hash_ctx_status(back) == ISAL_HASH_CTX_STS_IDLE);
            CHECK(back->partial_block_buffer_length == message->done % TYPE(BLOCK_SIZE));
            back = LOCAL(go_on)(mgr, back, most);
            held++;
        }
        CHECK(held < TYPE(MAX_LANES) && mgr->mgr.num_lanes_inuse == held);
    }
    TYPE(HASH_CTX) *none = contexts;
    CHECK(CALL(flush)(mgr, &none) == 0 && none == NULL);
    for (size_t i = 0; i < count; i++)
        free(messages[i].bytes);
    free(messages);
    LOCAL(put_back)(mgr, sizeof *mgr);
    LOCAL(put_back)(contexts, count * sizeof *contexts);
}

// Hashes messages of each length of up to three blocks: whole, and in two pieces, the first of
// which is one block.
static void LOCAL(lengths)(void)
{
    enum { MOST = 3 * TYPE(BLOCK_SIZE) };
    TYPE(HASH_CTX_MGR) mgr;
    static TYPE(HASH_CTX) contexts[MOST + 1];
    TYPE(HASH_CTX) *back;
    unsigned char *bytes = random_bytes(MOST), right[EVP_MAX_MD_SIZE];
    for (uint32_t first = 0; first <= TYPE(BLOCK_SIZE); first += TYPE(BLOCK_SIZE)) {
        CHECK(CALL(init)(&mgr) == 0);
        for (uint32_t n = first; n <= MOST; n++) {
            isal_hash_ctx_init(&contexts[n]);
            if (first == 0) {
                CHECK(CALL(submit)(&mgr, &contexts[n], &back, bytes, n, ISAL_HASH_ENTIRE) == 0);
                continue;
            }
            CHECK(CALL(submit)(&mgr, &contexts[n], &back, bytes, first, ISAL_HASH_FIRST) == 0);
            while (isal_hash_ctx_processing(&contexts[n]))
                CHECK(CALL(flush)(&mgr, &back) == 0);
            const unsigned char *rest = n > first ? bytes + first : NULL;
            CHECK(CALL(submit)(&mgr, &contexts[n], &back, rest, n - first, ISAL_HASH_LAST) == 0);
        }
        do
            CHECK(CALL(flush)(&mgr, &back) == 0);
        while (back != NULL);
        for (uint32_t n = first; n <= MOST; n++) {
            digest_of(EVP, bytes, n, right);
            LOCAL(check)(&contexts[n], right);
        }
    }
    free(bytes);
}

// A context may be copied, or begin a new message, between two submissions.
static void LOCAL(idle_contexts)(void)
{
    TYPE(HASH_CTX_MGR) mgr, other;
    TYPE(HASH_CTX) ctx, copy, *back;
    unsigned char *bytes = random_bytes(500), right[EVP_MAX_MD_SIZE];
    CHECK(CALL(init)(&mgr) == 0 && CALL(init)(&other) == 0);
    isal_hash_ctx_init(&ctx);
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 200, ISAL_HASH_FIRST) == 0);
    if (back == NULL)
        CHECK(CALL(flush)(&mgr, &back) == 0);
    CHECK(back == &ctx && isal_hash_ctx_status(&ctx) == ISAL_HASH_CTX_STS_IDLE);
    // The copy continues independently, in another manager.
    memcpy(&copy, &ctx, sizeof ctx);
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes + 200, 300, ISAL_HASH_LAST) == 0);
    TYPE(HASH_CTX) *of_other;
    CHECK(CALL(submit)(&other, &copy, &of_other, bytes + 200, 1, ISAL_HASH_LAST) == 0);
    if (back == NULL)
        CHECK(CALL(flush)(&mgr, &back) == 0);
    if (of_other == NULL)
        CHECK(CALL(flush)(&other, &of_other) == 0);
    CHECK(back == &ctx && of_other == &copy);
    digest_of(EVP, bytes, 500, right);
    LOCAL(check)(&ctx, right);
    digest_of(EVP, bytes, 201, right);
    LOCAL(check)(&copy, right);
    // FIRST begins a new message, even in the middle of another. A piece that completes no block
    // comes back.
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 3, ISAL_HASH_FIRST) == 0 && back == &ctx);
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 2, ISAL_HASH_FIRST) == 0 && back == &ctx);
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes + 2, 0, ISAL_HASH_UPDATE) == 0 && back == &ctx);
    CHECK(CALL(submit)(&mgr, &ctx, &back, NULL, 0, ISAL_HASH_LAST) == 0);
    if (back == NULL)
        CHECK(CALL(flush)(&mgr, &back) == 0);
    digest_of(EVP, bytes, 2, right);
    LOCAL(check)(back, right);
    free(bytes);
}

// Contexts that finish together come back in the order in which they were submitted.
static void LOCAL(order)(void)
{
    enum { COUNT = TYPE(MAX_LANES) };
    TYPE(HASH_CTX_MGR) mgr;
    TYPE(HASH_CTX) contexts[COUNT], *back;
    unsigned char *bytes = random_bytes(1000), right[EVP_MAX_MD_SIZE];
    digest_of(EVP, bytes, 1000, right);
    CHECK(CALL(init)(&mgr) == 0);
    for (int i = 0; i < COUNT; i++) {
        isal_hash_ctx_init(&contexts[i]);
        CHECK(CALL(submit)(&mgr, &contexts[i], &back, bytes, 1000, ISAL_HASH_ENTIRE) == 0);
        CHECK((back != NULL) == (i == COUNT - 1));
    }
    for (int i = 0; i < COUNT; i++) {
        CHECK(back == &contexts[i]);
        LOCAL(check)(back, right);
        // All are hashed. Those that have not come back still belong to the manager.
        for (int k = i + 1; k < COUNT; k++) {
            CHECK(isal_hash_ctx_processing(&contexts[k]) && !isal_hash_ctx_complete(&contexts[k]));
            CHECK(CALL(submit)(&mgr, &contexts[k], &back, bytes, 1, ISAL_HASH_FIRST)
                  == ISAL_CRYPTO_ERR_ALREADY_PROCESSING);
            contexts[k].error = ISAL_HASH_CTX_ERROR_NONE;
        }
        CHECK(CALL(flush)(&mgr, &back) == 0);
    }
    CHECK(back == NULL);
    free(bytes);
}

// While the manager holds a context with its last piece, the status is LAST if blocks of the piece
// remain, and COMPLETE if only the padding does.
static void LOCAL(held_status)(void)
{
    enum { PADDING = ISAL_HASH_CTX_STS_PROCESSING | ISAL_HASH_CTX_STS_COMPLETE };
    enum { BLOCKS = ISAL_HASH_CTX_STS_PROCESSING | ISAL_HASH_CTX_STS_LAST };
    const uint32_t block = TYPE(BLOCK_SIZE);
    const uint32_t firsts[] = { 0, 1, block - 1 };
    const uint32_t lasts[] = { 0, 1, block - 2, block - 1, block, 3 * block };
    TYPE(HASH_CTX_MGR) mgr;
    TYPE(HASH_CTX) ctx, *back;
    unsigned char bytes[4 * TYPE(BLOCK_SIZE)] = { 0 }, right[EVP_MAX_MD_SIZE];
    CHECK(CALL(init)(&mgr) == 0);
    isal_hash_ctx_init(&ctx);
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        for (size_t k = 0; k < sizeof lasts / sizeof *lasts; k++) {
            uint32_t first = firsts[i], last = lasts[k];
            CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, first, ISAL_HASH_FIRST) == 0);
            CHECK(back == &ctx && isal_hash_ctx_status(&ctx) == ISAL_HASH_CTX_STS_IDLE);
            CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, last, ISAL_HASH_LAST) == 0);
            int held = first + last < block ? PADDING : BLOCKS;
            CHECK(back == NULL && (int)isal_hash_ctx_status(&ctx) == held);
            CHECK(isal_hash_ctx_processing(&ctx) && !isal_hash_ctx_complete(&ctx));
            CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 1, ISAL_HASH_FIRST)
                  == ISAL_CRYPTO_ERR_ALREADY_PROCESSING);
            CHECK(CALL(flush)(&mgr, &back) == 0 && back == &ctx);
            ctx.error = ISAL_HASH_CTX_ERROR_NONE;
            digest_of(EVP, bytes, first + last, right);
            LOCAL(check)(&ctx, right);
        }
    }
}

// Each error, and the state of the context after it.
static void LOCAL(errors)(void)
{
    TYPE(HASH_CTX_MGR) mgr;
    TYPE(HASH_CTX) ctx, *back, *none = NULL;
    unsigned char bytes[TYPE(BLOCK_SIZE)] = { 0 }, right[EVP_MAX_MD_SIZE];
    const ISAL_HASH_CTX_FLAG entire = ISAL_HASH_ENTIRE;
    CHECK(CALL(init)(NULL) == ISAL_CRYPTO_ERR_NULL_MGR);
    CHECK(CALL(init)(&mgr) == ISAL_CRYPTO_ERR_NONE);
    isal_hash_ctx_init(&ctx);
    CHECK(CALL(submit)(NULL, &ctx, &back, bytes, 1, entire) == ISAL_CRYPTO_ERR_NULL_MGR);
    CHECK(CALL(submit)(&mgr, NULL, &back, bytes, 1, entire) == ISAL_CRYPTO_ERR_NULL_CTX);
    CHECK(CALL(submit)(&mgr, &ctx, NULL, bytes, 1, entire) == ISAL_CRYPTO_ERR_NULL_CTX);
    if (ORDER == AS_BYTES) {
        // SM3 accepts an empty message without a buffer, as in ISA-L.
        CHECK(CALL(submit)(&mgr, &ctx, &back, NULL, 0, entire) == 0 && back == NULL);
        CHECK(CALL(flush)(&mgr, &back) == 0 && back == &ctx);
        digest_of(EVP, NULL, 0, right);
        LOCAL(check)(&ctx, right);
    } else {
        CHECK(CALL(submit)(&mgr, &ctx, &back, NULL, 0, entire) == ISAL_CRYPTO_ERR_NULL_SRC);
        CHECK(CALL(submit)(&mgr, &ctx, &back, NULL, 0, ISAL_HASH_UPDATE)
              == ISAL_CRYPTO_ERR_NULL_SRC);
    }
    CHECK(CALL(submit)(&mgr, &ctx, &back, NULL, 1, ISAL_HASH_FIRST) == ISAL_CRYPTO_ERR_NULL_SRC);
    CHECK(CALL(flush)(NULL, &back) == ISAL_CRYPTO_ERR_NULL_MGR);
    CHECK(CALL(flush)(&mgr, NULL) == ISAL_CRYPTO_ERR_NULL_CTX);
    CHECK(isal_hash_ctx_complete(&ctx) && isal_hash_ctx_error(&ctx) == 0);

    const int invalid[] = { 4, 7, 999, -1 };
    for (size_t i = 0; i < sizeof invalid / sizeof *invalid; i++) {
        CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 1, (ISAL_HASH_CTX_FLAG)invalid[i])
              == ISAL_CRYPTO_ERR_INVALID_FLAGS);
        CHECK(back == &ctx && isal_hash_ctx_error(&ctx) == ISAL_HASH_CTX_ERROR_INVALID_FLAGS);
        CHECK(isal_hash_ctx_complete(&ctx));
    }
    const ISAL_HASH_CTX_FLAG late[] = { ISAL_HASH_UPDATE, ISAL_HASH_LAST };
    for (size_t i = 0; i < 2; i++) {
        CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 1, late[i])
              == ISAL_CRYPTO_ERR_ALREADY_COMPLETED);
        CHECK(back == &ctx
              && isal_hash_ctx_error(&ctx) == ISAL_HASH_CTX_ERROR_ALREADY_COMPLETED);
    }
    // A context that the manager holds is rejected, but its message is still hashed.
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, sizeof bytes, entire) == 0);
    CHECK(back == NULL && isal_hash_ctx_processing(&ctx) && isal_hash_ctx_error(&ctx) == 0);
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 1, entire)
          == ISAL_CRYPTO_ERR_ALREADY_PROCESSING);
    CHECK(back == &ctx && isal_hash_ctx_processing(&ctx));
    CHECK(isal_hash_ctx_error(&ctx) == ISAL_HASH_CTX_ERROR_ALREADY_PROCESSING);
    CHECK(CALL(flush)(&mgr, &back) == 0 && back == &ctx);
    ctx.error = ISAL_HASH_CTX_ERROR_NONE;
    digest_of(EVP, bytes, sizeof bytes, right);
    LOCAL(check)(&ctx, right);
    CHECK(CALL(flush)(&mgr, &none) == 0 && none == NULL);

    // The old functions, which return no error codes.
    CHECK(OLD(submit)(&mgr, &ctx, NULL, 1, ISAL_HASH_FIRST) == &ctx);
    CHECK(isal_hash_ctx_error(&ctx) == ISAL_HASH_CTX_ERROR_INVALID_FLAGS);
    CHECK(OLD(submit)(NULL, &ctx, bytes, 1, ISAL_HASH_FIRST) == &ctx);
    CHECK(OLD(submit)(&mgr, NULL, bytes, 1, ISAL_HASH_FIRST) == NULL);
    CHECK(OLD(flush)(NULL) == NULL);
    // Uninitialised memory is not accepted as a manager.
    memset(&mgr, 0xff, sizeof mgr);
    CHECK(CALL(submit)(&mgr, &ctx, &back, bytes, 1, entire) == ISAL_CRYPTO_ERR_NULL_MGR);
    CHECK(CALL(flush)(&mgr, &back) == ISAL_CRYPTO_ERR_NULL_MGR);
}

// A program written for a version before 2.25.
static void LOCAL(old_names)(void)
{
    OLD_TYPE(HASH_CTX_MGR) mgr;
    OLD_TYPE(HASH_CTX) contexts[10], *back;
    unsigned char *bytes = random_bytes(10000), right[EVP_MAX_MD_SIZE];
    int complete = 0;
    OLD(init)(&mgr);
    for (int i = 0; i < 10; i++) {
        hash_ctx_init(&contexts[i]);
        hash_ctx_user_data(&contexts[i]) = bytes + 1000 * i;
        back = OLD(submit)(&mgr, &contexts[i], bytes + 1000 * i, 1000, HASH_ENTIRE);
        CHECK(back == NULL && hash_ctx_processing(&contexts[i]));
    }
    while ((back = OLD(flush)(&mgr)) != NULL) {
        CHECK(hash_ctx_status(back) == HASH_CTX_STS_COMPLETE && hash_ctx_complete(back));
        CHECK(hash_ctx_error(back) == HASH_CTX_ERROR_NONE);
        digest_of(EVP, hash_ctx_user_data(back), 1000, right);
        LOCAL(check)(back, right);
        complete++;
    }
    CHECK(complete == 10);
    CHECK(OLD_TYPE(DIGEST_NWORDS) * sizeof(WORD) == BYTES);
    CHECK(OLD_TYPE(BLOCK_SIZE) == TYPE(BLOCK_SIZE) && OLD_TYPE(MAX_LANES) == TYPE(MAX_LANES));
    free(bytes);
}

static void LOCAL(all)(void)
{
    LOCAL(lengths)();
    LOCAL(idle_contexts)();
    LOCAL(order)();
    LOCAL(held_status)();
    LOCAL(errors)();
    LOCAL(old_names)();
    const size_t counts[] = { 1, 2, 63, 64, 65, 300 };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        LOCAL(many)(counts[i], 200, 0);
        LOCAL(many)(counts[i], 5000, 0);
        LOCAL(many)(counts[i], 3000, 100);
        LOCAL(many)(counts[i], 9000, 5000);
    }
}

#undef PASTE_
#undef PASTE
#undef CALL
#undef OLD
#undef TYPE
#undef OLD_TYPE
#undef LOCAL
#undef LOWER
#undef UPPER
#undef WORD
#undef BYTES
#undef ORDER
#undef EVP
