# Sourced by `run` and `nightly`: timed steps, and a summary of their test results.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
# Nothing is recompiled incrementally here, and nobody reads backtraces.
export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=none

# `run --list` and `nightly --list` print the chores as JSON, for the jobs of a forge.
[ "${1-}" = --list ] && list=true || list=false
chores=()

log=$(mktemp)
times=$(mktemp)
trap 'rm -f "$log" "$times"' EXIT

# Runs a command, prints and logs its output, and records how long it took.
step() {
    if $list; then
        [ "$1" = cargo ] && chores+=("$*")
        return 0
    fi
    printf '\n== %s\n' "$*"
    local began=$SECONDS
    "$@" 2>&1 | tee -a "$log"
    printf '%5s s  %s\n' "$((SECONDS - began))" "$*" | tee -a "$times"
}

summary() {
    if $list; then
        # The chores contain neither backslashes nor double quotes.
        printf '["%s"]\n' "$(printf '%s\n' "${chores[@]}" | sed -z 's/\n$//; s/\n/","/g')"
        return 0
    fi
    printf '\n== how long each step took (%s s in all)\n' "$SECONDS"
    cat "$times"
    printf '\n== test results\n'
    grep -E '^test result|^[0-9]+ passed|^ok  |: [0-9]+ comparisons' "$log"
}
