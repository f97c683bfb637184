# The libraries for C for 64-bit Arm, emulated.
for package in libhashlanes*_arm64.deb; do
    dpkg -x "$package" /tmp/arm
done
cd /tmp/arm/usr
libraries=$PWD/lib/aarch64-linux-gnu
run() { qemu-aarch64-static -L /usr/aarch64-linux-gnu -E "LD_LIBRARY_PATH=$libraries" "$@"; }
cc="aarch64-linux-gnu-gcc -Iinclude -Iinclude/hashlanes-isal"
timed $cc /trials/c/program.c -L"$libraries" -lhashlanes -o /tmp/program
gives_the_digest run /tmp/program
timed $cc /trials/c/isal.c -L"$libraries" -lhashlanes_isal -o /tmp/isal
gives_the_digest run /tmp/isal
timed $cc /trials/c/program.c "$libraries/libhashlanes.a" -o /tmp/static
gives_the_digest run /tmp/static
