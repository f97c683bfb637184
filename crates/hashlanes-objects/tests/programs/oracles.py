"""Compares `hashlanes` with stores and their clients: see `cargo xtask objects`, which runs this.

Each module has a function `check(tool)`.
"""

import argparse
import importlib
import os
import random
import subprocess
import sys
import tempfile
import time

import servers


class Tool:
    """The program `hashlanes`, and a folder for files."""

    def __init__(self, program, folder, count):
        self.program = os.path.abspath(program)
        self.folder = os.path.abspath(folder)
        # The number of faults to inject, or of kills.
        self.count = count
        self.compared = 0
        # That of the last run.
        self.status = None

    def start(self, *arguments, environment={}):
        """Starts the program."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        return subprocess.Popen(
            [self.program, *map(str, arguments)],
            cwd=self.folder,
            env=kept | environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, *arguments, environment={}, status=0):
        """Runs the program and returns its output and its messages."""
        process = self.start(*arguments, environment=environment)
        try:
            lines, messages = process.communicate(timeout=300)
        except subprocess.TimeoutExpired:
            process.kill()
            sys.exit(f"{process.args}: it hangs")
        self.status = process.returncode
        if status is not None and self.status != status:
            sys.exit(
                f"{process.args}: exit status {self.status}, not {status}\n{lines}{messages}"
            )
        for secret in environment.values():
            if len(secret) > 30 and secret in lines + messages:
                sys.exit(f"{process.args} prints a secret")
        return lines, messages

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
    parser = argparse.ArgumentParser()
    parser.add_argument("installed", help="the folder in which the servers are installed")
    parser.add_argument("modules", nargs="*")
    parser.add_argument("--servers", required=True)
    parser.add_argument("--program")
    parser.add_argument("--faults", type=int)
    parser.add_argument("--kills", type=int)
    options = parser.parse_args()
    installed, names = os.path.abspath(options.installed), options.servers.split(",")
    with tempfile.TemporaryDirectory(prefix="hashlanes-", dir=installed) as folder:
        with servers.running(names, folder, installed) as urls:
            if options.program is None:
                for name, url in urls.items():
                    print(name, url, flush=True)
                sys.stdin.read()
            for name in options.modules:
                check(name, Tool(options.program, folder, getattr(options, name, None)))


def check(name, tool):
    begin = time.monotonic()
    importlib.import_module(name).check(tool)
    print(f"{name}: {tool.compared} comparisons in {time.monotonic() - begin:.1f} s", flush=True)


main()
