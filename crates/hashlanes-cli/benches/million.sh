#!/usr/bin/env bash
# Measures wall time, CPU time and memory of `hashlanes sum -r` and its peers on many small files.
#
#   cargo build --release && crates/hashlanes-cli/benches/million.sh [DIRECTORIES [ROUNDS]]
#
# There are 1,000 files of 1 KiB in each of the directories, in /dev/shm (4 KiB of memory each). In
# every round each program runs once, one after another, and the best round counts. The memory is
# the peak of a single process. Programs that accept no directory are run by xargs.
set -euo pipefail

directories=${1:-1000}
rounds=${2:-3}
hashlanes=${HASHLANES:-$(cd "$(dirname "$0")/../../.." && pwd)/target/release/hashlanes}
directory=$(mktemp -d /dev/shm/hashlanes.XXXXXX)
trap 'rm -rf "$directory"' EXIT
cd "$directory"

for ((d = 0; d < directories; d++)); do
    mkdir -p tree/$d
    head -c 1024000 /dev/urandom | split -a 3 -d -b 1024 - tree/$d/
done
find tree -type f -print0 | LC_ALL=C sort -z > list
"$hashlanes" sum -r -a md5 tree > manifest
cmp manifest <(xargs -0 md5sum < list)
"$hashlanes" sum -r -a md5 --resume resumed tree

commands=(
    "xargs -0 -a list cat"
    "$hashlanes sum -r -a md5 tree"
    "$hashlanes sum -r -a md5 --threads 1 tree"
    "$hashlanes sum -r -a sha256 tree"
    "$hashlanes sum -r -a md5 --resume resumed tree"
    "$hashlanes check --quiet manifest"
    "xargs -0 -a list md5sum"
    "md5sum -c --quiet manifest"
    "xargs -0 -a list sha256sum"
    "xargs -0 -a list openssl dgst -md5"
    "rhash --md5 -r tree"
    "hashdeep -c md5 -r tree"
)
declare -A wall cpu memory
for ((round = 0; round < rounds; round++)); do
    for command in "${commands[@]}"; do
        read -ra words <<< "$command"
        program=${words[0]}
        if [[ $program == xargs ]]; then program=${words[4]}; fi
        command -v "$program" > /dev/null || continue
        /usr/bin/time -o time -f '%e %U %S %M' "${words[@]}" > /dev/null
        read -r real user system most < time
        real=$((10#${real//./} * 10))
        used=$(((10#${user//./} + 10#${system//./}) * 10))
        if [[ $real -lt ${wall[$command]:-1000000000} ]]; then wall[$command]=$real; fi
        if [[ $used -lt ${cpu[$command]:-1000000000} ]]; then cpu[$command]=$used; fi
        memory[$command]=$((most / 1024))
    done
done

echo "| $directories,000 files of 1 KiB, best of $rounds | ms: wall (CPU) | MiB |"
echo '|---|---:|---:|'
for command in "${commands[@]}"; do
    [[ -n ${wall[$command]:-} ]] || continue
    name=${command//$hashlanes/hashlanes}
    echo "| \`${name//xargs -0 -a list /}\` | ${wall[$command]} (${cpu[$command]})" \
        "| ${memory[$command]} |"
done
