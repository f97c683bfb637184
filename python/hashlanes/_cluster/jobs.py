"""The functions that an engine calls on its workers, and checkpoints.

A checkpoint is a folder. `plan/` has the batches, `plan.json` what the job is and which batches
each task has, and `digests/` the results, a file for each task that is complete. Every file appears
as a whole. Each run that lists writes batches of its own, as the next one may find other objects,
and `plan.json` stays as the first driver wrote it. So all drivers run the same tasks, and a task
that runs twice writes the same rows, except for objects that change meanwhile.
"""

import io
import itertools
import json
import pickle
import re
import uuid
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple, Optional

import pyarrow as pa
import pyarrow.parquet as pq

from .._files import _class, _names
from .._lanes import Lanes
from . import hashing, manifest, plan
from .stores import Object, store

# Tasks into which the listing is divided, for each worker, and those that read a checkpoint.
_LISTINGS_PER_WORKER = 4
_READINGS_PER_WORKER = 4
_UNITS = {None: 0, "KiB": 10, "MiB": 20, "GiB": 30}
# Rows of a result that are handed over together.
_ROWS = 1024
# Results of a function, whatever they are.
PICKLED = pa.schema([("result", pa.binary())])
_PLAN = pa.schema(
    [
        ("path", pa.string()),
        ("size", pa.int64()),
        ("modified", pa.int64()),
        ("etag", pa.string()),
        ("error", pa.string()),
        ("start", pa.int64()),
        ("stop", pa.int64()),
    ]
)


class Job(NamedTuple):
    """What is hashed, and how. It is sent to all workers."""

    url: str
    names: list
    # The format and the length of the parts, if not whole objects are hashed.
    format: Optional[str]
    part_size: Optional[int]
    # Of `boto3.client`.
    options: dict
    checkpoint: Optional[str]

    def source(self):
        """Where the objects are."""
        return store(self.url, self.options)

    def kept(self):
        """Where the checkpoint is, or None."""
        return None if self.checkpoint is None else store(self.checkpoint, self.options)

    def identity(self):
        """What tells one job from another."""
        return [self.url, self.names, self.format, self.part_size]

    def columns(self):
        """The columns of the result."""
        digests = self.names if self.format is None else [self.format]
        return manifest.schema([manifest.column(name) for name in digests])

    def schema(self):
        """The columns of what tasks yield."""
        return self.columns() if self.format is None else manifest.RANGES


def digests(url, names, options, checkpoint):
    """The job that hashes whole objects."""
    names = _names(names)
    job = Job(url, names, None, None, options, checkpoint)
    if not job.source().is_local:
        for name in names:
            Lanes(name)  # Raises an error for functions that only files can be hashed with.
    return job


def tree(url, format, part_size, options, checkpoint):
    """The job that hashes the parts of objects."""
    if format not in manifest.PARTS:
        raise ValueError(f"format must be one of {', '.join(manifest.PARTS)}, not {format!r}")
    function, _ = manifest.PARTS[format]
    return Job(url, [function], format, _bytes(part_size), options, checkpoint)


def _bytes(size):
    """A number of bytes, from an int or a text such as 8MiB."""
    if isinstance(size, str):
        match = re.fullmatch(r"(\d+) ?([KMG]iB)?", size)
        if match is None:
            raise ValueError(f"part_size must be an int or a text such as '8MiB', not {size!r}")
        size = int(match[1]) << _UNITS[match[2]]
    if not isinstance(size, int):
        raise TypeError(f"part_size must be int or str, not {_class(size)}")
    if size < 1:
        raise ValueError("part_size must be at least 1")
    return size


def parallelism(workers, default):
    """The number of tasks that run at the same time: the caller's, or else the engine's."""
    if workers is None:
        return max(default, 1)
    if not isinstance(workers, int) or workers < 1:
        raise ValueError(f"workers must be at least 1, not {workers!r}")
    return workers


def units(job, workers):
    """What the workers list: groups of units, as many as are easily found."""
    source = job.source()
    found, wanted = source.units(), workers * _LISTINGS_PER_WORKER
    with ThreadPoolExecutor(hashing.READERS) as threads:
        grown = True
        while grown and len(found) < wanted:
            parts = list(threads.map(source.split, found))
            grown = any(len(part) > 1 for part in parts)
            found = [unit for part in parts for unit in part]
    return [(first, found[first::wanted]) for first in range(min(len(found), wanted))]


def prepare(job, workers, run):
    """The tasks of a job, longest first, each with its number: arguments of `hashed`.

    `run(function, items)` gives what the function yields for each item on some worker. With a
    checkpoint, only the tasks that it lacks are returned.
    """
    kept = job.kept()
    tasks = None if kept is None else _planned(job, kept)
    if tasks is None:
        found = list(run(partial(listed, job), units(job, workers)))
        order = plan.tasks([cost for cost, _ in found], workers)
        tasks = [[found[index][1] for index in task] for task in order]
        if kept is not None:
            plan_data = json.dumps([job.identity(), tasks]).encode()
            kept.put("plan.json", plan_data, replace=False)
            tasks = _planned(job, kept)  # Another driver may have been faster.
    done = set() if kept is None else set(kept.names("digests"))
    return [task for task in enumerate(tasks) if _result(task[0]) not in done]


def _planned(job, kept):
    """The tasks in a checkpoint, or None if there are none yet."""
    if "plan.json" not in kept.names(""):
        return None
    identity, tasks = json.loads(kept.get("plan.json"))
    if identity != job.identity():
        raise ValueError(f"{job.checkpoint!r} is the checkpoint of another job: {identity}")
    return tasks


def results(job, workers):
    """The names of the results in a checkpoint, a list for each task that reads them."""
    names = [name for name in job.kept().names("digests") if name.endswith(".parquet")]
    tasks = min(len(names), workers * _READINGS_PER_WORKER)
    return [[f"digests/{name}" for name in names[first::tasks]] for first in range(tasks)]


def _result(number):
    return f"{number}.parquet"


def listed(job, group):
    """Yields the cost and the data of each batch. With a checkpoint, its name there is the data."""
    number, of_group = group
    source, kept, run = job.source(), job.kept(), uuid.uuid4().hex
    objects = (item for unit in of_group for item in source.list(unit))
    batches = plan.batches(objects, job.part_size)
    for index, (batch, cost) in enumerate(batches):
        data = _packed(batch)
        if kept is not None:
            name = f"plan/{number}-{index}-{run}"
            kept.put(name, data)
            data = name
        yield cost, data


def pickled(function, item):
    """Yields what a function yields for an item, as record batches."""
    results = [pickle.dumps(result) for result in function(item)]
    yield pa.record_batch([pa.array(results, pa.binary())], schema=PICKLED)


def _packed(batch):
    batch.sort(key=plan.cost, reverse=True)
    columns = [pa.array(values, field.type) for values, field in zip(zip(*batch), _PLAN)]
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(sink, _PLAN, options=options) as writer:
        writer.write_batch(pa.record_batch(columns, schema=_PLAN))
    return sink.getvalue().to_pybytes()


def _unpacked(data):
    table = pa.ipc.open_stream(data).read_all()
    return map(Object._make, zip(*[column.to_pylist() for column in table.columns]))


def hashed(job, task):
    """Yields the rows of a task as record batches."""
    _, batches = task
    kept = job.kept()
    data = batches if kept is None else map(kept.get, batches)
    objects = (item for one in data for item in _unpacked(one))
    digests = hashing.digests(job.source(), objects, job.names, job.part_size)
    whole = partial(manifest.rows, job.columns())
    to_rows = whole if job.format is None else manifest.range_rows
    while some := list(itertools.islice(digests, _ROWS)):
        yield to_rows(some)


def keep(job, task):
    """Hashes the objects of a task, and writes the rows to the checkpoint."""
    sink = io.BytesIO()
    with pq.ParquetWriter(sink, job.schema(), compression="zstd") as writer:
        for batch in hashed(job, task):
            writer.write_batch(batch)
    job.kept().put(f"digests/{_result(task[0])}", sink.getvalue())
    return ()


def read(job, names):
    """Yields the rows of results in a checkpoint as record batches."""
    kept = job.kept()
    for name in names:
        yield from pq.ParquetFile(io.BytesIO(kept.get(name))).iter_batches()
