# The libraries for C from their Debian package: with pkg-config, CMake and meson.
timed dpkg -i libhashlanes-dev_*_amd64.deb
cd /trials/c
timed cc program.c $(pkg-config --cflags --libs hashlanes) -o /tmp/program
gives_the_digest /tmp/program
timed cc isal.c $(pkg-config --cflags --libs hashlanes_isal) -o /tmp/isal
gives_the_digest /tmp/isal
cmake_project() { cmake -S . -B /tmp/cmake >/dev/null && cmake --build /tmp/cmake >/dev/null; }
timed cmake_project
gives_the_digest /tmp/cmake/with_shared
gives_the_digest /tmp/cmake/with_static
meson_project() { meson setup /tmp/meson >/dev/null && meson compile -C /tmp/meson >/dev/null; }
timed meson_project
gives_the_digest /tmp/meson/with_shared
gives_the_digest /tmp/meson/with_static
dpkg -r libhashlanes-dev
