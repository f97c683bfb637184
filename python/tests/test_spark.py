"""`hashlanes.spark` on a Spark of this machine."""

import hashlib
import json
import os
import pathlib
import shutil
import sys
import tempfile

import pytest

pytest.importorskip("pyspark")
if shutil.which("java") is None:
    pytest.skip("there is no Java", allow_module_level=True)

from common import pattern, s3_etag, sha256sum  # noqa: E402
from pyspark.sql import SparkSession  # noqa: E402
from pyspark.sql import functions as sf  # noqa: E402

from hashlanes import spark as hs  # noqa: E402


@pytest.fixture(scope="module")
def spark():
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
    builder = builder.config("spark.sql.shuffle.partitions", "2")
    session = builder.config("spark.log.level", "ERROR").getOrCreate()
    yield session
    session.stop()


def test_manifest_is_that_of_sha256sum(spark, folder, tmp_path):
    manifest = hs.digests(spark, str(folder), ["sha256", "md5"])
    assert manifest.columns == [
        "path", "size", "modified", "etag", "version", "sha256", "md5", "error",
    ]
    manifest.write.parquet(f"file://{tmp_path}/parquet")
    kept = spark.read.parquet(f"file://{tmp_path}/parquet")
    assert hs.write_manifest(kept, tmp_path / "SHA256SUMS") == 21
    assert (tmp_path / "SHA256SUMS").read_bytes() == sha256sum(folder)
    below = tmp_path / "below"
    hs.write_manifest(kept, below, "md5", base=folder.as_posix())
    assert f"{hashlib.md5(pattern(1000, 1)).hexdigest()}  d1/f 1\n" in below.read_text()


def test_empty_folder(spark, tmp_path):
    (tmp_path / "empty").mkdir()
    for kept in (None, f"{tmp_path}/kept"):
        manifest = hs.digests(spark, f"{tmp_path}/empty", checkpoint=kept)
        assert hs.write_manifest(manifest, tmp_path / "SHA256SUMS") == 0
    assert hs.tree(spark, f"{tmp_path}/empty").count() == 0


def test_check(spark, folder):
    before = hs.digests(spark, str(folder), ["sha256", "md5"]).cache()
    assert before.count() == 21
    shutil.move(folder / "d0" / "f 0", folder / "moved")
    (folder / "d1.txt").write_bytes(b"other")
    (folder / "d0" / "f 3").unlink()
    (folder / "new").write_bytes(b"new")
    copy = folder.parent / "copy"
    shutil.copytree(folder, copy)
    found = hs.check(spark, before, f"file://{copy}", base=str(folder)).collect()
    changes = {row.path.rpartition("/")[2]: row for row in found if row.status != "unchanged"}
    assert {name: row.status for name, row in changes.items()} == {
        "moved": "moved", "d1.txt": "changed", "f 3": "missing", "new": "new",
    }
    assert changes["moved"].moved_from == f"{folder}/d0/f 0"
    assert len(found) == 22


def test_tree_and_checkpoint(spark, folder, tmp_path):
    kept = f"{tmp_path}/kept"
    for _ in range(2):
        tags = hs.tree(spark, str(folder), part_size="256KiB", checkpoint=kept).collect()
        assert len(tags) == 21
        shutil.rmtree(f"{kept}/digests")
    found = {row.path: row.s3_etag for row in tags}
    assert found[f"{folder}/d1.txt"] == s3_etag(pattern(1_000_000), 256 << 10)
    assert found[f"{folder}/d0/f 3"] == hashlib.md5(pattern(3000, 3)).hexdigest()


def test_columns_are_those_of_spark(spark):
    texts = ["abc", None, "", "\u00fc" * 99]
    frame = spark.createDataFrame(list(enumerate(texts)), "n int, t string")
    frame = frame.withColumn("b", sf.encode("t", "UTF-8"))
    row_digests = hs.with_digests(frame, "sha256", added="t").select("added", sf.sha2("t", 256))
    assert all(ours == theirs for ours, theirs in row_digests.collect())
    if not hasattr(sf, "arrow_udf"):
        with pytest.raises(NotImplementedError):
            hs.sha256("t")
        return
    ours = [hs.md5("t"), hs.sha1("b"), hs.sha256("t"), hs.sha2("b", 0), hs.digest("t", "sha512")]
    theirs = [sf.md5("t"), sf.sha1("b"), *[sf.sha2("t", bits) for bits in (256, 256, 512)]]
    for row in frame.select(sf.array(*ours), sf.array(*theirs)).collect():
        assert row[0] == row[1]
    assert frame.select(hs.sha2("t", 0), hs.digest_rows("n", "t")).columns == [
        "sha256(t)", "digest_rows(n, t)",
    ]
    rows = frame.select(hs.digest_rows("n", "t").alias("digest")).collect()
    assert len({row.digest for row in rows}) == 4


def test_wrong_arguments_are_refused_before_anything_runs(spark, folder):
    frame = spark.createDataFrame([("abc",)], "t string")
    calls = {
        "bits must be": lambda: hs.sha2("t", 7),
        "unknown algorithm 'nope'": lambda: hs.digest("t", "nope"),
        "no column 'u'": lambda: hs.with_digests(frame, added="u"),
        "a column 't' already": lambda: hs.with_digests(frame, t="t"),
        "workers must be": lambda: hs.digests(spark, str(folder), workers=-1),
    }
    for why, call in calls.items():
        with pytest.raises(ValueError, match=why):
            call()


def test_notebook(spark, tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    notebook = pathlib.Path(__file__).resolve().parents[1] / "examples" / "spark.ipynb"
    variables = {}
    for cell in json.loads(notebook.read_text())["cells"]:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), variables)
    assert variables["lines"] == 100
    assert variables["changes"] == {"1.txt": "changed", "2.txt": "missing", "three.txt": "moved"}
