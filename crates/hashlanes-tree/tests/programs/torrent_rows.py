"""Benchmarks of torrents and chunks."""

import os
import sys

from measure import Row

LIBTORRENT = """
import os, sys
import libtorrent as lt
path, flag = sys.argv[1:3]
entry = lt.create_file_entry(os.path.basename(path), os.path.getsize(path))
torrent = lt.create_torrent([entry], 0, getattr(lt.create_torrent, flag, 0))
lt.set_piece_hashes(torrent, os.path.dirname(path))
hashes = lt.torrent_info(lt.bencode(torrent.generate())).info_hashes()
print(hashes.v1 if flag == "v1_only" else hashes.v2)
"""

TORF = """
import sys
import torf
torrent = torf.Torrent(sys.argv[1], piece_size=524288)
torrent.generate(threads=2)
print(torrent.infohash)
"""


def rows(tool, path):
    def python(program, *arguments):
        return [sys.executable, "-W", "ignore", "-c", program, path, *arguments]

    def ours(version):
        made = tool.path(f"{version}.torrent")
        return [tool.program, "tree", f"torrent-{version}", "--force", "-o", made, path]

    yield Row(
        "torrent-v1, pieces of 512 KiB",
        ours("v1"),
        {"libtorrent": python(LIBTORRENT, "v1_only"), "torf": python(TORF)},
        "3",
    )
    yield Row("torrent-v2", ours("v2"), {"libtorrent": python(LIBTORRENT, "v2_only")}, "2")
    yield Row("torrent-hybrid", ours("hybrid"), {"libtorrent": python(LIBTORRENT, "hybrid")})
    cut = os.path.join(os.path.dirname(tool.program), "examples", "cut")
    yield Row(
        "`hashlanes dedup`",
        [tool.program, "dedup", path],
        {"only `fastcdc`, one core": [cut, path]},
        "0.83",
    )
