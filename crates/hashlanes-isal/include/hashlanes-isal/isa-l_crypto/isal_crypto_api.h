/*
 * Versions and error codes of the interface.
 * Licence: MIT or Apache-2.0.
 */
#ifndef HASHLANES_ISAL_ISAL_CRYPTO_API_H
#define HASHLANES_ISAL_ISAL_CRYPTO_API_H

#ifdef __cplusplus
extern "C" {
#endif

#define CONCAT_VERSION_(a, b, c) a##.##b##.##c
#define CONCAT_VERSION(a, b, c) CONCAT_VERSION_(a, b, c)
#define TO_STRING_(a) #a
#define TO_STRING(a) TO_STRING_(a)

/* The version of ISA-L crypto with this interface. */
#define ISAL_CRYPTO_MAJOR_VERSION 2
#define ISAL_CRYPTO_MINOR_VERSION 26
#define ISAL_CRYPTO_PATCH_VERSION 0

#define ISAL_CRYPTO_MAKE_VERSION(maj, min, patch) ((maj) * 0x10000 + (min) * 0x100 + (patch))
#define ISAL_CRYPTO_VERSION                                                         \
    ISAL_CRYPTO_MAKE_VERSION(ISAL_CRYPTO_MAJOR_VERSION, ISAL_CRYPTO_MINOR_VERSION, \
                             ISAL_CRYPTO_PATCH_VERSION)
#define ISAL_CRYPTO_VERSION_STR                                                           \
    TO_STRING(CONCAT_VERSION(ISAL_CRYPTO_MAJOR_VERSION, ISAL_CRYPTO_MINOR_VERSION, \
                             ISAL_CRYPTO_PATCH_VERSION))

/* Return values of the isal_* functions. The hashing functions return only those with a comment. */
typedef enum {
    ISAL_CRYPTO_ERR_NONE = 0, /* success */
    ISAL_CRYPTO_ERR_NULL_SRC = 2000, /* null buffer with a length, or where a piece needs one */
    ISAL_CRYPTO_ERR_NULL_DST,
    ISAL_CRYPTO_ERR_NULL_CTX, /* null context, or null ctx_out */
    ISAL_CRYPTO_ERR_NULL_MGR, /* null or uninitialised manager */
    ISAL_CRYPTO_ERR_NULL_KEY,
    ISAL_CRYPTO_ERR_NULL_EXP_KEY,
    ISAL_CRYPTO_ERR_NULL_IV,
    ISAL_CRYPTO_ERR_NULL_AUTH,
    ISAL_CRYPTO_ERR_NULL_AAD,
    ISAL_CRYPTO_ERR_CIPH_LEN,
    ISAL_CRYPTO_ERR_AUTH_TAG_LEN,
    ISAL_CRYPTO_ERR_INVALID_FLAGS, /* flags not in ISAL_HASH_CTX_FLAG */
    ISAL_CRYPTO_ERR_ALREADY_PROCESSING, /* the manager holds the context */
    ISAL_CRYPTO_ERR_ALREADY_COMPLETED, /* the message has ended; use ISAL_HASH_FIRST */
    ISAL_CRYPTO_ERR_XTS_NULL_TWEAK,
    ISAL_CRYPTO_ERR_XTS_SAME_KEYS,
    ISAL_CRYPTO_ERR_SELF_TEST, /* returned by isal_self_tests */
    ISAL_CRYPTO_ERR_FIPS_INVALID_ALGO,
    ISAL_CRYPTO_ERR_WINDOW_SIZE,
    ISAL_CRYPTO_ERR_NULL_OFFSET,
    ISAL_CRYPTO_ERR_NULL_MATCH,
    ISAL_CRYPTO_ERR_NULL_MASK,
    ISAL_CRYPTO_ERR_NULL_INIT_VAL,
    ISAL_CRYPTO_ERR_FIPS_DISABLED,
    ISAL_CRYPTO_ERR_MAX
} ISAL_CRYPTO_ERROR;

/* Tests known answers in every kernel that this CPU has. There is no FIPS mode. */
int isal_self_tests(void);

/* Returns "2.26.0". */
const char *isal_crypto_get_version_str(void);

/* Returns ISAL_CRYPTO_VERSION. */
unsigned isal_crypto_get_version(void);

#ifdef __cplusplus
}
#endif

#endif
