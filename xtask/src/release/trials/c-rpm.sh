# The libraries for C from their RPM package. Its dependency on glibc has another name in Debian,
# which has libraries in other folders, too.
timed rpm -i --nodeps hashlanes-devel-*.x86_64.rpm
rpm -V --nodeps hashlanes-devel
ldconfig /usr/lib64
export PKG_CONFIG_PATH=/usr/lib64/pkgconfig
timed cc /trials/c/program.c $(pkg-config --cflags --libs hashlanes) -o /tmp/program
gives_the_digest /tmp/program
