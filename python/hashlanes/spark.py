"""Hashes the objects of a bucket or a shared file system, and columns, on Spark's workers.

    import hashlanes.spark as hs

    manifest = hs.digests(spark, "s3a://bucket/prefix", ["sha256", "md5"])
    manifest.write.parquet("s3a://audit/2026-11-23")
    frame = frame.withColumn("digest", hs.sha256("body"))

The workers also need the package with its extra `spark`.
"""

from __future__ import annotations

import contextlib
import pickle
from collections.abc import Sequence
from functools import partial

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as sf
from pyspark.sql.types import StringType, StructField, StructType

from . import _hashlanes
from ._cluster import jobs, manifest
from ._cluster.types import Destination, Format, Options, Parts

__all__ = [
    "check",
    "digest",
    "digest_rows",
    "digests",
    "md5",
    "sha1",
    "sha2",
    "sha256",
    "tree",
    "with_digests",
    "write_manifest",
]

_DESCRIPTION = "spark.job.description"
_TYPES = {
    pa.string(): "string",
    pa.int64(): "bigint",
    pa.binary(): "binary",
    pa.timestamp("us", tz="UTC"): "timestamp",
}
# What `fs.s3a` is configured with, as arguments of `boto3.client`.
_S3A = {
    "endpoint": "endpoint_url",
    "endpoint.region": "region_name",
    "access.key": "aws_access_key_id",
    "secret.key": "aws_secret_access_key",
    "session.token": "aws_session_token",
}


def digests(
    spark: SparkSession, path: str, names: str | Sequence[str] = "sha256", *,
    checkpoint: str | None = None, options: Options | None = None, workers: int | None = None,
) -> DataFrame:
    """A DataFrame of the objects below a path, with a column for each hash function.

    The columns are path, size, modified, etag, version, the digests in hexadecimal, and error. Each
    object has one row; if it cannot be read, or is not what was listed, the row has an error.

    `path` is an absolute path that all workers can reach, or a URL with `file`, `s3` or `s3a`. Its
    objects are listed by the call. Each action on the DataFrame hashes them anew.

    With `checkpoint`, a new folder that all workers can reach, the call hashes everything, and
    the results are in the folder. If the job is killed, the same call continues it.

    `options` are arguments of `boto3.client`, by default what `fs.s3a` is configured with.
    `workers` is the number of tasks that run at the same time, by default that of Spark.
    """
    job = jobs.digests(path, names, _options(spark, options), checkpoint)
    return _run(spark, job, workers)


def tree(
    spark: SparkSession, path: str, format: Parts = "s3-etag", *, part_size: int | str = "8MiB",
    checkpoint: str | None = None, options: Options | None = None, workers: int | None = None,
) -> DataFrame:
    """A DataFrame with the ETags that objects get if they are uploaded in parts of a given size.

    `format` is "s3-etag", or "s3-sha1" or "s3-sha256" for the composite checksums of S3. Large
    objects are hashed by several workers. Everything else is as in `digests`.
    """
    job = jobs.tree(path, format, part_size, _options(spark, options), checkpoint)
    ranges = _run(spark, job, workers)
    of_one = sf.sort_array(sf.collect_list(sf.struct("start", "stop", "parts", "error")))
    known = [sf.first(name).alias(name) for name in ("size", "modified", "etag")]
    known.append(sf.max("version").alias("version"))
    whole = ranges.groupBy("path").agg(*known, of_one.alias("ranges"))
    return whole.mapInArrow(partial(_finish, job), _ddl(job.columns()))


def _finish(job, batches):
    for batch in batches:
        yield manifest.finish(job, batch.to_pylist())


def check(
    spark: SparkSession, before: DataFrame, path: str, *, base: str | None = None,
    checkpoint: str | None = None, options: Options | None = None, workers: int | None = None,
) -> DataFrame:
    """Compares the objects below a path with a DataFrame of `digests`.

    The columns are path, status, moved_from and error. The status is unchanged, changed, missing,
    new, moved or unreadable. The names below `path` are compared with those below `base`, by
    default the same path.
    """
    names = [name for name in before.columns if name not in manifest.FIXED]
    now = digests(spark, path, names, checkpoint=checkpoint, options=options, workers=workers)
    before, now = _side(before, base or path, names), _side(now, path, names)
    both = before.alias("b").join(now.alias("n"), "name", "full_outer")
    gone, come = sf.col("n.path").isNull(), sf.col("b.path").isNull()
    status = (
        sf.when(gone, "missing")
        .when(sf.col("n.error").isNotNull(), "unreadable")
        .when(come, "new")
        .when(sf.col("b.error").isNotNull(), "unreadable")
        .when(sf.col("n.digests") == sf.col("b.digests"), "unchanged")
        .otherwise("changed")
    )
    both = both.select(
        "name",
        status.alias("status"),
        sf.coalesce("n.path", "b.path").alias("path"),
        sf.coalesce("n.error", "b.error").alias("error"),
        sf.when(gone | come, sf.coalesce("n.digests", "b.digests")).alias("digests"),
    )
    # A missing object and a new one with the same digests are one that was moved. Others are alone.
    both = both.withColumn("alone", sf.when(both.digests.isNull(), both.name))
    order = Window.partitionBy("status", "digests", "alone").orderBy("name")
    both = both.withColumn("number", sf.row_number().over(order))
    new, missing = [
        sf.max(sf.when(both.status == status, both.path)).alias(status)
        for status in ("new", "missing")
    ]
    pairs = both.groupBy("digests", "alone", "number").agg(
        new,
        missing,
        sf.max("path").alias("path"),
        sf.max("status").alias("status"),
        sf.max("error").alias("error"),
    )
    moved = pairs.new.isNotNull() & pairs.missing.isNotNull()
    return pairs.select(
        sf.when(moved, pairs.new).otherwise(pairs.path).alias("path"),
        sf.when(moved, "moved").otherwise(pairs.status).alias("status"),
        sf.when(moved, pairs.missing).alias("moved_from"),
        "error",
    )


def _side(frame, base, names):
    """A manifest with names below `base`, and all digests in one column."""
    base = base.rstrip("/") + "/"
    below = sf.col("path").startswith(base)
    name = sf.when(below, sf.col("path").substr(sf.lit(len(base) + 1), sf.length("path")))
    digests = sf.concat(*[sf.concat(sf.col(f"`{name}`"), sf.lit(" ")) for name in names])
    return frame.select(
        sf.coalesce(name, "path").alias("name"), "path", "error", digests.alias("digests")
    )


def md5(column: Column | str) -> Column:
    """The MD5 digests of a column of strings or bytes, as Spark's own `md5` makes them."""
    return digest(column, "md5")


def sha1(column: Column | str) -> Column:
    """The SHA-1 digests of a column of strings or bytes, as Spark's own `sha1` makes them."""
    return digest(column, "sha1")


def sha2(column: Column | str, bits: int) -> Column:
    """The SHA-2 digests of a column of strings or bytes, as Spark's own `sha2` makes them."""
    if bits not in (0, 224, 256, 384, 512):
        raise ValueError(f"bits must be 0, 224, 256, 384 or 512, not {bits!r}")
    return digest(column, f"sha{bits or 256}")


def sha256(column: Column | str) -> Column:
    """The SHA-256 digests of a column of strings or bytes."""
    return digest(column, "sha256")


def digest(column: Column | str, name: str) -> Column:
    """The digests of a column of strings or bytes, in hexadecimal. Null stays null."""
    _digest_array(name, pa.array([], pa.string()))  # Raises an error for an unknown name.
    return _column(name, partial(_digest_array, name), column)


def digest_rows(*columns: Column | str, name: str = "sha256") -> Column:
    """A digest of each row, in hexadecimal, as `hashlanes.digest_rows` makes them."""
    _digest_rows(name, pa.array([], pa.string()))
    return _column("digest_rows", partial(_digest_rows, name), *columns)


def _column(name, function, *columns):
    if not hasattr(sf, "arrow_udf"):
        raise NotImplementedError("Arrow UDFs need Spark 4.1; with Spark 3.5, use with_digests")

    def named(*values):
        return function(*values)

    named.__name__ = name
    return sf.arrow_udf(named, "string")(*columns)


def _digest_array(name, values):
    return _hashlanes.digest_array(values, name, hex=True).to_pyarrow()


def _digest_rows(name, *values):
    batch = pa.record_batch(list(values), [str(number) for number in range(len(values))])
    return _hashlanes.digest_rows(batch, None, name, hex=True).to_pyarrow()


def with_digests(frame: DataFrame, name: str = "sha256", **columns: str) -> DataFrame:
    """Adds columns of digests: `with_digests(frame, "md5", key="body")` adds `key` of `body`.

    The digests are those of `digest`. This also works with Spark 3.5.
    """
    for new, column in columns.items():
        if column not in frame.columns:
            raise ValueError(f"the frame has no column {column!r}")
        if new in frame.columns:
            raise ValueError(f"the frame already has a column {new!r}")
    added = [StructField(new, StringType()) for new in columns]

    def add(batches):
        for batch in batches:
            digests = [_digest_array(name, batch.column(column)) for column in columns.values()]
            names = [*batch.schema.names, *columns]
            yield pa.RecordBatch.from_arrays([*batch.columns, *digests], names)

    return frame.mapInArrow(add, StructType([*frame.schema.fields, *added]))


def write_manifest(
    frame: DataFrame, destination: Destination, name: str = "sha256", *, base: str | None = None,
    format: Format = "text",
) -> int:
    """Writes a column of digests to one file on the driver, as `hashlanes sum -r` prints them.

    The lines are sorted by path. Rows with an error have none. Returns the number of lines.
    `base` is left out of names. `format` is that of `hashlanes.write_manifest`.
    """
    column = manifest.column(name)
    lines = frame.filter(sf.col("error").isNull()).select("path", "size", column)
    # `orderBy` would hash everything twice: once to find out how to divide the rows.
    lines = lines.repartition(1).sortWithinPartitions("path")
    return manifest.write(lines.toLocalIterator(), name, destination, base, format)


def _run(spark, job, workers):
    """The rows of a job. With a checkpoint, its tasks are complete."""
    workers = jobs.parallelism(workers, spark.sparkContext.defaultParallelism)

    def collect(function, items):
        pickled = partial(jobs.pickled, function)
        rows = _on_workers(spark, pickled, items, _ddl(jobs.PICKLED)).collect()
        return [pickle.loads(row.result) for row in rows]

    with _described(spark, f"hashlanes: list {job.url}"):
        tasks = jobs.prepare(job, workers, collect)
    schema = _ddl(job.schema())
    if job.checkpoint is None:
        return _on_workers(spark, partial(jobs.hashed, job), tasks, schema)
    with _described(spark, f"hashlanes: hash {job.url}"):
        _on_workers(spark, partial(jobs.keep, job), tasks, schema).collect()
    return _on_workers(spark, partial(jobs.read, job), jobs.results(job, workers), schema)


def _on_workers(spark, function, items, schema):
    """A DataFrame of the record batches that the function yields for each item.

    Each item is a partition of its own, and so a task. Spark starts tasks in order.
    """
    rows = [(number, pickle.dumps(item)) for number, item in enumerate(items)]
    frame = spark.createDataFrame(rows, "number long, item binary")
    frame = frame.repartitionByRange(max(len(rows), 1), "number")

    def run(batches):
        for batch in batches:
            for item in batch.column("item"):
                yield from function(pickle.loads(item.as_py()))

    return frame.mapInArrow(run, schema)


@contextlib.contextmanager
def _described(spark, text):
    """Names the jobs that Spark's page shows."""
    context = spark.sparkContext
    before = context.getLocalProperty(_DESCRIPTION)
    context.setLocalProperty(_DESCRIPTION, text)
    try:
        yield
    finally:
        context.setLocalProperty(_DESCRIPTION, before)


def _ddl(schema):
    return ", ".join(f"`{field.name}` {_TYPES[field.type]}" for field in schema)


def _options(spark, options):
    """The arguments of `boto3.client` that say what `fs.s3a` is configured with."""
    if options is not None:
        return options
    found = {}
    for name, argument in _S3A.items():
        value = spark.conf.get(f"spark.hadoop.fs.s3a.{name}", None)
        if value:
            found[argument] = value
    endpoint = found.get("endpoint_url")
    if endpoint and "://" not in endpoint:
        found["endpoint_url"] = f"https://{endpoint}"
    return found
