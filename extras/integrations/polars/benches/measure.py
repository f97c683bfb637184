"""Measures the expressions beside those of polars-hash: `cargo xtask engines --measure`.

The expressions of a line run in turns, in memory. Times are medians, ratios medians of the rounds'.
"""

import statistics
import sys
import time

import hashlanes_polars  # noqa: F401
import polars as pl
import polars_hash as plh

ROWS, PARTS = int(sys.argv[1]), sys.argv[2:]
ROUNDS = 3
THREADS = pl.thread_pool_size()
# A column has fewer rows than asked for if it would be larger than this.
BYTES = 1 << 30
# The shortest and longest values of columns.
LENGTHS = {"16": (16, 16), "64": (64, 64), "256": (256, 256), "8..512": (8, 512)}
THEIRS = {
    "md5": plh.col("x").nchash.md5(),
    "sha1": plh.col("x").nchash.sha1(),
    "sha256": plh.col("x").chash.sha2_256(),
}


def column(name):
    """Text of these lengths."""
    shortest, longest = LENGTHS[name]
    rows = min(ROWS, BYTES * 2 // (shortest + longest))
    number = pl.int_range(rows)
    digest = number.cast(pl.String).hashlanes.sha512(hex=True)
    length = shortest + number.hash() % (longest - shortest + 1)
    text = pl.concat_str([digest] * -(-longest // 128)).str.slice(0, length)
    # The change of case copies the values, so that they lie next to each other.
    return pl.select(x=text.str.to_uppercase()).lazy()


def ours(function, **options):
    return getattr(pl.col("x").hashlanes, function)(**options)


def seconds(frame, expression):
    began = time.perf_counter()
    frame.select(expression).collect(engine="streaming" if THREADS > 1 else "in-memory")
    return time.perf_counter() - began


def in_turns(frame, expressions):
    """The times of each expression."""
    rounds = range(ROUNDS)
    return list(zip(*([seconds(frame, expression) for expression in expressions] for _ in rounds)))


def ratio(theirs, our):
    return f"{statistics.median(t / o for t, o in zip(theirs, our)):.2f}"


def line(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def head(*cells):
    print()
    line(*cells)
    line(*["---"] + ["---:"] * (len(cells) - 1))


def functions(name):
    frame = column(name).collect().lazy()
    rows = frame.select(pl.len()).collect().item()
    for function, theirs in THEIRS.items():
        differences = (theirs != ours(function, hex=True)).sum()
        assert frame.select(differences).collect().item() == 0, "digests differ"
        expressions = (theirs, ours(function, hex=True), ours(function))
        times = in_turns(frame, expressions)
        medians = (f"{statistics.median(each) / rows * 1e9:.1f}" for each in times)
        ratios = (ratio(times[0], each) for each in times[1:])
        line(name, rows, THREADS, function, *medians, *ratios)


def whole_query():
    frame = column("64").collect().lazy()
    rows = frame.select(pl.len()).collect().item()
    hashing = (THEIRS["md5"], ours("md5", hex=True))
    times = in_turns(frame, [*hashing, *(digest.n_unique() for digest in hashing)])
    medians = (f"{statistics.median(each):.2f}" for each in times[2:])
    shares = (
        f"{statistics.median(h / q for h, q in zip(hashed, whole)):.2f}"
        for hashed, whole in zip(times[:2], times[2:])
    )
    line("md5().n_unique()", rows, THREADS, *medians, ratio(times[2], times[3]), *shares)


def main():
    parts = PARTS or [*LENGTHS, "queries"]
    versions = f"Polars {pl.__version__}, polars-hash {plh.__version__}"
    print(f"{versions}; the median of {ROUNDS} rounds, with its ratio.")
    columns = [name for name in LENGTHS if name in parts]
    if columns:
        times = ("polars-hash, ns a row", "ours", "ours, Binary")
        ratios = ("polars-hash / ours", "polars-hash / ours, Binary")
        head("bytes", "rows", "threads", "function", *times, *ratios)
    for name in columns:
        functions(name)
    if "queries" in parts:
        times = ("polars-hash, s", "ours, s", "polars-hash / ours")
        shares = ("hashing in polars-hash", "hashing in ours")
        head("query, 64 bytes", "rows", "threads", *times, *shares)
        whole_query()


main()
