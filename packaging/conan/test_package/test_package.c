#include <hashlanes.h>
#include <string.h>

/* Compares the MD5 digest of `abc`. */
int main(void)
{
    static const unsigned char right[16] = "\x90\x01\x50\x98\x3c\xd2\x4f\xb0\xd6\x96\x3f\x7d\x28"
                                           "\xe1\x7f\x72";
    unsigned char digest[16];
    int status = hashlanes_digest(HASHLANES_MD5, "abc", 3, digest, sizeof digest);
    return status != HASHLANES_OK || memcmp(digest, right, sizeof right) != 0;
}
