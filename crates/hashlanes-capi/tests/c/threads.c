// One server and many threads, each with its own hashers, and a key that all share.

#include "check.h"
#include <pthread.h>

enum { THREADS = 16, MESSAGES = 20, BYTES = 200000 };

static hashlanes_server *server;
static hashlanes_hmac_key *key;
static unsigned char *bytes;
static unsigned char right[32], right_mac[32];

static void *work(void *argument)
{
    size_t piece = 1000 * (1 + (size_t)argument);
    unsigned char digest[32];
    hashlanes_server_hasher *plain, *mac;
    OK(hashlanes_server_hasher_create(server, NULL, &plain));
    OK(hashlanes_server_hasher_create(server, key, &mac));
    for (int i = 0; i < MESSAGES; i++) {
        for (size_t done = 0; done < BYTES;) {
            size_t length = BYTES - done < piece ? BYTES - done : piece;
            OK(hashlanes_server_hasher_update(plain, bytes + done, length));
            OK(hashlanes_server_hasher_update(mac, bytes + done, length));
            done += length;
        }
        OK(hashlanes_server_hasher_finish(plain, digest, sizeof digest));
        CHECK(memcmp(digest, right, sizeof digest) == 0);
        OK(hashlanes_server_hasher_finish(mac, digest, sizeof digest));
        CHECK(memcmp(digest, right_mac, sizeof digest) == 0);
    }
    hashlanes_server_hasher_destroy(plain);
    hashlanes_server_hasher_destroy(mac);
    return NULL;
}

int main(void)
{
    pthread_t threads[THREADS];
    bytes = message_of(BYTES);
    OK(hashlanes_server_create(HASHLANES_SHA256, NULL, &server));
    OK(hashlanes_hmac_key_create(HASHLANES_SHA256, "key", 3, &key));
    OK(hashlanes_digest(HASHLANES_SHA256, bytes, BYTES, right, sizeof right));
    OK(hashlanes_hmac(key, bytes, BYTES, right_mac, sizeof right_mac));
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_create(&threads[i], NULL, work, (void *)i) == 0);
    for (size_t i = 0; i < THREADS; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    hashlanes_server_stats stats;
    OK(hashlanes_server_stats_now(server, &stats));
    CHECK(stats.messages == 2 * THREADS * MESSAGES);
    CHECK(stats.bytes >= (uint64_t)2 * THREADS * MESSAGES * BYTES);
    hashlanes_hmac_key_destroy(key);
    hashlanes_server_destroy(server);
    free(bytes);
    puts("all digests are right");
    return 0;
}
