"""Shared code of the checks: the program under test, and files to hash."""

import os
import random
import subprocess
import sys


class Tool:
    """The program `hashlanes`, and a folder for files."""

    def __init__(self, program, folder, thorough):
        self.program = os.path.abspath(program)
        self.folder = os.path.abspath(folder)
        self.thorough = thorough
        self.compared = 0
        os.makedirs(self.folder, exist_ok=True)

    def run(self, *arguments, status=0, input=None):
        """Runs the program and returns its output."""
        command = [self.program, *map(str, arguments)]
        done = subprocess.run(command, capture_output=True, text=True, input=input)
        if done.returncode != status:
            sys.exit(f"{command}: exit status {done.returncode}, not {status}\n{done.stderr}")
        return done.stdout

    def digest(self, *arguments):
        """The digest that `hashlanes tree` prints for one file and one format."""
        return self.run("tree", *arguments).split(" ")[0].rstrip("\n")

    def same(self, ours, theirs, what):
        if ours != theirs:
            sys.exit(f"{what}:\n  ours   {ours}\n  theirs {theirs}")
        self.compared += 1

    def path(self, name):
        return os.path.join(self.folder, name)

    def file(self, length):
        """A file of random bytes. Files of equal length have the same bytes."""
        path = self.path(f"random-{length}")
        if not os.path.exists(path):
            with open(path, "wb") as file:
                file.write(random.Random(length).randbytes(length))
        return path

    def sparse(self, length):
        """A sparse file of zeros, which takes no space."""
        path = self.path(f"sparse-{length}")
        with open(path, "wb") as file:
            file.truncate(length)
        return path


def output(*command):
    """The output of another program."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{command}: exit status {done.returncode}\n{done.stderr}{done.stdout}")
    return done.stdout
