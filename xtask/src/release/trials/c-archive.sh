# The libraries for C from their archive.
timed tar -xzf libhashlanes-v*-x86_64-unknown-linux-gnu.tgz -C /usr/local --strip-components=1
ldconfig
timed cc /trials/c/program.c $(pkg-config --cflags --libs hashlanes) -o /tmp/program
gives_the_digest /tmp/program
timed cc /trials/c/program.c $(pkg-config --cflags --libs hashlanes-static) -o /tmp/static
gives_the_digest /tmp/static
cc /trials/c/isal.c $(pkg-config --cflags --libs hashlanes_isal-static) -o /tmp/isal
gives_the_digest /tmp/isal
