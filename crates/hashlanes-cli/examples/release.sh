#!/bin/sh
# Signs the 1,000 artefacts of a release, verifies them as a user would, and shows what is printed
# when something is wrong. Needs nothing but `hashlanes` in the PATH:
#
#   sh release.sh
set -u
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

mkdir dist
i=0
while [ $i -lt 1000 ]; do
    echo "content of artefact $i" > "dist/artefact-$i.tar"
    i=$((i + 1))
done

# Once, on a machine that only the maintainers can use: the private key, and release.pem.pub.
hashlanes slh-dsa keygen --set SLH-DSA-SHA2-128f release.pem || exit 1
# In one call, so that several signatures are computed side by side.
hashlanes slh-dsa sign --key release.pem --context 'release 1.0' dist/*.tar || exit 1
echo "signatures: $(find dist -name '*.sig' | wc -l)"

# What users do, who have dist/ and the public key. One line for each file, as sha256sum -c has it.
verify() {
    hashlanes slh-dsa verify --key "$1" --context "$2" dist/*.tar > results 2> messages
    status=$?
    sort messages
    grep -v ': OK$' results
    echo "$(grep -c ': OK$' results) OK, exit status $status"
}

echo '--- as it was released'
verify release.pem.pub 'release 1.0'

echo '--- a file was changed, a signature is missing, and another is incomplete'
echo 'something else' > dist/artefact-7.tar
rm dist/artefact-8.tar.sig
head -c 1000 dist/artefact-9.tar.sig > short && mv short dist/artefact-9.tar.sig
verify release.pem.pub 'release 1.0'

echo '--- what was signed for another release'
verify release.pem.pub 'release 1.1' | tail -n 1

echo '--- by the key of somebody else'
hashlanes slh-dsa keygen --set SLH-DSA-SHA2-128f other.pem || exit 1
verify other.pem.pub 'release 1.0' | tail -n 1
