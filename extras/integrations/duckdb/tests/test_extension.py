"""Tests the extension in a real DuckDB, beside its own functions and hashlib.

`cargo xtask engines` runs it for several versions, with the path of the extension.
"""

import datetime
import hashlib
import pathlib
import random
import re
import sys
import tempfile
import threading
import unittest

import duckdb

EXTENSION = pathlib.Path(sys.argv[1]).resolve()
GUIDE = pathlib.Path(__file__).parents[4] / "docs" / "guide"
# The functions, and hashlib has the same names for all algorithms that it has.
NAMES = ["md5", "sha1", "sha224", "sha256", "sha384", "sha512", "sha512_256", "sm3"]
NAMES += ["sha3_224", "sha3_256", "sha3_384", "sha3_512", "blake2b", "blake2s"]
ALGORITHMS = [name for name in NAMES if name in hashlib.algorithms_available]

# The reference implementation of the guide: `frame_row`.
REFERENCE = {}
exec(re.findall(r"```python\n(.*?)```", (GUIDE / "frames.md").read_text(), re.S)[0], REFERENCE)

UTC_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)

comparisons = 0


def connect(database=":memory:", extension=EXTENSION):
    connection = duckdb.connect(database, config={"allow_unsigned_extensions": "true"})
    connection.execute(f"LOAD '{extension}'")
    return connection


def hashed(name, value):
    """hashlib's digest of a text or bytes."""
    value = value.encode() if isinstance(value, str) else value
    return None if value is None else hashlib.new(name, value).digest()


def framed(row, zoned):
    """A row as the reference takes it. One of its values is microseconds of a time with a zone."""
    row = [list(value) if isinstance(value, tuple) else value for value in row]
    if row[zoned] is not None:
        row[zoned] = UTC_EPOCH + datetime.timedelta(microseconds=row[zoned])
    return row


class Extension(unittest.TestCase):
    def setUp(self):
        self.db = connect()
        self.addCleanup(self.db.close)

    def rows(self, query, *parameters):
        return self.db.execute(query, *parameters).fetchall()

    def same(self, got, expected):
        global comparisons
        self.assertEqual(len(got), len(expected))
        for ours, theirs in zip(got, expected):
            self.assertEqual(ours, theirs)
        comparisons += len(got)

    def equal(self, ours, theirs, source):
        """Compares two expressions over the rows of a query."""
        global comparisons
        [(rows, wrong)] = self.rows(
            f"SELECT count(*), count(*) FILTER ({ours} IS DISTINCT FROM {theirs}) FROM ({source})"
        )
        self.assertEqual(wrong, 0, f"{ours} of {source}")
        comparisons += rows

    def test_every_function_agrees_with_hashlib(self):
        lengths = [*range(0, 140), *range(240, 260), 511, 512, 513, 4096, 100_000]
        texts = [None, "ä", "日本", *("x" * length for length in lengths)]
        blobs = [
            None,
            b"\0",
            b"a\0b",
            b"\0" * 12,
            *(random.randbytes(length) for length in lengths),
        ]
        for kind, values in [("VARCHAR", texts), ("BLOB", blobs)]:
            self.db.execute(f"CREATE OR REPLACE TABLE t (n INTEGER, x {kind})")
            self.db.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(values)))
            for name in ALGORITHMS:
                expected = [hashed(name, value) for value in values]
                got = self.rows(
                    f"SELECT hashlanes_{name}(x), hashlanes_{name}_blob(x),"
                    " hashlanes_digest(x, $1), hashlanes_digest_blob(x, $1) FROM t ORDER BY n",
                    [name.replace("_", "-")],
                )
                for hex_column in (0, 2):
                    self.same(
                        [row[hex_column] for row in got],
                        [digest and digest.hex() for digest in expected],
                    )
                    self.same([row[hex_column + 1] for row in got], expected)

    def test_every_length_agrees_with_the_own_functions(self):
        source = (
            "SELECT repeat(chr(97 + (i % 26)::INT), (i * 7919 % 300)::INT) || i AS x"
            " FROM range(60000) t(i)"
        )
        for name in ("md5", "sha1", "sha256"):
            self.equal(f"hashlanes_{name}(x)", f"{name}(x)", source)
            self.equal(f"hashlanes_{name}_blob(x::BLOB)", f"unhex({name}(x))", source)

    def test_chunks_of_every_size(self):
        for length in [0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 2047, 2048, 2049, 4097]:
            source = f"SELECT 'row ' || i AS x FROM range({length}) t(i)"
            self.equal("hashlanes_md5(x)", "md5(x)", source)
            self.equal("hashlanes_sha256(x)", "sha256(x)", source)

    def test_nulls(self):
        nulls = (
            "SELECT CASE WHEN i % 3 = 0 OR i BETWEEN 2000 AND 4500 THEN NULL ELSE 'v' || i END AS x"
            " FROM range(9000) t(i)"
        )
        self.equal("hashlanes_sha256(x)", "sha256(x)", nulls)
        self.equal("hashlanes_md5(x)", "NULL", "SELECT NULL::VARCHAR AS x FROM range(5000)")
        for call in (
            "hashlanes_md5(NULL)",
            "hashlanes_digest(NULL, 'md5')",
            "hashlanes_digest('a', NULL)",
        ):
            self.assertEqual(self.rows(f"SELECT {call}"), [(None,)])

    def test_constants(self):
        self.equal("hashlanes_md5(x)", "md5(x)", "SELECT 'a constant' AS x FROM range(5000)")
        self.equal("hashlanes_md5('a constant')", "md5('a constant')", "SELECT * FROM range(5000)")
        # Folded when the query is planned.
        plan = self.rows("EXPLAIN SELECT hashlanes_md5('a'), range FROM range(3)")[0][1]
        self.assertIn(hashlib.md5(b"a").hexdigest()[:20], plan)
        self.assertNotIn("hashlanes", plan)

    def test_dictionaries(self):
        with tempfile.TemporaryDirectory() as folder:
            path = f"{folder}/dictionary.db"
            database = connect(path)
            database.execute("PRAGMA force_compression='dictionary'")
            database.execute(
                "CREATE TABLE t AS SELECT CASE WHEN i % 11 = 0 THEN NULL ELSE"
                " repeat('country', (i % 7)::INT) || (i % 100) END AS x FROM range(50000) t(i)"
            )
            database.close()
            self.db = connect(path)
            self.equal("hashlanes_sha256(x)", "sha256(x)", "FROM t")
            self.equal("hashlanes_md5(x)", "md5(x)", "FROM t WHERE x LIKE '%country1%'")
            self.equal(
                "hashlanes_digest_rows({'x': x}, 'md5')",
                "hashlanes_digest_rows({'x': x || ''}, 'md5')",
                "FROM t WHERE x IS NOT NULL",
            )
            self.db.close()

    def test_filters_groups_and_joins(self):
        self.db.execute(
            "CREATE TABLE t AS SELECT i, 'user ' || (i % 5000) AS x FROM range(30000) t(i)"
        )
        self.equal("hashlanes_sha1(x)", "sha1(x)", "FROM t WHERE i % 7 = 3")
        self.equal("hashlanes_md5(x)", "md5(x)", "FROM t WHERE hashlanes_md5(x) < '4'")
        self.assertEqual(self.rows("SELECT count(DISTINCT hashlanes_md5(x)) FROM t"), [(5000,)])
        grouped = "SELECT {}(x) AS d, count(*) FROM t GROUP BY ALL ORDER BY d"
        self.same(self.rows(grouped.format("hashlanes_md5")), self.rows(grouped.format("md5")))
        joined = (
            "SELECT count(*) FROM t a JOIN (SELECT DISTINCT x FROM t) b"
            " ON hashlanes_sha256_blob(a.x) = unhex(sha256(b.x))"
        )
        self.assertEqual(self.rows(joined), [(30000,)])

    def test_digests_outlive_their_chunks(self):
        self.db.execute(
            "CREATE TABLE t AS SELECT x, hashlanes_md5(x) AS hex, hashlanes_sha512_blob(x) AS bytes"
            " FROM (SELECT 'value ' || i AS x FROM range(200000) t(i))"
        )
        self.equal("hex", "md5(x)", "FROM t")
        self.equal("bytes", "hashlanes_sha512_blob(x)", "FROM t")

    def test_many_threads(self):
        self.db.execute("SET threads = 8")
        self.db.execute("CREATE TABLE t AS SELECT 'value ' || i AS x FROM range(400000) t(i)")
        self.equal("hashlanes_md5(x)", "md5(x)", "FROM t")
        results = []

        def query():
            cursor = self.db.cursor()
            for name in ("md5", "sha1", "sha256"):
                results.append(
                    cursor.execute(
                        f"SELECT count(*) FROM t WHERE hashlanes_{name}(x) <> {name}(x)"
                    ).fetchone()
                )

        threads = [threading.Thread(target=query) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.same(results, [(0,)] * 12)

    def test_names_of_algorithms(self):
        got = self.rows(
            "SELECT hashlanes_digest('a' || i, ['md5', 'SHA-256', NULL, 'sha512-256'][1 + i % 4])"
            " FROM range(3000) t(i)"
        )
        names = ["md5", "sha256", None, "sha512_256"]
        self.same(
            got, [(names[i % 4] and hashed(names[i % 4], f"a{i}").hex(),) for i in range(3000)]
        )
        with self.assertRaisesRegex(duckdb.Error, "hashlanes_digest: unknown algorithm 'md6'"):
            self.rows(
                "SELECT hashlanes_digest(x, 'md6') FROM (SELECT 'a' || i AS x FROM range(9) t(i))"
            )
        # The connection goes on.
        self.assertEqual(self.rows("SELECT hashlanes_md5('a') = md5('a')"), [(True,)])

    def test_long_values(self):
        self.equal(
            "hashlanes_md5(x)",
            "md5(x)",
            "SELECT repeat('long', 1000000 + i::INT) AS x FROM range(5) t(i)",
        )
        rows = "SELECT {} FROM (SELECT repeat('long', 100000) || i AS x FROM range(50) t(i))"
        values = self.rows(rows.format("x"))
        self.same(
            self.rows(rows.format("hashlanes_digest_rows_blob({'x': x}, 'md5')")),
            [(hashlib.md5(REFERENCE["frame_row"](row)).digest(),) for row in values],
        )

    def test_rows_agree_with_the_guide(self):
        columns = {
            "b": "i % 2 = 0",
            "i8": "(i % 100 - 50)::TINYINT",
            "i16": "(i - 50)::SMALLINT",
            "i32": "(i * 700003)::INTEGER",
            "i64": "i * 1000000007 - 5",
            "u8": "(i % 200)::UTINYINT",
            "u16": "i::USMALLINT",
            "u32": "(4000000000 + i)::UINTEGER",
            "u64": "(18446744073709551615 - i)::UBIGINT",
            "f32": "(i / 8)::FLOAT",
            "f64": "(['nan', '-0.0', '-inf', '0.1'])[1 + i % 4]::DOUBLE",
            "d4": "(i / 100)::DECIMAL(4, 2)",
            "d9": "(i / 100)::DECIMAL(9, 3)",
            "d18": "(-i / 100)::DECIMAL(18, 4)",
            "d38": "(-i / 100)::DECIMAL(38, 10)",
            "day": "DATE '1969-12-01' + i::INTEGER",
            "hour": "TIME '00:00:01.5' + to_seconds(i)",
            "moment": "TIMESTAMP '1969-12-31 23:00:00.000001' + to_seconds(i * 61)",
            "zoned": "(TIMESTAMP '1969-12-31 23:00:00.25' + to_seconds(i * 61))::TIMESTAMPTZ",
            "text": "repeat('t', (i % 30)::INT)",
            "bytes": "('a' || i)::BLOB",
            "list": "[j || 'x' for j in range(i % 5)]",
            "lists": "[[i, NULL], [], NULL]",
            "three": "[i, NULL, i + 2]::BIGINT[3]",
            "nested": "{'a': i, 'b': {'c': 'd' || i, 'e': [i]}}",
            "constant": "'always this text'",
            "null": "NULL",
        }
        rows = 3000
        listed = ", ".join(f'{value} AS "{name}"' for name, value in columns.items())
        self.db.execute(f"CREATE TABLE t AS SELECT {listed} FROM range({rows}) t(i)")
        # DuckDB has no CASE of arrays.
        sparse = ", ".join(
            f'CASE WHEN hash(rowid, {index}) % 4 > 0 THEN "{name}" END AS "{name}"'
            for index, name in enumerate(columns)
            if name != "three"
        )
        self.db.execute(f"CREATE TABLE sparse AS SELECT {sparse} FROM t ORDER BY rowid")
        for table in ("t", "sparse"):
            # Not every Python has the zones that DuckDB asks it for.
            values = self.rows(
                f"SELECT * REPLACE (epoch_us(zoned) AS zoned) FROM {table} ORDER BY rowid"
            )
            zoned = [column[0] for column in self.db.description].index("zoned")
            expected = [REFERENCE["frame_row"](framed(row, zoned)) for row in values]
            for name in ("md5", "sha256"):
                got = self.rows(
                    f"SELECT hashlanes_digest_rows_blob({table}, $1) FROM {table} ORDER BY rowid",
                    [name],
                )
                self.same([row[0] for row in got], [hashed(name, message) for message in expected])

    def test_rows_with_values_that_python_frames_otherwise(self):
        for value, message in [
            (
                "170141183460469231731687303715884105727::HUGEINT",
                b"\x08\0" + b"\xff" * 15 + b"\x7f",
            ),
            ("(-1)::HUGEINT", b"\x08\0" + b"\xff" * 16),
            (
                "INTERVAL '14 months 3 days 4 microseconds'",
                b"\x0f\x0e\0\0\0\x03\0\0\0\xa0\x0f" + bytes(6),
            ),
            (
                "TIMESTAMP_NS '1970-01-01 00:00:01.000000002'",
                b"\x0b\x01" + bytes(7) + b"\x02\0\0\0",
            ),
            ("TIMESTAMP_S '1970-01-01 00:00:01'", b"\x0b\x01" + bytes(11)),
            (
                "TIMESTAMP_MS '1969-12-31 23:59:59.999'",
                b"\x0b" + b"\xff" * 8 + (999_000_000).to_bytes(4, "little"),
            ),
            (
                "MAP {'k': 1}",
                b"\x10\x01"
                + bytes(7)
                + b"\x11\x02"
                + bytes(7)
                + b"\x06\x01"
                + bytes(7)
                + b"k\x03\x01"
                + bytes(7),
            ),
        ]:
            got = self.rows(
                f"SELECT hashlanes_digest_rows_blob({{'x': {value}}}, 'md5') FROM range(2)"
            )
            self.same(got, [(hashlib.md5(message).digest(),)] * 2)

    def test_null_structs_have_no_digest(self):
        got = self.rows(
            "SELECT hashlanes_digest_rows(CASE WHEN i % 2 = 0 THEN {'i': i} END, 'md5') IS NULL"
            " FROM range(5000) t(i)"
        )
        self.same(got, [(i % 2 == 1,) for i in range(5000)])
        self.assertEqual(self.rows("SELECT hashlanes_digest_rows(NULL, 'md5')"), [(None,)])

    def test_what_has_no_frame_is_refused(self):
        for value in (
            "uuid()",
            "'a'::ENUM ('a', 'b')",
            "'101'::BIT",
            "5::UHUGEINT",
            "'12:00:00+02'::TIMETZ",
            "union_value(n := 1)",
        ):
            message = "hashlanes_digest_rows: field 2: .* have no frame"
            with self.assertRaisesRegex(duckdb.Error, message):
                self.rows(f"SELECT hashlanes_digest_rows({{'i': 1, 'x': [{value}]}}, 'md5')")
        with self.assertRaisesRegex(duckdb.Error, "292 years"):
            self.rows(
                "SELECT hashlanes_digest_rows({'x': to_microseconds(9223372036854775807)}, 'md5')"
            )
        with self.assertRaisesRegex(duckdb.Error, "a row is hashed as a struct"):
            self.rows("SELECT hashlanes_digest_rows(5, 'md5')")
        with self.assertRaisesRegex(duckdb.Error, "No function matches"):
            self.rows("SELECT hashlanes_md5(5)")

    def test_several_databases(self):
        others = [connect() for _ in range(3)]
        for database in others:
            database.execute(f"LOAD '{EXTENSION}'")
            self.assertEqual(
                database.execute("SELECT hashlanes_md5('a') = md5('a')").fetchall(), [(True,)]
            )
            database.close()

    def test_refusals_say_why(self):
        library, footer = EXTENSION.read_bytes()[:-512], EXTENSION.read_bytes()[-512:]
        platform = footer[192:224].rstrip(b"\0")
        for changed, reason in [
            (footer.replace(platform, b"linux_z80".ljust(len(platform), b"\0")), "linux_z80"),
            (footer.replace(b"v1.2.0", b"v9.9.9"), "v9.9.9"),
            (bytes(512), "(?i)metadata|not a DuckDB extension"),
        ]:
            with tempfile.TemporaryDirectory() as folder:
                path = pathlib.Path(folder) / "hashlanes.duckdb_extension"
                path.write_bytes(library + changed)
                with self.assertRaisesRegex(duckdb.Error, reason):
                    connect(extension=path)

    def test_the_guide(self):
        """Each block of SQL prints what follows it."""
        page = (GUIDE / "engines.md").read_text()
        section = re.search(r"^## DuckDB\n(.*?)(?=^## |\Z)", page, re.S | re.M)[1]
        blocks = re.findall(r"```sql\n(.*?)```\n+```text\n(.*?)```", section, re.S)
        self.assertTrue(blocks)
        for query, printed in blocks:
            for statement in query.split(";"):
                if statement.strip() and not statement.strip().startswith("LOAD"):
                    result = self.rows(statement)
            lines = [" | ".join(map(str, row)) for row in result]
            self.same(lines, printed.splitlines())


if __name__ == "__main__":
    result = unittest.main(argv=sys.argv[:1], exit=False, verbosity=1).result
    if not result.wasSuccessful():
        sys.exit(1)
    print(f"DuckDB {duckdb.__version__}: {comparisons} comparisons in {result.testsRun} tests")
