"""Clusters of several workers on this machine, of which some are killed while they hash."""

import json
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

if not os.environ.get("HASHLANES_THOROUGH"):
    pytest.skip("clusters take a minute", allow_module_level=True)

from common import pattern, sha256sum  # noqa: E402

from hashlanes._cluster import plan  # noqa: E402


@pytest.fixture
def many(tmp_path, monkeypatch):
    """A folder that gives many tasks, as each folder is a batch."""
    monkeypatch.setattr(plan, "BATCH_COST", 1)
    monkeypatch.setattr(plan, "LEAST_TASK_COST", 1)
    for number in range(40):
        path = tmp_path / "many" / f"d{number}"
        path.mkdir(parents=True)
        for length in range(100):
            (path / f"f{length}").write_bytes(pattern(length * 1000, number))
    return tmp_path / "many"


def when_begun(kept, function):
    """Calls a function in a thread when a checkpoint has the first results."""
    def wait():
        until = time.monotonic() + 120
        while time.monotonic() < until and not results(kept):
            time.sleep(0.01)
        function()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def results(kept):
    """The results in a checkpoint."""
    return list(pathlib.Path(kept, "digests").glob("[0-9]*"))


def spark_home():
    return pathlib.Path(pytest.importorskip("pyspark").__file__).parent


@pytest.fixture
def standalone(tmp_path):
    """The URL of a standalone cluster of Spark, and the processes of its workers."""
    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    url = f"spark://127.0.0.1:{port}"

    def start(name, *arguments):
        command = [spark_home() / "bin" / "spark-class", f"org.apache.spark.deploy.{name}"]
        options = ["--host", "127.0.0.1", "--webui-port", "0", *arguments]
        return subprocess.Popen([*command, *options], start_new_session=True,
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    master = start("master.Master", "--port", str(port))
    workers = [
        start("worker.Worker", "--cores", "1", "--memory", "1g", "--work-dir",
              str(tmp_path / f"worker {number}"), url)
        for number in range(3)
    ]
    yield url, workers
    for process in [master, *workers]:
        kill(process)


def kill(process):
    """Kills a process and its children."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def session(master):
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    settings = {
        "spark.ui.enabled": "false",
        "spark.log.level": "OFF",
        "spark.driver.host": "127.0.0.1",
        "spark.executor.memory": "512m",
        "spark.speculation": "true",
    }
    builder = SparkSession.builder.master(master)
    for name, value in settings.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def test_spark_loses_workers(many, tmp_path, standalone):
    from hashlanes import spark as hs

    url, workers = standalone
    spark = session(url)
    try:
        kept = f"{tmp_path}/kept"
        thread = when_begun(kept, lambda: [kill(worker) for worker in workers[:2]])
        manifest = hs.digests(spark, str(many), checkpoint=kept, workers=3)
        thread.join()
        assert [worker.poll() is None for worker in workers] == [False, False, True]
        assert hs.write_manifest(manifest, tmp_path / "SHA256SUMS") == 4000
    finally:
        spark.stop()
    assert (tmp_path / "SHA256SUMS").read_bytes() == sha256sum(many)


KILLED = """
import sys
from hashlanes import spark as hs
from hashlanes._cluster import plan
from test_clusters import session
plan.BATCH_COST = plan.LEAST_TASK_COST = 1
hs.digests(session("local[1]"), sys.argv[1], checkpoint=sys.argv[2])
"""


def test_spark_goes_on_after_the_driver_was_killed(many, tmp_path):
    from hashlanes import spark as hs

    if shutil.which("java") is None:
        pytest.skip("there is no Java")
    kept = f"{tmp_path}/kept"
    folders = [pathlib.Path(__file__).parent, os.environ.get("PYTHONPATH", "")]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, folders))}
    driver = subprocess.Popen([sys.executable, "-c", KILLED, str(many), kept], env=environment,
                              start_new_session=True, cwd=tmp_path)
    when_begun(kept, lambda: kill(driver)).join()
    tasks = json.loads(pathlib.Path(kept, "plan.json").read_bytes())[1]
    assert 0 < len(results(kept)) < len(tasks)
    spark = session("local[2]")
    try:
        manifest = hs.digests(spark, str(many), checkpoint=kept)
        assert len(results(kept)) == len(tasks)
        hs.write_manifest(manifest, tmp_path / "SHA256SUMS")
    finally:
        spark.stop()
    assert (tmp_path / "SHA256SUMS").read_bytes() == sha256sum(many)


def test_ray_loses_a_node(many, tmp_path):
    ray = pytest.importorskip("ray")
    from ray.cluster_utils import Cluster

    from hashlanes import ray as hr

    os.environ["RAY_DATA_DISABLE_PROGRESS_BARS"] = "1"
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1})
    others = [cluster.add_node(num_cpus=1) for _ in range(2)]
    try:
        ray.init(address=cluster.address, logging_level="ERROR")
        kept = f"{tmp_path}/kept"
        lost = lambda: cluster.remove_node(others[0], allow_graceful=False)  # noqa: E731
        thread = when_begun(kept, lost)
        manifest = hr.digests(str(many), checkpoint=kept)
        thread.join()
        assert hr.write_manifest(manifest, tmp_path / "SHA256SUMS") == 4000
    finally:
        ray.shutdown()
        cluster.shutdown()
    assert (tmp_path / "SHA256SUMS").read_bytes() == sha256sum(many)
