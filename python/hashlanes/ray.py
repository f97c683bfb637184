"""Hashes what is in a bucket or a shared file system on the workers of Ray.

    import hashlanes.ray as hr

    manifest = hr.digests("s3://bucket/prefix", ["sha256", "md5"])
    manifest.write_parquet("/srv/audit")

The workers need the package with its extra `ray`, too.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc
import ray
from ray.data import Dataset

from ._cluster import comparison, jobs, manifest
from ._cluster.types import Destination, Format, Options, Parts

__all__ = ["check", "digests", "tree", "write_manifest"]


def digests(
    path: str, names: str | Sequence[str] = "sha256", *, checkpoint: str | None = None,
    options: Options | None = None, workers: int | None = None,
) -> Dataset:
    """A `ray.data.Dataset` of the objects below a path, as `hashlanes.spark.digests` makes one.

    `workers` is the number of tasks that run at the same time, by default that of CPUs.
    """
    return _run(jobs.digests(path, names, options or {}, checkpoint), workers)


def tree(
    path: str, format: Parts = "s3-etag", *, part_size: int | str = "8MiB",
    checkpoint: str | None = None, options: Options | None = None, workers: int | None = None,
) -> Dataset:
    """A dataset of ETags or composite checksums, as `hashlanes.spark.tree` makes one."""
    job = jobs.tree(path, format, part_size, options or {}, checkpoint)
    return _grouped(_run(job, workers), "path", partial(_finish, job))


def _finish(job, group):
    ranges = group.sort_by("start").to_pylist()
    return pa.Table.from_batches([manifest.finish(job, [{**ranges[0], "ranges": ranges}])])


def check(
    before: Dataset, path: str, *, base: str | None = None, checkpoint: str | None = None,
    options: Options | None = None, workers: int | None = None,
) -> Dataset:
    """Compares the objects below a path with a dataset, as `hashlanes.spark.check` does."""
    names = [name for name in before.schema().names if name not in manifest.FIXED]
    now = digests(path, names, checkpoint=checkpoint, options=options, workers=workers)
    before = _mapped(before, comparison.side, "before", base or path, names)
    now = _mapped(now, comparison.side, "now", path, names)
    compared = _grouped(before.union(now), "name", comparison.compare).materialize()
    alone = _mapped(compared, comparison.alone, True)
    moved = _grouped(_mapped(compared, comparison.alone, False), "digests", comparison.pair)
    return alone.union(moved).select_columns(["path", "status", "moved_from", "error"])


def write_manifest(
    dataset: Dataset, destination: Destination, name: str = "sha256", *, base: str | None = None,
    format: Format = "text",
) -> int:
    """Writes a column of digests to one file, as `hashlanes.spark.write_manifest` does."""
    columns = ["path", "size", manifest.column(name)]
    lines = _mapped(dataset, _readable, columns).sort("path")
    rows = (tuple(row[column] for column in columns) for row in lines.iter_rows())
    return manifest.write(rows, name, destination, base, format)


def _readable(columns, table):
    return table.filter(pc.is_null(table["error"])).select(columns)


def _run(job, workers):
    """The rows of a job. With a checkpoint, its tasks are complete."""
    if not ray.is_initialized():
        ray.init()  # As Ray itself does before its first task.
    workers = jobs.parallelism(workers, int(ray.cluster_resources().get("CPU", 1)))

    def collect(function, items):
        pickled = _on_workers(partial(jobs.pickled, function), items, jobs.PICKLED)
        return [pickle.loads(row["result"]) for row in pickled.iter_rows()]

    tasks = jobs.prepare(job, workers, collect)
    if job.checkpoint is None:
        return _on_workers(partial(jobs.hashed, job), tasks, job.schema())
    _on_workers(partial(jobs.keep, job), tasks, job.schema()).materialize()
    return _on_workers(partial(jobs.read, job), jobs.results(job, workers), job.schema())


def _on_workers(function, items, schema):
    """A dataset of the record batches that the function yields for each item, a task each."""
    if not items:
        return ray.data.from_arrow(schema.empty_table())

    def run(batch):
        for item in batch.column("item"):
            for result in function(pickle.loads(item.as_py())):
                yield pa.Table.from_batches([result])

    rows = [{"item": pickle.dumps(item)} for item in items]
    dataset = ray.data.from_items(rows, override_num_blocks=len(rows))
    return dataset.map_batches(run, batch_format="pyarrow", batch_size=None)


def _mapped(dataset, function, *arguments):
    return dataset.map_batches(partial(function, *arguments), batch_format="pyarrow")


def _grouped(dataset, column, function):
    return dataset.groupby(column).map_groups(function, batch_format="pyarrow")
