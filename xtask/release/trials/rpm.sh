# The program from its RPM package.
timed rpm -i hashlanes-[0-9]*.x86_64.rpm
rpm -V hashlanes
compare_with_sha256sum hashlanes
gzip -dc /usr/share/man/man1/hashlanes-sum.1.gz | grep -q '^\.SH NAME'
has_notices /usr/share/doc/hashlanes ^musl,
rpm -e hashlanes
