// After a fork, objects can be used in the child and in the parent, independently.

#include "check.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LENGTH = 5000, HALF = 2000, BUSY = 4, CHILDREN = 20 };

static unsigned char bytes[LENGTH], right[32];
static hashlanes_hasher *hasher;
static hashlanes_manager *manager;
static hashlanes_job job;
static hashlanes_server *server;
static hashlanes_server_hasher *messages[3];

static void begin(void)
{
    hashlanes_done done;
    OK(hashlanes_hasher_create(HASHLANES_SHA256, &hasher));
    OK(hashlanes_hasher_update(hasher, bytes, HALF));
    OK(hashlanes_manager_create(HASHLANES_SHA256, 0, &manager));
    OK(hashlanes_manager_first(manager, NULL, bytes, HALF, NULL, &done));
    OK(hashlanes_manager_flush(manager, &done));
    job = done.job;
    OK(hashlanes_manager_entire(manager, NULL, bytes, LENGTH, NULL, &done));
    OK(hashlanes_server_create(HASHLANES_SHA256, NULL, &server));
    for (int i = 0; i < 3; i++) {
        OK(hashlanes_server_hasher_create(server, NULL, &messages[i]));
        OK(hashlanes_server_hasher_update(messages[i], bytes, HALF));
    }
}

// Finishes all messages, in the parent or in the child.
static void end(void)
{
    unsigned char digest[32];
    hashlanes_done done;
    OK(hashlanes_hasher_update(hasher, bytes + HALF, LENGTH - HALF));
    OK(hashlanes_hasher_finish(hasher, digest, sizeof digest));
    CHECK(memcmp(digest, right, sizeof right) == 0);
    hashlanes_hasher_destroy(hasher);
    OK(hashlanes_manager_last(manager, job, bytes + HALF, LENGTH - HALF, &done));
    for (int i = 0; i < 2; i++) {
        OK(hashlanes_manager_flush(manager, &done));
        CHECK(done.kind == HASHLANES_MESSAGE && memcmp(done.digest, right, sizeof right) == 0);
    }
    hashlanes_manager_destroy(manager);
    for (int i = 0; i < 3; i++) {
        OK(hashlanes_server_hasher_update(messages[i], bytes + HALF, LENGTH - HALF));
        OK(hashlanes_server_hasher_finish(messages[i], digest, sizeof digest));
        CHECK(memcmp(digest, right, sizeof right) == 0);
        hashlanes_server_hasher_destroy(messages[i]);
    }
    hashlanes_server_destroy(server);
}

static void child_succeeds(void (*use)(void))
{
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        alarm(60);
        use();
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void begin_and_end(void)
{
    begin();
    end();
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int stopped;

// Keeps a server busy.
static void *busy(void *shared)
{
    hashlanes_server_hasher *mine;
    OK(hashlanes_server_hasher_create(shared, NULL, &mine));
    for (int stop = 0; !stop;) {
        OK(hashlanes_server_hasher_update(mine, bytes, LENGTH));
        pthread_mutex_lock(&mutex);
        stop = stopped;
        pthread_mutex_unlock(&mutex);
    }
    hashlanes_server_hasher_destroy(mine);
    return NULL;
}

int main(void)
{
    for (size_t i = 0; i < LENGTH; i++)
        bytes[i] = (unsigned char)(i % 251);
    OK(hashlanes_digest(HASHLANES_SHA256, bytes, LENGTH, right, sizeof right));
    begin();
    child_succeeds(end);
    end();

    // Other threads use a server while the process forks. Each child uses only what it creates.
    hashlanes_server *shared;
    pthread_t threads[BUSY];
    OK(hashlanes_server_create(HASHLANES_SHA256, NULL, &shared));
    for (int i = 0; i < BUSY; i++)
        CHECK(pthread_create(&threads[i], NULL, busy, shared) == 0);
    for (int i = 0; i < CHILDREN; i++)
        child_succeeds(begin_and_end);
    pthread_mutex_lock(&mutex);
    stopped = 1;
    pthread_mutex_unlock(&mutex);
    for (int i = 0; i < BUSY; i++)
        CHECK(pthread_join(threads[i], NULL) == 0);
    hashlanes_server_destroy(shared);
    puts("parent and children");
    return 0;
}
