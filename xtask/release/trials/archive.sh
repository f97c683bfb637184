# The program from its archive, in a folder that has no C library, as if it were another system.
mkdir -p /bare/bin /bare/dist
cp -a /usr/share/doc /bare
ln hashlanes-v*-x86_64-unknown-linux-musl.tgz /bare/dist
for name in sh tar gzip sha256sum; do
    ln "$(command -v busybox)" "/bare/bin/$name"
done
inside() { chroot /bare /bin/sh -c "$1"; }
timed inside 'cd /dist && tar -xzf hashlanes-v*-x86_64-unknown-linux-musl.tgz'
timed inside '/dist/hashlanes-v*-x86_64-unknown-linux-musl/hashlanes sum -r /doc >/ours'
has_notices /bare/dist/hashlanes-v*-x86_64-unknown-linux-musl ^musl,
inside 'sha256sum -c /ours >/checked'
[ "$(wc -l </bare/checked)" -gt 50 ]
