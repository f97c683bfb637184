// Computes the answers of NIST's vectors for SLH-DSA, one by one and side by side with others. The
// file is extras/hashlanes-slh-dsa/tests/suite/acvp.txt.

#include "check.h"

enum { LINE = 1 << 17, FIELDS = 9, SIDE_BY_SIDE = 3, LONGEST = 49856 };

static unsigned char made[SIDE_BY_SIDE * LONGEST];

// Replaces a hexadecimal field by its bytes, and returns their number. A dash stands for none.
static size_t unhex(char *field)
{
    size_t length = strcmp(field, "-") == 0 ? 0 : strlen(field) / 2;
    for (size_t i = 0; i < length; i++) {
        char digits[3] = {field[2 * i], field[2 * i + 1], 0};
        field[i] = (char)strtoul(digits, NULL, 16);
    }
    return length;
}

static hashlanes_algorithm pre_hash(const char *how)
{
    hashlanes_algorithm function = 0;
    if (strcmp(how, "pure") != 0)
        OK(hashlanes_algorithm_from_name(how, &function));
    return function;
}

static void keygen(hashlanes_slh_dsa_set set, char *const *fields)
{
    size_t length = unhex(fields[2]);
    CHECK(length % 4 == 0);
    OK(hashlanes_slh_dsa_keygen(set, (unsigned char *)fields[2], length / 4 * 3, made, length));
    CHECK(memcmp(made, fields[2], length) == 0);
}

static void sign(hashlanes_slh_dsa_key key, char *const *fields, size_t signature_length)
{
    key.bytes = (unsigned char *)fields[3];
    key.length = unhex(fields[3]);
    size_t random_length = unhex(fields[4]);
    CHECK(random_length == 0 || random_length == key.length / 4);
    key.context = fields[5];
    key.context_length = unhex(fields[5]);
    size_t length = unhex(fields[6]), size = SIDE_BY_SIDE * signature_length;
    CHECK(unhex(fields[7]) == 32);

    const void *messages[SIDE_BY_SIDE] = {"", fields[6], "other"};
    size_t lengths[SIDE_BY_SIDE] = {0, length, 5};
    unsigned char random[SIDE_BY_SIDE * 32], digest[32];
    for (int i = 0; i < SIDE_BY_SIDE; i++)
        memcpy(random + i * random_length, fields[4], random_length);
    OK(hashlanes_slh_dsa_sign_many(&key, messages, lengths, SIDE_BY_SIDE,
                                   random_length ? random : NULL, made, size));
    unsigned char *one = made + signature_length;
    OK(hashlanes_digest(HASHLANES_SHA256, one, signature_length, digest, 32));
    CHECK(memcmp(digest, fields[7], 32) == 0);
    memset(one, 0, signature_length);
    OK(hashlanes_slh_dsa_sign(&key, fields[6], length, random_length ? random : NULL, one,
                              signature_length));
    OK(hashlanes_digest(HASHLANES_SHA256, one, signature_length, digest, 32));
    CHECK(memcmp(digest, fields[7], 32) == 0);

    key.length /= 2;
    key.bytes += key.length;
    made[0] ^= 1;
    bool valid[SIDE_BY_SIDE];
    OK(hashlanes_slh_dsa_verify_many(&key, messages, lengths, SIDE_BY_SIDE, made, valid));
    CHECK(!valid[0] && valid[1] && valid[2]);
}

static void verify(hashlanes_slh_dsa_key key, char *const *fields)
{
    key.bytes = (unsigned char *)fields[3];
    key.length = unhex(fields[3]);
    key.context = fields[4];
    key.context_length = unhex(fields[4]);
    size_t length = unhex(fields[5]), signature_length = unhex(fields[6]);
    int right = strcmp(fields[7], "valid") == 0;
    RETURNS(right ? HASHLANES_OK : HASHLANES_ERROR_MISMATCH,
            hashlanes_slh_dsa_verify(&key, fields[5], length, (unsigned char *)fields[6],
                                     signature_length));
}

// Returns whether the interface has what the line asks for.
static int answer(char *line)
{
    char *fields[FIELDS] = {0};
    size_t count = 0;
    for (char *field = strtok(line, " \n"); field; field = strtok(NULL, " \n")) {
        CHECK(count < FIELDS);
        fields[count++] = field;
    }
    hashlanes_slh_dsa_lengths lengths;
    hashlanes_slh_dsa_key key = {0};
    OK(hashlanes_slh_dsa_from_name(fields[1], &key.set));
    OK(hashlanes_slh_dsa_lengths_of(key.set, &lengths));
    if (strcmp(fields[0], "keygen") == 0) {
        keygen(key.set, fields);
        return 1;
    }
    if (strcmp(fields[2], "internal") == 0)
        return 0;
    key.pre_hash = pre_hash(fields[2]);
    if (strcmp(fields[0], "sign") == 0)
        sign(key, fields, lengths.signature);
    else
        verify(key, fields);
    return 1;
}

int main(int argc, char **argv)
{
    static char line[LINE];
    CHECK(argc == 2);
    FILE *file = fopen(argv[1], "r");
    CHECK(file != NULL);
    int count = 0;
    while (fgets(line, sizeof line, file))
        if (line[0] != '#')
            count += answer(line);
    fclose(file);
    CHECK(count > 40);
    puts("the vectors of NIST");
    return 0;
}
