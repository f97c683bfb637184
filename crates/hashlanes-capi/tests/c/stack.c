// Calls every function with the stack that the header promises and a page without access below it.
// Compiled with WIPED, for a library with the feature zeroize, it also searches that stack, and
// each block of memory that is freed, for bytes of messages and keys.
//
// Prints the most stack that a call of each limit used.

#include "check.h"
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>

// What the header promises, in bytes.
enum { USUAL = 96 << 10, OUTPUTS = 192 << 10 };

#ifdef WIPED
enum { IS_WIPED = 1 };
#else
enum { IS_WIPED = 0 };
#endif

enum { PAGE = 4096, PAINT = 0xa5, MANY = 300, LONGEST = 60000 };

// Messages and keys are repetitions of these bytes, so that they survive any transposition.
static const unsigned char secret[4] = {0xc3, 0x5a, 0x99, 0xe1};

// Whether 8 bytes are of a message, in either order, or as HMAC mixes a key.
static bool is_secret(const unsigned char *at)
{
    static const unsigned char pads[3] = {0, 0x36, 0x5c};
    for (int p = 0; p < 3; p++)
        for (int turn = 0; turn < 4; turn++) {
            int same = 0, reversed = 0;
            for (int i = 0; i < 8; i++) {
                same += at[i] == (secret[(i + turn) % 4] ^ pads[p]);
                reversed += at[7 - i] == (secret[(i + turn) % 4] ^ pads[p]);
            }
            if (same == 8 || reversed == 8)
                return true;
        }
    return false;
}

static bool has_secret(const unsigned char *from, const unsigned char *to)
{
    for (; from + 8 <= to; from += 8)
        if (is_secret(from))
            return true;
    return false;
}

// The C library's own function, which that below wraps.
void __libc_free(void *);

// Whether a block that contains a secret was freed.
static bool freed_secret;

void free(void *block)
{
    const unsigned char *bytes = block;
    if (IS_WIPED && bytes != NULL && has_secret(bytes, bytes + malloc_usable_size(block)))
        freed_secret = true;
    __libc_free(block);
}

// The stack of the current call: from the lowest byte that it may use.
static unsigned char *lowest, *highest;

static size_t most_used[2];
// Whether calls may leave some on the stack: a manager moves BLAKE3's states (SECURITY.md).
static bool is_known;

// Whether any call left a secret.
static bool failed;

// Leaves `limit` bytes of stack below the caller, up to a page more.
static __attribute__((noinline)) void begin(size_t limit)
{
    volatile unsigned char here = 0;
    highest = (unsigned char *)&here;
    lowest = (unsigned char *)(((uintptr_t)highest - limit) / PAGE * PAGE);
    CHECK(mprotect(lowest - PAGE, PAGE, PROT_NONE) == 0);
    memset(lowest, PAINT, (size_t)(highest - lowest) - 512);
    freed_secret = false;
}

static __attribute__((noinline)) void end(size_t limit, const char *call, unsigned number)
{
    CHECK(mprotect(lowest - PAGE, PAGE, PROT_READ | PROT_WRITE) == 0);
    const unsigned char *used = lowest;
    while (*used == PAINT)
        used++;
    size_t *most = &most_used[limit != USUAL];
    if ((size_t)(highest - used) > *most) {
        *most = (size_t)(highest - used);
        fprintf(stderr, "%zu bytes: function %u, %s\n", *most, number, call);
    }
    // What is above is this frame's.
    bool on_stack = !is_known && has_secret(used - (uintptr_t)used % 8, highest - 512);
    if (IS_WIPED && (on_stack || freed_secret)) {
        fprintf(stderr, "function %u leaves secrets %s: %s\n", number,
                on_stack ? "on the stack" : "in freed memory", call);
        failed = true;
    }
}

// Makes a call that must succeed.
#define WITHIN(limit, call)                                                                        \
    do {                                                                                           \
        begin(limit);                                                                              \
        hashlanes_error result_ = (call);                                                          \
        end(limit, #call, number);                                                                 \
        RETURNS(HASHLANES_OK, result_);                                                            \
    } while (0)

// The same of a function that cannot fail.
#define PLAIN(call)                                                                                \
    do {                                                                                           \
        begin(USUAL);                                                                              \
        (void)(call);                                                                              \
        end(USUAL, #call, number);                                                                 \
    } while (0)

static unsigned char bytes[LONGEST], outputs[MANY * 700], digest[64];
static unsigned char saved[HASHLANES_MAX_STATE_LENGTH];
static size_t saved_length;
static const void *messages[MANY];
static size_t lengths[MANY], counts[MANY];
static hashlanes_part parts[2 * MANY];

static const struct shape {
    size_t length, count;
    bool equal;
} shapes[] = {
    {100, 1, true}, {2000, 1, true},  {LONGEST, 1, true}, {64, 40, true},
    {500, 40, false}, {500, MANY, false}, {9000, 5, true},
};

enum { SHAPES = sizeof shapes / sizeof *shapes };

static void take(const struct shape *shape)
{
    for (size_t i = 0; i < shape->count; i++) {
        messages[i] = bytes + 4 * i;
        lengths[i] = shape->equal ? shape->length : 4 * i * 37 % shape->length;
    }
}

// Functions of one message or many, and objects that are made once.
static void of_algorithm(hashlanes_algorithm number, const struct shape *shape)
{
    take(shape);
    size_t size = hashlanes_digest_length(number), count = shape->count;
    size_t all = sizeof outputs, length = lengths[0] > 3 ? lengths[0] : 3;
    uint64_t links[MANY], counted;
    bool valid[MANY];
    for (int i = 0; i < MANY; i++)
        links[i] = (uint64_t)i % 3;
    WITHIN(USUAL, hashlanes_digest(number, bytes, length, digest, sizeof digest));
    WITHIN(USUAL, hashlanes_digest_many(number, messages, lengths, count, outputs, all));
    for (size_t i = 0; i < 2 * count; i++)
        parts[i] = (hashlanes_part){messages[i / 2], lengths[i / 2]};
    for (size_t i = 0; i < count; i++)
        counts[i] = 2;
    WITHIN(USUAL, hashlanes_digest_many_parts(number, parts, counts, count, outputs, all));
    WITHIN(USUAL, hashlanes_digest_chunks(number, bytes, length, 300, outputs, all));
    memcpy(outputs, bytes, MANY * size < LONGEST ? MANY * size : LONGEST);
    WITHIN(USUAL, hashlanes_verify_chains(number, bytes, outputs, links, MANY, valid));
    for (int i = 0; i < MANY; i++)
        links[i]++;
    WITHIN(USUAL, hashlanes_digest_chains(number, links, MANY, outputs, all));
    WITHIN(USUAL, hashlanes_pbkdf2_many(number, messages, lengths, messages, lengths,
                                        count > 70 ? 70 : count, 3, outputs, 80, all));
    WITHIN(USUAL, hashlanes_hkdf_many(number, messages, lengths, messages, lengths, messages,
                                      lengths, count > 70 ? 70 : count, outputs, 80, all));

    hashlanes_prefix *prefix;
    hashlanes_hasher *hasher, *other, *restored;
    WITHIN(USUAL, hashlanes_prefix_create(number, bytes, length, &prefix));
    WITHIN(USUAL, hashlanes_prefix_digest_many(prefix, messages, lengths, count, outputs, all));
    WITHIN(USUAL, hashlanes_prefix_digest_chunks(prefix, bytes, length, 300, outputs, all));
    WITHIN(USUAL, hashlanes_prefix_hasher(prefix, &hasher));
    WITHIN(USUAL, hashlanes_hasher_update(hasher, bytes, length));
    PLAIN((hashlanes_hasher_destroy(hasher), 0));
    PLAIN((hashlanes_prefix_destroy(prefix), 0));

    WITHIN(USUAL, hashlanes_hasher_create(number, &hasher));
    WITHIN(USUAL, hashlanes_hasher_update(hasher, bytes, length));
    WITHIN(USUAL, hashlanes_hasher_update(hasher, bytes, 10));
    WITHIN(USUAL, hashlanes_hasher_clone(hasher, &other));
    WITHIN(USUAL, hashlanes_hasher_digest(hasher, digest, sizeof digest));
    WITHIN(USUAL, hashlanes_hasher_length(hasher, &counted));
    WITHIN(USUAL, hashlanes_hasher_save(hasher, saved, sizeof saved, &saved_length));
    WITHIN(USUAL, hashlanes_hasher_restore(saved, saved_length, NULL, &restored));
    PLAIN((hashlanes_hasher_destroy(restored), 0));
    WITHIN(USUAL, hashlanes_hasher_finish(hasher, digest, sizeof digest));
    WITHIN(USUAL, hashlanes_hasher_update(hasher, bytes, 10));
    WITHIN(USUAL, hashlanes_hasher_reset(hasher));
    PLAIN((hashlanes_hasher_destroy(hasher), 0));
    PLAIN((hashlanes_hasher_destroy(other), 0));
}

// HMAC, one message or many.
static void of_hmac(hashlanes_algorithm number, const struct shape *shape)
{
    take(shape);
    size_t count = shape->count, all = sizeof outputs, length = lengths[0] > 3 ? lengths[0] : 3;
    const hashlanes_hmac_key *keys[MANY];
    hashlanes_hmac_key *key;
    hashlanes_hasher *hasher, *other, *restored;
    WITHIN(USUAL, hashlanes_hmac_key_create(number, bytes, length, &key));
    PLAIN((hashlanes_hmac_key_destroy(key), 0));
    WITHIN(USUAL, hashlanes_hmac_key_create(number, bytes, 32, &key));
    for (int i = 0; i < MANY; i++)
        keys[i] = key;
    WITHIN(USUAL, hashlanes_hmac(key, bytes, length, digest, sizeof digest));
    WITHIN(USUAL, hashlanes_hmac_many(key, messages, lengths, count, outputs, all));
    WITHIN(USUAL, hashlanes_hmac_many_keys(keys, messages, lengths, count, outputs, all));
    WITHIN(USUAL, hashlanes_hmac_verify(key, bytes, length, digest,
                                        hashlanes_digest_length(number)));
    WITHIN(USUAL, hashlanes_hmac_hasher(key, &hasher));
    WITHIN(USUAL, hashlanes_hasher_update(hasher, bytes, length));
    WITHIN(USUAL, hashlanes_hasher_clone(hasher, &other));
    WITHIN(USUAL, hashlanes_hasher_save(hasher, saved, sizeof saved, &saved_length));
    WITHIN(USUAL, hashlanes_hasher_restore(saved, saved_length, key, &restored));
    PLAIN((hashlanes_hasher_destroy(restored), 0));
    WITHIN(USUAL, hashlanes_hasher_finish(hasher, digest, sizeof digest));
    WITHIN(USUAL, hashlanes_hasher_reset(hasher));
    PLAIN((hashlanes_hasher_destroy(hasher), 0));
    PLAIN((hashlanes_hasher_destroy(other), 0));
    PLAIN((hashlanes_hmac_key_destroy(key), 0));
}

// Messages in two pieces, whole ones and MACs in a manager, which is destroyed with some in it.
static void of_manager(hashlanes_algorithm number, const struct shape *shape)
{
    hashlanes_manager *manager;
    hashlanes_hmac_key *key;
    hashlanes_done done;
    hashlanes_job jobs[MANY];
    size_t waiting = 0;
    take(shape);
    is_known = number == HASHLANES_BLAKE3;
    WITHIN(USUAL, hashlanes_hmac_key_create(number, bytes, 32, &key));
    WITHIN(USUAL, hashlanes_manager_create(number, 24, &manager));
    for (size_t i = 0; i < shape->count; i++) {
        WITHIN(USUAL, hashlanes_manager_first(manager, i % 3 ? NULL : key, messages[i], lengths[i],
                                              NULL, &done));
        if (done.kind == HASHLANES_PIECE)
            jobs[waiting++] = done.job;
    }
    do {
        WITHIN(USUAL, hashlanes_manager_flush(manager, &done));
        if (done.kind == HASHLANES_PIECE)
            jobs[waiting++] = done.job;
    } while (done.kind != HASHLANES_NOTHING);
    // Enough for every kind of call.
    waiting = waiting > 60 ? 60 : waiting;
    for (size_t i = 0; i < waiting; i++) {
        if (i % 4 == 0)
            WITHIN(USUAL, hashlanes_manager_last(manager, jobs[i], bytes, 100, &done));
        else if (i % 4 == 1)
            WITHIN(USUAL, hashlanes_manager_update(manager, jobs[i], bytes, 100, &done));
        else if (i % 4 == 2)
            WITHIN(USUAL, hashlanes_manager_abandon(manager, jobs[i]));
        WITHIN(USUAL, hashlanes_manager_entire(manager, i % 2 ? key : NULL, messages[i], lengths[i],
                                               NULL, &done));
    }
    PLAIN(hashlanes_manager_count(manager));
    PLAIN((hashlanes_manager_destroy(manager), 0));
    PLAIN((hashlanes_hmac_key_destroy(key), 0));
    is_known = false;
}

static void of_server(hashlanes_algorithm number, const struct shape *shape)
{
    enum { HASHERS = 6 };
    take(shape);
    size_t length = lengths[0] > 3 ? lengths[0] : 3;
    hashlanes_server *server;
    hashlanes_hmac_key *key;
    hashlanes_server_hasher *hashers[HASHERS];
    hashlanes_server_stats stats;
    hashlanes_server_kernel kernel;
    WITHIN(USUAL, hashlanes_hmac_key_create(number, bytes, 32, &key));
    WITHIN(USUAL, hashlanes_server_create(number, NULL, &server));
    for (int i = 0; i < HASHERS; i++)
        WITHIN(USUAL, hashlanes_server_hasher_create(server, i % 2 ? key : NULL, &hashers[i]));
    for (int i = 0; i < 3 * HASHERS; i++)
        WITHIN(USUAL, hashlanes_server_hasher_update(hashers[i % HASHERS], bytes, length));
    for (int i = 0; i < HASHERS; i++) {
        WITHIN(USUAL, hashlanes_server_hasher_digest(hashers[i], digest, sizeof digest));
        WITHIN(USUAL, hashlanes_server_hasher_update(hashers[i], bytes, 1000));
        if (i % 3 == 0)
            WITHIN(USUAL, hashlanes_server_hasher_finish(hashers[i], digest, sizeof digest));
        else if (i % 3 == 1)
            WITHIN(USUAL, hashlanes_server_hasher_reset(hashers[i]));
    }
    WITHIN(USUAL, hashlanes_server_stats_now(server, &stats));
    if (stats.kernels > 0)
        WITHIN(USUAL, hashlanes_server_kernel_at(server, 0, &kernel));
    for (int i = 0; i < HASHERS; i++)
        PLAIN((hashlanes_server_hasher_destroy(hashers[i]), 0));
    PLAIN((hashlanes_server_destroy(server), 0));
    PLAIN((hashlanes_hmac_key_destroy(key), 0));
}

// The compression function, of functions whose states it has.
static void of_states(hashlanes_algorithm number, const struct shape *shape)
{
    static hashlanes_state states[MANY];
    if (hashlanes_state_begin(number, &states[0]) != HASHLANES_OK)
        return;
    take(shape);
    for (size_t i = 0; i < shape->count; i++) {
        WITHIN(USUAL, hashlanes_state_begin(number, &states[i]));
        lengths[i] -= lengths[i] % 128;
    }
    WITHIN(USUAL, hashlanes_compress(number, &states[0], bytes, 1280));
    WITHIN(USUAL, hashlanes_compress_many(number, states, messages, lengths, shape->count));
}

static void of_xof(hashlanes_xof number, const struct shape *shape)
{
    hashlanes_xof_params none = {0}, params = {0};
    bool keyed = number <= HASHLANES_XOF_SHAKE256 || number == HASHLANES_XOF_BLAKE3;
    take(shape);
    if (keyed) {
        params.key = bytes;
        params.key_length = 32;
    } else if (number >= HASHLANES_XOF_KT128) {
        params.customization = bytes;
        params.customization_length = 200;
    }
    for (size_t size = 32; size <= 700; size += 668) {
        WITHIN(OUTPUTS, hashlanes_xof_many(number, &none, messages, lengths, shape->count, outputs,
                                           size, sizeof outputs));
        WITHIN(OUTPUTS, hashlanes_xof_many(number, &params, messages, lengths, shape->count,
                                           outputs, size, sizeof outputs));
    }
}

static void of_signatures(void)
{
    static unsigned char signatures[2 * 50000], key[128], seeds[128];
    hashlanes_slh_dsa_set number;
    hashlanes_slh_dsa_lengths of;
    bool valid[2];
    WITHIN(USUAL, (number = 0, hashlanes_slh_dsa_from_name("SLH-DSA-SHA2-128f", &number)));
    for (; number <= HASHLANES_SLH_DSA_SHAKE_128F; number++) {
        WITHIN(USUAL, hashlanes_slh_dsa_lengths_of(number, &of));
        // The last part is public.
        memset(seeds, 1, sizeof seeds);
        memcpy(seeds, bytes, of.seeds / 3 * 2);
        WITHIN(USUAL, hashlanes_slh_dsa_keygen(number, seeds, of.seeds, key, sizeof key));
        hashlanes_slh_dsa_key own = {.set = number, .bytes = key, .length = of.private_key};
        hashlanes_slh_dsa_key other = {
            .set = number, .bytes = key + of.private_key / 2, .length = of.public_key};
        const void *both[2] = {bytes, bytes + 4};
        const size_t each[2] = {100, 2000};
        WITHIN(USUAL, hashlanes_slh_dsa_sign(&own, bytes, 100, NULL, signatures,
                                                  sizeof signatures));
        WITHIN(USUAL, hashlanes_slh_dsa_verify(&other, bytes, 100, signatures, of.signature));
        WITHIN(USUAL, hashlanes_slh_dsa_sign_many(&own, both, each, 2, seeds, signatures,
                                                       sizeof signatures));
        WITHIN(USUAL,
               hashlanes_slh_dsa_verify_many(&other, both, each, 2, signatures, valid));
        CHECK(valid[0] && valid[1]);
    }
}

static void of_nothing(void)
{
    const unsigned number = HASHLANES_SHA256;
    hashlanes_algorithm found;
    hashlanes_cpu_feature feature;
    hashlanes_kernel kernel;
    WITHIN(USUAL, hashlanes_algorithm_from_name("sha256", &found));
    WITHIN(USUAL, hashlanes_with_kernel(number, "portable", &found));
    WITHIN(USUAL, hashlanes_cpu_feature_at(0, &feature));
    WITHIN(USUAL, hashlanes_kernel_at(number, 0, &kernel));
    WITHIN(USUAL, hashlanes_kernel_for(number, 8, &kernel));
    WITHIN(USUAL, hashlanes_self_test(&found));
    PLAIN(hashlanes_algorithm_count());
    PLAIN(hashlanes_algorithm_name(number));
    PLAIN(hashlanes_digest_length(number));
    PLAIN(hashlanes_block_length(number));
    PLAIN(hashlanes_chunk_count(100, 10));
    PLAIN(hashlanes_version());
    PLAIN(hashlanes_cpu_feature_count());
    PLAIN(hashlanes_kernel_count(number));
    PLAIN(hashlanes_error_text(HASHLANES_OK));
}

static void *all(void *unused)
{
    of_nothing();
    for (int i = 0; i < SHAPES; i++) {
        for (hashlanes_algorithm a = 1; a <= hashlanes_algorithm_count(); a++) {
            of_algorithm(a, &shapes[i]);
            of_hmac(a, &shapes[i]);
            of_manager(a, &shapes[i]);
            of_server(a, &shapes[i]);
            of_states(a, &shapes[i]);
        }
        for (hashlanes_xof x = HASHLANES_XOF_SHAKE128; x <= HASHLANES_XOF_BLAKE3; x++)
            of_xof(x, &shapes[i]);
    }
    of_signatures();
    return unused;
}

int main(void)
{
    enum { STACK = 2 << 20 };
    static unsigned char memory[STACK + PAGE];
    pthread_attr_t attributes;
    pthread_t thread;
    void *start = (void *)(((uintptr_t)memory + PAGE - 1) / PAGE * PAGE);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = secret[i % 4];
    CHECK(pthread_attr_init(&attributes) == 0);
    CHECK(pthread_attr_setstack(&attributes, start, STACK) == 0);
    CHECK(pthread_create(&thread, &attributes, all, NULL) == 0);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(!failed);
    puts("every call");
    return 0;
}
