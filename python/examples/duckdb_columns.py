"""DuckDB: digests of a query result, and an SQL function that computes digests.

    pip install ./python duckdb pyarrow
    python duckdb_columns.py
"""

import duckdb
import hashlanes
import pyarrow as pa

connection = duckdb.connect()

# A result has the Arrow PyCapsule interface of a table. It is hashed batch by batch.
users = connection.sql("select range as id, 'user' || range as mail from range(5)")
keys = hashlanes.digest_rows(users, ["id", "mail"], "sha256").to_pyarrow()
pairs = pa.table({"id": range(5), "key": keys})
print(connection.sql("select id, hex(key) as key from pairs order by id limit 2"))


def sha512(mails):
    """The digests of a column of strings. DuckDB calls it for about 2,000 rows at a time."""
    return hashlanes.digest_array(mails, "sha512", hex=True).to_pyarrow()


# DuckDB has no built-in SHA-512.
connection.create_function("sha512", sha512, ["VARCHAR"], "VARCHAR", type="arrow")
print(connection.sql("select sha512('abc')[:16] as begins").fetchall())
