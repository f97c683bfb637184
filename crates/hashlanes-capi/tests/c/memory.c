// Creates objects until memory runs out: this must return an error, and the existing objects must
// work.

#include "check.h"
#include <sys/resource.h>

enum { MOST = 1000000 };

static hashlanes_hasher *hashers[MOST];

// The same with hashers of a server, all of which have deferred bytes.
static void server_hashers(hashlanes_server *server, const unsigned char right[32])
{
    static hashlanes_server_hasher *messages[MOST];
    unsigned char digest[32];
    size_t made = 0;
    hashlanes_error error = HASHLANES_OK;
    while (made < MOST && (error = hashlanes_server_hasher_create(server, NULL, &messages[made])) ==
                              HASHLANES_OK)
        OK(hashlanes_server_hasher_update(messages[made++], "abc", 3));
    CHECK(made > 1000 && error == HASHLANES_ERROR_MEMORY);
    for (size_t i = 0; i < made; i++) {
        OK(hashlanes_server_hasher_finish(messages[i], digest, sizeof digest));
        CHECK(memcmp(digest, right, sizeof digest) == 0);
        hashlanes_server_hasher_destroy(messages[i]);
    }
}

int main(void)
{
    // Enough for the program and a few thousand hashers.
    struct rlimit limit = {64 << 20, 64 << 20};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
    size_t made = 0;
    hashlanes_error error = HASHLANES_OK;
    while (made < MOST && (error = hashlanes_hasher_create(HASHLANES_SHA256, &hashers[made])) ==
                              HASHLANES_OK)
        made++;
    CHECK(made > 1000 && error == HASHLANES_ERROR_MEMORY);
    hashlanes_manager *manager;
    hashlanes_server *server;
    hashlanes_hmac_key *key;
    hashlanes_prefix *prefix;
    RETURNS(HASHLANES_ERROR_MEMORY, hashlanes_manager_create(HASHLANES_SHA256, 0, &manager));
    RETURNS(HASHLANES_ERROR_MEMORY, hashlanes_server_create(HASHLANES_SHA256, NULL, &server));
    // These are smaller, and may still fit.
    if (hashlanes_hmac_key_create(HASHLANES_SHA256, "key", 3, &key) == HASHLANES_OK)
        hashlanes_hmac_key_destroy(key);
    if (hashlanes_prefix_create(HASHLANES_SHA256, "key", 3, &prefix) == HASHLANES_OK)
        hashlanes_prefix_destroy(prefix);
    unsigned char right[32], digest[32];
    OK(hashlanes_digest(HASHLANES_SHA256, "abc", 3, right, sizeof right));
    for (size_t i = 0; i < made; i++) {
        OK(hashlanes_hasher_update(hashers[i], "abc", 3));
        OK(hashlanes_hasher_finish(hashers[i], digest, sizeof digest));
        CHECK(memcmp(digest, right, sizeof digest) == 0);
        hashlanes_hasher_destroy(hashers[i]);
    }
    OK(hashlanes_manager_create(HASHLANES_SHA256, 0, &manager));
    OK(hashlanes_server_create(HASHLANES_SHA256, NULL, &server));
    server_hashers(server, right);
    hashlanes_manager_destroy(manager);
    hashlanes_server_destroy(server);
    printf("%zu objects, and then an error\n", made);
    return 0;
}
