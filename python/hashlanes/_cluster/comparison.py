"""What has become of the objects of a manifest, a group of rows at a time. Spark has SQL for it."""

import pyarrow as pa
import pyarrow.compute as pc

from . import manifest

COMPARED = pa.schema(
    [
        ("name", pa.string()),
        ("path", pa.string()),
        ("status", pa.string()),
        ("moved_from", pa.string()),
        ("error", pa.string()),
        # Of objects that are on one side only.
        ("digests", pa.string()),
    ]
)
_SIDE = pa.schema([(name, pa.string()) for name in ("side", "name", "path", "digests", "error")])


def side(label, base, names, table):
    """Rows of a manifest, with names below `base`, and all digests in one column."""
    base = base.rstrip("/") + "/"
    digests = list(zip(*[table[manifest.column(name)].to_pylist() for name in names]))
    rows = [
        (label, path[len(base):] if path.startswith(base) else path, path, _joined(of_one), error)
        for path, of_one, error in zip(
            table["path"].to_pylist(), digests, table["error"].to_pylist()
        )
    ]
    return _table(rows, _SIDE)


def _joined(digests):
    return None if None in digests else " ".join(digests)


def compare(group):
    """What has become of the object with a name, which is in one manifest or in both."""
    sides = {row["side"]: row for row in group.to_pylist()}
    before, now = sides.get("before"), sides.get("now")
    known = now or before
    both = before is not None and now is not None
    error = known["error"] or (before or known)["error"]
    digests = None if both else known["digests"]
    row = (known["name"], known["path"], _status(before, now), None, error, digests)
    return _table([row], COMPARED)


def _status(before, now):
    if now is None:
        return "missing"
    if now["error"] is not None:
        return "unreadable"
    if before is None:
        return "new"
    if before["error"] is not None:
        return "unreadable"
    return "unchanged" if before["digests"] == now["digests"] else "changed"


def alone(wanted, table):
    """The rows that cannot be one half of an object that was moved, or those that can."""
    cannot = pc.is_null(table["digests"])
    return table.filter(cannot if wanted else pc.invert(cannot))


def pair(group):
    """Joins missing and new objects with the same digests."""
    rows = sorted(group.to_pylist(), key=lambda row: row["name"])
    missing = [row for row in rows if row["status"] == "missing"]
    new = [row for row in rows if row["status"] == "new"]
    moved = list(zip(new, missing))
    for there, gone in moved:
        there.update(status="moved", moved_from=gone["path"])
    rows = new + missing[len(moved):]
    return _table([tuple(row.values()) for row in rows], COMPARED)


def _table(rows, schema):
    columns = list(zip(*rows)) or [()] * len(schema)
    arrays = [pa.array(values, field.type) for values, field in zip(columns, schema)]
    return pa.Table.from_arrays(arrays, schema=schema)
