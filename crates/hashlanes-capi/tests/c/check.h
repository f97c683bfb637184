// What the test programs share: a check that names its line, and bytes to hash.

#ifndef CHECK_H
#define CHECK_H

#include <hashlanes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Ends the program if the condition does not hold. The tests of Rust see the exit status.
#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

// Ends the program if a call does not return what it should.
#define RETURNS(expected, call)                                                                    \
    do {                                                                                           \
        hashlanes_error code_ = (call);                                                            \
        if (code_ != (expected)) {                                                                 \
            fprintf(stderr, "%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call,                  \
                    hashlanes_error_text(code_), hashlanes_error_text(expected));                  \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

#define OK(call) RETURNS(HASHLANES_OK, call)

// A message of the file of vectors, in memory of exactly its size: valgrind sees reads past it.
static inline unsigned char *message_of(size_t length)
{
    unsigned char *message = malloc(length ? length : 1);
    CHECK(message != NULL);
    for (size_t i = 0; i < length; i++)
        message[i] = (unsigned char)(i % 251);
    return message;
}

// A key of the file of vectors.
static inline unsigned char *key_of(size_t length)
{
    unsigned char *key = malloc(length ? length : 1);
    CHECK(key != NULL);
    for (size_t i = 0; i < length; i++)
        key[i] = (unsigned char)((i + 128) % 253);
    return key;
}

#endif
