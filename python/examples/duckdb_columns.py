"""DuckDB: digests of a result, and a function of SQL that makes them.

    pip install hashlanes duckdb pyarrow
    python duckdb_columns.py
"""

import duckdb
import hashlanes
import pyarrow as pa

connection = duckdb.connect()

# A result is a table with the Arrow PyCapsule interface: it is hashed batch by batch.
users = connection.sql("select range as id, 'user' || range as mail from range(5)")
keys = hashlanes.digest_rows(users, ["id", "mail"], "sha256").to_pyarrow()
pairs = pa.table({"id": range(5), "key": keys})
print(connection.sql("select id, hex(key) as key from pairs order by id limit 2"))


def sha512(mails):
    """A column of strings to one of digests. DuckDB calls it for some 2,000 rows at a time."""
    return hashlanes.digest_array(mails, "sha512", hex=True).to_pyarrow()


# DuckDB has no SHA-512 of its own.
connection.create_function("sha512", sha512, ["VARCHAR"], "VARCHAR", type="arrow")
print(connection.sql("select sha512('abc')[:16] as begins").fetchall())
