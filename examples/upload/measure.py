#!/usr/bin/env python3
"""Measures CPU seconds per GB uploaded with one HashServer, with plain hashers and without hashing.

Each kind of hashing has its own process, which lives through the whole run. wrk (Debian package
wrk) uploads random bodies to them in turn, A B C A B C, and put.lua checks both digests of every
answer. The figure is the CPU time of the endpoint's process during a turn, divided by the bytes
received. The best turn of each kind counts.

    cargo build --release -p hashlanes-upload && examples/upload/measure.py
"""

import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
KINDS = ["server", "plain", "none"]
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}


def size(text):
    match = re.fullmatch(r"(\d+)(KiB|MiB)", text)
    if not match:
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 64KiB or 8MiB")
    return int(match[1]) * UNITS[match[2]]


def facts(text):
    """A dictionary from lines with a name and a value each."""
    return dict(line.split(" ", 1) for line in text.splitlines() if " " in line)


class Endpoint:
    def __init__(self, kind, options):
        command = [options.endpoint, "--listen", "127.0.0.1:0"]
        command += ["--hashing", kind, "--threads", str(options.threads)]
        self.kind = kind
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        line = self.process.stdout.readline()
        if not line.startswith("listening at "):
            sys.exit(f"measure.py: {' '.join(command)}: did not start")
        self.url = line.split()[-1]

    def report(self):
        with urllib.request.urlopen(self.url) as answer:
            return facts(answer.read().decode())

    def turn(self, bodies, connections, length, seconds):
        """The CPU seconds per GB, the throughput and other results of one turn of wrk."""
        # Long enough for several uploads on each connection.
        seconds = max(seconds, connections * length // 100_000_000)
        command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s"]
        command += ["--timeout", "60s", "-s", HERE.parent / "put.lua", self.url, "--"]
        command.append(bodies / ("unhashed" if self.kind == "none" else "hashed"))
        before = self.report()
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        after = self.report()
        wrk = facts(text)
        answers, wrong, errors = (int(wrk[name]) for name in ["answers", "wrong", "errors"])
        if answers == 0 or wrong > 0 or errors > 0:
            counts = f"{answers} answers, {wrong} wrong, {errors} errors"
            sys.exit(f"measure.py: {self.kind}: {counts}\n{text}")
        cpu, received = (
            float(after[name]) - float(before[name]) for name in ["cpu_seconds", "bytes"]
        )
        return cpu / received * 1e9, received / 1e9 / seconds, answers, wrk, lanes(before, after)


def lanes(before, after):
    """Messages hashed side by side on average in this turn, for MD5 and for SHA-256."""
    def figures(report, name):
        # Leave out the kernels' statistics that follow: they also have `bytes`.
        totals, _, _ = report[name].partition("kernels")
        stats = {key: float(value) for key, value in re.findall(r"(\w+): ([\d.]+)", totals)}
        # The bytes of the busiest lane: those hashed without sharing, and its share of the rest.
        unshared = stats["bytes"] - stats["bytes_shared"]
        return stats["bytes"], unshared + stats["bytes_shared"] / max(stats["mean_lanes"], 1)

    def mean(name):
        (old, old_lane), (new, new_lane) = figures(before, name), figures(after, name)
        return (new - old) / max(new_lane - old_lane, 1)

    return mean("md5"), mean("sha256")


def bodies(folder, count, length):
    """Writes folders of random bytes with the answers that put.lua expects: the digests of hashlib,
    or any."""
    hashed, unhashed = folder / "hashed", folder / "unhashed"
    for each in [hashed, unhashed]:
        each.mkdir(parents=True)
    for number in range(count):
        name, body = f"body{number}", os.urandom(length)
        (hashed / name).write_bytes(body)
        (unhashed / name).hardlink_to(hashed / name)
        md5, sha256 = hashlib.md5(body).hexdigest(), hashlib.sha256(body).hexdigest()
        for each, answer in [(hashed, f"{md5} {sha256}"), (unhashed, "none any")]:
            with open(each / "requests", "a") as requests:
                print(f"{name} /{name} {answer}\n", file=requests)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    program = HERE.parents[1] / "target/release/upload"
    parser.add_argument("--endpoint", default=program, help="the program to measure")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 16, 64])
    sizes = [size("64KiB"), size("1MiB"), size("8MiB")]
    parser.add_argument("--sizes", type=size, nargs="+", default=sizes)
    seconds = "minimum seconds per turn; more if uploads take long"
    parser.add_argument("--seconds", type=int, default=3, help=seconds)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2, help="threads of the endpoint")
    options = parser.parse_args()
    if not shutil.which("wrk"):
        sys.exit("measure.py: wrk is missing (Debian package: wrk)")
    endpoints = [Endpoint(kind, options) for kind in KINDS]
    print(
        "| connections | body | CPU s/GB: server | plain | no hashing "
        "| hashing only: server | plain | saved of hashing | of total "
        "| GB/s: server | plain | lanes: MD5 | SHA-256 | p99 ms: server | plain |"
    )
    print("|" + "---:|" * 15)
    with tempfile.TemporaryDirectory() as folder:
        for length in options.sizes:
            here = pathlib.Path(folder) / str(length)
            bodies(here, 8, length)
            for connections in options.connections:
                best = {}
                for _ in range(options.turns):
                    for endpoint in endpoints:
                        turn = endpoint.turn(here, connections, length, options.seconds)
                        best_so_far = best.get(endpoint.kind, turn)
                        best[endpoint.kind] = min(best_so_far, turn, key=lambda turn: turn[0])
                row(connections, length, *(best[kind] for kind in KINDS))
            shutil.rmtree(here)
    for endpoint in endpoints:
        endpoint.process.kill()


def row(connections, length, server, plain, none):
    unit = "MiB" if length >= 1 << 20 else "KiB"
    of_hashing, of_all = (1 - (server[0] - less) / (plain[0] - less) for less in [none[0], 0])
    print(
        f"| {connections} | {length // UNITS[unit]} {unit} "
        f"| {server[0]:.3f} | {plain[0]:.3f} | {none[0]:.3f} "
        f"| {server[0] - none[0]:.3f} | {plain[0] - none[0]:.3f} | {of_hashing:.0%} | {of_all:.0%} "
        f"| {server[1]:.2f} | {plain[1]:.2f} | {server[4][0]:.1f} | {server[4][1]:.1f} "
        f"| {float(server[3]['p99_ms']):.1f} | {float(plain[3]['p99_ms']):.1f} |",
        flush=True,
    )


if __name__ == "__main__":
    main()
