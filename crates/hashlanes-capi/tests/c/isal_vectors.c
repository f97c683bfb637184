// Hashes the messages of the vector file (vectors/digests.txt) through ISA-L's interface, all
// messages of an algorithm at once.

#include <isa-l_crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 200 };

// Converts a line's digest to bytes. Returns their number.
static size_t bytes_of(const char *hex, unsigned char *bytes)
{
    size_t count = 0;
    unsigned byte;
    while (sscanf(hex + 2 * count, "%2x", &byte) == 1)
        bytes[count++] = (unsigned char)byte;
    return count;
}

// Defines a function that checks all lines of an algorithm and returns their number.
#define ALGORITHM(lower, UPPER, WORD, BYTE_OF)                                                     \
    static int lower(FILE *file)                                                                   \
    {                                                                                              \
        static ISAL_##UPPER##_HASH_CTX_MGR mgr;                                                    \
        static ISAL_##UPPER##_HASH_CTX contexts[MOST], *back;                                      \
        static char right[MOST][129];                                                              \
        char line[512], name[16];                                                                  \
        int count = 0;                                                                             \
        unsigned length;                                                                           \
        isal_##lower##_ctx_mgr_init(&mgr);                                                         \
        rewind(file);                                                                              \
        while (fgets(line, sizeof line, file) != NULL) {                                           \
            if (sscanf(line, "digest %15s %u %128s", name, &length, right[count]) != 3             \
                || strcmp(name, #lower) != 0)                                                      \
                continue;                                                                          \
            unsigned char *message = malloc(length ? length : 1);                                  \
            if (message == NULL || count == MOST)                                                  \
                exit(1);                                                                           \
            for (unsigned i = 0; i < length; i++)                                                  \
                message[i] = (unsigned char)(i % 251);                                             \
            isal_hash_ctx_init(&contexts[count]);                                                  \
            contexts[count].user_data = message;                                                   \
            if (isal_##lower##_ctx_mgr_submit(&mgr, &contexts[count], &back, message, length,      \
                                              ISAL_HASH_ENTIRE))                                   \
                exit(2);                                                                           \
            count++;                                                                               \
        }                                                                                          \
        do                                                                                         \
            isal_##lower##_ctx_mgr_flush(&mgr, &back);                                             \
        while (back != NULL);                                                                      \
        for (int i = 0; i < count; i++) {                                                          \
            unsigned char digest[64];                                                              \
            size_t bytes = bytes_of(right[i], digest);                                             \
            if (bytes != sizeof contexts[i].job.result_digest)                                     \
                exit(3);                                                                           \
            for (size_t b = 0; b < bytes; b++) {                                                   \
                WORD word = contexts[i].job.result_digest[b / sizeof(WORD)];                       \
                size_t at = b % sizeof(WORD);                                                      \
                if (digest[b] != (unsigned char)(BYTE_OF)) {                                       \
                    fprintf(stderr, #lower ": wrong: %s\n", right[i]);                             \
                    exit(4);                                                                       \
                }                                                                                  \
            }                                                                                      \
            free(contexts[i].user_data);                                                           \
        }                                                                                          \
        return count;                                                                              \
    }

ALGORITHM(md5, MD5, uint32_t, word >> 8 * at)
ALGORITHM(sha1, SHA1, uint32_t, word >> 8 * (3 - at))
ALGORITHM(sha256, SHA256, uint32_t, word >> 8 * (3 - at))
ALGORITHM(sha512, SHA512, uint64_t, word >> 8 * (7 - at))
ALGORITHM(sm3, SM3, uint32_t, ((const unsigned char *)&word)[at])

int main(int argc, char **argv)
{
    FILE *file = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (file == NULL)
        return 1;
    int lines = md5(file) + sha1(file) + sha256(file) + sha512(file) + sm3(file);
    printf("%d lines\n", lines);
    return fclose(file);
}
