"""`hashlanes.ray` on a Ray of this machine."""

import hashlib
import os
import shutil

import pytest

ray = pytest.importorskip("ray")
pytest.importorskip("ray.data")

from common import pattern, s3_etag, sha256sum  # noqa: E402

from hashlanes import ray as hr  # noqa: E402


@pytest.fixture(scope="module", autouse=True)
def cluster():
    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    ray.init(num_cpus=2, include_dashboard=False, logging_level="ERROR")
    ray.data.DataContext.get_current().default_hash_shuffle_parallelism = 2
    yield
    ray.shutdown()


def test_manifest_is_that_of_sha256sum(folder, tmp_path):
    manifest = hr.digests(str(folder), ["sha256", "md5"], checkpoint=f"{tmp_path}/kept")
    assert hr.write_manifest(manifest, tmp_path / "SHA256SUMS") == 21
    assert (tmp_path / "SHA256SUMS").read_bytes() == sha256sum(folder)
    again = hr.digests(str(folder), ["sha256", "md5"], checkpoint=f"{tmp_path}/kept")
    assert again.count() == 21


def test_check(folder):
    before = hr.digests(str(folder), ["sha256", "md5"]).materialize()
    shutil.move(folder / "d0" / "f 0", folder / "moved")
    (folder / "d1.txt").write_bytes(b"other")
    (folder / "d0" / "f 3").unlink()
    (folder / "new").write_bytes(b"new")
    copy = folder.parent / "copy"
    shutil.copytree(folder, copy)
    found = hr.check(before, f"file://{copy}", base=str(folder)).take_all()
    changes = {row["path"].rpartition("/")[2]: row for row in found if row["status"] != "unchanged"}
    assert {name: row["status"] for name, row in changes.items()} == {
        "moved": "moved", "d1.txt": "changed", "f 3": "missing", "new": "new",
    }
    assert changes["moved"]["moved_from"] == f"{folder}/d0/f 0"
    assert len(found) == 22


def test_tree(folder):
    rows = hr.tree(str(folder), part_size="256KiB").take_all()
    found = {row["path"]: row["s3_etag"] for row in rows}
    assert len(found) == 21
    assert found[f"{folder}/d1.txt"] == s3_etag(pattern(1_000_000), 256 << 10)
    assert found[f"{folder}/d0/f 3"] == hashlib.md5(pattern(3000, 3)).hexdigest()
