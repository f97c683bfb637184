"""Binary trees, compared with a few lines of Python; many small files; several formats at a
time."""

import hashlib
import os
import subprocess


def root(leaves, algorithm, rfc6962):
    """RFC 6962 section 2.1, transcribed."""
    digest = lambda prefix, data: hashlib.new(algorithm, (prefix if rfc6962 else b"") + data)
    if not leaves:
        return hashlib.new(algorithm).digest()
    if len(leaves) == 1:
        return digest(b"\0", leaves[0]).digest()
    half = 1 << (len(leaves) - 1).bit_length() - 1
    both = [root(some, algorithm, rfc6962) for some in (leaves[:half], leaves[half:])]
    return digest(b"\1", b"".join(both)).digest()


def check(tool):
    for length in (0, 1, 4095, 4096, 4097, 8192, 12288, 50_000, 1_000_001):
        path = tool.file(length)
        with open(path, "rb") as file:
            data = file.read()
        for algorithm, leaf, rfc6962 in (
            ("sha256", 4096, False),
            ("sha256", 4096, True),
            ("sha512", 1000, True),
            ("md5", 65536, False),
        ):
            leaves = [data[at : at + leaf] for at in range(0, length, leaf)]
            options = ["-a", algorithm, "--leaf-size", leaf] + ["--rfc6962"] * rfc6962
            theirs = root(leaves, algorithm, rfc6962).hex()
            tool.same(tool.digest("merkle", *options, path), theirs, f"{options} of {length}")
            if rfc6962 and leaves:
                prove(tool, path, options, theirs, len(leaves))
    many_small(tool)
    together(tool)


def prove(tool, path, options, theirs, count):
    proofs = tool.path("proofs")
    wanted = sorted({0, count // 2, count - 1})
    leaves = ",".join(map(str, wanted))
    with open(proofs, "w") as file:
        file.write(tool.run("tree", "merkle", *options, "--prove", leaves, path))
    lines = "".join(f"{path}: leaf {index}: OK\n" for index in wanted)
    verify = ["tree", "merkle", "--verify", proofs, "--root"]
    tool.same(tool.run(*verify, theirs, path), lines, "proofs")
    other = hashlib.new("sha256" if len(theirs) == 64 else "sha512").hexdigest()
    tool.run(*verify, other, path, status=1)


def many_small(tool):
    """Thousands of files, each with its line, in order."""
    folder = tool.path("many")
    os.makedirs(folder, exist_ok=True)
    paths, expected = [], []
    for i in range(3000):
        data = b"%d" % i * (i % 50)
        path = os.path.join(folder, f"{i:04}")
        with open(path, "wb") as file:
            file.write(data)
        expected.append(f"{hashlib.sha256(data).hexdigest()}  {path}\n")
    tool.same(tool.run("tree", "-r", "glacier", folder), "".join(expected), "many small files")


def together(tool):
    """Several formats at once give the same lines as one at a time, and `check` reads all of
    them."""
    path = tool.file(30_000_007)
    formats = ["s3-etag", "s3-sha1", "s3-sha256", "glacier", "merkle", "fs-verity"]
    lines = tool.run("tree", ",".join(formats), path)
    single = "".join(tool.run("tree", "--tag", name, path) for name in formats)
    tool.same(lines, single, "several formats")
    tool.same(tool.run("check", "-", input=lines), f"{path}: OK\n" * len(formats), "check")
    # A pipe gives the same.
    with open(path, "rb") as file:
        command = [tool.program, "tree", ",".join(formats)]
        piped = subprocess.run(command, input=file.read(), capture_output=True).stdout.decode()
    tool.same(piped.replace("(-)", f"({path})"), lines, "a pipe")
