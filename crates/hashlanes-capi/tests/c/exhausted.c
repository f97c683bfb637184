// Calls every function of the header while allocations fail: only the n-th one, and all from the
// n-th on, for every n. The call must return HASHLANES_ERROR_MEMORY or succeed. Repeated with
// enough memory, it must succeed, and nothing may leak.

#include "check.h"

// The C library's own functions, which those below wrap.
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);

enum { NEVER = -1 };

static long live;          // blocks not yet freed
static long until = NEVER; // allocations that succeed before one fails
static int keep_failing;   // whether all allocations after that fail too
static int failed;         // whether an allocation has failed

static int fails(void)
{
    if (until == NEVER)
        return 0;
    if (until > 0) {
        until--;
        return 0;
    }
    if (!keep_failing)
        until = NEVER;
    return failed = 1;
}

static void *counted(void *block)
{
    live += block != NULL;
    return block;
}

void *malloc(size_t size) { return fails() ? NULL : counted(__libc_malloc(size)); }

void *calloc(size_t count, size_t size)
{
    return fails() ? NULL : counted(__libc_calloc(count, size));
}

void *realloc(void *block, size_t size)
{
    if (fails())
        return NULL;
    void *moved = __libc_realloc(block, size);
    live += block == NULL && moved != NULL;
    return moved;
}

int posix_memalign(void **place, size_t alignment, size_t size)
{
    *place = fails() ? NULL : counted(__libc_memalign(alignment, size));
    return *place ? 0 : 12; // ENOMEM
}

void *aligned_alloc(size_t alignment, size_t size)
{
    return fails() ? NULL : counted(__libc_memalign(alignment, size));
}

void free(void *block)
{
    live -= block != NULL;
    __libc_free(block);
}

enum { MANY = 300, LONG = 3000, OTHERS = 20 };

// The objects that the calls use, and the expected digests.
static hashlanes_hasher *hasher, *new_hasher;
static hashlanes_prefix *prefix, *new_prefix;
static hashlanes_hmac_key *key, *new_key;
static hashlanes_manager *manager, *new_manager;
static hashlanes_server *server, *new_server;
static hashlanes_server_hasher *message, *others[OTHERS], *new_message;
static hashlanes_job job;
static unsigned char bytes[200000], digests[MANY * 32], right[32], right_mac[32];
static unsigned char saved[HASHLANES_MAX_STATE_LENGTH];
static size_t saved_length;
static const void *messages[MANY];
static const hashlanes_hmac_key *keys[MANY];
static size_t lengths[MANY], counts[MANY];
static hashlanes_part parts[2 * MANY];
static uint64_t steps_of_chains[MANY];
static hashlanes_state states[MANY];
static hashlanes_done done;

static void begin(void)
{
    OK(hashlanes_hasher_create(HASHLANES_SHA256, &hasher));
    OK(hashlanes_hasher_update(hasher, bytes, LONG - 10));
    OK(hashlanes_hasher_save(hasher, saved, sizeof saved, &saved_length));
    OK(hashlanes_prefix_create(HASHLANES_SHA256, bytes, 100, &prefix));
    OK(hashlanes_hmac_key_create(HASHLANES_SHA256, "key", 3, &key));
    OK(hashlanes_manager_create(HASHLANES_SHA256, 1, &manager));
    // As many jobs as the job table first allocates, so that the next one makes it grow.
    for (int i = 0; i < 4; i++)
        OK(hashlanes_manager_first(manager, NULL, bytes, 10, NULL, &done));
    job = done.job;
    OK(hashlanes_server_create(HASHLANES_SHA256, NULL, &server));
    OK(hashlanes_server_hasher_create(server, NULL, &message));
    for (int i = 0; i < OTHERS; i++)
        OK(hashlanes_server_hasher_create(server, i % 2 ? key : NULL, &others[i]));
    // After a round, the server has a kernel to report.
    OK(hashlanes_server_hasher_update(message, bytes, LONG));
    OK(hashlanes_server_hasher_finish(message, digests, 32));
    // Every hasher has deferred bytes, so that the next long write runs a round.
    OK(hashlanes_server_hasher_update(message, bytes, LONG - 10));
    for (int i = 0; i < OTHERS; i++)
        OK(hashlanes_server_hasher_update(others[i], bytes, LONG));
    for (size_t i = 0; i < MANY; i++)
        keys[i] = key;
    new_hasher = NULL;
    new_prefix = NULL;
    new_key = NULL;
    new_manager = NULL;
    new_server = NULL;
    new_message = NULL;
}

static void end(void)
{
    hashlanes_hasher_destroy(new_hasher);
    hashlanes_prefix_destroy(new_prefix);
    hashlanes_hmac_key_destroy(new_key);
    hashlanes_manager_destroy(new_manager);
    hashlanes_server_destroy(new_server);
    hashlanes_server_hasher_destroy(new_message);
    hashlanes_hasher_destroy(hasher);
    hashlanes_prefix_destroy(prefix);
    hashlanes_hmac_key_destroy(key);
    hashlanes_manager_destroy(manager);
    hashlanes_server_destroy(server);
    hashlanes_server_hasher_destroy(message);
    for (int i = 0; i < OTHERS; i++)
        hashlanes_server_hasher_destroy(others[i]);
}

// The other hashers of the server have lost nothing.
static void check_messages(void)
{
    unsigned char digest[32];
    for (int i = 0; i < OTHERS; i++) {
        OK(hashlanes_server_hasher_finish(others[i], digest, sizeof digest));
        CHECK(memcmp(digest, i % 2 ? right_mac : right, sizeof digest) == 0);
    }
}

#define CALL(name, call)                                                                           \
    static hashlanes_error name##_call(void) { return call; }
CALL(algorithm_from_name, hashlanes_algorithm_from_name("SHA-256", &(hashlanes_algorithm){0}))
CALL(with_kernel, hashlanes_with_kernel(HASHLANES_SHA256, "portable", &(hashlanes_algorithm){0}))
CALL(digest, hashlanes_digest(HASHLANES_SHA256, bytes, LONG, digests, 32))
CALL(digest_many,
     hashlanes_digest_many(HASHLANES_SHA256, messages, lengths, MANY, digests, sizeof digests))
CALL(digest_many_parts, hashlanes_digest_many_parts(HASHLANES_SHA256, parts, counts, MANY, digests,
                                                    sizeof digests))
CALL(digest_chunks,
     hashlanes_digest_chunks(HASHLANES_SHA256, bytes, 10 * MANY, 10, digests, sizeof digests))
CALL(xof_many,
     hashlanes_xof_many(HASHLANES_XOF_KT128, NULL, messages, lengths, MANY, digests, 1, MANY))
CALL(hasher_create, hashlanes_hasher_create(HASHLANES_SHA256, &new_hasher))
CALL(hasher_update, hashlanes_hasher_update(hasher, bytes, 10))
CALL(hasher_digest, hashlanes_hasher_digest(hasher, digests, 32))
CALL(hasher_finish, hashlanes_hasher_finish(hasher, digests, 32))
CALL(hasher_reset, hashlanes_hasher_reset(hasher))
CALL(hasher_clone, hashlanes_hasher_clone(hasher, &new_hasher))
CALL(hasher_save, hashlanes_hasher_save(hasher, saved, sizeof saved, &saved_length))
CALL(hasher_restore, hashlanes_hasher_restore(saved, saved_length, NULL, &new_hasher))
CALL(hasher_length, hashlanes_hasher_length(hasher, &(uint64_t){0}))
CALL(hmac_key_create, hashlanes_hmac_key_create(HASHLANES_SHA256, bytes, 100, &new_key))
CALL(hmac, hashlanes_hmac(key, bytes, LONG, digests, 32))
CALL(hmac_many, hashlanes_hmac_many(key, messages, lengths, MANY, digests, sizeof digests))
CALL(hmac_many_keys,
     hashlanes_hmac_many_keys(keys, messages, lengths, MANY, digests, sizeof digests))
CALL(hmac_verify, hashlanes_hmac_verify(key, bytes, LONG, right_mac, 32))
CALL(hmac_hasher, hashlanes_hmac_hasher(key, &new_hasher))
CALL(cpu_feature_at, hashlanes_cpu_feature_at(0, &(hashlanes_cpu_feature){.present = false}))
CALL(kernel_at, hashlanes_kernel_at(HASHLANES_SHA256, 1, &(hashlanes_kernel){.lanes = 0}))
CALL(kernel_for, hashlanes_kernel_for(HASHLANES_SHA256, 8, &(hashlanes_kernel){.lanes = 0}))
CALL(self_test, hashlanes_self_test(&(hashlanes_algorithm){0}))
CALL(manager_create, hashlanes_manager_create(HASHLANES_SHA256, 0, &new_manager))
CALL(manager_entire, hashlanes_manager_entire(manager, key, bytes, LONG, NULL, &done))
CALL(manager_first, hashlanes_manager_first(manager, key, bytes, LONG, NULL, &done))
CALL(manager_update, hashlanes_manager_update(manager, job, bytes, LONG, &done))
CALL(manager_last, hashlanes_manager_last(manager, job, bytes, LONG, &done))
CALL(manager_abandon, hashlanes_manager_abandon(manager, job))
CALL(manager_flush, hashlanes_manager_flush(manager, &done))
CALL(prefix_create, hashlanes_prefix_create(HASHLANES_SHA256, bytes, 100, &new_prefix))
CALL(prefix_digest_many,
     hashlanes_prefix_digest_many(prefix, messages, lengths, MANY, digests, sizeof digests))
CALL(prefix_digest_chunks,
     hashlanes_prefix_digest_chunks(prefix, bytes, 10 * MANY, 10, digests, sizeof digests))
CALL(prefix_hasher, hashlanes_prefix_hasher(prefix, &new_hasher))
CALL(server_create, hashlanes_server_create(HASHLANES_SHA256, NULL, &new_server))
CALL(server_hasher_create, hashlanes_server_hasher_create(server, key, &new_message))
CALL(server_hasher_update, hashlanes_server_hasher_update(message, bytes, 10))
CALL(server_hasher_update_long, hashlanes_server_hasher_update(message, bytes, sizeof bytes))
CALL(server_hasher_digest, hashlanes_server_hasher_digest(message, digests, 32))
CALL(server_hasher_finish, hashlanes_server_hasher_finish(message, digests, 32))
CALL(server_hasher_reset, hashlanes_server_hasher_reset(message))
CALL(server_stats_now,
     hashlanes_server_stats_now(server, &(hashlanes_server_stats){.messages = 0}))
CALL(server_kernel_at,
     hashlanes_server_kernel_at(server, 0, &(hashlanes_server_kernel){.bytes = 0}))
CALL(state_begin, hashlanes_state_begin(HASHLANES_SHA256, &states[0]))
CALL(compress, hashlanes_compress(HASHLANES_SHA256, &states[0], bytes, 640))
CALL(compress_many, hashlanes_compress_many(HASHLANES_SHA256, states, messages, lengths, MANY))
CALL(digest_chains,
     hashlanes_digest_chains(HASHLANES_SHA256, steps_of_chains, MANY, digests, sizeof digests))
CALL(verify_chains, hashlanes_verify_chains(HASHLANES_SHA256, bytes, bytes, steps_of_chains, MANY,
                                            (bool *)digests))
CALL(slh_dsa_from_name,
     hashlanes_slh_dsa_from_name("SLH-DSA-SHA2-128s", &(hashlanes_slh_dsa_set){0}))
CALL(slh_dsa_lengths_of,
     hashlanes_slh_dsa_lengths_of(1, &(hashlanes_slh_dsa_lengths){.seeds = 0}))

#define STEP(name) {#name, name##_call}
static const struct step {
    const char *name;
    hashlanes_error (*call)(void);
} steps[] = {
    STEP(algorithm_from_name), STEP(with_kernel), STEP(digest), STEP(digest_many),
    STEP(digest_many_parts), STEP(digest_chunks), STEP(xof_many),
    STEP(hasher_create), STEP(hasher_update),
    STEP(hasher_digest), STEP(hasher_finish), STEP(hasher_reset), STEP(hasher_clone),
    STEP(hasher_length), STEP(hasher_save), STEP(hasher_restore),
    STEP(hmac_key_create), STEP(hmac), STEP(hmac_many), STEP(hmac_many_keys), STEP(hmac_verify),
    STEP(hmac_hasher), STEP(cpu_feature_at), STEP(kernel_at), STEP(kernel_for),
    STEP(self_test),
    STEP(manager_create), STEP(manager_entire), STEP(manager_first), STEP(manager_update),
    STEP(manager_last), STEP(manager_abandon), STEP(manager_flush), STEP(prefix_create),
    STEP(prefix_digest_many), STEP(prefix_digest_chunks), STEP(prefix_hasher),
    STEP(server_create), STEP(server_hasher_create), STEP(server_hasher_update),
    STEP(server_hasher_update_long), STEP(server_hasher_digest), STEP(server_hasher_finish),
    STEP(server_hasher_reset), STEP(server_stats_now), STEP(server_kernel_at), STEP(state_begin),
    STEP(compress), STEP(compress_many), STEP(digest_chains), STEP(verify_chains),
    STEP(slh_dsa_from_name), STEP(slh_dsa_lengths_of),
};

// Makes one call in which the n-th allocation fails. Returns whether the call got that far.
static int call(const struct step *step, long n)
{
    long before = live;
    begin();
    failed = 0;
    until = n;
    hashlanes_error error = step->call();
    until = NEVER;
    if (error != HASHLANES_OK) {
        CHECK(failed);
        fprintf(stderr, "%s, allocation %ld fails: ", step->name, n);
        RETURNS(HASHLANES_ERROR_MEMORY, error);
        fputs("an error\n", stderr);
        OK(step->call());
    }
    check_messages();
    end();
    CHECK(live == before);
    return failed;
}

// Creates hashers while each allocation in turn fails, that of the server's queue included.
static void growing_queue(void)
{
    enum { MOST = 200 };
    static hashlanes_server_hasher *hashers[MOST];
    unsigned char digest[32];
    long before = live;
    OK(hashlanes_server_create(HASHLANES_SHA256, NULL, &server));
    int errors = 0;
    for (int i = 0; i < MOST; i++) {
        for (long n = 0;; n++) {
            failed = 0;
            until = n;
            hashlanes_error error = hashlanes_server_hasher_create(server, NULL, &hashers[i]);
            until = NEVER;
            if (error == HASHLANES_OK)
                break;
            errors++;
            RETURNS(HASHLANES_ERROR_MEMORY, error);
            CHECK(hashers[i] == NULL);
        }
    }
    CHECK(errors >= MOST);
    hashlanes_server_destroy(server);
    for (int i = 0; i < MOST; i++)
        OK(hashlanes_server_hasher_update(hashers[i], bytes, LONG));
    for (int i = 0; i < MOST; i++) {
        OK(hashlanes_server_hasher_finish(hashers[i], digest, sizeof digest));
        CHECK(memcmp(digest, right, sizeof digest) == 0);
        hashlanes_server_hasher_destroy(hashers[i]);
    }
    CHECK(live == before);
}

// The first call in the process reads the environment.
static void first_call(void)
{
    hashlanes_error error = HASHLANES_ERROR_MEMORY;
    keep_failing = 1;
    for (long n = 0; error != HASHLANES_OK; n++) {
        RETURNS(HASHLANES_ERROR_MEMORY, error);
        until = n;
        error = hashlanes_digest(HASHLANES_SHA256, "abc", 3, right, sizeof right);
        until = NEVER;
    }
}

int main(void)
{
    first_call();
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i % 251);
    for (size_t i = 0; i < MANY; i++) {
        messages[i] = bytes + i;
        lengths[i] = 64 * (i % 5);
        steps_of_chains[i] = i % 5;
        OK(hashlanes_state_begin(HASHLANES_SHA256, &states[i]));
    }
    OK(hashlanes_digest(HASHLANES_SHA256, bytes, LONG, right, sizeof right));
    OK(hashlanes_hmac_key_create(HASHLANES_SHA256, "key", 3, &key));
    OK(hashlanes_hmac(key, bytes, LONG, right_mac, sizeof right_mac));
    hashlanes_hmac_key_destroy(key);
    long count = 0;
    for (keep_failing = 0; keep_failing < 2; keep_failing++) {
        for (size_t i = 0; i < sizeof steps / sizeof *steps; i++) {
            long n = 0;
            while (call(&steps[i], n))
                n++;
            count += n;
        }
        growing_queue();
    }
    CHECK(count > 50);
    puts("every allocation");
    return 0;
}
