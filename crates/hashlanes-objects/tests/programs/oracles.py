"""Compares `hashlanes` with stores and their clients: oracles.py PROGRAM FOLDER MODULE.

Each module has a function `check(tool)`.
"""

import importlib
import os
import random
import subprocess
import sys
import time


class Tool:
    """The program `hashlanes`, and a folder for files."""

    def __init__(self, program, folder):
        self.program = os.path.abspath(program)
        self.folder = os.path.abspath(folder)
        self.compared = 0

    def run(self, *arguments, environment={}, status=0):
        """Runs the program and returns its output and its messages."""
        command = [self.program, *map(str, arguments)]
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=kept | environment,
            capture_output=True,
            text=True,
            timeout=300,
        )
        if status is not None and done.returncode != status:
            sys.exit(
                f"{command}: exit status {done.returncode}, not {status}\n"
                f"{done.stdout}{done.stderr}"
            )
        for secret in environment.values():
            if len(secret) > 30 and secret in done.stdout + done.stderr:
                sys.exit(f"{command} prints a secret")
        return done.stdout, done.stderr

    def same(self, ours, theirs, what):
        if ours != theirs:
            sys.exit(f"{what}:\n  ours   {ours}\n  theirs {theirs}")
        self.compared += 1

    def file(self, name, content):
        """A file with this content, or with so many random bytes."""
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        if isinstance(content, int):
            content = random.Random(name).randbytes(content)
        with open(path, "wb") as file:
            file.write(content)
        return path


def main():
    program, folder, name = sys.argv[1:]
    tool = Tool(program, folder)
    begin = time.monotonic()
    importlib.import_module(name).check(tool)
    print(f"{name}: {tool.compared} comparisons in {time.monotonic() - begin:.1f} s", flush=True)


main()
