"""Measures the extension beside DuckDB's own functions: `cargo xtask engines --measure`.

The queries of a line run in turns, in memory. Times are medians, ratios medians of the rounds'.
"""

import statistics
import sys
import time

import duckdb

EXTENSION, ROWS, PARTS = sys.argv[1], int(sys.argv[2]), sys.argv[3:]
ROUNDS = 3
# A column has fewer rows than asked for if it would be larger than this.
BYTES = 1 << 30
# The names of columns, and the lengths of their values.
LENGTHS = {
    "16": "16",
    "64": "64",
    "256": "256",
    "8..512": "8 + (hash(i) % 505)::BIGINT",
    # About as many bytes a block as the mixed lengths.
    "277": "277",
}


def timed(db, query):
    began = time.perf_counter()
    db.execute(query).fetchall()
    return time.perf_counter() - began


def in_turns(db, queries):
    """The times of each query."""
    return list(zip(*([timed(db, query) for query in queries] for _ in range(ROUNDS))))


def ratio(theirs, ours):
    return f"{statistics.median(their / our for their, our in zip(theirs, ours)):.2f}"


def line(*cells):
    print(f"| {' | '.join(map(str, cells))} |", flush=True)


def head(*cells):
    print()
    line(*cells)
    line(*["---"] + ["---:"] * (len(cells) - 1))


def table(db, length):
    [(mean,)] = db.execute(f"SELECT mean({length}) FROM range(1000) t(i)").fetchall()
    rows = min(ROWS, int(BYTES / mean))
    db.execute(
        "CREATE OR REPLACE TABLE t AS"
        f" SELECT left(repeat(md5(i::VARCHAR), 16), {length}) AS x FROM range({rows}) t(i)"
    )
    return rows


def compare(db, function):
    """Compares every digest, which also brings the column into memory."""
    differences = f"{function}(x) IS DISTINCT FROM hashlanes_{function}(x)"
    [(count,)] = db.execute(f"SELECT count(*) FROM t WHERE {differences}").fetchall()
    assert count == 0, f"{count} digests differ"


def column(db, name):
    """Each function over a column: the whole query, which also reads the column."""
    rows = table(db, LENGTHS[name])
    for function in ("md5", "sha256"):
        ours = f"hashlanes_{function}"
        calls = ("x", f"{function}(x)", f"{ours}(x)", f"{ours}_blob(x)")
        compare(db, function)
        for threads in (1, 2):
            db.execute(f"SET threads = {threads}")
            times = in_turns(db, [f"SELECT max({call}) FROM t" for call in calls])
            medians = (f"{statistics.median(each) / rows * 1e9:.1f}" for each in times)
            ratios = (ratio(times[1], each) for each in times[2:])
            line(name, rows, threads, function, *medians, *ratios)


def whole_queries(db):
    rows = table(db, LENGTHS["64"])
    db.execute(
        "CREATE OR REPLACE TABLE u AS SELECT md5(x) AS d, sha256(x) AS s FROM t"
        " USING SAMPLE 10 PERCENT"
    )
    for threads in (1, 2):
        db.execute(f"SET threads = {threads}")
        for name, query, hashing in [
            ("count(DISTINCT md5(x))", "SELECT count(DISTINCT {}md5(x)) FROM t", "md5"),
            ("join on sha256(x)", "SELECT count(*) FROM t JOIN u ON {}sha256(x) = s", "sha256"),
        ]:
            queries = [
                query.format(""),
                query.format("hashlanes_"),
                "SELECT max(x) FROM t",
                f"SELECT max({hashing}(x)) FROM t",
                f"SELECT max(hashlanes_{hashing}(x)) FROM t",
            ]
            own, ours, read, own_hashing, our_hashing = in_turns(db, queries)
            medians = (f"{statistics.median(each):.2f}" for each in (own, ours))
            shares = (
                f"{statistics.median((h - r) / q for h, r, q in zip(hashing, read, whole)):.2f}"
                for hashing, whole in ((own_hashing, own), (our_hashing, ours))
            )
            line(name, rows, threads, *medians, ratio(own, ours), *shares)


def main():
    db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    db.execute(f"LOAD '{EXTENSION}'")
    parts = PARTS or [*LENGTHS, "queries"]
    print(f"DuckDB {duckdb.__version__}; the median of {ROUNDS} rounds, with its ratio.")
    columns = [name for name in LENGTHS if name in parts]
    if columns:
        times = ("read, ns a row", "own", "ours", "ours, BLOB")
        head("bytes", "rows", "threads", "function", *times, "own / ours", "own / ours, BLOB")
    for name in columns:
        column(db, name)
    if "queries" in parts:
        times = ("own, s", "ours, s", "own / ours")
        head("query, 64 bytes", "rows", "threads", *times, "hashing in own", "hashing in ours")
        whole_queries(db)


main()
