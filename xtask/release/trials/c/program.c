#include <hashlanes.h>
#include <stdio.h>

/* Prints the SHA-1 digest of `abc`. */
int main(void)
{
    unsigned char digest[20];
    if (hashlanes_digest(HASHLANES_SHA1, "abc", 3, digest, sizeof digest) != HASHLANES_OK)
        return 1;
    for (int i = 0; i < 20; i++)
        printf("%02x", digest[i]);
    return 0;
}
