"""fs-verity and dm-verity, beside `fsverity` and `veritysetup`."""

import filecmp
import os
import subprocess

from common import output

UUID = "11111111-2222-3333-4444-555555555555"


def check(tool):
    fs_verity(tool)
    dm_verity(tool)
    damage(tool)
    if tool.thorough:
        large(tool)


def fs_verity(tool):
    sizes = [0, 1, 4095, 4096, 4097, 255 * 1024, 128 * 4096, 128 * 4096 + 1, 3_000_000]
    if tool.thorough:
        sizes += [128 * 128 * 4096, 128 * 128 * 4096 + 1, 100_000_001]
    variants = [("sha256", 4096, ""), ("sha512", 1024, "0102ff"), ("sha256", 65536, "00" * 32)]
    for length in sizes:
        path = tool.file(length)
        for algorithm, block, salt in variants:
            options = [f"--hash-alg={algorithm}", f"--block-size={block}"]
            ours = ["-a", algorithm, "--block-size", block]
            if salt:
                options.append(f"--salt={salt}")
                ours += ["--salt", salt]
            theirs = output("fsverity", "digest", "--compact", *options, path).strip()
            tool.same(tool.digest("fs-verity", *ours, path), theirs, f"fs-verity of {length}")


def dm_verity(tool):
    counts = [1, 2, 128, 129, 255, 1000]
    if tool.thorough:
        counts += [127, 16383, 16384, 16385, 20000]
    for blocks in counts:
        for kind in (1, 0):
            for salt in ("-", "0011ff", "ab" * 256):
                compare_tree(tool, blocks, 4096, 4096, kind, "sha256", salt)
        for algorithm in ("sha1", "sha512"):
            compare_tree(tool, blocks, 4096, 4096, 1, algorithm, "0011ff")
            compare_tree(tool, blocks, 4096, 4096, 0, algorithm, "0011ff")
        compare_tree(tool, blocks, 512, 4096, 1, "sha256", "00")
        compare_tree(tool, blocks, 4096, 512, 1, "sha256", "00")


def compare_tree(tool, blocks, data_block, hash_block, kind, algorithm, salt):
    """The root hash and each byte of the file; then each verifies the other's."""
    path = tool.file(blocks * data_block)
    theirs, ours = tool.path("theirs.tree"), tool.path("ours.tree")
    for file in (theirs, ours):
        if os.path.exists(file):
            os.remove(file)
    sizes = [f"--data-block-size={data_block}", f"--hash-block-size={hash_block}"]
    common = [f"--salt={salt}", f"--uuid={UUID}", *sizes]
    what = f"dm-verity of {blocks} blocks, {common}, {algorithm}, type {kind}"
    printed = output(
        "veritysetup", "format", f"--format={kind}", f"--hash={algorithm}", *common, path, theirs
    )
    root = next(line for line in printed.splitlines() if "Root hash" in line).split()[-1]
    options = ["--hash-type", kind, "-a", algorithm, "--hash-file", ours, *common]
    tool.same(tool.digest("dm-verity", *options, path), root, what)
    tool.same(filecmp.cmp(ours, theirs, shallow=False), True, f"{what}: the file")
    output("veritysetup", "verify", path, ours, root)
    verified = tool.run("tree", "dm-verity", "--verify", theirs, "--root", root, path)
    tool.same(verified, f"{path}: OK\n", what)


def damage(tool):
    """Both find what was changed in the data, in the tree and in the root hash."""
    path = tool.file(1000 * 4096)
    tree = tool.path("damaged.tree")
    root = tool.digest("dm-verity", "--hash-file", tree, path)
    verify = ["tree", "dm-verity", "--verify", tree, "--root"]
    tool.run(*verify, root, path)
    tool.run(*verify, "0" + root[1:] if root[0] != "0" else "1" + root[1:], path, status=1)
    damaged = tool.path("damaged")
    with open(path, "rb") as file:
        data = bytearray(file.read())
    data[777 * 4096 + 5] ^= 1
    with open(damaged, "wb") as file:
        file.write(data)
    refused = subprocess.run(["veritysetup", "verify", damaged, tree, root], capture_output=True)
    tool.same(refused.returncode != 0, True, "veritysetup and damaged data")
    ours = subprocess.run([tool.program, *verify, root, damaged], capture_output=True, text=True)
    tool.same(ours.returncode, 1, "damaged data")
    tool.same("block 777 differs: bytes 3182592 to 3186688" in ours.stderr, True, ours.stderr)


def large(tool):
    path = tool.sparse(5 << 30)
    theirs = output("fsverity", "digest", "--compact", path).strip()
    tool.same(tool.digest("fs-verity", path), theirs, "fs-verity of 5 GiB")
    os.remove(path)
