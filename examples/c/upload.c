// upload [PORT [WORKERS]]: an HTTP server that answers each upload with its SHA-256.
//
//     cc upload.c -o upload -pthread $(pkg-config --cflags --libs hashlanes)
//     ./upload 8080 &
//     curl -T photo.raw http://127.0.0.1:8080/
//
// Workers accept connections from a shared socket, and each streams request bodies through its own
// hasher. All hashers belong to one hashlanes_server, so concurrent bodies are hashed side by side,
// whichever workers receive them.
//
// On SIGINT or SIGTERM it stops accepting connections, answers the uploads in progress, and exits.

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <hashlanes.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MAX_WORKERS = 256, HEAD = 16 << 10, BODY = 64 << 10, DIGEST = 32 };

static hashlanes_server *server;
static int listener;
// Becomes readable when the program should end, because the other end is closed.
static int stop;

static void fail(const char *what, const char *why)
{
    fprintf(stderr, "upload: %s: %s\n", what, why);
    exit(1);
}

// A worker's connection. bytes[start..end] has been read but not used yet.
struct connection {
    int socket;
    hashlanes_server_hasher *hasher;
    size_t start, end;
    char bytes[BODY];
};

// Reads more bytes behind the buffered ones. Returns 0 at the end of the connection or on an error.
static size_t fill(struct connection *connection)
{
    ssize_t count;
    if (connection->start > 0) {
        memmove(connection->bytes, connection->bytes + connection->start,
                connection->end - connection->start);
        connection->end -= connection->start;
        connection->start = 0;
    }
    do {
        count = read(connection->socket, connection->bytes + connection->end,
                     sizeof connection->bytes - connection->end);
    } while (count < 0 && errno == EINTR);
    if (count > 0)
        connection->end += (size_t)count;
    return count > 0 ? (size_t)count : 0;
}

static int send_text(int socket, const char *text)
{
    size_t sent = 0, length = strlen(text);
    while (sent < length) {
        ssize_t count = send(socket, text + sent, length - sent, MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return 0;
        sent += (size_t)count;
    }
    return 1;
}

static int answer(int socket, const char *status, const char *text)
{
    char head[512];
    snprintf(head, sizeof head, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n%s", status,
             strlen(text), text);
    return send_text(socket, head);
}

// The value of a header field, or NULL. The head ends with an empty line and a zero byte.
static const char *field(const char *head, const char *name)
{
    size_t length = strlen(name);
    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line, "\r\n")) {
        line += 2;
        if (strncasecmp(line, name, length) == 0 && line[length] == ':')
            return line + length + 1 + strspn(line + length + 1, " \t");
    }
    return NULL;
}

// Reads the head of a request. Returns its length, 0 at the end of the connection, or HEAD if it is
// longer.
static size_t read_head(struct connection *connection, char head[HEAD])
{
    for (;;) {
        size_t length = connection->end - connection->start;
        for (size_t i = 3; i < length && i < HEAD - 1; i++) {
            const char *at = connection->bytes + connection->start + i - 3;
            if (memcmp(at, "\r\n\r\n", 4) == 0) {
                memcpy(head, connection->bytes + connection->start, i + 1);
                head[i + 1] = 0;
                connection->start += i + 1;
                return i + 1;
            }
        }
        if (length >= HEAD - 1)
            return HEAD;
        if (fill(connection) == 0)
            return 0;
    }
}

// Hashes the body as it arrives. Returns false if the connection ends before the body.
static int hash_body(struct connection *connection, unsigned long long length)
{
    while (length > 0) {
        size_t there = connection->end - connection->start;
        if (there == 0) {
            if (fill(connection) == 0)
                return 0;
            continue;
        }
        if (there > length)
            there = (size_t)length;
        if (hashlanes_server_hasher_update(connection->hasher,
                                           connection->bytes + connection->start,
                                           there) != HASHLANES_OK)
            return 0;
        connection->start += there;
        length -= there;
    }
    return 1;
}

// Answers one request. Returns false if the connection should be closed.
static int request(struct connection *connection)
{
    char head[HEAD], text[2 * DIGEST + 2];
    unsigned char digest[DIGEST];
    size_t head_length = read_head(connection, head);
    if (head_length == 0)
        return 0;
    if (head_length == HEAD) {
        answer(connection->socket, "431 Request Header Fields Too Large", "");
        return 0;
    }
    const char *length_field = field(head, "Content-Length");
    char *end = NULL;
    unsigned long long length;
    if (strncmp(head, "PUT ", 4) != 0 && strncmp(head, "POST ", 5) != 0) {
        answer(connection->socket, "405 Method Not Allowed", "PUT or POST a body\n");
        return 0;
    }
    if (!length_field || field(head, "Transfer-Encoding")) {
        answer(connection->socket, "411 Length Required", "");
        return 0;
    }
    errno = 0;
    length = strtoull(length_field, &end, 10);
    if (*length_field < '0' || *length_field > '9' || errno != 0 || *end != '\r') {
        answer(connection->socket, "400 Bad Request", "");
        return 0;
    }
    const char *expect = field(head, "Expect");
    if (expect && strncasecmp(expect, "100-continue", 12) == 0 &&
        !send_text(connection->socket, "HTTP/1.1 100 Continue\r\n\r\n"))
        return 0;
    if (!hash_body(connection, length) ||
        hashlanes_server_hasher_finish(connection->hasher, digest, sizeof digest) != HASHLANES_OK) {
        // The worker's next connection must start with an empty message.
        hashlanes_server_hasher_reset(connection->hasher);
        return 0;
    }
    for (int i = 0; i < DIGEST; i++)
        snprintf(text + 2 * i, 3, "%02x", digest[i]);
    strcpy(text + (size_t)2 * DIGEST, "\n");
    return answer(connection->socket, "200 OK", text);
}

// Waits until a socket is readable. Returns false if the program should end first. If both happen
// at once, a `new` connection still gets one answer.
static int wait_for(int socket, int new)
{
    struct pollfd both[2] = {{stop, POLLIN, 0}, {socket, POLLIN, 0}};
    while (poll(both, 2, -1) < 0)
        if (errno != EINTR)
            return 0;
    return both[0].revents == 0 || (new && both[1].revents != 0);
}

static void *work(void *argument)
{
    struct connection *connection = argument;
    while (wait_for(listener, 0)) {
        int new = 1;
        connection->socket = accept(listener, NULL, NULL);
        // The listener is non-blocking, because another worker may accept the connection first.
        if (connection->socket < 0)
            continue;
        connection->start = connection->end = 0;
        while ((connection->start < connection->end || wait_for(connection->socket, new)) &&
               request(connection))
            new = 0;
        close(connection->socket);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    int port = argc > 1 ? atoi(argv[1]) : 0, workers = argc > 2 ? atoi(argv[2]) : 16;
    if (workers < 1 || workers > MAX_WORKERS || port < 0 || port > 65535)
        fail("usage", "upload [PORT [WORKERS]]");
    hashlanes_error error = hashlanes_server_create(HASHLANES_SHA256, NULL, &server);
    if (error != HASHLANES_OK)
        fail("cannot create the server", hashlanes_error_text(error));

    // Blocked in all threads, so that only sigwait receives the signals.
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGINT);
    sigaddset(&signals, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &signals, NULL);

    struct sockaddr_in address = {0};
    socklen_t size = sizeof address;
    int yes = 1, ends[2];
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons((unsigned short)port);
    listener = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 128) != 0 ||
        fcntl(listener, F_SETFL, O_NONBLOCK) != 0 || pipe(ends) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        fail("cannot listen", strerror(errno));
    stop = ends[0];

    static pthread_t threads[MAX_WORKERS];
    static struct connection *connections[MAX_WORKERS];
    for (int i = 0; i < workers; i++) {
        connections[i] = calloc(1, sizeof **connections);
        if (!connections[i])
            fail("cannot start a worker", "out of memory");
        // One hasher per worker rather than per upload: long-lived hashers find peers to share
        // lanes with.
        error = hashlanes_server_hasher_create(server, NULL, &connections[i]->hasher);
        if (error != HASHLANES_OK)
            fail("cannot create a hasher", hashlanes_error_text(error));
        if (pthread_create(&threads[i], NULL, work, connections[i]) != 0)
            fail("cannot start a worker", "cannot create a thread");
    }
    printf("listening at http://127.0.0.1:%d\n", ntohs(address.sin_port));
    fflush(stdout);

    int signal;
    sigwait(&signals, &signal);
    close(ends[1]);
    for (int i = 0; i < workers; i++) {
        pthread_join(threads[i], NULL);
        hashlanes_server_hasher_destroy(connections[i]->hasher);
        free(connections[i]);
    }
    hashlanes_server_stats stats;
    if (hashlanes_server_stats_now(server, &stats) == HASHLANES_OK)
        printf("%llu uploads, %llu bytes, %.1f lanes on average\n",
               (unsigned long long)stats.messages, (unsigned long long)stats.bytes,
               stats.mean_lanes);
    hashlanes_server_destroy(server);
    close(listener);
    close(stop);
    return 0;
}
