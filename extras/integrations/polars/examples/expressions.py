"""Polars: digests as lazy expressions.

    pip install hashlanes-polars
    python expressions.py
"""

import hashlanes_polars  # noqa: F401 (registers the namespace `hashlanes`)
import polars as pl

users = pl.LazyFrame({
    "id": [1, 2, 3],
    "mail": ["a@example.org", None, "c@example.org"],
})

print(
    users.with_columns(
        pl.col("mail").hashlanes.sha256(hex=True).alias("pseudonym"),
        pl.struct("id", "mail").hashlanes.digest_rows("md5", hex=True).alias("row"),
    )
    .filter(pl.col("pseudonym").is_not_null())
    .collect(engine="streaming")
)
