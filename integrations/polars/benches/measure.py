"""Measures the expressions beside those of polars-hash, in turns, and prints Markdown.

    cargo xtask polars --measure
"""

import argparse
import os
import time

import hashlanes_polars  # noqa: F401
import numpy as np
import polars as pl
import polars_hash as plh

TURNS = 5
LENGTHS = {"16": (16, 16), "64": (64, 64), "256": (256, 256), "8 to 512": (8, 512)}
THEIRS = {
    "md5": plh.col("x").nchash.md5(),
    "sha1": plh.col("x").nchash.sha1(),
    "sha256": plh.col("x").chash.sha2_256(),
}


def column(rows, shortest, longest):
    """Random text of lengths between these."""
    random = np.random.default_rng(1)
    lengths = random.integers(shortest, longest, rows, endpoint=True)
    text = random.integers(97, 122, lengths.sum(), dtype=np.uint8, endpoint=True).tobytes().decode()
    ends = lengths.cumsum()
    return pl.Series("x", [text[end - size : end] for size, end in zip(lengths, ends)])


def seconds(frame, expression):
    began = time.perf_counter()
    frame.select(expression).collect(engine="streaming" if THREADS > 1 else "in-memory")
    return time.perf_counter() - began


def in_turns(frame, theirs, ours):
    """The shortest time of each."""
    times = [(seconds(frame, theirs), seconds(frame, ours)) for _ in range(TURNS)]
    return [min(column) for column in zip(*times)]


def functions(rows):
    print("| bytes | call | cores | polars-hash, ns a row | hashlanes | times | binary |")
    print("|---|---|---|---|---|---|---|")
    for name, (shortest, longest) in LENGTHS.items():
        frame = column(rows, shortest, longest).to_frame().lazy()
        for function, theirs in THEIRS.items():
            ours = getattr(pl.col("x").hashlanes, function)
            # Every result is compared before it is measured.
            assert frame.select(ours(hex=True)).collect().equals(frame.select(theirs).collect())
            other, hexadecimal = in_turns(frame, theirs, ours(hex=True))
            binary = min(seconds(frame, ours()) for _ in range(TURNS))
            other, hexadecimal, binary = (1e9 * t / rows for t in (other, hexadecimal, binary))
            print(
                f"| {name} | `{function}` | {THREADS} | {other:.1f} | {hexadecimal:.1f} "
                f"| {other / hexadecimal:.2f} | {binary:.1f} |"
            )


def whole_query(rows):
    frame = column(rows, 64, 64).to_frame().lazy()
    ours = pl.col("x").hashlanes.md5(hex=True)
    hashing = in_turns(frame, THEIRS["md5"], ours)
    whole = in_turns(frame, THEIRS["md5"].n_unique(), ours.n_unique())
    print("\n| query, 64 bytes | polars-hash, ms | of it hashing | hashlanes | of it | times |")
    print("|---|---|---|---|---|---|")
    parts = [100 * h / w for h, w in zip(hashing, whole)]
    print(
        f"| `md5().n_unique()` | {1e3 * whole[0]:.0f} | {parts[0]:.0f} % "
        f"| {1e3 * whole[1]:.0f} | {parts[1]:.0f} % | {whole[0] / whole[1]:.2f} |"
    )


parser = argparse.ArgumentParser()
parser.add_argument("rows", type=int)
ROWS = parser.parse_args().rows
THREADS = pl.thread_pool_size()

if __name__ == "__main__":
    print(f"\n{ROWS} rows, {THREADS} threads; the shortest of {TURNS} turns\n")
    functions(ROWS)
    whole_query(ROWS)
