"""PySpark: digests in the executors, with mapInArrow.

    pip install ./python pyspark pyarrow       # and Java
    python pyspark_mapinarrow.py

Spark passes Arrow record batches to a function, which returns record batches. Spark's own sha2
hashes one value at a time.
"""

import os
import sys

import hashlanes
import pyarrow as pa
from pyspark.sql import SparkSession


def with_digests(batches):
    """Adds a column `digest`, and a column `row` with a digest of all columns."""
    for batch in batches:
        digests = hashlanes.digest_array(batch.column("mail"), "sha256", hex=True)
        rows = hashlanes.digest_rows(batch, ["id", "mail"], "md5", hex=True)
        columns = [*batch.columns, digests.to_pyarrow(), rows.to_pyarrow()]
        yield pa.RecordBatch.from_arrays(columns, [*batch.schema.names, "digest", "row"])


def main():
    # The executors' Python must have hashlanes too. Here it is the Python that runs this.
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    spark = SparkSession.builder.master("local[2]").appName("hashlanes").getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    users = spark.createDataFrame(
        [(1, "a@example.org"), (2, None), (3, "c@example.org")], "id long, mail string"
    )
    schema = "id long, mail string, digest string, row string"
    hashed = users.mapInArrow(with_digests, schema)
    hashed.show()

    # Compare with Spark's own sha2.
    theirs = users.selectExpr("id", "sha2(mail, 256) as theirs")
    both = hashed.join(theirs, "id").collect()
    assert len(both) == 3 and all(row.digest == row.theirs for row in both)
    print("the same as sha2 of Spark:", len(both), "rows")
    spark.stop()


if __name__ == "__main__":
    main()
