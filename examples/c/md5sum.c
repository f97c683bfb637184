// md5sum FILE...: like coreutils' md5sum, with up to 64 files side by side on one core.
#include <hashlanes.h>
#include <stdio.h>
#include <string.h>

enum { FILES = 64, PIECE = 64 << 10 };
static struct file {
    const char *name;
    FILE *stream;
    unsigned char piece[PIECE], digest[16];
} files[FILES];
static hashlanes_manager *manager;

// Submits the next piece of a file whose piece came back, or stores its digest.
static void take(hashlanes_done done)
{
    while (done.kind == HASHLANES_PIECE) {
        struct file *file = done.user;
        size_t length = fread(file->piece, 1, PIECE, file->stream);
        (length == PIECE ? hashlanes_manager_update : hashlanes_manager_last)(
            manager, done.job, file->piece, length, &done);
    }
    if (done.kind == HASHLANES_MESSAGE)
        memcpy(((struct file *)done.user)->digest, done.digest, 16);
}

static int print(struct file *file)
{
    int good = file->stream && !ferror(file->stream);
    for (int i = 0; good && i < 16; i++)
        printf("%02x", file->digest[i]);
    fprintf(good ? stdout : stderr, good ? "  %s\n" : "md5sum: %s: cannot be read\n", file->name);
    if (file->stream)
        fclose(file->stream);
    return good;
}

int main(int argc, char **argv)
{
    int good = 1;
    hashlanes_done done;
    if (hashlanes_manager_create(HASHLANES_MD5, FILES, &manager) != HASHLANES_OK)
        return 1;
    for (int next = 1, count; next < argc; next += count) {
        for (count = 0; count < FILES && next + count < argc; count++) {
            struct file *file = &files[count];
            file->name = argv[next + count];
            file->stream = fopen(file->name, "rb");
            if (file->stream && !hashlanes_manager_first(manager, NULL, NULL, 0, file, &done))
                take(done);
        }
        while (hashlanes_manager_flush(manager, &done) == HASHLANES_OK && done.kind)
            take(done);
        for (int i = 0; i < count; i++)
            good &= print(&files[i]);
    }
    hashlanes_manager_destroy(manager);
    return !good;
}
