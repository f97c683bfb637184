"""Compares `hashlanes tree` with other programs: oracles.py PROGRAM FOLDER [--thorough] MODULE..

Each module has a function `check(tool)`.
"""

import importlib
import sys
import time

from common import Tool


def main():
    program, folder, *rest = sys.argv[1:]
    tool = Tool(program, folder, "--thorough" in rest)
    for name in (word for word in rest if word != "--thorough"):
        begin, before = time.monotonic(), tool.compared
        importlib.import_module(name).check(tool)
        taken = time.monotonic() - begin
        print(f"{name}: {tool.compared - before} comparisons in {taken:.1f} s", flush=True)


main()
