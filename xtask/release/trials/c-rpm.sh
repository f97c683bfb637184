# The libraries for C from their RPM packages. glibc's package has another name in Debian, which has
# libraries in other folders, too.
if rpm -i hashlanes-devel-*.x86_64.rpm; then
    exit 1
fi
timed rpm -i --nodeps hashlanes-libs-*.x86_64.rpm
timed rpm -i hashlanes-devel-*.x86_64.rpm
rpm -V --nodeps hashlanes-libs hashlanes-devel
ldconfig /usr/lib64
export PKG_CONFIG_PATH=/usr/lib64/pkgconfig
timed cc /trials/c/program.c $(pkg-config --cflags --libs hashlanes) -o /tmp/program
gives_the_digest /tmp/program
timed cc /trials/c/isal.c $(pkg-config --cflags --libs hashlanes_isal) -o /tmp/isal
gives_the_digest /tmp/isal
# What packages of programs require, and packages to build.
for program in /tmp/program /tmp/isal; do
    echo "$program" | /usr/lib/rpm/elfdeps --requires | grep hashlanes | while read -r needed; do
        rpm -q --whatprovides "$needed"
    done
done
rpm -q --whatprovides 'pkgconfig(hashlanes)' 'pkgconfig(hashlanes_isal)'
has_notices /usr/share/doc/hashlanes-devel ^zeroize
has_notices /usr/share/doc/hashlanes-libs ^zeroize
rpm -e hashlanes-devel
gives_the_digest /tmp/program
rpm -e hashlanes-libs
