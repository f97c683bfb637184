"""What `hashlanes.spark` costs beside Spark's own functions, as a table in Markdown.

    python cluster.py [FILES] [ROWS]

CPU seconds are those of all processes: the driver, Java and its Python workers. Each job runs once
before it is measured. Memory is the most that one Python worker ever had.
"""

import os
import pathlib
import shutil
import sys
import tempfile

from hashlanes import spark as hs
from pyspark.sql import SparkSession
from pyspark.sql import functions as sf

TICKS = os.sysconf("SC_CLK_TCK")


def processes():
    """This process and its descendants: the fields of /proc/PID/stat by number."""
    found, parents = {}, {}
    for path in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = path.read_text().rpartition(") ")[2].split()
        except OSError:
            continue
        found[int(path.parent.name)] = fields
        parents.setdefault(int(fields[1]), []).append(int(path.parent.name))
    ours = [os.getpid()]
    for pid in ours:
        ours.extend(parents.get(pid, ()))
    return {pid: found[pid] for pid in ours}


def cpu():
    """CPU seconds of all processes, with those that have ended."""
    return sum(sum(map(int, fields[11:15])) for fields in processes().values()) / TICKS


def memory():
    """The most memory that a Python worker had, in MiB."""
    most = 0
    for pid in processes():
        path = pathlib.Path(f"/proc/{pid}")
        if b"pyspark.daemon" in (path / "cmdline").read_bytes():
            status = dict(line.split(":", 1) for line in (path / "status").read_text().splitlines())
            most = max(most, int(status["VmHWM"].split()[0]) // 1024)
    return most


def run(frame):
    """Computes all rows of a new DataFrame."""
    frame().write.format("noop").mode("overwrite").save()


def measure(name, count, *frames):
    """Prints a row for two jobs, run in turns: theirs and ours."""
    best = [float("inf")] * len(frames)
    for frame in frames:
        run(frame)
    for _ in range(3):
        for index, frame in enumerate(frames):
            before = cpu()
            run(frame)
            best[index] = min(best[index], cpu() - before)
    theirs, ours = [took / count * 1e6 for took in best]
    print(f"| {name} | {theirs:.2f} | {ours:.2f} | {theirs / ours:.2f} |", flush=True)


def main():
    files, rows = [int(argument) for argument in [*sys.argv[1:], 20_000, 2_000_000][:2]]
    os.environ["PYSPARK_PYTHON"] = sys.executable
    # One worker takes all tasks, and Python workers stay.
    builder = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    spark = builder.config("spark.log.level", "ERROR").getOrCreate()
    folder = tempfile.mkdtemp()
    try:
        for number in range(files):
            path = pathlib.Path(folder, f"d{number % 50}", f"f{number}")
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(os.urandom(16384))
        print("| microseconds of CPU for each | Spark's own | hashlanes | ratio |")
        print("|---|--:|--:|--:|")
        measure(
            "file of 16 KiB: `binaryFile` and `sha2`; `digests`",
            files,
            lambda: spark.read.format("binaryFile").option("recursiveFileLookup", "true")
            .load(f"file://{folder}").select("path", sf.sha2("content", 256)),
            lambda: hs.digests(spark, folder),
        )
        print(f"\na worker has had {memory()} MiB\n")
        for length in (32, 256, 4096):
            count = rows * 32 // length
            table = spark.range(count, numPartitions=4).select(
                sf.rpad(sf.col("id").cast("string"), length, "x").alias("t")
            ).cache()
            table.count()
            for name in ("sha2", "md5"):
                bits = (256,) if name == "sha2" else ()
                measure(
                    f"`{name}` of {length} bytes",
                    count,
                    lambda: table.select(getattr(sf, name)("t", *bits)),
                    lambda: table.select(getattr(hs, name)("t", *bits)),
                )
            table.unpersist()
        print(f"\na worker has had {memory()} MiB")
    finally:
        shutil.rmtree(folder)
        spark.stop()


if __name__ == "__main__":
    main()
