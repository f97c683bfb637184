# The program for 64-bit Arm, emulated.
tar -xzf hashlanes-v*-aarch64-unknown-linux-musl.tgz
compare_with_sha256sum qemu-aarch64-static hashlanes-v*-aarch64-unknown-linux-musl/hashlanes
dpkg -x hashlanes_*_arm64.deb /tmp/deb
cmp /tmp/deb/usr/bin/hashlanes hashlanes-v*-aarch64-unknown-linux-musl/hashlanes
