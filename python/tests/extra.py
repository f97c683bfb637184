"""Uses an extra of the installed package, in an environment that has nothing else.

The argument is the name of the extra.
"""

import hashlib
import importlib.metadata
import os
import pathlib
import subprocess
import sys
import tempfile


def expected(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest()
            for path in folder.iterdir()}


def parquet(folder):
    """The manifest in Parquet that a job wrote, as text."""
    command = [sys.executable, "-m", "hashlanes.parquet", folder]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def spark(data, out):
    import hashlanes.spark as hs
    from pyspark.sql import SparkSession

    # The workers import the packages of this environment.
    os.environ["PYSPARK_PYTHON"] = sys.executable
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    session = builder.getOrCreate()
    manifest = hs.digests(session, str(data))
    found = {os.path.basename(row.path): row.sha256 for row in manifest.collect()}
    manifest.write.parquet(str(out / "manifest"))
    assert hs.check(session, manifest, str(data)).filter("status != 'unchanged'").count() == 0
    assert hs.tree(session, str(data)).count() == len(found)
    frame = session.createDataFrame([("abc",)], "body string")
    row = hs.with_digests(frame, "md5", key="body").withColumn("other", hs.md5("body")).first()
    assert row.key == row.other == hashlib.md5(b"abc").hexdigest()
    session.stop()
    return found


def ray(data, out):
    import hashlanes.ray as hr

    manifest = hr.digests(str(data)).materialize()
    found = {os.path.basename(row["path"]): row["sha256"] for row in manifest.iter_rows()}
    manifest.write_parquet(str(out / "manifest"))
    assert {row["status"] for row in hr.check(manifest, str(data)).iter_rows()} == {"unchanged"}
    assert hr.tree(str(data)).count() == len(found)
    return found


EXTRAS = {"ray": ray, "spark": spark}


def main(name):
    known = importlib.metadata.metadata("hashlanes").get_all("Provides-Extra")
    assert set(known) == set(EXTRAS), known
    with tempfile.TemporaryDirectory() as folder:
        data, out = pathlib.Path(folder) / "data", pathlib.Path(folder) / "out"
        data.mkdir()
        out.mkdir()
        for number in range(3):
            (data / f"{number}").write_bytes(bytes(number * 1000))
        right = expected(data)
        assert EXTRAS[name](data, out) == right
        printed = parquet(out / "manifest").splitlines()
        assert {line.split()[0] for line in printed} == set(right.values()), printed


if __name__ == "__main__":
    main(sys.argv[1])
