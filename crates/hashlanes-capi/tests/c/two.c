// A program that links two static archives of Rust: ours, and one that contains all of rustc's
// symbols.

#include "check.h"

extern uint64_t other_sum_of_threads(uint64_t threads);

int main(void)
{
    unsigned char digest[16];
    OK(hashlanes_digest(HASHLANES_MD5, "abc", 3, digest, sizeof digest));
    CHECK(digest[0] == 0x90 && digest[15] == 0x72);
    CHECK(other_sum_of_threads(10) == 55);
    hashlanes_server *server;
    hashlanes_server_hasher *hasher;
    OK(hashlanes_server_create(HASHLANES_MD5, NULL, &server));
    OK(hashlanes_server_hasher_create(server, NULL, &hasher));
    OK(hashlanes_server_hasher_finish(hasher, digest, sizeof digest));
    hashlanes_server_hasher_destroy(hasher);
    hashlanes_server_destroy(server);
    puts("two archives");
    return 0;
}
