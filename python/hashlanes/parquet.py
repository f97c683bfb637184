"""Prints a manifest in Parquet, from `hashlanes.spark` or `hashlanes.ray`, as `sha256sum` would.

    python -m hashlanes.parquet s3://audit/2026-11-23 | hashlanes check -

The lines have the order of the rows. Rows with an error have none. It needs pyarrow.
"""

import argparse
import sys

import pyarrow.compute as pc
import pyarrow.dataset as ds

from ._cluster import manifest


def main(arguments=None):
    """The program, with the arguments of the command line by default."""
    parser = argparse.ArgumentParser("python -m hashlanes.parquet", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("source", help="a file, a folder, or a URL of pyarrow's file systems")
    parser.add_argument("--name", default="sha256", help="the hash function")
    parser.add_argument("--base", help="what is left out of names")
    parser.add_argument("--format", default="text", help="that of hashlanes.write_manifest")
    given = parser.parse_args(arguments)
    columns = ["path", "size", manifest.column(given.name)]
    found = ds.dataset(given.source, format="parquet")
    batches = found.to_batches(columns, filter=pc.field("error").is_null())
    rows = (row for batch in batches for row in zip(*(batch[name].to_pylist() for name in columns)))
    manifest.write(rows, given.name, sys.stdout.buffer, given.base, given.format)


if __name__ == "__main__":
    main()
