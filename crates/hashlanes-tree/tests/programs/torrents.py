"""Torrents, compared with libtorrent and torf: created by each, and checked by the others."""

import os
import random
import re
import time

NAMES = ["n", "é", "ö ü", "名前", "a-b", "a b", "z.txt", "Z"]
FOLDERS = ["", "a/", "a/b/", "sub dir/", "é/"]


def check(tool):
    import libtorrent as lt

    piece_lengths(tool)
    piece = 1 << 14
    sizes = [1, piece - 1, piece, piece + 1, 3 * piece, 100_000, 3_000_000]
    if tool.thorough:
        sizes += [2 * piece - 1, 4 * piece, 4 * piece + 1, 64 * piece, 64 * piece + 1, 50_000_001]
    for length in sizes:
        for piece in (None, 1 << 14, 1 << 16):
            compare(tool, tool.file(length), piece)
    # A session can hold each torrent only once.
    sessions = offline(lt), offline(lt)
    for seed in range(30 if tool.thorough else 4):
        path = folder(tool, f"folder-{seed}", random.Random(seed))
        for piece in (None, 1 << 14, 1 << 17):
            compare(tool, path, piece)
        recheck(tool, path, random.Random(seed), *sessions)
    alone = tool.path("alone")
    os.makedirs(alone)
    os.rename(tool.file((1 << 14) + 1), os.path.join(alone, "f"))
    compare(tool, alone, 1 << 14)
    compare(tool, many_small(tool), 1 << 15)
    with_extras(tool)
    if tool.thorough:
        path = tool.sparse(5 << 30)
        compare(tool, path, None)
        os.remove(path)


def piece_lengths(tool):
    import libtorrent as lt

    for exponent in range(14, 25):
        around = (2**exponent) ** 2 // 100
        for total in (around - 1, around, around + 1, around + 2):
            # The whole sparse file would have to be read, so only small ones are made.
            if total > 50_000_000:
                continue
            entry = lt.create_file_entry("x", total)
            theirs = lt.create_torrent([entry], 0, lt.create_torrent.v1_only).piece_length()
            made = make(tool, "v1", tool.sparse(total), None)
            tool.same(made[b"info"][b"piece length"], theirs, f"piece length for {total}")


def folder(tool, name, rng):
    """A folder with files of random lengths, some of them empty, in subfolders."""
    path = tool.path(name)
    for i in range(rng.choice([1, 3, 20])):
        below = os.path.join(path, rng.choice(FOLDERS))
        os.makedirs(below, exist_ok=True)
        length = rng.choice([0, 1, 100, 16383, 16384, 16385, 65536, 200_000])
        with open(os.path.join(below, f"{rng.choice(NAMES)}{i}"), "wb") as file:
            file.write(rng.randbytes(length))
    with open(os.path.join(path, "last"), "wb") as file:
        file.write(b"x")
    return path


def many_small(tool):
    path = tool.path("small")
    os.makedirs(path)
    for i in range(3000):
        with open(os.path.join(path, f"{i}"), "wb") as file:
            file.write(b"%d" % i * (i % 50))
    return path


def listed(path):
    """The names and lengths of files in torrent order. Names start with the folder."""
    if os.path.isfile(path):
        return [(os.path.basename(path), os.path.getsize(path))]
    above = os.path.dirname(path)
    files = [os.path.join(below, name) for below, _, names in os.walk(path) for name in names]
    names = sorted((os.path.relpath(file, above).encode().split(b"/") for file in files))
    names = [b"/".join(name).decode() for name in names]
    return [(name, os.path.getsize(os.path.join(above, name))) for name in names]


def by_libtorrent(path, version, piece):
    import libtorrent as lt

    flags = {"v1": lt.create_torrent.v1_only, "v2": lt.create_torrent.v2_only, "hybrid": 0}
    files = [lt.create_file_entry(name, length) for name, length in listed(path)]
    torrent = lt.create_torrent(files, piece or 0, flags[version])
    lt.set_piece_hashes(torrent, os.path.dirname(path))
    made = torrent.generate()
    # The only field that does not depend on the files.
    del made[b"creation date"]
    return made


def make(tool, version, path, piece, *options, output="ours.torrent"):
    import libtorrent as lt

    output = tool.path(output)
    length = ["--piece-length", piece] if piece else []
    tool.run("tree", f"torrent-{version}", *length, *options, "-f", "-o", output, path)
    with open(output, "rb") as file:
        return lt.bdecode(file.read())


def compare(tool, path, piece):
    """Compares all three versions byte for byte."""
    import libtorrent as lt
    import torf

    for version in ("v1", "v2", "hybrid"):
        ours = make(tool, version, path, piece)
        theirs = by_libtorrent(path, version, piece)
        what = f"torrent {version} of {path}, pieces of {piece}"
        if not loads(lt, theirs):
            # libtorrent sorts the file list of a hybrid torrent by whole paths, with `a-b` before
            # `a/b`. This differs from the order of the file tree, so it rejects its own torrent,
            # but not ours.
            tool.same(version, "hybrid", what)
            tool.same(ours[b"info"][b"file tree"], theirs[b"info"][b"file tree"], what)
            tool.same(ours[b"piece layers"], theirs[b"piece layers"], what)
            tool.same(loads(lt, ours), True, what)
            continue
        tool.same(lt.bencode(ours).hex(), lt.bencode(theirs).hex(), what)
        with open(tool.path("theirs.torrent"), "wb") as file:
            file.write(lt.bencode(theirs))
        above = os.path.dirname(path)
        tool.run("tree", "verify-torrent", "--quiet", tool.path("theirs.torrent"), above)
        if version == "v1" and piece:
            torrent = torf.Torrent(path, piece_size=piece)
            torrent.generate()
            # torf omits empty files, so pieces continue as if these did not exist.
            tool.same(ours[b"info"][b"pieces"], torrent.metainfo["info"]["pieces"], what)
            assert torf.Torrent.read(tool.path("ours.torrent")).verify(path)


def loads(lt, torrent):
    try:
        lt.torrent_info(lt.bencode(torrent))
        return True
    except RuntimeError:
        return False


def recheck(tool, path, rng, damaged_session, whole_session):
    """Compares the bad pieces of a damaged folder with those that libtorrent reports as missing."""
    import libtorrent as lt

    above = os.path.dirname(path)
    names = [name for name, length in listed(path) if length > 0]
    whole = {}
    for version in ("v1", "v2", "hybrid"):
        make(tool, version, path, 1 << 14, output=f"{version}.torrent")
    for name in rng.sample(names, min(3, len(names))):
        file = os.path.join(above, name)
        with open(file, "rb") as opened:
            whole[file] = opened.read()
        damaged = bytearray(whole[file])
        damaged[rng.randrange(len(damaged))] ^= 1
        with open(file, "wb") as opened:
            opened.write(damaged)
    for version in ("v1", "v2", "hybrid"):
        torrent = tool.path(f"{version}.torrent")
        printed = tool.run("check", "--base", above, torrent, status=1)
        ours = []
        for first, last in re.findall(r"^pieces? (\d+)(?:-(\d+))?: FAILED: ", printed, re.M):
            ours += range(int(first), int(last or first) + 1)
        theirs = missing_pieces(lt, damaged_session, torrent, above)
        tool.same(ours, theirs, f"bad pieces of {version} of {path}")
    for file, data in whole.items():
        with open(file, "wb") as opened:
            opened.write(data)
    for version in ("v1", "v2", "hybrid"):
        theirs = missing_pieces(lt, whole_session, tool.path(f"{version}.torrent"), above)
        tool.same([], theirs, f"pieces of {version} of {path}")


def offline(lt):
    """A session that only checks files. Ending a session takes a second."""
    return lt.session(
        {
            "listen_interfaces": "",
            "enable_dht": False,
            "enable_lsd": False,
            "enable_upnp": False,
            "enable_natpmp": False,
            "alert_mask": 0,
        }
    )


def missing_pieces(lt, session, torrent, above):
    """The pieces that libtorrent reports as missing when it checks a torrent's files."""
    parameters = lt.add_torrent_params()
    parameters.ti = lt.torrent_info(torrent)
    parameters.save_path = above
    # Check only: the files exist, and there is no resume data.
    parameters.flags = lt.torrent_flags.upload_mode | lt.torrent_flags.stop_when_ready
    handle = session.add_torrent(parameters)
    checking = (lt.torrent_status.checking_files, lt.torrent_status.checking_resume_data)
    begin = time.monotonic()
    while (status := handle.status()).state in checking or not status.has_metadata:
        if time.monotonic() - begin > 60:
            raise TimeoutError("libtorrent has not checked the torrent in a minute")
        time.sleep(0.01)
    pieces = handle.status(lt.torrent_handle.query_pieces).pieces
    return [number for number, there in enumerate(pieces) if not there]


def with_extras(tool):
    """Trackers, web seeds and so on, as libtorrent reads them, and the magnet link."""
    import libtorrent as lt

    path = tool.file(100_000)
    trackers = ["http://a.example/announce?x=1&y=2", "udp://b.example:80"]
    seeds = ["http://c.example/files/"]
    options = ["--private", "--comment", "ä b", "--source", "S", "--date=1234567890"]
    options += [word for url in trackers for word in ("--announce", url)]
    options += [word for url in seeds for word in ("--web-seed", url)]
    make(tool, "hybrid", path, None, *options)
    torrent = lt.load_torrent_file(tool.path("ours.torrent"))
    info = torrent.ti
    tool.same(list(torrent.trackers), trackers, "trackers")
    tool.same(list(torrent.url_seeds), seeds, "web seeds")
    rest = info.priv(), torrent.comment, torrent.creation_date
    tool.same(rest, (True, "ä b", 1234567890), "comment and date")
    printed = tool.run("tree", "torrent-hybrid", *options, "-f", "-o", tool.path("t.torrent"), path)
    magnet = lt.parse_magnet_uri(printed.splitlines()[-1])
    tool.same(str(magnet.info_hashes.v1), str(info.info_hashes().v1), "infohash")
    tool.same(str(magnet.info_hashes.v2), str(info.info_hashes().v2), "infohash of version 2")
    tool.same(list(magnet.trackers), trackers, "trackers of the link")
    tool.same(magnet.name, os.path.basename(path), "name of the link")
