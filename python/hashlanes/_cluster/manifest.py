"""The columns of results, digests of parts, and manifests as text."""

import base64

import pyarrow as pa

from .. import _hashlanes
from .._files import _destination
from .._hashlanes import digest_many
from .stores import local


def base64_text(data):
    """Bytes as the store writes them."""
    return base64.b64encode(data).decode()


# The ETag of an object that was uploaded in parts, and S3's composite checksums: the function, and
# how digests are written.
PARTS = {
    "s3-etag": ("md5", bytes.hex),
    "s3-sha1": ("sha1", base64_text),
    "s3-sha256": ("sha256", base64_text),
}

_OBJECT = [
    ("path", pa.string()),
    ("size", pa.int64()),
    ("modified", pa.timestamp("us", tz="UTC")),
    ("etag", pa.string()),
    ("version", pa.string()),
]
_ERROR = ("error", pa.string())
# The columns that are no digests.
FIXED = [name for name, _ in [*_OBJECT, _ERROR]]


def schema(names):
    """The columns of a manifest, with one for each hash function or format."""
    return pa.schema([*_OBJECT, *[(name, pa.string()) for name in names], _ERROR])


# The digests of the parts of a range.
_RANGE = [("start", pa.int64()), ("stop", pa.int64()), ("parts", pa.binary())]
RANGES = pa.schema([*_OBJECT, *_RANGE, _ERROR])


def column(name):
    """The column of a hash function or format: its name, as SQL writes names without quotes."""
    return name.lower().replace("-", "_").replace("/", "_")


def rows(schema, results):
    """The record batch of whole objects."""
    nothing = [None] * (len(schema) - len(FIXED))

    def cells(result):
        digests = nothing if result.digests is None else map(bytes.hex, result.digests)
        return *_object(result), *digests, result.error

    return _batch(map(cells, results), schema)


def range_rows(results):
    """The record batch of ranges."""
    def cells(result):
        item = result.item
        parts = result.digests[0] if result.digests else None
        return *_object(result), item.start, item.stop, parts, result.error

    return _batch(map(cells, results), RANGES)


def _object(result):
    item = result.item
    modified = None if item.modified is None else item.modified // 1000
    return item.path, item.size, modified, item.etag, result.version


def _batch(cells, schema):
    columns = list(zip(*cells)) or [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema)]
    return pa.record_batch(arrays, schema=schema)


def finish(job, ranges):
    """The record batch of whole objects, from rows with all the ranges of each, in order."""
    results = [_finished(job, row) for row in ranges]
    return _batch(results, job.columns())


def _finished(job, row):
    known = [row[name] for name, _ in _OBJECT]
    bounds = [0, *[one["stop"] for one in row["ranges"]]]
    errors = [one["error"] for one in row["ranges"] if one["error"] is not None]
    if not errors and [one["start"] for one in row["ranges"]] + [row["size"]] != bounds:
        errors = ["ranges of it are missing"]
    if errors:
        return *known, None, errors[0]
    digest = _of_parts(job, row["size"], b"".join(one["parts"] for one in row["ranges"]))
    return *known, digest, None


def _of_parts(job, size, parts):
    """What S3 says of an object, from the digests of its parts."""
    function, written = PARTS[job.format]
    if size < job.part_size:
        return written(parts)  # It is uploaded as a whole.
    digest = digest_many([parts], function)[0]
    return f"{written(digest)}-{len(parts) // len(digest)}"


def write(lines, name, destination, base, format):
    """Writes a manifest of (path, size, digest in hexadecimal), as `hashlanes sum -r` does."""
    writer = _hashlanes.ManifestWriter(format, [name])
    count = 0
    with _destination(destination) as file:
        file.write(writer.header())
        for path, size, digest in lines:
            file.write(writer.file(_name(path, base), size, [bytes.fromhex(digest)]))
            count += 1
    return count


def _name(path, base):
    """The name in a manifest: below `base`, or else as a path of a file system."""
    if base is None:
        return local(path)
    base = base.rstrip("/") + "/"
    if not path.startswith(base):
        raise ValueError(f"{path!r} is not below {base!r}")
    return path[len(base):]
