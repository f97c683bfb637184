# The program from its Debian package, with its manual and bash's completion.
timed dpkg -i hashlanes_*_amd64.deb
compare_with_sha256sum hashlanes
# Reading all files is not trying them, so their times of access stay.
mount --bind /dist /mnt
mount -o remount,bind,noatime /mnt
(cd /mnt && hashlanes check SHA256SUMS)
gzip -dc /usr/share/man/man1/hashlanes-sum.1.gz | grep -q '^\.SH NAME'
bash -c '
    . /usr/share/bash-completion/completions/hashlanes
    COMP_WORDS=(hashlanes check --rep) COMP_CWORD=2
    _hashlanes hashlanes --rep check
    [ "${COMPREPLY[*]}" = --report ]'
has_notices /usr/share/doc/hashlanes ^musl,
dpkg -r hashlanes
