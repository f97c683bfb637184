"""Measures the extension beside DuckDB's own functions: `cargo xtask duckdb --measure`.

The queries of a line run in turns, in memory. Ratios are medians of the rounds' ratios.
"""

import statistics
import sys
import time

import duckdb

EXTENSION, ROWS = sys.argv[1], int(sys.argv[2])
ROUNDS = 5
# A column has fewer rows than asked for if it would be larger than this.
BYTES = 1 << 30
# The names of columns, and the lengths of their values. 260 bytes are the mean of the mixed ones.
LENGTHS = {
    "16 B": "16",
    "64 B": "64",
    "256 B": "256",
    "260 B": "260",
    "8 to 512 B": "8 + (hash(i) % 505)::BIGINT",
}


def timed(db, query):
    began = time.perf_counter()
    db.execute(query).fetchall()
    return time.perf_counter() - began


def in_turns(db, queries):
    """The times of each query."""
    rounds = [[timed(db, query) for query in queries] for _ in range(ROUNDS + 1)]
    return list(zip(*rounds[1:]))


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


def columns(db):
    """Each function over each column: the whole query, which also reads the column."""
    head(
        "column",
        "threads",
        "function",
        "rows",
        "read, ns a row",
        "own",
        "ours",
        "ours, BLOB",
        "own / ours",
        "own / ours, BLOB",
    )
    alike = {}
    for name, length in LENGTHS.items():
        rows = table(db, length)
        for threads in (1, 2):
            db.execute(f"SET threads = {threads}")
            for function in ("md5", "sha256"):
                ours = f"hashlanes_{function}"
                queries = [
                    f"SELECT max({call}) FROM t"
                    for call in ("x", f"{function}(x)", f"{ours}(x)", f"{ours}_blob(x)")
                ]
                times = in_turns(db, queries)
                median = [statistics.median(each) / rows * 1e9 for each in times]
                alike[name, threads, function] = median[2] - median[0]
                line(
                    name,
                    threads,
                    function,
                    rows,
                    *(f"{each:.1f}" for each in median),
                    ratio(times[1], times[2]),
                    ratio(times[1], times[3]),
                )
    head("8 to 512 B / 260 B, time a byte without reading", "threads", "ratio")
    for threads in (1, 2):
        for function in ("md5", "sha256"):
            mixed, equal = (alike[name, threads, function] for name in ("8 to 512 B", "260 B"))
            line(function, threads, f"{mixed / equal:.2f}")


def whole_queries(db):
    rows = table(db, "64")
    db.execute(
        "CREATE OR REPLACE TABLE u AS SELECT md5(x) AS d, sha256(x) AS s FROM t"
        " USING SAMPLE 10 PERCENT"
    )
    head("query", "threads", "own, s", "ours, s", "own / ours", "share of hashing, own")
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
            ]
            own, ours, read, hashed = in_turns(db, queries)
            share = statistics.median((h - r) / o for h, r, o in zip(hashed, read, own))
            line(
                name,
                threads,
                f"{statistics.median(own):.2f}",
                f"{statistics.median(ours):.2f}",
                ratio(own, ours),
                f"{share:.2f}",
            )
    print(f"\n{rows} rows of 64 B.")


def main():
    db = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    db.execute(f"LOAD '{EXTENSION}'")
    print(f"DuckDB {duckdb.__version__}")
    columns(db)
    whole_queries(db)


main()
