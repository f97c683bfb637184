"""fs-verity and dm-verity, compared with `fsverity` and `veritysetup`."""

import filecmp
import os
import subprocess

from common import output

UUID = "11111111-2222-3333-4444-555555555555"


def check(tool):
    fs_verity(tool)
    dm_verity(tool)
    offsets(tool)
    devices(tool)
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
    """Compares the root hash and every byte of the tree file. Then each program verifies the
    other's."""
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
    root = root_of(printed)
    options = ["--hash-type", kind, "-a", algorithm, "--hash-file", ours, *common]
    tool.same(tool.digest("dm-verity", *options, path), root, what)
    tool.same(filecmp.cmp(ours, theirs, shallow=False), True, f"{what}: the file")
    output("veritysetup", "verify", path, ours, root)
    verified = tool.run("tree", "dm-verity", "--verify", theirs, "--root", root, path)
    tool.same(verified, f"{path}: OK\n", what)


def root_of(printed):
    return next(line for line in printed.splitlines() if "Root hash" in line).split()[-1]


def offsets(tool):
    """The tree after the data in the same file, and at an offset in a separate file."""
    uuid, ff = f"--uuid={UUID}", b"\xff"
    for blocks, data_block, hash_block in [(1, 4096, 4096), (300, 4096, 512), (300, 512, 4096)]:
        data = blocks * data_block
        with open(tool.file(data), "rb") as file:
            image = file.read()
        aligned = -data % 4096 + data
        for offset in (data, aligned, aligned + 512, aligned + 4096 * 3):
            theirs, ours = tool.path("theirs.img"), tool.path("ours.img")
            for path in (theirs, ours):
                with open(path, "wb") as file:
                    file.write(image + ff * (1 << 18))
            shared = [
                "--salt=0011ff",
                uuid,
                f"--data-blocks={blocks}",
                f"--hash-offset={offset}",
                f"--data-block-size={data_block}",
                f"--hash-block-size={hash_block}",
            ]
            what = f"dm-verity of {blocks} blocks, {shared}"
            root = root_of(output("veritysetup", "format", *shared, theirs, theirs))
            tool.run("tree", "dm-verity", *shared, "--hash-file", ours, ours, status=1)
            same = tool.digest("dm-verity", *shared, "--force", "--hash-file", ours, ours)
            tool.same(same, root, what)
            tool.same(filecmp.cmp(ours, theirs, shallow=False), True, f"{what}: the file")
            at = f"--hash-offset={offset}"
            output("veritysetup", "verify", at, ours, ours, root)
            verify = ["tree", "dm-verity", "--verify", theirs, "--root", root, at]
            tool.same(tool.run(*verify, theirs), f"{theirs}: OK\n", what)
            tool.run(*verify[:-1], f"--hash-offset={offset + 512}", theirs, status=1)


def devices(tool):
    """Loop devices for the data and the tree, if this machine provides any."""
    image = tool.path("device.img")
    with open(tool.file(300 * 4096), "rb") as data, open(image, "wb") as file:
        file.write(data.read() + bytes(1 << 18))
    attached = subprocess.run(["losetup", "-f", "--show", image], capture_output=True, text=True)
    if attached.returncode != 0:
        print("skipped: block devices, because no loop device is available")
        return
    device = attached.stdout.strip()
    try:
        tree = tool.path("device.tree")
        whole = tool.digest("dm-verity", "--hash-file", tree, device)
        tool.same(whole, tool.digest("dm-verity", image), "dm-verity of a device")
        output("veritysetup", "verify", device, tree, whole)
        shared = ["--data-blocks=300", f"--hash-offset={300 * 4096}"]
        root = tool.digest("dm-verity", *shared, "--force", "--hash-file", device, device)
        tool.same(root, tool.digest("dm-verity", tool.file(300 * 4096)), "a tree on the device")
        output("veritysetup", "verify", shared[1], device, device, root)
        verify = ["tree", "dm-verity", "--verify", device, "--root", root, shared[1], device]
        tool.same(tool.run(*verify), f"{device}: OK\n", "a tree on the device")
        etag = tool.digest("s3-etag", "--part-size=64KiB", device)
        with open(device, "rb") as file:
            piped = subprocess.run(
                [tool.program, "tree", "s3-etag", "--part-size=64KiB"],
                stdin=file,
                capture_output=True,
                text=True,
            )
        tool.same(piped.stdout.split()[0], etag, "the ETag of a device")
    finally:
        subprocess.run(["losetup", "-d", device], check=True)


def damage(tool):
    """Both programs detect changes to the data, the tree and the root hash."""
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
