"""Benchmarks hashlanes against hashlib, pyarrow, polars-hash and DuckDB, and prints Markdown
tables.

`cargo xtask python --measure` builds the package, installs the others and runs this. The programs
take turns, and the best of several rounds counts. Each answer is compared with hashlib's before it
is timed. Times are in milliseconds: wall time, with the CPU time of all threads in parentheses.
"""

import concurrent.futures
import hashlib
import os
import platform
import random
import time

import duckdb
import hashlanes
import numpy
import polars as pl
import polars_hash as plh
import pyarrow as pa

ROUNDS = 3
MESSAGES = 1_000_000
THREADS = os.cpu_count()
NAMES = ["md5", "sha256"]


class Best:
    """The best wall time and the best CPU time of several rounds, in seconds."""

    def __init__(self):
        self.wall = self.cpu = float("inf")

    def time(self, program):
        wall, cpu = time.perf_counter(), time.process_time()
        result = program()
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        del result
        self.wall, self.cpu = min(self.wall, wall), min(self.cpu, cpu)

    def __str__(self):
        return f"{self.wall * 1e3:.0f} ({self.cpu * 1e3:.0f})"


def in_turns(programs, rounds=ROUNDS):
    """The best times of each program in a dictionary by name."""
    best = {name: Best() for name in programs}
    for _ in range(rounds):
        for name, program in programs.items():
            best[name].time(program)
    return best


def table(title, heads, rows):
    print(f"\n{title}\n")
    print("| " + " | ".join(heads) + " |")
    print("|---" + "|---:" * (len(heads) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |", flush=True)


def with_speedups(first, best):
    """Times, and the speedups relative to the first one."""
    return [f"{b}, {best[first].wall / b.wall:.1f}x" for b in best.values()]


def texts(length, count=MESSAGES):
    """Random strings of hexadecimal digits."""
    digits = random.Random(length).randbytes(count * length // 2).hex()
    return [digits[i : i + length] for i in range(0, len(digits), length)]


def check(name, messages, programs):
    """Compares a sample of each program's digests with hashlib's."""
    sample = range(0, len(messages), len(messages) // 97)
    for program, run in programs.items():
        digests = run()
        for i in sample:
            digest = digests[i]
            digest = digest.as_py() if isinstance(digest, pa.Scalar) else digest
            digest = digest if isinstance(digest, str) else bytes(digest).hex()
            assert digest == hashlib.new(name, messages[i]).hexdigest(), (program, i)


def loops(name, messages):
    new = getattr(hashlib, name)
    return {
        "hashlib, `digest()` in a list": lambda: [new(m).digest() for m in messages],
        "`digest_many`, a list of bytes": lambda: hashlanes.digest_many(messages, name),
        '`digest_many`, `out="numpy"`': lambda: hashlanes.digest_many(messages, name, out="numpy"),
        "the same, `threads=1`": lambda: hashlanes.digest_many(
            messages, name, out="numpy", threads=1
        ),
        "hashlib, `hexdigest()` in a list": lambda: [new(m).hexdigest() for m in messages],
        '`digest_many`, `out="hex"`': lambda: hashlanes.digest_many(messages, name, out="hex"),
    }


def columns(name, messages):
    """Hexadecimal digests of a column, which each program keeps in its own memory."""
    new = getattr(hashlib, name)
    column = pa.array(messages, pa.string())
    frame = pl.DataFrame({"x": pl.Series(column)})
    theirs = plh.col("x").nchash.md5() if name == "md5" else plh.col("x").chash.sha2_256()
    database = duckdb.connect()
    database.sql("create table t as select * from frame")

    def in_duckdb(threads):
        database.execute(f"set threads = {threads}")
        return database.sql(f"select {name}(x) as x from t").to_arrow_table()["x"]

    def in_polars(expression, engine):
        return frame.lazy().select(expression).collect(engine=engine)["x"]

    def in_pyarrow():
        return pa.array([new(m.encode()).hexdigest() for m in column.to_pylist()])

    def in_digest_array(threads, hex=True):
        return hashlanes.digest_array(column, name, hex=hex, threads=threads)

    return {
        "pyarrow and hashlib in a loop": in_pyarrow,
        "DuckDB, 1 thread": lambda: in_duckdb(1),
        f"DuckDB, {THREADS} threads": lambda: in_duckdb(THREADS),
        "polars-hash, in memory": lambda: in_polars(theirs, "in-memory"),
        "polars-hash, streaming": lambda: in_polars(theirs, "streaming"),
        "**`digest_array`**": lambda: in_digest_array(1),
        f"**`digest_array`, {THREADS} threads**": lambda: in_digest_array(THREADS),
        "**`digest_array`, bytes**": lambda: in_digest_array(1, hex=False),
    }


def strings():
    lengths = [16, 64, 256]
    heads = ["1,000,000 strings of", *(f"{length} B" for length in lengths)]
    for name in NAMES:
        many, column = [], []
        for length in lengths:
            messages = texts(length)
            encoded = [message.encode() for message in messages]
            for programs, to in [(loops(name, encoded), many), (columns(name, messages), column)]:
                check(name, encoded, programs)
                best = in_turns(programs)
                cells = with_speedups(next(iter(best)), best)
                to.append(dict(zip(best, cells)))
        for title, measured in [("lists", many), ("columns, in hexadecimal", column)]:
            rows = [[p, *(cells[p] for cells in measured)] for p in measured[0]]
            table(f"{name}, {title}: ms wall (CPU), and speedup over the first row", heads, rows)


def chunks():
    size, count = 64 << 10, 10_000
    data = numpy.random.default_rng(1).integers(0, 256, size * count, dtype="uint8").tobytes()
    pieces = [data[i : i + size] for i in range(0, len(data), size)]
    pool = concurrent.futures.ThreadPoolExecutor(THREADS)
    best = {}
    for name in NAMES:
        new = getattr(hashlib, name)

        def one(piece, new=new):
            return new(piece).digest()

        programs = {
            "hashlib, `digest()` in a list": lambda: [one(piece) for piece in pieces],
            f"hashlib, {THREADS} threads": lambda: list(pool.map(one, pieces, chunksize=100)),
            "**`digest_many`, `threads=1`**": lambda: hashlanes.digest_many(
                pieces, name, threads=1
            ),
            "**`digest_many`**": lambda: hashlanes.digest_many(pieces, name),
            "**`digest_chunks`**": lambda: hashlanes.digest_chunks(data, size, name),
        }
        check(name, pieces, programs)
        best[name] = in_turns(programs)
    cells = {}
    for name, measured in best.items():
        cells[name] = dict(zip(measured, with_speedups(next(iter(measured)), measured)))
    rows = [[program, *(cells[name][program] for name in NAMES)] for program in best["md5"]]
    table("10,000 chunks of 64 KiB: ms wall (CPU)", ["", *NAMES], rows)


def rows():
    count = MESSAGES
    halves = [i * 0.5 for i in range(count)]
    frame = pl.DataFrame({"id": range(count), "mail": texts(20), "n": halves})
    arrow = frame.to_arrow()
    database = duckdb.connect()
    database.sql("create table t as select * from frame")
    joined = pl.concat_str("id", "mail", "n", separator="|")
    theirs = joined.nchash.md5() if hasattr(joined, "nchash") else None

    def in_duckdb(threads):
        database.execute(f"set threads = {threads}")
        return database.sql("select md5(concat_ws('|', id, mail, n)) as x from t").to_arrow_table()

    programs = {
        "DuckDB, `md5(concat_ws(..))`, 1 thread": lambda: in_duckdb(1),
        f"DuckDB, `md5(concat_ws(..))`, {THREADS} threads": lambda: in_duckdb(THREADS),
        "polars-hash, `concat_str(..).nchash.md5()`": lambda: frame.select(theirs),
        "**`digest_rows`**": lambda: hashlanes.digest_rows(arrow, None, "md5", hex=True),
        f"**`digest_rows`, {THREADS} threads**": lambda: hashlanes.digest_rows(
            arrow, None, "md5", hex=True, threads=THREADS
        ),
    }
    best = in_turns(programs)
    cells = with_speedups(next(iter(best)), best)
    title = "1,000,000 rows of a number, a string of 20 B and a float, MD5: ms wall (CPU)"
    table(title, ["", "md5"], [list(row) for row in zip(best, cells)])


def objects():
    lengths = [16, 1 << 10, 64 << 10, 1 << 20]
    results = []
    for name in NAMES:
        for module in [hashlib, hashlanes]:
            results.append([f"`{module.__name__}.{name}(m).digest()`"])
        for length in lengths:
            message = os.urandom(length)
            repeat = range(max(1, (4 << 20) // (length + 100)))

            def run(new):
                for _ in repeat:
                    new(message).digest()

            programs = {m: (lambda m=m: run(getattr(m, name))) for m in [hashlib, hashlanes]}
            best = in_turns(programs, rounds=9)
            for row, module in zip(results[-2:], programs):
                row.append(f"{best[module].wall / len(repeat) * 1e9:,.0f}")
    heads = ["one object, ns", "16 B", "1 KiB", "64 KiB", "1 MiB"]
    table("One message at a time", heads, results)


def repeat_update(new, message, repeat):
    update = new().update
    for _ in repeat:
        update(message)


def repeat_method(method):
    def run(new, message, repeat):
        call = getattr(new(message), method)
        for _ in repeat:
            call()

    return run


def repeat_constructor(new, message, repeat):
    for _ in repeat:
        new(message)


def calls():
    """The cost of single calls, with hashlib and with hashlanes."""
    lengths = [0, 16, 55, 64, 256, 2048]
    programs = {f"`update`, {length} B": (repeat_update, length) for length in lengths}
    programs |= {f"`new(m)`, {length} B": (repeat_constructor, length) for length in lengths[1:4]}
    programs |= {f"`{m}()`": (repeat_method(m), 16) for m in ["digest", "hexdigest", "copy"]}
    rows = [[program] for program in programs]
    heads = ["ns: hashlib, hashlanes"]
    for name in NAMES:
        for kind in [bytes, bytearray]:
            heads.append(f"{name}, {kind.__name__}")
            for row, (program, length) in zip(rows, programs.values()):
                message, repeat = kind(os.urandom(length)), range(200_000 // (100 + length))
                both = {
                    module: (lambda m=module: program(getattr(m, name), message, repeat))
                    for module in [hashlib, hashlanes]
                }
                best = in_turns(both, rounds=99)
                cells = [f"{best[m].wall / len(repeat) * 1e9:.0f}" for m in both]
                row.append(", ".join(cells))
    table("Single calls", heads, rows)


def main():
    start = time.monotonic()
    packages = [hashlanes, numpy, pa, pl, plh, duckdb]
    versions = ", ".join(f"{p.__name__} {getattr(p, '__version__', '')}".strip() for p in packages)
    print(f"{platform.machine()}, {THREADS} CPUs, load {os.getloadavg()[0]:.1f}; Python "
          f"{platform.python_version()}, {versions}; best of {ROUNDS}")
    strings()
    chunks()
    rows()
    objects()
    calls()
    print(f"\n{time.monotonic() - start:.0f} s; load at the end {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
