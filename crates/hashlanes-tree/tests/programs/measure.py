"""Benchmarks `hashlanes tree` against other programs: measure.py PROGRAM FOLDER MODULE..

Each module has a function `rows(tool, path)`, which yields `Row`s. The programs of a row take
turns, and the best of three rounds counts. The file has 1 GiB and is in memory (tmpfs). Each
program is timed as a process, from start to exit.
"""

import importlib
import os
import random
import resource
import subprocess
import sys
import time

from common import Tool

ROUNDS = 3


class Row:
    """One format, computed by our program and by others. A program is a command line."""

    def __init__(self, name, ours, others, goal=""):
        self.name, self.ours, self.others, self.goal = name, ours, others, goal


def timed(command):
    """The wall time and CPU time in seconds, and the output."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.perf_counter()
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    wall = time.perf_counter() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stderr}")
    cpu = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return wall, cpu, done.stdout


# On Linux, the peak memory of a child includes that of its parent at the fork. This parent uses
# only 9 MiB.
PARENT = """
import os, sys
child = os.fork()
if child == 0:
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.execv(sys.argv[1], sys.argv[1:])
_, status, usage = os.wait4(child, 0)
print(usage.ru_maxrss)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def resident(command):
    """The peak memory in KiB."""
    parent = [sys.executable, "-S", "-E", "-c", PARENT]
    return int(timed(parent + command)[2])


def digest_of(text):
    """The longest word of hexadecimal digits, or the last of several: the result that programs
    agree on."""
    words = text.replace("=", " ").split()
    digits = [w for w in words if all(c in "0123456789abcdef-" for c in w) and len(w) >= 32]
    return max(digits, key=lambda word: (len(word), word), default="")


def measure(row):
    commands = {"ours": row.ours, **row.others}
    best, digests = {}, {}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            wall, cpu, text = timed(command)
            digests[name] = digest_of(text)
            best[name] = min(best.get(name, (wall, cpu)), (wall, cpu))
    if len(set(digests.values())) != 1:
        sys.exit(f"{row.name}: the digests differ: {digests}")
    return best


def main():
    program, folder, *modules = sys.argv[1:]
    tool = Tool(program, folder, False)
    path = tool.path("file")
    with open(path, "wb") as file:
        generator = random.Random(1)
        for _ in range(64):
            file.write(generator.randbytes(16 << 20))
    load = os.getloadavg()[0]
    cores = len(os.sched_getaffinity(0))
    print(f"Milliseconds of wall time, with CPU time in parentheses. {cores} cores, load {load}.")
    print()
    print("| format | `hashlanes tree` | compared with | | ratio | goal |")
    print("|---|---:|---|---:|---:|---:|")
    memory = []
    for module in modules:
        for row in importlib.import_module(module).rows(tool, path):
            best = measure(row)
            memory.append((row.name, resident(row.ours)))
            wall, cpu = best.pop("ours")
            for name, (other_wall, other_cpu) in best.items():
                print(
                    f"| {row.name} | {wall * 1e3:.0f} ({cpu * 1e3:.0f}) | {name} "
                    f"| {other_wall * 1e3:.0f} ({other_cpu * 1e3:.0f}) "
                    f"| {other_wall / wall:.1f} | {row.goal} |",
                    flush=True,
                )
    print()
    print("Peak memory of `hashlanes`, in MiB.")
    print()
    print("| format | MiB |")
    print("|---|---:|")
    for name, kib in memory:
        print(f"| {name} | {kib / 1024:.0f} |")


if __name__ == "__main__":
    main()
