#!/bin/bash -eu
# Builds all targets into $OUT, with the inputs that each begins with. OSS-Fuzz runs this in its
# image, with variables that say how.
cd "$SRC/hashlanes"
# The image that runs the targets has no OpenSSL.
export OPENSSL_STATIC=1
cargo fuzz build -O --debug-assertions
for target in $(cargo fuzz list); do
    cp "fuzz/target/x86_64-unknown-linux-gnu/release/$target" "$OUT/"
done
cp fuzz/corpus/*_seed_corpus.zip "$OUT/"
