// Lets the output of each function that takes arrays overlap one of them by a few bytes, at its
// beginning and at its end. That must be an error which changes nothing; beside the array is fine.

#include "check.h"

enum { COUNT = 2, ROOM = 40000, ARRAYS = 6, SIGNATURE = 17088 };

// An array that a call reads, with room for the output on both sides.
typedef struct block {
    unsigned char before[ROOM];
    union {
        const void *messages[COUNT];
        const hashlanes_hmac_key *keys[COUNT];
        size_t lengths[COUNT];
        uint64_t links[COUNT];
    } array;
    unsigned char after[ROOM];
} block;

static block blocks[ARRAYS];

#define MESSAGES(i) blocks[i].array.messages
#define LENGTHS(i) blocks[i].array.lengths

static hashlanes_prefix *prefix;
static hashlanes_hmac_key *key;
static unsigned char secret[64], starts[2 * 16], signatures[COUNT * SIGNATURE];
static hashlanes_slh_dsa_key own = {
    .set = HASHLANES_SLH_DSA_SHA2_128F, .bytes = secret, .length = sizeof secret};
static hashlanes_slh_dsa_key public = {
    .set = HASHLANES_SLH_DSA_SHA2_128F, .bytes = secret + 32, .length = 32};

#define CALL(name, call)                                                                           \
    static hashlanes_error name(unsigned char *output, size_t size)                                \
    {                                                                                              \
        (void)size;                                                                                \
        return call;                                                                               \
    }
CALL(digest_many,
     hashlanes_digest_many(HASHLANES_MD5, MESSAGES(0), LENGTHS(1), COUNT, output, size))
CALL(xof_many, hashlanes_xof_many(HASHLANES_XOF_BLAKE3, NULL, MESSAGES(0), LENGTHS(1), COUNT,
                                  output, size / COUNT, size))
CALL(prefix_digest_many,
     hashlanes_prefix_digest_many(prefix, MESSAGES(0), LENGTHS(1), COUNT, output, size))
CALL(hmac_many, hashlanes_hmac_many(key, MESSAGES(0), LENGTHS(1), COUNT, output, size))
CALL(hmac_many_keys, hashlanes_hmac_many_keys(blocks[2].array.keys, MESSAGES(0), LENGTHS(1), COUNT,
                                              output, size))
CALL(compress_many, hashlanes_compress_many(HASHLANES_MD5, (hashlanes_state *)(void *)output,
                                            MESSAGES(0), LENGTHS(1), COUNT))
CALL(pbkdf2_many, hashlanes_pbkdf2_many(HASHLANES_MD5, MESSAGES(0), LENGTHS(1), MESSAGES(2),
                                        LENGTHS(3), COUNT, 1, output, size / COUNT, size))
CALL(hkdf_many,
     hashlanes_hkdf_many(HASHLANES_MD5, MESSAGES(0), LENGTHS(1), MESSAGES(2), LENGTHS(3),
                         MESSAGES(4), LENGTHS(5), COUNT, output, size / COUNT, size))
CALL(digest_chains,
     hashlanes_digest_chains(HASHLANES_MD5, blocks[0].array.links, COUNT, output, size))
CALL(verify_chains, hashlanes_verify_chains(HASHLANES_MD5, starts, starts, blocks[0].array.links,
                                            COUNT, (bool *)output))
CALL(sign_many,
     hashlanes_slh_dsa_sign_many(&own, MESSAGES(0), LENGTHS(1), COUNT, NULL, output, size))
CALL(verify_many, hashlanes_slh_dsa_verify_many(&public, MESSAGES(0), LENGTHS(1), COUNT, signatures,
                                                (bool *)output))

static const struct function {
    const char *name;
    hashlanes_error (*call)(unsigned char *, size_t);
    // Bytes of output, the number of arrays, and the output's alignment.
    size_t size, arrays, step;
} functions[] = {
    {"digest_many", digest_many, COUNT * 16, 2, 1},
    {"xof_many", xof_many, COUNT * 100, 2, 1},
    {"prefix_digest_many", prefix_digest_many, COUNT * 16, 2, 1},
    {"hmac_many", hmac_many, COUNT * 16, 2, 1},
    {"hmac_many_keys", hmac_many_keys, COUNT * 16, 3, 1},
    {"compress_many", compress_many, COUNT * sizeof(hashlanes_state), 2, 8},
    {"pbkdf2_many", pbkdf2_many, COUNT * 40, 4, 1},
    {"hkdf_many", hkdf_many, COUNT * 40, 6, 1},
    {"digest_chains", digest_chains, COUNT * 16, 1, 1},
    {"verify_chains", verify_chains, COUNT, 1, 1},
    {"slh_dsa_sign_many", sign_many, COUNT * SIGNATURE, 2, 1},
    {"slh_dsa_verify_many", verify_many, COUNT, 2, 1},
};

static void fill(const struct function *function)
{
    static unsigned char bytes[64];
    memset(blocks, 0, sizeof blocks);
    for (int i = 0; i < ARRAYS; i++)
        for (int k = 0; k < COUNT; k++) {
            if (function->call == hmac_many_keys && i == 2)
                blocks[i].array.keys[k] = key;
            else if (i % 2 == 0 && function->arrays > 1)
                MESSAGES(i)[k] = bytes;
            else
                LENGTHS(i)[k] = sizeof bytes;
        }
}

static void try(const struct function *function, size_t array, unsigned char *output, bool overlaps)
{
    static block before[ARRAYS];
    fill(function);
    memcpy(before, blocks, sizeof blocks);
    hashlanes_error expected = overlaps ? HASHLANES_ERROR_OVERLAP : HASHLANES_OK;
    hashlanes_error error = function->call(output, function->size);
    if (error != expected)
        fprintf(stderr, "%s, array %zu: ", function->name, array);
    RETURNS(expected, error);
    CHECK(!overlaps || memcmp(before, blocks, sizeof blocks) == 0);
}

int main(void)
{
    OK(hashlanes_prefix_create(HASHLANES_MD5, "a", 1, &prefix));
    OK(hashlanes_hmac_key_create(HASHLANES_MD5, "a", 1, &key));
    OK(hashlanes_slh_dsa_keygen(own.set, signatures, 48, secret, sizeof secret));
    for (size_t i = 0; i < sizeof functions / sizeof *functions; i++) {
        const struct function *function = &functions[i];
        for (size_t k = 0; k < function->arrays; k++) {
            unsigned char *start = (unsigned char *)&blocks[k].array, *end = blocks[k].after;
            try(function, k, start - function->size + function->step, true);
            try(function, k, end - function->step, true);
            try(function, k, start - function->size, false);
            try(function, k, end, false);
        }
    }
    hashlanes_prefix_destroy(prefix);
    hashlanes_hmac_key_destroy(key);
    puts("every overlap");
    return 0;
}
