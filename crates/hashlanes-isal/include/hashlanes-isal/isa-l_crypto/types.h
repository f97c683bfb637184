/*
 * Compiler support for the other headers.
 * Licence: MIT or Apache-2.0.
 */
#ifndef HASHLANES_ISAL_TYPES_H
#define HASHLANES_ISAL_TYPES_H

#if defined(_MSC_VER)
#define DECLARE_ALIGNED(decl, alignval) __declspec(align(alignval)) decl
#else
#define DECLARE_ALIGNED(decl, alignval) decl __attribute__((aligned(alignval)))
#endif

/* Allocation of memory for contexts and managers, by the same names on every system. */
#if defined(_WIN32)
#define posix_memalign(p, algn, len) \
    (NULL == (*((char **) (p)) = (char *) _aligned_malloc(len, algn)))
#define aligned_free(x) _aligned_free(x)
#else
#ifndef __forceinline
#define __forceinline static inline
#endif
#define aligned_free(x) free(x)
#endif

#ifdef DEBUG
#define DEBUG_PRINT(x) printf x
#else
#define DEBUG_PRINT(x) do { } while (0)
#endif

/* Deprecated names, which ISA-L has marked since 2.25. */
#if defined(ISAL_UNIT_TEST)
#define ISAL_DEPRECATED(message)
#elif defined(__GNUC__) || defined(__clang__)
#define ISAL_DEPRECATED(message) __attribute__((deprecated(message)))
#elif defined(_MSC_VER)
#define ISAL_DEPRECATED(message) __declspec(deprecated(message))
#else
#define ISAL_DEPRECATED(message)
#endif

#define ISAL_EXPERIMENTAL(message) ISAL_DEPRECATED("Experimental: " message)

#endif
