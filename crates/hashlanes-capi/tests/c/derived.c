// Computes the answers of crates/hashlanes/tests/suite/derived.txt: the ends of hash chains, and
// keys from passwords and secrets, each side by side with others.

#include "check.h"

enum { COUNT = 3, LONGEST = 600 };

static unsigned char made[COUNT * LONGEST], right[LONGEST];

// The second and the third result are those of the line.
static void compare(const char *line, size_t length)
{
    if (memcmp(made + length, right, length) != 0 ||
        memcmp(made + 2 * length, right, length) != 0) {
        fprintf(stderr, "wrong: %s", line);
        exit(1);
    }
    memset(made, 0, sizeof made);
}

static void chain(hashlanes_algorithm algorithm, const size_t *sizes, size_t length)
{
    const uint64_t lengths[COUNT] = {7, sizes[0], sizes[0]};
    bool valid[COUNT];
    unsigned char *start = key_of(length), starts[COUNT * HASHLANES_MAX_DIGEST_LENGTH];
    for (int i = 0; i < COUNT; i++)
        memcpy(starts + i * length, start, length);
    memcpy(made, starts, COUNT * length);
    OK(hashlanes_digest_chains(algorithm, lengths, COUNT, made, COUNT * length));
    made[0] ^= 1;
    OK(hashlanes_verify_chains(algorithm, starts, made, lengths, COUNT, valid));
    CHECK(!valid[0] && valid[1] && valid[2]);
    free(start);
}

static void derive(const char *kind, hashlanes_algorithm algorithm, const size_t *sizes,
                   size_t length)
{
    unsigned char *secret = key_of(sizes[0]), *salt = message_of(sizes[1]);
    const void *secrets[COUNT] = {NULL, secret, secret}, *salts[COUNT] = {NULL, salt, salt};
    const size_t of_secrets[COUNT] = {0, sizes[0], sizes[0]};
    const size_t of_salts[COUNT] = {0, sizes[1], sizes[1]};
    if (strcmp(kind, "pbkdf2") == 0) {
        OK(hashlanes_pbkdf2_many(algorithm, secrets, of_secrets, salts, of_salts, COUNT,
                                 (uint32_t)sizes[2], made, length, COUNT * length));
    } else {
        CHECK(strcmp(kind, "hkdf") == 0);
        unsigned char *info = message_of(sizes[2]);
        const void *infos[COUNT] = {NULL, info, info};
        const size_t of_infos[COUNT] = {0, sizes[2], sizes[2]};
        OK(hashlanes_hkdf_many(algorithm, secrets, of_secrets, salts, of_salts, infos, of_infos,
                               COUNT, made, length, COUNT * length));
        free(info);
    }
    free(secret);
    free(salt);
}

static void answer(const char *line)
{
    char kind[16], name[32], hex[2 * LONGEST + 1];
    size_t sizes[3] = {0};
    hashlanes_algorithm algorithm;
    int is_chain = strncmp(line, "chain ", 6) == 0;
    if (is_chain)
        CHECK(sscanf(line, "%15s %31s %zu %1200s", kind, name, &sizes[0], hex) == 4);
    else
        CHECK(sscanf(line, "%15s %31s %zu %zu %zu %1200s", kind, name, &sizes[0], &sizes[1],
                     &sizes[2], hex) == 6);
    size_t length = strlen(hex) / 2;
    for (size_t i = 0; i < length; i++)
        CHECK(sscanf(hex + 2 * i, "%2hhx", &right[i]) == 1);
    OK(hashlanes_algorithm_from_name(name, &algorithm));
    if (is_chain)
        chain(algorithm, sizes, length);
    else
        derive(kind, algorithm, sizes, length);
    compare(line, length);
}

int main(int argc, char **argv)
{
    static char line[2 * LONGEST + 100];
    CHECK(argc == 2);
    FILE *file = fopen(argv[1], "r");
    CHECK(file != NULL);
    int count = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#')
            continue;
        answer(line);
        count++;
    }
    fclose(file);
    printf("%d lines\n", count);
    return 0;
}
