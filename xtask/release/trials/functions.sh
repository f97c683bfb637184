# What the trials share. They run in a clean system, with `sh -eu`, and find what was made in /dist.
cd /dist

# Runs a command, and prints how long it took.
timed() {
    timed_begin=$(date +%s%N)
    "$@"
    timed_took=$((($(date +%s%N) - timed_begin) / 10000000))
    printf 'TIMED %d.%02d s: %s\n' $((timed_took / 100)) $((timed_took % 100)) "$*" >&2
}

# Compares a program's digests of all files in a folder with those of sha256sum.
compare_with_sha256sum() {
    timed "$@" sum -r /usr/share >/tmp/ours
    find /usr/share -type f -print0 | LC_ALL=C sort -z | xargs -0 sha256sum >/tmp/theirs
    cmp /tmp/ours /tmp/theirs
    echo "the same as sha256sum: $(wc -l </tmp/ours) files" >&2
}

# Compares a C program's output with the SHA-1 digest of `abc`.
gives_the_digest() {
    [ "$("$@")" = a9993e364706816aba3e25717850c26c9cd0d89d ]
    echo "the right digest: $*" >&2
}

# Fails unless a folder has the notices of those whose code is linked into what is in it.
has_notices() { grep -q "$2" "$1/THIRD-PARTY.txt" && grep -q Copyright "$1/RUST-LIBRARY.html"; }
