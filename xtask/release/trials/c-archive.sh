# The libraries for C from their archive. Folders that exist stay as they are.
chown root:staff /usr/local/lib
chmod 2775 /usr/local/lib
mv /usr/local/include /usr/local/elsewhere
ln -s elsewhere /usr/local/include
archive=$(echo libhashlanes-v*-x86_64-unknown-linux-gnu.tgz)
timed tar -xzf "$archive" -C /usr/local --strip-components=1
[ "$(stat -c '%a %U %G' /usr/local/lib)" = '2775 root staff' ]
[ -L /usr/local/include ]
[ -z "$(find /usr/local -maxdepth 1 -type f)" ]
ldconfig
timed cc /trials/c/program.c $(pkg-config --cflags --libs hashlanes) -o /tmp/program
gives_the_digest /tmp/program
timed cc /trials/c/program.c $(pkg-config --cflags --libs hashlanes-static) -o /tmp/static
gives_the_digest /tmp/static
cc /trials/c/isal.c $(pkg-config --cflags --libs hashlanes_isal-static) -o /tmp/isal
gives_the_digest /tmp/isal
has_notices /usr/local/share/doc/hashlanes ^zeroize
tar -tzf "$archive" | cut -d / -f 2- | (cd /usr/local && xargs rm)
[ -z "$(find /usr/local ! -type d -name '*hashlanes*')" ]
