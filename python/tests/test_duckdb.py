"""DuckDB results as columns, and digests as DuckDB tables."""

import hashlib

import hashlanes
import pytest

duckdb = pytest.importorskip("duckdb")
pa = pytest.importorskip("pyarrow")


def test_hashing_a_query_result():
    result = duckdb.sql("select 'key' || range as k from range(200_000)")
    digests = hashlanes.digest_array(result, "sha256", hex=True).to_pyarrow()
    theirs = duckdb.sql("select sha256('key' || range) as h from range(200_000)").fetchall()
    assert digests.to_pylist() == [h for (h,) in theirs]


def test_querying_digests():
    result = duckdb.sql("select range as n, 'key' || range as k from range(1000)")
    rows = pa.table({"digest": hashlanes.digest_rows(result, ["k"], "md5").to_pyarrow()})
    found = duckdb.sql("select count(distinct digest) from rows").fetchall()
    assert found == [(1000,)]
    right = hashlib.md5(b"\x06\x04" + bytes(7) + b"key0").digest()
    assert duckdb.sql("select digest from rows limit 1").fetchall() == [(right,)]
