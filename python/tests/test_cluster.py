"""What Spark and Ray have in common, without either: listing, division into tasks, digests."""

import hashlib
import os
import random
import subprocess
import sys
from functools import partial

import pytest

pytest.importorskip("pyarrow")

from hashlanes._cluster import hashing, jobs, manifest, plan  # noqa: E402
from hashlanes._cluster.stores import Object, store  # noqa: E402
from common import pattern, sha256sum  # noqa: E402

FORMATS = {"s3-etag": "md5", "s3-sha256": "sha256"}


def run(function, items):
    """An engine that has one worker."""
    return [result for item in items for result in function(item)]


def rows(job, workers=4):
    """The rows of a job."""
    tasks = jobs.prepare(job, workers, run)
    return [row for task in tasks for batch in jobs.hashed(job, task) for row in batch.to_pylist()]


@pytest.fixture
def tree(tmp_path):
    """Some files, and their contents by path."""
    lengths = {"a": 0, "a.txt": 1, "a b/c": 5000, "a b/d/e": 3_000_000, "z/z/z": 9, "z\u00fc": 9**6}
    files = {}
    for name, length in lengths.items():
        path = tmp_path / "data" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        files[str(path)] = pattern(length)
        path.write_bytes(files[str(path)])
    (tmp_path / "data" / "link").symlink_to("a")
    return files


def test_files(tree, tmp_path):
    job = jobs.digests(f"{tmp_path}/data/", ["sha256", "md5"], {}, None)
    found = rows(job)
    assert sorted(row["path"] for row in found) == sorted(tree)
    for row in found:
        content = tree[row["path"]]
        assert row["error"] is None
        assert row["size"] == len(content)
        assert row["sha256"] == hashlib.sha256(content).hexdigest()
        assert row["md5"] == hashlib.md5(content).hexdigest()
        assert row["modified"].timestamp() == pytest.approx(os.stat(row["path"]).st_mtime, abs=1e-5)


def test_urls_of_files_are_literal(tmp_path):
    (tmp_path / "100%20 #?").write_bytes(b"x")
    (row,) = rows(jobs.digests(f"file://{tmp_path}", "sha256", {}, None))
    assert row["path"] == f"file://{tmp_path}/100%20 #?"
    assert row["sha256"] == hashlib.sha256(b"x").hexdigest()


def test_one_file_and_none(tmp_path):
    (tmp_path / "one").write_bytes(b"x")
    assert [row["path"] for row in rows(jobs.digests(f"{tmp_path}/one", "md5", {}, None))] == [
        f"{tmp_path}/one"
    ]
    with pytest.raises(FileNotFoundError):
        rows(jobs.digests(f"{tmp_path}/none", "md5", {}, None))
    with pytest.raises(ValueError, match="absolute"):
        jobs.digests("one", "md5", {}, None)
    with pytest.raises(ValueError, match="'ftp'"):
        jobs.digests("ftp://host/one", "md5", {}, None)


def test_file_that_changes_or_vanishes_is_one_row(tree, tmp_path):
    job = jobs.digests(f"{tmp_path}/data", "md5", {}, None)
    tasks = jobs.prepare(job, 1, run)
    changed, vanished, replaced = sorted(tree)[:3]
    with open(changed, "ab") as file:
        file.write(b"more")
    os.unlink(vanished)
    os.unlink(replaced)
    os.mkdir(replaced)
    found = [row for task in tasks for batch in jobs.hashed(job, task) for row in batch.to_pylist()]
    assert sorted(row["path"] for row in found) == sorted(tree)
    errors = {row["path"]: row["error"] for row in found if row["error"]}
    assert errors.pop(changed) == "changed since it was listed"
    assert errors.pop(vanished) == "No such file or directory"
    assert errors.pop(replaced) == "Is a directory"
    assert not errors
    assert all((row["md5"] is None) == (row["error"] is not None) for row in found)


def test_name_that_is_not_utf8(tmp_path):
    with open(os.fsencode(tmp_path) + b"/\xff", "w"):
        pass
    (row,) = rows(jobs.digests(str(tmp_path), "md5", {}, None))
    assert row["path"] == f"{tmp_path}/\\xff"
    assert row["error"] == "the name is not UTF-8"


@pytest.mark.parametrize("format", FORMATS)
def test_parts(format, tree, tmp_path, monkeypatch):
    # So that a file of 3 MB has several ranges.
    monkeypatch.setattr(plan, "BATCH_COST", 1 << 20)
    job = jobs.tree(f"{tmp_path}/data", format, "256KiB", {}, None)
    ranges = {}
    for row in rows(job):
        ranges.setdefault(row["path"], []).append(row)
    assert max(map(len, ranges.values())) > 2
    assert sorted(ranges) == sorted(tree)
    (column,) = set(job.columns().names) - set(manifest.FIXED)
    for path, found in ranges.items():
        found.sort(key=lambda row: row["start"])
        (row,) = manifest.finish(job, [{**found[0], "ranges": found}]).to_pylist()
        assert row["error"] is None
        assert row[column] == right_parts(format, tree[path], 256 << 10)
    largest = max(ranges.values(), key=len)
    (row,) = manifest.finish(job, [{**largest[0], "ranges": largest[:-1]}]).to_pylist()
    assert row["error"] == "ranges of it are missing"


def right_parts(format, content, size):
    """What S3 computes."""
    function = getattr(hashlib, FORMATS[format])
    written = bytes.hex if format == "s3-etag" else manifest.base64_text
    if len(content) < size:
        return written(function(content).digest())
    parts = [content[start:start + size] for start in range(0, len(content), size)]
    whole = function(b"".join(function(part).digest() for part in parts)).digest()
    return f"{written(whole)}-{len(parts)}"


def test_batches_lose_nothing_and_are_bounded():
    random.seed(2)
    sizes = [int(random.lognormvariate(10, 4)) for _ in range(20_000)]
    objects = [Object(str(i), size, stop=size) for i, size in enumerate(sizes)]
    batches = list(plan.batches(objects))
    assert sorted(item for batch, _ in batches for item in batch) == sorted(objects)
    for batch, cost in batches:
        assert cost == sum(map(plan.cost, batch))
        assert len(batch) == 1 or cost <= plan.BATCH_COST
        assert len(batch) <= plan.BATCH_OBJECTS
    costs = [cost for _, cost in batches]
    tasks = plan.tasks(costs, 8)
    assert sorted(index for task in tasks for index in task) == list(range(len(batches)))
    totals = [sum(costs[index] for index in task) for task in tasks]
    assert totals == sorted(totals, reverse=True)


def test_checkpoint_goes_on(tree, tmp_path, monkeypatch):
    monkeypatch.setattr(plan, "BATCH_COST", 100_000)
    monkeypatch.setattr(plan, "LEAST_TASK_COST", 100_000)
    job = jobs.digests(f"{tmp_path}/data", "sha256", {}, f"{tmp_path}/check point")
    tasks = jobs.prepare(job, 4, run)
    assert len(tasks) > 2
    jobs.keep(job, tasks[1])
    jobs.keep(job, tasks[1])  # Repeated by the engine.
    left = jobs.prepare(job, 7, run)
    assert left == [task for task in tasks if task != tasks[1]]
    for task in left:
        jobs.keep(job, task)
    assert jobs.prepare(job, 4, run) == []
    read = run(partial(jobs.read, job), jobs.results(job, 1))
    found = [row for batch in read for row in batch.to_pylist()]
    assert sorted(row["path"] for row in found) == sorted(tree)
    other = jobs.digests(f"{tmp_path}/data", "md5", {}, job.checkpoint)
    with pytest.raises(ValueError, match="another job"):
        jobs.prepare(other, 4, run)


@pytest.fixture(params=["file", "s3"])
def kept(request, tmp_path):
    """The URL of a checkpoint, and the options for it."""
    if request.param == "file":
        return f"{tmp_path}/kept", {}
    bucket = request.getfixturevalue("bucket")
    return f"s3://{bucket.name}/kept", bucket.options


def test_listing_that_runs_again_changes_no_plan(tree, tmp_path, kept, monkeypatch):
    monkeypatch.setattr(plan, "BATCH_COST", 1)
    checkpoint, options = kept
    job = jobs.digests(f"{tmp_path}/data", "sha256", options, checkpoint)

    def twice(function, items):
        """As if an engine ran tasks again, or another driver did, when there are other files."""
        results = run(function, items)
        (tmp_path / "data" / "A").write_bytes(b"new")
        run(function, items)
        jobs.prepare(job, 4, run)
        return results

    tasks = jobs.prepare(job, 4, twice)
    assert tasks == jobs.prepare(job, 4, run)
    found = [row for task in tasks for batch in jobs.hashed(job, task) for row in batch.to_pylist()]
    assert sorted(row["path"] for row in found) == sorted([*tree, f"{tmp_path}/data/A"])


def test_parquet_becomes_the_manifest_of_sha256sum(folder, tmp_path):
    (folder / "line\nand \\").write_bytes(b"x")
    job = jobs.digests(str(folder), ["md5", "sha256"], {}, f"{tmp_path}/kept")
    for task in jobs.prepare(job, 1, run):
        jobs.keep(job, task)
    for base in (None, str(folder)):
        command = [sys.executable, "-m", "hashlanes.parquet", f"{tmp_path}/kept/digests"]
        command += [] if base is None else ["--base", base]
        printed = subprocess.run(command, capture_output=True, check=True).stdout
        subprocess.run(["sha256sum", "--check", "--status"], input=printed, check=True, cwd=base)
        assert base or sorted(printed.splitlines()) == sorted(sha256sum(folder).splitlines())
        assert printed.count(b"\n") == 22


def test_plan_that_was_not_completed_is_made_again(tree, tmp_path):
    job = jobs.digests(f"{tmp_path}/data", "sha256", {}, f"{tmp_path}/kept")
    job.kept().put("plan/9-9", b"of a run that was killed")
    assert sum(len(batch) for task in jobs.prepare(job, 4, run)
               for batch in jobs.hashed(job, task)) == len(tree)


def test_part_sizes():
    sizes = [jobs.tree("/", "s3-etag", size, {}, None).part_size for size in (5, "5", "8MiB")]
    assert sizes == [5, 5, 8 << 20]
    for wrong in ["", "8MB", "-1", 0]:
        with pytest.raises(ValueError, match="part_size"):
            jobs.tree("/", "s3-etag", wrong, {}, None)
    with pytest.raises(ValueError, match="format"):
        jobs.tree("/", "md5", 5, {}, None)
    for wrong in (None, 1.5):
        with pytest.raises(TypeError, match="part_size must be int or str"):
            jobs.tree("/", "s3-etag", wrong, {}, None)


def test_parallelism():
    assert [jobs.parallelism(*given) for given in ((None, 8), (3, 8), (None, 0))] == [8, 3, 1]
    for wrong in (0, -1, 1.5):
        with pytest.raises(ValueError, match="workers must be at least 1"):
            jobs.parallelism(wrong, 8)


NAMES = ["p/a", "p//a", "p/", "p", "pq", "p/d/", "p/d/e", "p/d/f/g", "p/\u00fc %20?#", "other"]


def test_objects(bucket):
    contents = {name: name.encode() * random.randrange(3) for name in NAMES}
    contents["p/large"] = random.randbytes(3 * hashing.PIECE + 5)
    for name, content in contents.items():
        bucket.put(name, content)
    job = jobs.digests(f"s3a://{bucket.name}/p", ["sha256", "md5"], bucket.options, None)
    found = rows(job)
    # `p/` stands for the prefix itself.
    names = [name for name in contents if name not in ("p/", "pq", "other")]
    wanted = [f"s3a://{bucket.name}/{name}" for name in names]
    assert sorted(row["path"] for row in found) == sorted(wanted)
    for row in found:
        content = contents[row["path"][len(f"s3a://{bucket.name}/"):]]
        assert row["error"] is None
        assert row["sha256"] == hashlib.sha256(content).hexdigest()
        assert row["md5"] == row["etag"] == hashlib.md5(content).hexdigest()


def test_listing_of_a_large_folder_is_divided(bucket):
    names = [f"{first}{number}" for first in "-0aAz~\u00fc" for number in range(144)]
    for name in names:
        bucket.put(name, b"")
    source = store(f"s3://{bucket.name}", bucket.options)
    (whole,) = source.units()
    units = source.split(whole)
    assert len(units) > 10
    listed = [item.path for unit in units for item in source.list(unit)]
    assert sorted(listed) == sorted(f"s3://{bucket.name}/{name}" for name in names)


def test_object_that_changes_or_vanishes_is_one_row(bucket):
    for name in ["changed", "same", "vanished"]:
        bucket.put(name, b"x" * 100)
    job = jobs.digests(f"s3://{bucket.name}", "md5", bucket.options, None)
    tasks = jobs.prepare(job, 1, run)
    bucket.put("changed", b"y" * 100)
    bucket.delete("vanished")
    found = [row for task in tasks for batch in jobs.hashed(job, task) for row in batch.to_pylist()]
    errors = {row["path"].rpartition("/")[2]: row["error"] for row in found}
    assert errors == {
        "changed": "changed since it was listed",
        "same": None,
        "vanished": "vanished since it was listed",
    }


def test_etags_are_those_of_the_store(bucket):
    content = random.randbytes(11 << 20)
    bucket.upload("big", content, 5 << 20)
    bucket.put("small", b"x")
    job = jobs.tree(f"s3://{bucket.name}", "s3-etag", "5MiB", bucket.options, f"s3://{bucket.name}")
    tasks = jobs.prepare(job, 1, run)
    for task in tasks:
        jobs.keep(job, task)
    read = run(partial(jobs.read, job), jobs.results(job, 1))
    found = [row for batch in read for row in batch.to_pylist()]
    whole = manifest.finish(job, [{**row, "ranges": [row]} for row in found]).to_pylist()
    assert {row["s3_etag"] for row in whole} == {row["etag"] for row in found}
    assert sorted(row["etag"][-2:] for row in whole)[0] == "-3"


def test_functions_for_files_only(bucket, tmp_path):
    with pytest.raises(ValueError, match="crc32"):
        jobs.digests(f"s3://{bucket.name}", "crc32", bucket.options, None)
    (tmp_path / "one").write_bytes(b"x")
    (row,) = rows(jobs.digests(str(tmp_path), "crc32", {}, None))
    assert row["crc32"] == "8cdc1683"
