// The face of C: see states.py.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "hashlanes.h"

static uint8_t data[1 << 20];
static char line[1 << 16], words[4][1 << 14];

static void must(hashlanes_error error) {
    if (error != HASHLANES_OK) {
        fprintf(stderr, "%s\n", hashlanes_error_text(error));
        exit(1);
    }
}

static void answer(const uint8_t *bytes, size_t length) {
    for (size_t i = 0; i < length; i++) printf("%02x", bytes[i]);
    putchar('\n');
    fflush(stdout);
}

static void digest_of(struct hashlanes_hasher *hasher, hashlanes_algorithm algorithm) {
    uint8_t digest[HASHLANES_MAX_DIGEST_LENGTH];
    must(hashlanes_hasher_digest(hasher, digest, sizeof digest));
    answer(digest, hashlanes_digest_length(algorithm));
}

int main(void) {
    while (fgets(line, sizeof line, stdin)) {
        int count = sscanf(line, "%16383s %16383s %16383s %16383s", words[0], words[1], words[2],
                           words[3]);
        struct hashlanes_hasher *hasher = NULL;
        hashlanes_algorithm algorithm;
        if (strcmp(words[0], "load") == 0) {
            FILE *file = fopen(words[1], "rb");
            if (!file || fread(data, 1, sizeof data, file) == 0) return 1;
            fclose(file);
            puts("ok");
            fflush(stdout);
            continue;
        }
        if (count == 4) {
            uint8_t state[1 << 13];
            size_t length = strlen(words[1]) / 2;
            for (size_t i = 0; i < length; i++) sscanf(words[1] + 2 * i, "%2hhx", &state[i]);
            if (hashlanes_hasher_restore(state, length, NULL, &hasher) != HASHLANES_OK) {
                puts("no");
                fflush(stdout);
                continue;
            }
            size_t from = strtoull(words[2], NULL, 10), to = strtoull(words[3], NULL, 10);
            must(hashlanes_hasher_update(hasher, data + from, to - from));
            // A state has the name of its function.
            char name[256] = "";
            memcpy(name, state + 7, state[6]);
            must(hashlanes_algorithm_from_name(name, &algorithm));
            digest_of(hasher, algorithm);
        } else {
            must(hashlanes_algorithm_from_name(words[1], &algorithm));
            must(hashlanes_hasher_create(algorithm, &hasher));
            must(hashlanes_hasher_update(hasher, data, strtoull(words[2], NULL, 10)));
            if (strcmp(words[0], "save") == 0) {
                uint8_t state[HASHLANES_MAX_STATE_LENGTH];
                size_t length;
                must(hashlanes_hasher_save(hasher, state, sizeof state, &length));
                answer(state, length);
            } else {
                digest_of(hasher, algorithm);
            }
        }
        hashlanes_hasher_destroy(hasher);
    }
    return 0;
}
