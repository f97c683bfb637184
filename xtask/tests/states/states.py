#!/usr/bin/env python3
"""Saved states, written in one face and continued in another.

Each face is a program that answers a line with a line (`face.*`):

    load FILE                 ok                 messages are the first bytes of this file
    save FUNCTION CUT         the state in hexadecimal
    end STATE FROM TO         the digest of the message of the state with these bytes, or `no`
    digest FUNCTION LENGTH    the digest at once

    python3 xtask/tests/states/states.py        a short run, of the faces that are built
    python3 xtask/tests/states/states.py --thorough --need rust,c,go,python,js,js-native,s390x
"""

import argparse
import collections
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
HERE = ROOT / "xtask/tests/states"
TARGET = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
BUILT = TARGET / "states"
LONGEST = 40_000
FUNCTIONS = ("md5 sha1 sha224 sha256 sha384 sha512 sha512-256 sm3 sha3-224 sha3-256 sha3-384 "
             "sha3-512 keccak256 keccak512 shake128 shake256 blake2b blake2s blake3 "
             "sha256d").split()
# Only Rust has these: messages whose output has any length, keys, and HMAC.
OTHERS = "kt128 kt256 turboshake128 turboshake256 cshake128 blake3-keyed blake2b-keyed hmac-sha256"
OTHERS = OTHERS.split()
BATCH = 200


def made(*command, **options):
    """Whether a command succeeds."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, **options)
    except FileNotFoundError as error:
        print(error, file=sys.stderr)
        return False
    if done.returncode:
        print(done.stderr[-1000:], file=sys.stderr)
    return done.returncode == 0


def faces():
    """The commands of the faces that can be built, by name."""
    BUILT.mkdir(parents=True, exist_ok=True)
    found = {}
    cargo = ["cargo", "build", "--quiet", "-p"]
    rust = [*cargo, "hashlanes-capi-tests", "--features", "cost", "--example", "state_face"]
    if made(*rust, cwd=ROOT):
        program = str(TARGET / "debug/examples/state_face")
        found["rust"] = ([program], {})
        found["rust-portable"] = ([program], {"HASHLANES_KERNEL": "portable"})
        found["rust-one-lane"] = ([program], {"HASHLANES_KERNEL": "portable-x4"})
    cross = "s390x-unknown-linux-gnu"
    linker = {**os.environ, "CARGO_TARGET_S390X_UNKNOWN_LINUX_GNU_LINKER": "s390x-linux-gnu-gcc"}
    if made(*rust, "--target", cross, cwd=ROOT, env=linker):
        program = str(TARGET / cross / "debug/examples/state_face")
        found["s390x"] = (["qemu-s390x", "-L", "/usr/s390x-linux-gnu", program], {})
    library = TARGET / "debug/libhashlanes_capi.a"
    static = ["cargo", "rustc", "--quiet", "--crate-type", "staticlib", "-p", "hashlanes-capi"]
    if made(*static, cwd=ROOT) and made(
            "cc", "-O1", "-o", str(BUILT / "c"), str(HERE / "face.c"), str(library),
            "-I", str(ROOT / "crates/hashlanes-capi/include"), "-lm", "-lpthread", "-ldl"):
        found["c"] = ([str(BUILT / "c")], {})
    for name, tags, system in [("go", "", {}), ("go-purego", "purego", {}),
                               ("go-s390x", "", {"GOARCH": "s390x"})]:
        if made("go", "build", "-tags", tags, "-o", str(BUILT / name), str(HERE / "face.go"),
                cwd=ROOT / "go", env={**os.environ, **system}):
            emulator = ["qemu-s390x"] if system else []
            found[name] = ([*emulator, str(BUILT / name)], {})
    for python in [*TARGET.glob("python/*/bin/python"), sys.executable]:
        if made(str(python), "-c", "import hashlanes; hashlanes.restore"):
            states = ROOT / "crates/hashlanes/tests/suite/states.txt"
            found["python"] = ([str(python), str(HERE / "face.py"), str(states)], {})
            break
    package = TARGET / "web/package/node.js"
    for name, options in [("js", '{"simd":true}'), ("js-portable", '{"simd":false}'),
                          ("js-native", '{"native":true}')]:
        if package.exists():
            found[name] = (["node", str(HERE / "face.mjs"), str(package), options], {})
    return found


class Face:
    def __init__(self, name, command, environment, message):
        self.name = name
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
            env={**os.environ, **environment})
        assert self.ask([f"load {message}"]) == ["ok"], f"{name} does not start"

    def ask(self, lines):
        """Answers, in order."""
        answers = []
        for first in range(0, len(lines), BATCH):
            batch = lines[first:first + BATCH]
            # An answer has at most 4 KiB, and the next batch waits for all of them.
            for part in range(0, len(batch), 8):
                some = batch[part:part + 8]
                self.process.stdin.write("".join(line + "\n" for line in some))
                self.process.stdin.flush()
                for line in some:
                    answer = self.process.stdout.readline().rstrip("\n")
                    assert answer, f"{self.name} ended after {line[:200]!r}"
                    answers.append(answer)
        return answers

    def close(self):
        self.process.stdin.close()
        assert self.process.wait() == 0, f"{self.name} failed"


def length(generator):
    """Any length, often near the edge of a block, a chunk or a leaf."""
    if generator.random() < 0.5:
        unit = generator.choice([1, 64, 72, 104, 128, 136, 144, 168, 1024, 2048, 8192])
        most = max(1, min(LONGEST // unit - 1, 40))
        return max(0, unit * generator.randint(0, most) + generator.choice([-1, 0, 0, 1]))
    return int(2 ** generator.uniform(0, 12.5))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=4000, help="cuts")
    parser.add_argument("--thorough", action="store_true", help="a million cuts")
    parser.add_argument("--need", default="", help="faces that must not be missing")
    parser.add_argument("--seed", type=int, default=time.time_ns() % 2**32)
    options = parser.parse_args()
    count = 1_000_000 if options.thorough else options.count
    generator = random.Random(options.seed)
    BUILT.mkdir(parents=True, exist_ok=True)
    message = BUILT / "message"
    message.write_bytes(generator.randbytes(2 * LONGEST))
    commands = faces()
    missing = set(filter(None, options.need.split(","))) - set(commands)
    if missing:
        sys.exit(f"not built: {', '.join(sorted(missing))}")
    everyone = {name: Face(name, *face, message) for name, face in commands.items()}
    rust = [name for name in everyone if name.startswith("rust") or name == "s390x"]
    # An emulator takes fifty times as long.
    weights = {name: 0.04 if "s390x" in name else 1 for name in everyone}
    print(f"seed {options.seed}, faces: {' '.join(everyone)}", flush=True)
    right, pairs, sizes = {}, collections.Counter(), {}
    begin, left, changes, refused = time.time(), count, 0, 0
    while left > 0:
        group = collections.defaultdict(list)
        for _ in range(min(left, 5000)):
            is_other = generator.random() < 0.1 and rust
            function = generator.choice(OTHERS if is_other else FUNCTIONS)
            able = rust if is_other else list(everyone)
            one, other = generator.choices(able, [weights[name] for name in able], k=2)
            cut = length(generator)
            group[one].append((function, cut, cut + length(generator), other))
        left -= min(left, 5000)
        ends, ask_right = collections.defaultdict(list), set()
        for one, cases in group.items():
            states = everyone[one].ask([f"save {case[0]} {case[1]}" for case in cases])
            for (function, cut, end, other), state in zip(cases, states):
                ends[other].append((one, function, cut, end, state))
                ask_right.add((function, end))
        ask_right = [key for key in ask_right if key not in right]
        digests = everyone[rust[0]].ask([f"digest {name} {end}" for name, end in ask_right])
        right.update(zip(ask_right, digests))
        for other, cases in ends.items():
            answers = everyone[other].ask(
                [f"end {state} {cut} {end}" for _, _, cut, end, state in cases])
            for (one, function, cut, end, state), answer in zip(cases, answers):
                assert answer == right[function, end], (
                    f"{function}: {cut} bytes saved by {one}, continued to {end} by {other}: "
                    f"{answer}, not {right[function, end]}; {state}")
                pairs[one, other] += 1
                sizes[function] = max(sizes.get(function, 0), len(state) // 2)
            # Every byte of a state in turn is changed.
            changed = []
            for at, (one, function, cut, end, state) in enumerate(cases[:max(1, len(cases) // 50)]):
                places = range(0, len(state), 2)
                if "s390x" in other:
                    places = places[at % 16::16]
                for place in places:
                    byte = int(state[place:place + 2], 16) ^ generator.randint(1, 255)
                    bad = f"{state[:place]}{byte:02x}{state[place + 2:]}"
                    changed.append((f"end {bad} {cut} {end}", function, end))
            answers = everyone[other].ask([line for line, *_ in changed])
            for answer, (line, function, end) in zip(answers, changed):
                assert answer != right[function, end], f"{other} reads a changed state: {line}"
                refused += answer == "no"
            changes += len(changed)
    for face in everyone.values():
        face.close()
    print(f"{count} cuts in {len(pairs)} pairs of faces, {changes} states with a changed byte, of "
          f"which {refused} were refused, in {time.time() - begin:.0f} s")
    for function in FUNCTIONS + OTHERS:
        print(f"{function:14} at most {sizes.get(function, 0)} bytes")


main()
