#!/usr/bin/env bash
# Measures the wall time and CPU time of `hashlanes sum` and its peers on the same files in memory.
#
#   cargo build --release && crates/hashlanes-cli/benches/files.sh [ROUNDS]
#
# There are two sets of random files in /dev/shm (1.2 GB): 10,000 of 16 KiB, and 32 of 32 MiB. In
# every round each program runs once on each set, one after another, so a noisy neighbour affects
# all of them, and the best round counts. On a machine that is never idle, the CPU time is more
# meaningful. The digests are first compared with those of coreutils. A program that is not
# installed gets no row (packages: openssl, rhash, b3sum, hashdeep).
set -euo pipefail

rounds=${1:-5}
hashlanes=${HASHLANES:-$(cd "$(dirname "$0")/../../.." && pwd)/target/release/hashlanes}
directory=$(mktemp -d /dev/shm/hashlanes.XXXXXX)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

mkdir small large
head -c $((10000 * 16384)) /dev/urandom | split -a 4 -d -b 16384 - small/
head -c $((32 << 25)) /dev/urandom | split -a 2 -d -b 33554432 - large/
for set in small large; do find $set -type f -print0 | LC_ALL=C sort -z > $set.list; done

algorithms='md5 sha1 sha256 sha512'
declare -A command best
order=()
add() { # NAME PROGRAM [COMMAND], to which the set's files are appended
    command -v "$2" > /dev/null || return 0
    order+=("$1")
    command[$1]=${3:-$1}
}
add cat cat
for algorithm in $algorithms; do
    sum="sum -a $algorithm"
    add "hashlanes $sum" "$hashlanes" "$hashlanes $sum"
    add "hashlanes $sum --threads 1" "$hashlanes" "$hashlanes $sum --threads 1"
    add "${algorithm}sum" "${algorithm}sum"
    add "openssl dgst -$algorithm" openssl
    add "rhash --$algorithm" rhash
done
add 'hashdeep -c md5' hashdeep
add b3sum b3sum

for algorithm in $algorithms; do
    for set in small large; do
        cmp <(xargs -0 "$hashlanes" sum -a "$algorithm" < $set.list) \
            <(xargs -0 "${algorithm}sum" < $set.list)
    done
done

TIMEFORMAT='%3R %3U %3S'
keep() { # KEY MILLISECONDS
    if [[ -z ${best[$1]:-} ]] || (($2 < best[$1])); then best[$1]=$2; fi
}
for ((round = 0; round < rounds; round++)); do
    for name in "${order[@]}"; do
        for set in small large; do
            # shellcheck disable=SC2086 # the command is several words
            times=$({
                time xargs -0 -n 10000 -s 1000000 ${command[$name]} < $set.list > /dev/null
            } 2>&1)
            read -r wall user system <<< "${times//./}"
            keep "$name $set wall" $((10#$wall))
            keep "$name $set cpu" $((10#$user + 10#$system))
        done
    done
done

echo "| best of $rounds, ms: wall (CPU) | 10,000 x 16 KiB | 32 x 32 MiB |"
echo '|---|---:|---:|'
for name in "${order[@]}"; do
    echo "| \`$name\` | ${best["$name small wall"]} (${best["$name small cpu"]})" \
        "| ${best["$name large wall"]} (${best["$name large cpu"]}) |"
done
