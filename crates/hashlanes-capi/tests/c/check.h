// Shared by the test programs: a check that names its line, and bytes to hash.

#ifndef CHECK_H
#define CHECK_H

#include <hashlanes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Exits if the condition is false. The tests in Rust check the exit status.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: is false: %s\n", __FILE__, __LINE__, #condition);              \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// Exits if a call does not return the expected code.
#define RETURNS(expected, call)                                                                    \
    do {                                                                                           \
        hashlanes_error code_ = (call);                                                            \
        if (code_ != (expected)) {                                                                 \
            fprintf(stderr, "%s:%d: %s returned \"%s\", not \"%s\"\n", __FILE__, __LINE__, #call,  \
                    hashlanes_error_text(code_), hashlanes_error_text(expected));                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define OK(call) RETURNS(HASHLANES_OK, call)

// A message of the vector file, in a block of exactly its size, so that valgrind notices reads past
// it.
static inline unsigned char *message_of(size_t length)
{
    unsigned char *message = malloc(length ? length : 1);
    CHECK(message != NULL);
    for (size_t i = 0; i < length; i++)
        message[i] = (unsigned char)(i % 251);
    return message;
}

// A key of the vector file.
static inline unsigned char *key_of(size_t length)
{
    unsigned char *key = malloc(length ? length : 1);
    CHECK(key != NULL);
    for (size_t i = 0; i < length; i++)
        key[i] = (unsigned char)((i + 128) % 253);
    return key;
}

#endif
