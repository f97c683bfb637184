"""The programs in examples/ run and print the expected output."""

import hashlib
import importlib.util
import pathlib
import shutil
import subprocess
import sys
from importlib.metadata import version

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parents[1] / "examples"


def md(name, text):
    return hashlib.new(name, text.encode()).hexdigest()


# A program, the packages it imports, and parts of its output.
PROGRAMS = [
    ("pandas_keys", ["pandas", "pyarrow"], [md("sha256", "a@example.org")[:20], "changed: [2]"]),
    ("duckdb_columns", ["duckdb", "pyarrow"], [md("sha512", "abc")[:16]]),
    ("pyspark_mapinarrow", ["pyspark", "pyarrow"], ["the same as sha2 of Spark: 3 rows"]),
]


@pytest.mark.parametrize(("program", "packages", "parts"), PROGRAMS, ids=lambda p: str(p))
def test_program(program, packages, parts, tmp_path):
    for package in packages:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    if "pyspark" in packages and shutil.which("java") is None:
        pytest.skip("there is no Java")
    # Columns of strings have the Arrow PyCapsule interface since pandas 3.
    if program == "pandas_keys" and version("pandas").startswith("2."):
        pytest.skip("pandas is older than 3")
    path = EXAMPLES / f"{program}.py"
    # In another folder: Spark's workers would import the package from this one, without its
    # extension module.
    command = [sys.executable, path]
    result = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=tmp_path)
    assert result.returncode == 0, result.stderr[-3000:]
    for part in parts:
        assert part in result.stdout
