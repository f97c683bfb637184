// Computes the answers of the vector file (vectors/digests.txt) in every way: one by one, in
// pieces, as a chunk, behind a prefix, with a manager, with a server, and all answers of an
// algorithm at once.

#include "check.h"

enum { MOST = 100 };

struct line {
    int is_mac;
    size_t key_length, length;
    unsigned char *key, *message;
    unsigned char right[HASHLANES_MAX_DIGEST_LENGTH];
};

static struct line lines[MOST];
static size_t count;
static hashlanes_algorithm algorithm;
static size_t digest_length;
static unsigned char got[HASHLANES_MAX_DIGEST_LENGTH];

static void compare(const struct line *line, const char *way)
{
    if (memcmp(got, line->right, digest_length) != 0) {
        fprintf(stderr, "%s, %s: wrong digest of %zu bytes\n", hashlanes_algorithm_name(algorithm),
                way, line->length);
        exit(1);
    }
    memset(got, 0, sizeof got);
}

static hashlanes_hmac_key *make_key(const struct line *line)
{
    hashlanes_hmac_key *key = NULL;
    if (line->is_mac)
        OK(hashlanes_hmac_key_create(algorithm, line->key, line->key_length, &key));
    return key;
}

static void alone(const struct line *line)
{
    hashlanes_hmac_key *key = make_key(line);
    if (key) {
        OK(hashlanes_hmac(key, line->message, line->length, got, sizeof got));
        OK(hashlanes_hmac_verify(key, line->message, line->length, line->right, digest_length));
    } else {
        OK(hashlanes_digest(algorithm, line->message, line->length, got, sizeof got));
    }
    compare(line, "alone");
    hashlanes_hmac_key_destroy(key);
}

// Hashes a message without a key as one chunk, and in two parts, the first of which is a prefix.
static void as_parts(const struct line *line, size_t cut)
{
    if (line->is_mac)
        return;
    if (line->length > 0) {
        OK(hashlanes_digest_chunks(algorithm, line->message, line->length, line->length, got,
                                   digest_length));
        compare(line, "as a chunk");
    }
    hashlanes_prefix *prefix;
    const void *rest = line->message + cut;
    size_t length = line->length - cut;
    OK(hashlanes_prefix_create(algorithm, line->message, cut, &prefix));
    OK(hashlanes_prefix_digest_many(prefix, &rest, &length, 1, got, digest_length));
    compare(line, "behind a prefix");
    hashlanes_prefix_destroy(prefix);
}

// Hashes a message in two pieces, the first of `cut` bytes.
static void in_pieces(const struct line *line, size_t cut)
{
    hashlanes_hmac_key *key = make_key(line);
    hashlanes_hasher *hasher;
    if (key)
        OK(hashlanes_hmac_hasher(key, &hasher));
    else
        OK(hashlanes_hasher_create(algorithm, &hasher));
    hashlanes_hmac_key_destroy(key);
    OK(hashlanes_hasher_update(hasher, line->message, cut));
    OK(hashlanes_hasher_update(hasher, line->message + cut, line->length - cut));
    OK(hashlanes_hasher_finish(hasher, got, digest_length));
    compare(line, "in pieces");
    hashlanes_hasher_destroy(hasher);
}

static void from_server(const hashlanes_server *server, const struct line *line, size_t cut)
{
    hashlanes_hmac_key *key = make_key(line);
    hashlanes_server_hasher *hasher;
    OK(hashlanes_server_hasher_create(server, key, &hasher));
    hashlanes_hmac_key_destroy(key);
    OK(hashlanes_server_hasher_update(hasher, line->message, cut));
    OK(hashlanes_server_hasher_update(hasher, line->message + cut, line->length - cut));
    OK(hashlanes_server_hasher_finish(hasher, got, digest_length));
    compare(line, "from a server");
    hashlanes_server_hasher_destroy(hasher);
}

// Handles what a manager returns: a digest, or a message whose second half is still to be
// submitted.
static size_t take(hashlanes_manager *manager, hashlanes_done done)
{
    size_t completed = 0;
    while (done.kind != HASHLANES_NOTHING) {
        const struct line *line = done.user;
        if (done.kind == HASHLANES_MESSAGE) {
            CHECK(done.digest_length == digest_length && done.job == 0);
            memcpy(got, done.digest, digest_length);
            compare(line, "from a manager");
            completed++;
            break;
        }
        size_t half = line->length / 2;
        CHECK(done.data == line->message && done.length == half);
        OK(hashlanes_manager_last(manager, done.job, line->message + half, line->length - half,
                                  &done));
    }
    return completed;
}

static void from_manager(size_t capacity)
{
    hashlanes_manager *manager;
    OK(hashlanes_manager_create(algorithm, capacity, &manager));
    size_t completed = 0;
    for (size_t i = 0; i < count; i++) {
        struct line *line = &lines[i];
        hashlanes_hmac_key *key = make_key(line);
        hashlanes_done done;
        if (i % 2)
            OK(hashlanes_manager_first(manager, key, line->message, line->length / 2, line, &done));
        else
            OK(hashlanes_manager_entire(manager, key, line->message, line->length, line, &done));
        hashlanes_hmac_key_destroy(key);
        completed += take(manager, done);
    }
    hashlanes_done done;
    for (;;) {
        OK(hashlanes_manager_flush(manager, &done));
        if (done.kind == HASHLANES_NOTHING)
            break;
        completed += take(manager, done);
    }
    CHECK(completed == count && hashlanes_manager_count(manager) == 0);
    hashlanes_manager_destroy(manager);
}

// Hashes all lines of one kind at once.
static void side_by_side(int macs)
{
    const void *messages[MOST];
    size_t lengths[MOST], many = 0;
    const struct line *from[MOST];
    hashlanes_hmac_key *keys[MOST];
    static unsigned char digests[MOST * HASHLANES_MAX_DIGEST_LENGTH];
    for (size_t i = 0; i < count; i++) {
        if (lines[i].is_mac != macs)
            continue;
        messages[many] = lines[i].message;
        lengths[many] = lines[i].length;
        keys[many] = make_key(&lines[i]);
        from[many++] = &lines[i];
    }
    if (macs)
        OK(hashlanes_hmac_many_keys((const hashlanes_hmac_key *const *)keys, messages, lengths,
                                    many, digests, many * digest_length));
    else
        OK(hashlanes_digest_many(algorithm, messages, lengths, many, digests,
                                 many * digest_length));
    for (size_t i = 0; i < many; i++) {
        memcpy(got, digests + i * digest_length, digest_length);
        compare(from[i], "side by side");
        hashlanes_hmac_key_destroy(keys[i]);
    }
}

static void every_way(void)
{
    hashlanes_server *server;
    if (count == 0)
        return;
    OK(hashlanes_server_create(algorithm, NULL, &server));
    for (size_t i = 0; i < count; i++) {
        alone(&lines[i]);
        as_parts(&lines[i], lines[i].length / 3);
        in_pieces(&lines[i], lines[i].length / 3);
        from_server(server, &lines[i], lines[i].length / 2);
    }
    hashlanes_server_destroy(server);
    from_manager(1);
    from_manager(0);
    side_by_side(0);
    side_by_side(1);
    for (size_t i = 0; i < count; i++) {
        free(lines[i].message);
        free(lines[i].key);
    }
    count = 0;
}

// Reads a line of the file. Returns 0 at its end.
static int read_line(FILE *file, struct line *line, char name[32])
{
    char text[512], kind[16], hex[2 * HASHLANES_MAX_DIGEST_LENGTH + 1];
    do {
        if (!fgets(text, sizeof text, file))
            return 0;
    } while (text[0] == '#');
    line->key_length = 0;
    line->is_mac = strncmp(text, "hmac ", 5) == 0;
    if (line->is_mac)
        CHECK(sscanf(text, "%15s %31s %zu %zu %128s", kind, name, &line->key_length, &line->length,
                     hex) == 5);
    else
        CHECK(sscanf(text, "%15s %31s %zu %128s", kind, name, &line->length, hex) == 4 &&
              strcmp(kind, "digest") == 0);
    for (size_t i = 0; i < strlen(hex) / 2; i++)
        CHECK(sscanf(hex + 2 * i, "%2hhx", &line->right[i]) == 1);
    line->message = message_of(line->length);
    line->key = key_of(line->key_length);
    return 1;
}

int main(int argc, char **argv)
{
    CHECK(argc == 2);
    FILE *file = fopen(argv[1], "r");
    CHECK(file != NULL);
    size_t all = 0, algorithms = 0;
    char name[32];
    struct line line;
    while (read_line(file, &line, name)) {
        hashlanes_algorithm next;
        OK(hashlanes_algorithm_from_name(name, &next));
        if (next != algorithm) {
            every_way();
            algorithm = next;
            algorithms++;
            digest_length = hashlanes_digest_length(algorithm);
        }
        CHECK(count < MOST);
        lines[count++] = line;
        all++;
    }
    every_way();
    fclose(file);
    CHECK(algorithms == hashlanes_algorithm_count());
    printf("%zu lines of %zu algorithms\n", all, algorithms);
    return 0;
}
