# The libraries for C from their Debian packages: with pkg-config, CMake and meson.
timed dpkg -i libhashlanes*_amd64.deb
cd /trials/c
timed cc program.c $(pkg-config --cflags --libs hashlanes) -o /tmp/program
gives_the_digest /tmp/program
timed cc isal.c $(pkg-config --cflags --libs hashlanes_isal) -o /tmp/isal
gives_the_digest /tmp/isal
cc isal.c $(pkg-config --cflags --libs hashlanes_isal-static) -o /tmp/isal-static
gives_the_digest /tmp/isal-static
cmake_project() { cmake -S . -B /tmp/cmake >/dev/null && cmake --build /tmp/cmake >/dev/null; }
timed cmake_project
gives_the_digest /tmp/cmake/with_shared
gives_the_digest /tmp/cmake/with_static
# Found below /lib, which is a link to /usr/lib.
PATH=/bin:$PATH cmake -S . -B /tmp/merged >/dev/null
cmake --build /tmp/merged >/dev/null
gives_the_digest /tmp/merged/with_shared
# As a range of versions, at both of its ends.
wanted() { sed "s/(hashlanes /&$1 /" CMakeLists.txt >/tmp/range/CMakeLists.txt; }
configured() { wanted "$1"; cmake -S /tmp/range -B /tmp/range/build >/dev/null 2>&1; }
mkdir /tmp/range
cp program.c /tmp/range
version=$(pkg-config --modversion hashlanes)
for range in 0.1...99 "0.1...$version" "$version...<99"; do
    configured "$range"
done
for range in "0.1...<$version" "99...100"; do
    ! configured "$range" || false
done
meson_project() { meson setup /tmp/meson >/dev/null && meson compile -C /tmp/meson >/dev/null; }
timed meson_project
gives_the_digest /tmp/meson/with_shared
gives_the_digest /tmp/meson/with_static
# A package of a program learns what it needs.
mkdir -p /tmp/debian
touch /tmp/debian/control
cd /tmp
runtime=$(cd /dist && echo libhashlanes[0-9]*_amd64.deb)
runtime=${runtime%%_*}
dpkg-shlibdeps -O program isal | grep -F "$runtime (>= $version)"
has_notices /usr/share/doc/libhashlanes-dev ^zeroize
has_notices "/usr/share/doc/$runtime" ^zeroize
dpkg -r libhashlanes-dev
# Programs still run.
gives_the_digest /tmp/program
gives_the_digest /tmp/isal
dpkg -r "$runtime"
