// Calls every function of the header, with valid and with invalid arguments.

#include "check.h"

static const unsigned char md5_of_abc[16] = {0x90, 0x01, 0x50, 0x98, 0x3c, 0xd2, 0x4f, 0xb0,
                                             0xd6, 0x96, 0x3f, 0x7d, 0x28, 0xe1, 0x7f, 0x72};
static unsigned char digest[HASHLANES_MAX_DIGEST_LENGTH], other[HASHLANES_MAX_DIGEST_LENGTH];

// A pointer that is aligned for bytes only.
static void *misaligned(void)
{
    static uint64_t memory[64];
    return (char *)memory + 1;
}

// A size larger than any object can have.
static const size_t TOO_MANY = SIZE_MAX / 2 + 1;

static void information(void)
{
    char version[32];
    snprintf(version, sizeof version, "%d.%d.%d", HASHLANES_VERSION_MAJOR, HASHLANES_VERSION_MINOR,
             HASHLANES_VERSION_PATCH);
    CHECK(strcmp(hashlanes_version(), version) == 0);
    for (int code = -3; code < 100; code++)
        CHECK(strlen(hashlanes_error_text(code)) > 3);
    CHECK(strcmp(hashlanes_error_text(INT32_MIN), hashlanes_error_text(INT32_MAX)) == 0);

    hashlanes_cpu_feature feature;
    for (size_t i = 0; i < hashlanes_cpu_feature_count(); i++) {
        OK(hashlanes_cpu_feature_at(i, &feature));
        CHECK(strlen(feature.name) > 0);
    }
    RETURNS(HASHLANES_ERROR_INDEX, hashlanes_cpu_feature_at(SIZE_MAX, &feature));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_cpu_feature_at(0, NULL));

    CHECK(hashlanes_algorithm_count() >= 7);
    for (hashlanes_algorithm i = 1; i <= hashlanes_algorithm_count(); i++) {
        hashlanes_algorithm found;
        OK(hashlanes_algorithm_from_name(hashlanes_algorithm_name(i), &found));
        CHECK(found == i);
        CHECK(hashlanes_digest_length(i) >= 16);
        CHECK(hashlanes_digest_length(i) <= HASHLANES_MAX_DIGEST_LENGTH);
        CHECK(hashlanes_block_length(i) >= 64 && hashlanes_block_length(i) <= 168);
    }
    hashlanes_algorithm found = 77;
    OK(hashlanes_algorithm_from_name("SHA-512/256", &found));
    CHECK(found == HASHLANES_SHA512_256);
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_algorithm_from_name("sha3", &found));
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_algorithm_from_name("\xff\xfe", &found));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_algorithm_from_name(NULL, &found));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_algorithm_from_name("md5", NULL));
    RETURNS(HASHLANES_ERROR_MISALIGNED, hashlanes_algorithm_from_name("md5", misaligned()));
}

static void unknown_algorithms(void)
{
    const hashlanes_algorithm none[] = {0, hashlanes_algorithm_count() + 1, 255, 0x100, 0xffffffff};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        hashlanes_algorithm chosen;
        hashlanes_kernel kernel;
        hashlanes_hasher *hasher = (hashlanes_hasher *)&chosen;
        hashlanes_prefix *prefix = (hashlanes_prefix *)&chosen;
        hashlanes_hmac_key *key = (hashlanes_hmac_key *)&chosen;
        hashlanes_manager *manager = (hashlanes_manager *)&chosen;
        hashlanes_server *server = (hashlanes_server *)&chosen;
        CHECK(hashlanes_algorithm_name(none[i]) == NULL);
        CHECK(hashlanes_digest_length(none[i]) == 0 && hashlanes_block_length(none[i]) == 0);
        CHECK(hashlanes_kernel_count(none[i]) == 0);
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_kernel_at(none[i], 0, &kernel));
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_kernel_for(none[i], 1, &kernel));
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_with_kernel(none[i], "portable", &chosen));
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_digest(none[i], "abc", 3, digest, 64));
        RETURNS(HASHLANES_ERROR_ALGORITHM,
                hashlanes_digest_many(none[i], NULL, NULL, 0, digest, 64));
        RETURNS(HASHLANES_ERROR_ALGORITHM,
                hashlanes_digest_chunks(none[i], "abc", 3, 1, digest, 64));
        // An error replaces the old value of the caller's variable by NULL.
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_hasher_create(none[i], &hasher));
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_prefix_create(none[i], "", 0, &prefix));
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_hmac_key_create(none[i], "", 0, &key));
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_manager_create(none[i], 0, &manager));
        RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_server_create(none[i], NULL, &server));
        CHECK(!hasher && !prefix && !key && !manager && !server);
    }
    // The number of a kernel that the algorithm does not have.
    RETURNS(HASHLANES_ERROR_KERNEL,
            hashlanes_digest(HASHLANES_MD5 | 0xffff00, "abc", 3, digest, 64));
}

static void kernels(void)
{
    hashlanes_kernel kernel;
    hashlanes_algorithm chosen = 77;
    OK(hashlanes_self_test(&chosen));
    CHECK(chosen == 0);
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_self_test(NULL));
    for (hashlanes_algorithm i = 1; i <= hashlanes_algorithm_count(); i++) {
        CHECK(hashlanes_kernel_count(i) > 0);
        OK(hashlanes_digest(i, "abc", 3, digest, sizeof digest));
        for (size_t k = 0; k < hashlanes_kernel_count(i); k++) {
            OK(hashlanes_kernel_at(i, k, &kernel));
            CHECK(kernel.lanes > 0 && strlen(kernel.name) > 0);
            CHECK(kernel.available == (kernel.lacks[0] == 0));
            if (!kernel.available) {
                RETURNS(HASHLANES_ERROR_UNSUPPORTED,
                        hashlanes_with_kernel(i, kernel.name, &chosen));
                RETURNS(HASHLANES_ERROR_UNSUPPORTED,
                        hashlanes_digest(i | (uint32_t)(k + 1) << 8, "abc", 3, other, 64));
                continue;
            }
            OK(hashlanes_with_kernel(i, kernel.name, &chosen));
            OK(hashlanes_digest(chosen, "abc", 3, other, sizeof other));
            CHECK(memcmp(digest, other, hashlanes_digest_length(i)) == 0);
            CHECK(hashlanes_digest_length(chosen) == hashlanes_digest_length(i));
            hashlanes_kernel used;
            OK(hashlanes_kernel_for(chosen, 64, &used));
            CHECK(strcmp(used.name, kernel.name) == 0);
        }
        OK(hashlanes_kernel_for(i, 0, &kernel));
        CHECK(kernel.available);
        RETURNS(HASHLANES_ERROR_INDEX, hashlanes_kernel_at(i, hashlanes_kernel_count(i), &kernel));
    }
    RETURNS(HASHLANES_ERROR_KERNEL, hashlanes_with_kernel(HASHLANES_MD5, "mmx", &chosen));
    RETURNS(HASHLANES_ERROR_KERNEL, hashlanes_with_kernel(HASHLANES_MD5, "\xff", &chosen));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_with_kernel(HASHLANES_MD5, NULL, &chosen));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_with_kernel(HASHLANES_MD5, "portable", NULL));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_kernel_at(HASHLANES_MD5, 0, NULL));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_kernel_for(HASHLANES_MD5, 1, NULL));
}

// The first of two blocks is "abc" with its padding for MD5.
static unsigned char padded_abc[128] = "abc\x80";

static void states(void)
{
    padded_abc[56] = 24;
    hashlanes_state one, many[300], both[2];
    const void *blocks[300];
    size_t lengths[300];
    OK(hashlanes_state_begin(HASHLANES_MD5, &one));
    CHECK(one.words[0] == 0x67452301 && one.words[3] == 0x10325476 && one.words[4] == 0);
    both[0] = one;
    OK(hashlanes_compress(HASHLANES_MD5, &one, NULL, 0));
    OK(hashlanes_compress(HASHLANES_MD5, &one, padded_abc, 64));
    CHECK(one.words[0] == 0x98500190);
    for (size_t i = 0; i < 300; i++) {
        many[i] = both[0];
        blocks[i] = i % 3 ? padded_abc : NULL;
        lengths[i] = i % 3 * 64;
    }
    OK(hashlanes_compress(HASHLANES_MD5, &both[0], padded_abc, 128));
    OK(hashlanes_compress_many(HASHLANES_MD5, many, blocks, lengths, 300));
    OK(hashlanes_compress_many(HASHLANES_MD5, NULL, NULL, NULL, 0));
    CHECK(memcmp(&many[298], &one, sizeof one) == 0);
    CHECK(memcmp(&many[299], &both[0], sizeof one) == 0);
    CHECK(many[0].words[0] == 0x67452301);

    hashlanes_state before = one;
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_state_begin(0, &one));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_state_begin(HASHLANES_MD5, NULL));
    RETURNS(HASHLANES_ERROR_MISALIGNED, hashlanes_state_begin(HASHLANES_MD5, misaligned()));
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_compress(99, &one, padded_abc, 64));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_compress(HASHLANES_MD5, NULL, padded_abc, 64));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_compress(HASHLANES_MD5, &one, NULL, 64));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_compress(HASHLANES_MD5, misaligned(), padded_abc, 64));
    RETURNS(HASHLANES_ERROR_BLOCKS, hashlanes_compress(HASHLANES_MD5, &one, padded_abc, 63));
    RETURNS(HASHLANES_ERROR_BLOCKS, hashlanes_compress(HASHLANES_SHA512, &one, padded_abc, 64));
    RETURNS(HASHLANES_ERROR_OVERLAP, hashlanes_compress(HASHLANES_MD5, &one, &one, 64));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_compress(HASHLANES_MD5, &one, padded_abc, TOO_MANY));
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_compress_many(0, many, blocks, lengths, 300));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_compress_many(HASHLANES_MD5, NULL, blocks, lengths, 2));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_compress_many(HASHLANES_MD5, many, NULL, lengths, 2));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_compress_many(HASHLANES_MD5, many, blocks, NULL, 2));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_compress_many(HASHLANES_MD5, misaligned(), blocks, lengths, 2));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_compress_many(HASHLANES_MD5, many, blocks, lengths, TOO_MANY));
    lengths[0] = 0, lengths[1] = 65;
    RETURNS(HASHLANES_ERROR_BLOCKS,
            hashlanes_compress_many(HASHLANES_MD5, &one, blocks + 1, lengths + 1, 1));
    blocks[0] = &one, lengths[0] = 64;
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_compress_many(HASHLANES_MD5, &one, blocks, lengths, 1));
    CHECK(memcmp(&before, &one, sizeof one) == 0);
}

static void one_message(void)
{
    OK(hashlanes_digest(HASHLANES_MD5, "abc", 3, digest, 16));
    CHECK(memcmp(digest, md5_of_abc, 16) == 0);
    OK(hashlanes_digest(HASHLANES_MD5, NULL, 0, digest, 16));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_digest(HASHLANES_MD5, NULL, 3, digest, 16));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_digest(HASHLANES_MD5, "abc", 3, NULL, 16));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_digest(HASHLANES_MD5, "abc", 3, digest, 15));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_digest(HASHLANES_MD5, "abc", 3, digest, 0));
    RETURNS(HASHLANES_ERROR_OVERFLOW, hashlanes_digest(HASHLANES_MD5, "abc", TOO_MANY, digest, 16));
    RETURNS(HASHLANES_ERROR_OVERFLOW, hashlanes_digest(HASHLANES_MD5, "abc", SIZE_MAX, digest, 16));
    RETURNS(HASHLANES_ERROR_OVERLAP, hashlanes_digest(HASHLANES_MD5, digest + 15, 3, digest, 64));
    RETURNS(HASHLANES_ERROR_OVERLAP, hashlanes_digest(HASHLANES_MD5, digest, 3, digest + 2, 62));
    OK(hashlanes_digest(HASHLANES_MD5, digest + 16, 3, digest, 64));
    OK(hashlanes_digest(HASHLANES_MD5, digest, 3, digest + 3, 61));
}

enum { MANY = 600 };

static void many_messages(void)
{
    static const void *messages[MANY];
    static size_t lengths[MANY];
    static unsigned char digests[20 * MANY];
    unsigned char *bytes = message_of(2 * MANY);
    for (size_t i = 0; i < MANY; i++) {
        messages[i] = i % 7 ? bytes + i : NULL;
        lengths[i] = i % 7 ? i : 0;
    }
    for (size_t count = 0; count <= MANY; count += count < 3 ? 1 : 199) {
        memset(digests, 0, sizeof digests);
        OK(hashlanes_digest_many(HASHLANES_SHA1, messages, lengths, count, digests, 20 * count));
        for (size_t i = 0; i < count; i++) {
            OK(hashlanes_digest(HASHLANES_SHA1, messages[i], lengths[i], digest, 20));
            CHECK(memcmp(digest, digests + 20 * i, 20) == 0);
        }
    }
    OK(hashlanes_digest_many(HASHLANES_SHA1, NULL, NULL, 0, NULL, 0));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_digest_many(HASHLANES_SHA1, NULL, lengths, 2, digests, 40));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_digest_many(HASHLANES_SHA1, messages, NULL, 2, digests, 40));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_digest_many(HASHLANES_SHA1, messages, lengths, 2, NULL, 40));
    RETURNS(HASHLANES_ERROR_SIZE,
            hashlanes_digest_many(HASHLANES_SHA1, messages, lengths, 2, digests, 39));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_digest_many(HASHLANES_SHA1, messages, lengths, SIZE_MAX / 8, digests, 40));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_digest_many(HASHLANES_SHA1, messages, lengths, SIZE_MAX, digests, SIZE_MAX));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_digest_many(HASHLANES_SHA1, misaligned(), lengths, 2, digests, 40));
    messages[1] = NULL;
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_digest_many(HASHLANES_SHA1, messages, lengths, 2, digests, 40));
    messages[1] = digests + 39;
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_digest_many(HASHLANES_SHA1, messages, lengths, 2, digests, sizeof digests));
    free(bytes);
}

// Messages of 0 to 4 parts of any lengths, some of which are empty.
static void parts(void)
{
    static hashlanes_part parts[4 * MANY];
    static size_t counts[MANY];
    static unsigned char digests[64 * MANY + 1];
    unsigned char *bytes = message_of(9000);
    size_t all = 0;
    for (size_t i = 0; i < MANY; i++) {
        counts[i] = i % 5;
        for (size_t k = 0; k < counts[i]; k++) {
            size_t length = i % 3 == 0 ? 0 : i % 7 == 0 ? 13 * i : i % 90;
            parts[all++] = (hashlanes_part){length ? bytes + k : NULL, length};
        }
    }
    for (hashlanes_algorithm algorithm = 1; algorithm <= hashlanes_algorithm_count(); algorithm++) {
        size_t size = hashlanes_digest_length(algorithm);
        for (size_t count = 0; count <= MANY; count += count < 3 ? 1 : 199) {
            memset(digests, 0, sizeof digests);
            OK(hashlanes_digest_many_parts(algorithm, parts, counts, count, digests, size * count));
            const hashlanes_part *part = parts;
            for (size_t i = 0; i < count; i++) {
                hashlanes_hasher *hasher;
                OK(hashlanes_hasher_create(algorithm, &hasher));
                for (size_t k = 0; k < counts[i]; k++, part++)
                    OK(hashlanes_hasher_update(hasher, part->data, part->length));
                OK(hashlanes_hasher_finish(hasher, digest, sizeof digest));
                hashlanes_hasher_destroy(hasher);
                CHECK(memcmp(digest, digests + size * i, size) == 0);
            }
            CHECK(digests[size * count] == 0);
        }
    }
    OK(hashlanes_digest_many_parts(HASHLANES_MD5, NULL, NULL, 0, NULL, 0));
    OK(hashlanes_digest_many_parts(HASHLANES_MD5, NULL, counts, 1, digests, 16));
#define TWO(parts, counts, digests, size)                                                          \
    hashlanes_digest_many_parts(HASHLANES_MD5, parts, counts, 2, digests, size)
    RETURNS(HASHLANES_ERROR_ALGORITHM,
            hashlanes_digest_many_parts(0, parts, counts, 2, digests, 32));
    RETURNS(HASHLANES_ERROR_NULL, TWO(NULL, counts, digests, 32));
    RETURNS(HASHLANES_ERROR_NULL, TWO(parts, NULL, digests, 32));
    RETURNS(HASHLANES_ERROR_NULL, TWO(parts, counts, NULL, 32));
    RETURNS(HASHLANES_ERROR_SIZE, TWO(parts, counts, digests, 31));
    RETURNS(HASHLANES_ERROR_MISALIGNED, TWO(misaligned(), counts, digests, 32));
    RETURNS(HASHLANES_ERROR_MISALIGNED, TWO(parts, misaligned(), digests, 32));
    RETURNS(HASHLANES_ERROR_OVERLAP, TWO(parts, counts, (unsigned char *)(counts + 2) - 1, 32));
    RETURNS(HASHLANES_ERROR_OVERLAP, TWO(parts, counts, (unsigned char *)(parts + 1) - 1, 32));
    counts[0] = SIZE_MAX;
    RETURNS(HASHLANES_ERROR_OVERFLOW, TWO(parts, counts, digests, 32));
    counts[0] = 0;
    parts[0] = (hashlanes_part){digests + 31, 1};
    RETURNS(HASHLANES_ERROR_OVERLAP, TWO(parts, counts, digests, 32));
    parts[0] = (hashlanes_part){NULL, 1};
    RETURNS(HASHLANES_ERROR_NULL, TWO(parts, counts, digests, 32));
    parts[0] = (hashlanes_part){bytes, SIZE_MAX};
    RETURNS(HASHLANES_ERROR_OVERFLOW, TWO(parts, counts, digests, 32));
#undef TWO
    free(bytes);
}

static void chunks(void)
{
    unsigned char digests[4 * 32];
    unsigned char *bytes = message_of(100);
    CHECK(hashlanes_chunk_count(100, 30) == 4 && hashlanes_chunk_count(100, 0) == 0);
    CHECK(hashlanes_chunk_count(0, 5) == 0 && hashlanes_chunk_count(SIZE_MAX, 1) == SIZE_MAX);
    OK(hashlanes_digest_chunks(HASHLANES_SHA256, bytes, 100, 30, digests, sizeof digests));
    OK(hashlanes_digest(HASHLANES_SHA256, bytes + 90, 10, digest, sizeof digest));
    CHECK(memcmp(digest, digests + 96, 32) == 0);
    OK(hashlanes_digest_chunks(HASHLANES_SHA256, NULL, 0, 30, NULL, 0));
    RETURNS(HASHLANES_ERROR_CHUNK,
            hashlanes_digest_chunks(HASHLANES_SHA256, bytes, 100, 0, digests, sizeof digests));
    RETURNS(HASHLANES_ERROR_SIZE,
            hashlanes_digest_chunks(HASHLANES_SHA256, bytes, 100, 25, digests, 127));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_digest_chunks(HASHLANES_SHA256, NULL, 100, 25, digests, 128));
    // Computing a level of a tree in place would overwrite nodes that have not been read yet.
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_digest_chunks(HASHLANES_SHA256, digests, 128, 64, digests, 128));
    free(bytes);
}

// Right and wrong calls. The outputs themselves are compared in outputs.c.
static void outputs_of_any_length(void)
{
    enum { COUNT = 300, EACH = 8 };
    unsigned char *bytes = message_of(8193);
    unsigned char outputs[COUNT * EACH], one[2 * 700];
    const void *messages[COUNT];
    size_t lengths[COUNT];
    for (int i = 0; i < COUNT; i++) {
        messages[i] = bytes;
        lengths[i] = i % 50 == 49 ? 8193 : 0;
    }
    messages[0] = NULL;
    for (hashlanes_xof xof = HASHLANES_XOF_SHAKE128; xof <= HASHLANES_XOF_BLAKE3; xof++) {
        OK(hashlanes_xof_many(xof, NULL, messages, lengths, COUNT, outputs, EACH, sizeof outputs));
        OK(hashlanes_xof_many(xof, NULL, messages + 48, lengths + 48, 2, one, 700, sizeof one));
        CHECK(memcmp(one, outputs, EACH) == 0);
        for (int i = 49; i < COUNT; i += 50)
            CHECK(memcmp(one + 700, outputs + EACH * i, EACH) == 0);
    }
    const hashlanes_xof kt128 = HASHLANES_XOF_KT128;
    OK(hashlanes_xof_many(kt128, NULL, NULL, NULL, 0, NULL, 10, 0));
    OK(hashlanes_xof_many(kt128, NULL, messages, lengths, COUNT, outputs, 0, 0));
    OK(hashlanes_xof_many(kt128, NULL, messages, lengths, COUNT, NULL, 0, 0));
    RETURNS(HASHLANES_ERROR_ALGORITHM,
            hashlanes_xof_many(0, NULL, messages, lengths, 1, outputs, 1, sizeof outputs));
    RETURNS(HASHLANES_ERROR_ALGORITHM,
            hashlanes_xof_many(8, NULL, messages, lengths, 1, outputs, 1, sizeof outputs));
    RETURNS(HASHLANES_ERROR_SIZE,
            hashlanes_xof_many(kt128, NULL, messages, lengths, 2, outputs, 8, 15));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_xof_many(kt128, NULL, messages, lengths, 2, NULL, 8, 16));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_xof_many(kt128, NULL, messages, lengths, 2, outputs, SIZE_MAX, 16));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_xof_many(kt128, NULL, messages + 49, lengths + 49, 1, bytes, 8, 16));

    // Parameters.
    hashlanes_xof_params params = {0};
    OK(hashlanes_xof_many(kt128, &params, messages, lengths, 1, outputs, 8, 8));
    params.customization = "";
    OK(hashlanes_xof_many(kt128, &params, messages, lengths, 1, one, 8, 8));
    CHECK(memcmp(one, outputs, 8) == 0);
    params.customization = bytes;
    params.customization_length = 8193;
    OK(hashlanes_xof_many(kt128, &params, messages, lengths, 1, one, 8, 8));
    CHECK(memcmp(one, outputs, 8) != 0);
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_xof_many(kt128, &params, messages, lengths, 1, bytes + 8190, 8, 8));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_xof_many(kt128, &params, messages, lengths, 1, (unsigned char *)&params, 8,
                               8));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_xof_many(kt128, misaligned(), messages, lengths, 1, one, 8, 8));
    RETURNS(HASHLANES_ERROR_OPTION, hashlanes_xof_many(HASHLANES_XOF_TURBOSHAKE128, &params,
                                                       messages, lengths, 1, one, 8, 8));
    params.customization_length = SIZE_MAX;
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_xof_many(kt128, &params, messages, lengths, 1, one, 8, 8));
    params.customization = NULL;
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_xof_many(kt128, &params, messages, lengths, 1, one, 8, 8));
    params.customization_length = 0;
    const uint32_t domains[] = {128, 256, UINT32_MAX};
    for (int i = 0; i < 3; i++) {
        params.domain = domains[i];
        RETURNS(HASHLANES_ERROR_OPTION, hashlanes_xof_many(HASHLANES_XOF_TURBOSHAKE128, &params,
                                                           messages, lengths, 1, one, 8, 8));
    }
    params.domain = 0;
    params.key = bytes;
    params.key_length = 31;
    RETURNS(HASHLANES_ERROR_OPTION, hashlanes_xof_many(HASHLANES_XOF_BLAKE3, &params, messages,
                                                       lengths, 1, one, 8, 8));
    free(bytes);
}

static void prefixes(void)
{
    hashlanes_prefix *prefix;
    hashlanes_hasher *hasher;
    const void *messages[] = {"c", NULL};
    const size_t lengths[] = {1, 0};
    unsigned char digests[32];
    OK(hashlanes_prefix_create(HASHLANES_MD5, "ab", 2, &prefix));
    OK(hashlanes_prefix_digest_many(prefix, messages, lengths, 2, digests, 32));
    CHECK(memcmp(digests, md5_of_abc, 16) == 0);
    OK(hashlanes_prefix_digest_chunks(prefix, "cc", 2, 1, digests, 32));
    CHECK(memcmp(digests + 16, md5_of_abc, 16) == 0);
    RETURNS(HASHLANES_ERROR_SIZE,
            hashlanes_prefix_digest_many(prefix, messages, lengths, 2, digests, 31));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_prefix_digest_many(NULL, messages, lengths, 2, digests, 32));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_prefix_digest_many(misaligned(), messages, lengths, 2, digests, 32));
    RETURNS(HASHLANES_ERROR_CHUNK,
            hashlanes_prefix_digest_chunks(prefix, "cc", 2, 0, digests, 32));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_prefix_digest_chunks(NULL, "cc", 2, 1, digests, 32));

    OK(hashlanes_prefix_hasher(prefix, &hasher));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_prefix_hasher(prefix, NULL));
    hashlanes_prefix_destroy(prefix);
    // Each message of the hasher begins with the prefix, which its length does not include.
    for (int i = 0; i < 3; i++) {
        uint64_t length;
        OK(hashlanes_hasher_update(hasher, "c", 1));
        OK(hashlanes_hasher_length(hasher, &length));
        CHECK(length == 1);
        OK(hashlanes_hasher_finish(hasher, digest, sizeof digest));
        CHECK(memcmp(digest, md5_of_abc, 16) == 0);
    }
    hashlanes_hasher_destroy(hasher);
    hasher = (hashlanes_hasher *)digest;
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_prefix_hasher(NULL, &hasher));
    CHECK(hasher == NULL);
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_prefix_create(HASHLANES_MD5, "ab", 2, NULL));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_prefix_create(HASHLANES_MD5, NULL, 2, &prefix));
    CHECK(prefix == NULL);
    hashlanes_prefix_destroy(NULL);
}

static void keys(void)
{
    hashlanes_hmac_key *key, *sha1_key;
    hashlanes_hasher *hasher;
    const void *messages[] = {"one", "two"};
    const size_t lengths[] = {3, 3};
    unsigned char macs[64];
    OK(hashlanes_hmac_key_create(HASHLANES_SHA256, "secret", 6, &key));
    OK(hashlanes_hmac_key_create(HASHLANES_SHA1, NULL, 0, &sha1_key));
    OK(hashlanes_hmac(key, "two", 3, digest, sizeof digest));
    OK(hashlanes_hmac_many(key, messages, lengths, 2, macs, sizeof macs));
    CHECK(memcmp(macs + 32, digest, 32) == 0);
    const hashlanes_hmac_key *pair[] = {key, key};
    memset(macs, 0, sizeof macs);
    OK(hashlanes_hmac_many_keys(pair, messages, lengths, 2, macs, sizeof macs));
    CHECK(memcmp(macs + 32, digest, 32) == 0);
    OK(hashlanes_hmac_many_keys(NULL, NULL, NULL, 0, NULL, 0));
    pair[1] = sha1_key;
    RETURNS(HASHLANES_ERROR_KEY,
            hashlanes_hmac_many_keys(pair, messages, lengths, 2, macs, sizeof macs));
    pair[1] = NULL;
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_hmac_many_keys(pair, messages, lengths, 2, macs, sizeof macs));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hmac_many(NULL, messages, lengths, 2, macs, 64));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_hmac_many(key, messages, lengths, 2, macs, 63));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hmac(NULL, "two", 3, digest, 32));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_hmac(key, "two", 3, digest, 31));
    RETURNS(HASHLANES_ERROR_OVERLAP, hashlanes_hmac(key, digest, 3, digest, 32));
    OK(hashlanes_hmac(key, "two", 3, digest, 32));
    OK(hashlanes_hmac_verify(key, "two", 3, digest, 32));
    RETURNS(HASHLANES_ERROR_MISMATCH, hashlanes_hmac_verify(key, "two", 3, digest, 31));
    RETURNS(HASHLANES_ERROR_MISMATCH, hashlanes_hmac_verify(key, "owt", 3, digest, 32));
    RETURNS(HASHLANES_ERROR_MISMATCH, hashlanes_hmac_verify(key, "two", 3, NULL, 0));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hmac_verify(key, "two", 3, NULL, 32));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hmac_verify(NULL, "two", 3, digest, 32));

    OK(hashlanes_hmac_hasher(key, &hasher));
    for (int i = 0; i < 2; i++) {
        OK(hashlanes_hasher_update(hasher, "two", 3));
        OK(hashlanes_hasher_finish(hasher, other, sizeof other));
        CHECK(memcmp(other, digest, 32) == 0);
    }
    hashlanes_hasher_destroy(hasher);
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hmac_hasher(NULL, &hasher));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hmac_hasher(key, NULL));
    hashlanes_hmac_key_destroy(key);
    hashlanes_hmac_key_destroy(sha1_key);
    hashlanes_hmac_key_destroy(NULL);
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hmac_key_create(HASHLANES_SHA1, "k", 1, NULL));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_hmac_key_create(HASHLANES_SHA1, "k", TOO_MANY, &key));
    CHECK(key == NULL);
}

static void hashers(void)
{
    hashlanes_hasher *hasher, *copy;
    uint64_t length;
    OK(hashlanes_hasher_create(HASHLANES_MD5, &hasher));
    OK(hashlanes_hasher_update(hasher, "ab", 2));
    OK(hashlanes_hasher_update(hasher, NULL, 0));
    OK(hashlanes_hasher_clone(hasher, &copy));
    OK(hashlanes_hasher_update(copy, "d", 1));
    OK(hashlanes_hasher_update(hasher, "c", 1));
    OK(hashlanes_hasher_digest(hasher, digest, sizeof digest));
    CHECK(memcmp(digest, md5_of_abc, 16) == 0);
    OK(hashlanes_hasher_length(hasher, &length));
    CHECK(length == 3);
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_hasher_digest(hasher, digest, 15));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_hasher_finish(hasher, digest, 15));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_update(hasher, NULL, 1));
    RETURNS(HASHLANES_ERROR_OVERFLOW, hashlanes_hasher_update(hasher, "abc", TOO_MANY));
    // None of these errors has changed the message.
    memset(digest, 0, sizeof digest);
    OK(hashlanes_hasher_finish(hasher, digest, 16));
    CHECK(memcmp(digest, md5_of_abc, 16) == 0);
    // A second finish gives the digest of the empty message.
    OK(hashlanes_hasher_finish(hasher, digest, 16));
    OK(hashlanes_digest(HASHLANES_MD5, "", 0, other, 16));
    CHECK(memcmp(digest, other, 16) == 0);
    OK(hashlanes_hasher_update(hasher, "xyz", 3));
    OK(hashlanes_hasher_reset(hasher));
    OK(hashlanes_hasher_length(hasher, &length));
    CHECK(length == 0);
    hashlanes_hasher_destroy(hasher);
    OK(hashlanes_hasher_finish(copy, digest, 16));
    OK(hashlanes_digest(HASHLANES_MD5, "abd", 3, other, 16));
    CHECK(memcmp(digest, other, 16) == 0);
    hashlanes_hasher_destroy(copy);
    hashlanes_hasher_destroy(NULL);

    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_create(HASHLANES_MD5, NULL));
    RETURNS(HASHLANES_ERROR_MISALIGNED, hashlanes_hasher_create(HASHLANES_MD5, misaligned()));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_update(NULL, "abc", 3));
    RETURNS(HASHLANES_ERROR_MISALIGNED, hashlanes_hasher_update(misaligned(), "abc", 3));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_digest(NULL, digest, 16));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_finish(NULL, digest, 16));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_reset(NULL));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_length(NULL, &length));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_clone(NULL, &copy));
    CHECK(copy == NULL);
}

static void saved_states(void)
{
    static unsigned char bytes[5000];
    unsigned char saved[HASHLANES_MAX_STATE_LENGTH];
    size_t length, longest = 0;
    hashlanes_hasher *hasher, *restored;
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)(i * 7);
    for (hashlanes_algorithm number = 1; number <= hashlanes_algorithm_count(); number++) {
        size_t size = hashlanes_digest_length(number);
        OK(hashlanes_hasher_create(number, &hasher));
        OK(hashlanes_hasher_update(hasher, bytes, 4321));
        OK(hashlanes_hasher_save(hasher, saved, sizeof saved, &length));
        longest = length > longest ? length : longest;
        OK(hashlanes_hasher_restore(saved, length, NULL, &restored));
        OK(hashlanes_hasher_update(restored, bytes + 4321, sizeof bytes - 4321));
        OK(hashlanes_hasher_finish(restored, digest, size));
        OK(hashlanes_digest(number, bytes, sizeof bytes, other, size));
        CHECK(memcmp(digest, other, size) == 0);
        hashlanes_hasher_destroy(restored);
        hashlanes_hasher_destroy(hasher);
        saved[length / 2] ^= 1;
        RETURNS(HASHLANES_ERROR_STATE, hashlanes_hasher_restore(saved, length, NULL, &restored));
        CHECK(restored == NULL);
    }
    CHECK(longest > 200);

    hashlanes_hmac_key *key, *of_md5;
    OK(hashlanes_hmac_key_create(HASHLANES_SHA256, "key", 3, &key));
    OK(hashlanes_hmac_key_create(HASHLANES_MD5, "key", 3, &of_md5));
    OK(hashlanes_hmac_hasher(key, &hasher));
    OK(hashlanes_hasher_update(hasher, "ab", 2));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_hasher_save(hasher, saved, 20, &length));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_save(hasher, NULL, length, &length));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_save(hasher, saved, length, NULL));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_save(NULL, saved, length, &length));
    OK(hashlanes_hasher_save(hasher, saved, length, &length));
    hashlanes_hasher_destroy(hasher);
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_hasher_restore(saved, length, NULL, &restored));
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_hasher_restore(saved, length, of_md5, &restored));
    RETURNS(HASHLANES_ERROR_STATE, hashlanes_hasher_restore(NULL, 0, key, &restored));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_hasher_restore(saved, length, key, NULL));
    OK(hashlanes_hasher_restore(saved, length, key, &restored));
    OK(hashlanes_hasher_update(restored, "c", 1));
    OK(hashlanes_hasher_finish(restored, digest, 32));
    OK(hashlanes_hmac(key, "abc", 3, other, 32));
    CHECK(memcmp(digest, other, 32) == 0);
    hashlanes_hasher_destroy(restored);
    hashlanes_hmac_key_destroy(key);
    hashlanes_hmac_key_destroy(of_md5);
}

static void managers(void)
{
    hashlanes_manager *manager, *small;
    hashlanes_done done;
    hashlanes_hmac_key *key;
    int users[2];
    OK(hashlanes_manager_create(HASHLANES_MD5, 1, &small));
    OK(hashlanes_manager_create(HASHLANES_MD5, 0, &manager));
    // With a capacity of one, each submission comes back at once.
    OK(hashlanes_manager_entire(small, NULL, "abc", 3, &users[0], &done));
    CHECK(done.kind == HASHLANES_MESSAGE && done.user == &users[0] && done.length == 3);
    CHECK(done.digest_length == 16 && memcmp(done.digest, md5_of_abc, 16) == 0);
    OK(hashlanes_manager_first(small, NULL, "a", 1, &users[1], &done));
    CHECK(done.kind == HASHLANES_PIECE && done.user == &users[1] && done.job != 0);
    hashlanes_job first = done.job;
    OK(hashlanes_manager_update(small, first, "b", 1, &done));
    CHECK(done.kind == HASHLANES_PIECE && done.user == &users[1]);
    hashlanes_job second = done.job;
    // The job was used, and so is no longer valid.
    RETURNS(HASHLANES_ERROR_JOB, hashlanes_manager_update(small, first, "x", 1, &done));
    CHECK(done.kind == HASHLANES_NOTHING);
    RETURNS(HASHLANES_ERROR_JOB, hashlanes_manager_last(small, first, "x", 1, &done));
    RETURNS(HASHLANES_ERROR_JOB, hashlanes_manager_abandon(small, first));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_last(small, second, NULL, 1, &done));
    OK(hashlanes_manager_last(small, second, "c", 1, &done));
    CHECK(done.kind == HASHLANES_MESSAGE && memcmp(done.digest, md5_of_abc, 16) == 0);
    RETURNS(HASHLANES_ERROR_JOB, hashlanes_manager_last(small, second, "c", 1, &done));
    const hashlanes_job none[] = {0, 1, 77, UINT64_MAX, (uint64_t)1 << 32};
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        RETURNS(HASHLANES_ERROR_JOB, hashlanes_manager_update(small, none[i], "c", 1, &done));
        RETURNS(HASHLANES_ERROR_JOB, hashlanes_manager_abandon(small, none[i]));
    }

    // With more capacity, nothing comes back before a flush. A job whose piece is submitted cannot
    // be used.
    OK(hashlanes_manager_first(manager, NULL, NULL, 0, &users[0], &done));
    OK(hashlanes_manager_flush(manager, &done));
    CHECK(done.kind == HASHLANES_PIECE && done.length == 0 && done.data == NULL);
    first = done.job;
    OK(hashlanes_manager_update(manager, first, "abc", 3, &done));
    CHECK(done.kind == HASHLANES_NOTHING && hashlanes_manager_count(manager) == 1);
    RETURNS(HASHLANES_ERROR_JOB, hashlanes_manager_last(manager, first, "abc", 3, &done));
    OK(hashlanes_hmac_key_create(HASHLANES_MD5, "key", 3, &key));
    OK(hashlanes_hmac(key, "abc", 3, digest, 16));
    OK(hashlanes_manager_entire(manager, key, "abc", 3, NULL, &done));
    OK(hashlanes_manager_first(manager, key, "ab", 2, manager, &done));
    hashlanes_hmac_key_destroy(key);
    for (;;) {
        OK(hashlanes_manager_flush(manager, &done));
        if (done.kind == HASHLANES_NOTHING)
            break;
        if (done.kind == HASHLANES_MESSAGE)
            CHECK(memcmp(done.digest, digest, 16) == 0);
        else if (done.user == manager)
            OK(hashlanes_manager_last(manager, done.job, "c", 1, &done));
        else
            OK(hashlanes_manager_abandon(manager, done.job));
    }
    CHECK(hashlanes_manager_count(manager) == 0);
    // The manager is destroyed with messages in it.
    OK(hashlanes_manager_entire(manager, NULL, "abc", 3, NULL, &done));
    OK(hashlanes_manager_first(manager, NULL, "abc", 3, NULL, &done));

    OK(hashlanes_hmac_key_create(HASHLANES_SHA1, "key", 3, &key));
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_manager_entire(manager, key, "abc", 3, NULL, &done));
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_manager_first(manager, key, "abc", 3, NULL, &done));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_manager_first(manager, misaligned(), "abc", 3, NULL, &done));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_entire(NULL, NULL, "abc", 3, NULL, &done));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_entire(manager, NULL, "abc", 3, NULL, NULL));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_entire(manager, NULL, NULL, 3, NULL, &done));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_manager_first(manager, NULL, "abc", TOO_MANY, NULL, &done));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_first(NULL, NULL, "abc", 3, NULL, &done));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_update(NULL, 1, "abc", 3, &done));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_last(NULL, 1, "abc", 3, &done));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_abandon(NULL, 1));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_flush(NULL, &done));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_flush(manager, NULL));
    CHECK(hashlanes_manager_count(manager) == 2 && hashlanes_manager_count(NULL) == 0);
    hashlanes_hmac_key_destroy(key);
    hashlanes_manager_destroy(manager);
    hashlanes_manager_destroy(small);
    hashlanes_manager_destroy(NULL);
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_manager_create(HASHLANES_MD5, 0, NULL));
    // There is no memory for this capacity.
    RETURNS(HASHLANES_ERROR_MEMORY, hashlanes_manager_create(HASHLANES_MD5, SIZE_MAX, &manager));
    CHECK(manager == NULL);
    RETURNS(HASHLANES_ERROR_MEMORY,
            hashlanes_manager_create(HASHLANES_MD5, SIZE_MAX / 1024, &manager));
}

static void servers(void)
{
    hashlanes_server *server;
    hashlanes_server_hasher *hasher, *mac;
    hashlanes_hmac_key *key, *sha1_key;
    hashlanes_server_stats stats;
    hashlanes_server_kernel kernel;
    hashlanes_server_options options = {0};
    options.memory = 1 << 20;
    options.staging = 1 << 13;
    options.ready = 1 << 12;
    options.low_latency = 1;
    OK(hashlanes_server_create(HASHLANES_MD5, &options, &server));
    OK(hashlanes_hmac_key_create(HASHLANES_MD5, "key", 3, &key));
    OK(hashlanes_hmac_key_create(HASHLANES_SHA1, "key", 3, &sha1_key));
    OK(hashlanes_server_hasher_create(server, NULL, &hasher));
    OK(hashlanes_server_hasher_create(server, key, &mac));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_hasher_create(server, NULL, NULL));
    for (int i = 0; i < 3; i++) {
        OK(hashlanes_server_hasher_update(hasher, "ab", 2));
        OK(hashlanes_server_hasher_digest(hasher, other, 16));
        OK(hashlanes_server_hasher_update(hasher, "c", 1));
        OK(hashlanes_server_hasher_update(hasher, NULL, 0));
        OK(hashlanes_server_hasher_finish(hasher, digest, 16));
        CHECK(memcmp(digest, md5_of_abc, 16) == 0 && memcmp(other, md5_of_abc, 16) != 0);
        OK(hashlanes_server_hasher_update(mac, "abc", 3));
        OK(hashlanes_server_hasher_finish(mac, digest, 16));
        OK(hashlanes_hmac_verify(key, "abc", 3, digest, 16));
    }
    OK(hashlanes_server_hasher_update(hasher, "xyz", 3));
    OK(hashlanes_server_hasher_reset(hasher));
    OK(hashlanes_server_hasher_update(hasher, "abc", 3));
    OK(hashlanes_server_stats_now(server, &stats));
    CHECK(stats.messages >= 6 && stats.full_lanes >= 1 && stats.mean_lanes >= 0.0);
    for (size_t i = 0; i < stats.kernels; i++) {
        OK(hashlanes_server_kernel_at(server, i, &kernel));
        CHECK(kernel.bytes > 0 && strlen(kernel.name) > 0);
    }
    RETURNS(HASHLANES_ERROR_INDEX, hashlanes_server_kernel_at(server, 1000, &kernel));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_kernel_at(NULL, 0, &kernel));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_stats_now(server, NULL));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_stats_now(NULL, &stats));
    // The server's hashers stay valid.
    hashlanes_server_destroy(server);
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_server_hasher_digest(hasher, digest, 15));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_server_hasher_finish(hasher, digest, 15));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_hasher_update(hasher, NULL, 15));
    OK(hashlanes_server_hasher_finish(hasher, digest, 16));
    CHECK(memcmp(digest, md5_of_abc, 16) == 0);
    hashlanes_server_hasher_destroy(hasher);
    hashlanes_server_hasher_destroy(mac);
    hashlanes_server_hasher_destroy(NULL);
    hashlanes_server_destroy(NULL);

    OK(hashlanes_server_create(HASHLANES_MD5, NULL, &server));
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_server_hasher_create(server, sha1_key, &hasher));
    CHECK(hasher == NULL);
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_hasher_create(NULL, NULL, &hasher));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_hasher_update(NULL, "abc", 3));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_hasher_digest(NULL, digest, 16));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_hasher_finish(NULL, digest, 16));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_hasher_reset(NULL));
    hashlanes_server_destroy(server);
    hashlanes_hmac_key_destroy(key);
    hashlanes_hmac_key_destroy(sha1_key);
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_server_create(HASHLANES_MD5, NULL, NULL));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_server_create(HASHLANES_MD5, misaligned(), &server));
    options.low_latency = 2;
    RETURNS(HASHLANES_ERROR_OPTION, hashlanes_server_create(HASHLANES_MD5, &options, &server));
    options.low_latency = 0;
    options.reserved[6] = 1;
    RETURNS(HASHLANES_ERROR_OPTION, hashlanes_server_create(HASHLANES_MD5, &options, &server));
    CHECK(server == NULL);
}

static void chains(void)
{
    enum { COUNT = 3, SIZE = COUNT * 32 };
    unsigned char starts[SIZE] = {1}, ends[SIZE];
    uint64_t lengths[COUNT] = {0, 1, 2};
    bool valid[COUNT];
    memcpy(ends, starts, SIZE);
    OK(hashlanes_digest_chains(HASHLANES_SHA256, lengths, COUNT, ends, SIZE));
    CHECK(memcmp(ends, starts, 32) == 0);
    unsigned char digest[32];
    OK(hashlanes_digest(HASHLANES_SHA256, starts + 32, 32, digest, 32));
    CHECK(memcmp(ends + 32, digest, 32) == 0);
    OK(hashlanes_verify_chains(HASHLANES_SHA256, starts, ends, lengths, COUNT, valid));
    CHECK(valid[0] && valid[1] && valid[2]);
    ends[95] ^= 1;
    OK(hashlanes_verify_chains(HASHLANES_SHA256, starts, ends, lengths, COUNT, valid));
    CHECK(valid[0] && valid[1] && !valid[2]);

    // Nothing may be NULL.
    OK(hashlanes_digest_chains(HASHLANES_SHA512, NULL, 0, NULL, 0));
    OK(hashlanes_verify_chains(HASHLANES_SHA512, NULL, NULL, NULL, 0, NULL));
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_digest_chains(0, lengths, COUNT, ends, SIZE));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_digest_chains(HASHLANES_SHA256, NULL, COUNT, ends, SIZE));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_digest_chains(HASHLANES_SHA256, lengths, COUNT, NULL, SIZE));
    RETURNS(HASHLANES_ERROR_SIZE,
            hashlanes_digest_chains(HASHLANES_SHA256, lengths, COUNT, ends, SIZE - 1));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_digest_chains(HASHLANES_MD5, lengths, 1, (unsigned char *)lengths, 24));
    RETURNS(HASHLANES_ERROR_MISALIGNED,
            hashlanes_digest_chains(HASHLANES_SHA256, misaligned(), COUNT, ends, SIZE));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_digest_chains(HASHLANES_SHA256, lengths, SIZE_MAX / 4, ends, SIZE));
    RETURNS(HASHLANES_ERROR_OVERFLOW,
            hashlanes_verify_chains(HASHLANES_SHA256, starts, ends, lengths, SIZE_MAX / 8, valid));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_verify_chains(HASHLANES_SHA256, NULL, ends, lengths, COUNT, valid));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_verify_chains(HASHLANES_SHA256, starts, NULL, lengths, COUNT, valid));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_verify_chains(HASHLANES_SHA256, starts, ends, NULL, COUNT, valid));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_verify_chains(HASHLANES_SHA256, starts, ends, lengths, COUNT, NULL));
    bool *inside[] = {(bool *)starts, (bool *)ends + 93, (bool *)lengths};
    for (int i = 0; i < 3; i++)
        RETURNS(HASHLANES_ERROR_OVERLAP,
                hashlanes_verify_chains(HASHLANES_SHA256, starts, ends, lengths, COUNT, inside[i]));
}

static void derived_keys(void)
{
    unsigned char keys[2][64], one[64];
    const void *inputs[] = {"one", NULL}, *wrong[] = {NULL, NULL}, *inside[] = {keys, NULL};
    const size_t lengths[] = {3, 0};
    OK(hashlanes_pbkdf2_many(HASHLANES_SHA384, inputs, lengths, inputs, lengths, 2, 5, keys[0], 64,
                             sizeof keys));
    OK(hashlanes_pbkdf2_many(HASHLANES_SHA384, inputs, lengths, inputs, lengths, 1, 5, one, 64,
                             64));
    CHECK(memcmp(keys[0], one, 64) == 0 && memcmp(keys[1], one, 64) != 0);
    OK(hashlanes_hkdf_many(HASHLANES_SHA512, inputs, lengths, inputs, lengths, inputs, lengths, 2,
                           keys[0], 64, sizeof keys));
    OK(hashlanes_hkdf_many(HASHLANES_SHA512, inputs, lengths, inputs, lengths, inputs, lengths, 1,
                           one, 64, 64));
    CHECK(memcmp(keys[0], one, 64) == 0 && memcmp(keys[1], one, 64) != 0);
    OK(hashlanes_pbkdf2_many(HASHLANES_MD5, NULL, NULL, NULL, NULL, 0, 1, NULL, 1, 0));
    OK(hashlanes_hkdf_many(HASHLANES_MD5, NULL, NULL, NULL, NULL, NULL, NULL, 0, NULL, 1, 0));

#define PBKDF2(error, passwords, salts, count, rounds, key_length, size)                           \
    RETURNS(error, hashlanes_pbkdf2_many(HASHLANES_MD5, passwords, lengths, salts, lengths, count, \
                                         rounds, keys[0], key_length, size))
    PBKDF2(HASHLANES_ERROR_OPTION, inputs, inputs, 2, 0, 64, sizeof keys);
    PBKDF2(HASHLANES_ERROR_OPTION, inputs, inputs, 2, 1, 0, sizeof keys);
    PBKDF2(HASHLANES_ERROR_OPTION, inputs, inputs, 1, 1, SIZE_MAX / 4, SIZE_MAX / 4);
    PBKDF2(HASHLANES_ERROR_OVERFLOW, inputs, inputs, SIZE_MAX / 4, 1, 64, SIZE_MAX / 4);
    PBKDF2(HASHLANES_ERROR_SIZE, inputs, inputs, 2, 1, 64, sizeof keys - 1);
    PBKDF2(HASHLANES_ERROR_NULL, wrong, inputs, 2, 1, 64, sizeof keys);
    PBKDF2(HASHLANES_ERROR_NULL, inputs, wrong, 2, 1, 64, sizeof keys);
    PBKDF2(HASHLANES_ERROR_NULL, inputs, NULL, 2, 1, 64, sizeof keys);
    PBKDF2(HASHLANES_ERROR_OVERLAP, inside, inputs, 2, 1, 64, sizeof keys);
    PBKDF2(HASHLANES_ERROR_OVERLAP, inputs, inside, 2, 1, 64, sizeof keys);
#define HKDF(error, secrets, salts, infos, count, key_length, size)                                \
    RETURNS(error, hashlanes_hkdf_many(HASHLANES_MD5, secrets, lengths, salts, lengths, infos,     \
                                       lengths, count, keys[0], key_length, size))
    HKDF(HASHLANES_ERROR_OPTION, inputs, inputs, inputs, 2, 0, sizeof keys);
    HKDF(HASHLANES_ERROR_OPTION, inputs, inputs, inputs, 2, 255 * 16 + 1, sizeof keys);
    HKDF(HASHLANES_ERROR_SIZE, inputs, inputs, inputs, 2, 64, sizeof keys - 1);
    HKDF(HASHLANES_ERROR_OVERFLOW, inputs, inputs, inputs, SIZE_MAX / 8, 64, SIZE_MAX);
    HKDF(HASHLANES_ERROR_NULL, wrong, inputs, inputs, 2, 64, sizeof keys);
    HKDF(HASHLANES_ERROR_NULL, inputs, wrong, inputs, 2, 64, sizeof keys);
    HKDF(HASHLANES_ERROR_NULL, inputs, inputs, wrong, 2, 64, sizeof keys);
    HKDF(HASHLANES_ERROR_OVERLAP, inside, inputs, inputs, 2, 64, sizeof keys);
    HKDF(HASHLANES_ERROR_OVERLAP, inputs, inside, inputs, 2, 64, sizeof keys);
    HKDF(HASHLANES_ERROR_OVERLAP, inputs, inputs, inside, 2, 64, sizeof keys);
}

static void signatures(void)
{
    static const char *const names[] = {"SLH-DSA-SHA2-128s", "slh-dsa-shake-256F"};
    static unsigned char seeds[48], secret[64], made[2][17088], again[2][17088];
    hashlanes_slh_dsa_set set = HASHLANES_SLH_DSA_SHA2_128F, found;
    hashlanes_slh_dsa_lengths lengths;
    OK(hashlanes_slh_dsa_from_name(names[0], &found));
    CHECK(found == HASHLANES_SLH_DSA_SHA2_128S);
    OK(hashlanes_slh_dsa_from_name(names[1], &found));
    CHECK(found == HASHLANES_SLH_DSA_SHAKE_256F);
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_slh_dsa_from_name("SLH-DSA", &found));
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_slh_dsa_from_name("\xff\xfe", &found));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_slh_dsa_from_name(names[0], NULL));
    OK(hashlanes_slh_dsa_lengths_of(set, &lengths));
    CHECK(lengths.seeds == sizeof seeds && lengths.private_key == sizeof secret);
    CHECK(lengths.public_key == 32 && lengths.random == 16 && lengths.signature == 17088);
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_slh_dsa_lengths_of(0, &lengths));
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_slh_dsa_lengths_of(13, &lengths));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_slh_dsa_lengths_of(set, NULL));

    for (size_t i = 0; i < sizeof seeds; i++)
        seeds[i] = (unsigned char)i;
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_slh_dsa_keygen(set, seeds, 47, secret, 64));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_slh_dsa_keygen(set, seeds, 48, secret, 63));
    RETURNS(HASHLANES_ERROR_OVERLAP, hashlanes_slh_dsa_keygen(set, secret, 48, secret, 64));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_slh_dsa_keygen(set, NULL, 48, secret, 64));
    OK(hashlanes_slh_dsa_keygen(set, seeds, 48, secret, 64));

    const void *messages[] = {"one", "two"};
    const size_t of[] = {3, 3};
    hashlanes_slh_dsa_key key = {.set = set, .bytes = secret, .length = 64};
    OK(hashlanes_slh_dsa_sign_many(&key, messages, of, 2, NULL, made[0], sizeof made));
    OK(hashlanes_slh_dsa_sign(&key, "two", 3, NULL, again[0], sizeof again[0]));
    CHECK(memcmp(made[1], again[0], 17088) == 0);
    OK(hashlanes_slh_dsa_sign_many(&key, messages, of, 2, seeds, again[0], sizeof again));
    CHECK(memcmp(made, again, sizeof made) != 0);
    for (key.check = 0; key.check <= HASHLANES_SLH_DSA_CHECK_TWICE; key.check++) {
        memset(again, 0, sizeof again);
        OK(hashlanes_slh_dsa_sign_many(&key, messages, of, 2, NULL, again[0], sizeof again));
        CHECK(memcmp(made, again, sizeof made) == 0);
    }
    RETURNS(HASHLANES_ERROR_OPTION, hashlanes_slh_dsa_sign(&key, "", 0, NULL, made[0], 17088));
    key.check = HASHLANES_SLH_DSA_CHECK_ROOT;
    OK(hashlanes_slh_dsa_sign_many(&key, NULL, NULL, 0, NULL, NULL, 0));
    RETURNS(HASHLANES_ERROR_SIZE, hashlanes_slh_dsa_sign(&key, "", 0, NULL, made[0], 17087));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_slh_dsa_sign(NULL, "", 0, NULL, made[0], 17088));
    RETURNS(HASHLANES_ERROR_NULL, hashlanes_slh_dsa_sign(&key, NULL, 1, NULL, made[0], 17088));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_sign(&key, made[0] + 17087, 1, NULL, made[0], 17088));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_sign(&key, "", 0, made[0], made[0], 17088));
    hashlanes_slh_dsa_key *inside = malloc(17088);
    CHECK(inside != NULL);
    *inside = key;
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_sign(inside, "", 0, NULL, (unsigned char *)inside, 17088));
    free(inside);
    hashlanes_slh_dsa_key wrong = key;
    wrong.context = again[1] + 17087;
    wrong.context_length = 1;
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_sign_many(&wrong, messages, of, 2, NULL, again[0], sizeof again));
    wrong.length = 32;
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_slh_dsa_sign(&wrong, "", 0, NULL, made[0], 17088));
    wrong.length = 64;
    wrong.context = made[0];
    wrong.context_length = 256;
    RETURNS(HASHLANES_ERROR_OPTION, hashlanes_slh_dsa_sign(&wrong, "", 0, NULL, made[0], 17088));
    wrong.context_length = 0;
    wrong.pre_hash = HASHLANES_MD5;
    RETURNS(HASHLANES_ERROR_OPTION, hashlanes_slh_dsa_sign(&wrong, "", 0, NULL, made[0], 17088));
    wrong.pre_hash = 255;
    RETURNS(HASHLANES_ERROR_ALGORITHM, hashlanes_slh_dsa_sign(&wrong, "", 0, NULL, made[0], 17088));
    wrong.pre_hash = 0;
    secret[0] ^= 1;
    RETURNS(HASHLANES_ERROR_FAULT, hashlanes_slh_dsa_sign(&wrong, "", 0, NULL, again[0], 17088));
    CHECK(again[0][0] == 0 && memcmp(again[0], again[0] + 1, 17087) == 0);

    bool valid[2];
    key.bytes += 32;
    key.length = 32;
    OK(hashlanes_slh_dsa_verify(&key, "one", 3, made[0], 17088));
    RETURNS(HASHLANES_ERROR_MISMATCH, hashlanes_slh_dsa_verify(&key, "two", 3, made[0], 17088));
    RETURNS(HASHLANES_ERROR_MISMATCH, hashlanes_slh_dsa_verify(&key, "one", 3, made[0], 17087));
    RETURNS(HASHLANES_ERROR_MISMATCH, hashlanes_slh_dsa_verify(&key, "one", 3, NULL, 0));
    RETURNS(HASHLANES_ERROR_KEY, hashlanes_slh_dsa_verify(&wrong, "one", 3, made[0], 17088));
    made[1][5] ^= 1;
    OK(hashlanes_slh_dsa_verify_many(&key, messages, of, 2, made[0], valid));
    CHECK(valid[0] && !valid[1]);
    OK(hashlanes_slh_dsa_verify_many(&key, NULL, NULL, 0, NULL, NULL));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_slh_dsa_verify_many(&key, messages, of, 2, NULL, valid));
    RETURNS(HASHLANES_ERROR_NULL,
            hashlanes_slh_dsa_verify_many(&key, messages, of, 2, made[0], NULL));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_verify_many(&key, messages, of, 2, made[0], (bool *)made[0]));
    const void *outputs[] = {"one", valid};
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_verify_many(&key, outputs, (size_t[]){3, 1}, 2, made[0], valid));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_verify_many(&key, messages, of, 2, made[0], (bool *)&key));
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_verify_many(&key, messages, of, 2, made[0], (bool *)key.bytes));
    key.context = valid;
    key.context_length = 1;
    RETURNS(HASHLANES_ERROR_OVERLAP,
            hashlanes_slh_dsa_verify_many(&key, messages, of, 2, made[0], valid));
}

int main(void)
{
    information();
    unknown_algorithms();
    kernels();
    states();
    one_message();
    many_messages();
    parts();
    chunks();
    outputs_of_any_length();
    prefixes();
    keys();
    hashers();
    saved_states();
    managers();
    servers();
    chains();
    derived_keys();
    signatures();
    puts("every function");
    return 0;
}
