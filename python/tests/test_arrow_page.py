"""Runs the cells of the guide's page about Arrow in order, and compares their output with it."""

import contextlib
import importlib.metadata
import importlib.util
import io
import pathlib
import re

import pytest

PAGE = pathlib.Path(__file__).resolve().parents[2] / "docs" / "guide" / "arrow.md"
if not PAGE.exists():
    pytest.skip("the documentation is not here", allow_module_level=True)

CELL = re.compile(r"```python\n(.*?)```(?:\n+```text\n(.*?)```)?", re.S)


def test_every_cell(tmp_path, monkeypatch):
    for package in ["numpy", "pandas", "polars", "pyarrow"]:
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"{package} is not installed")
    if importlib.metadata.version("pandas").startswith("2."):
        pytest.skip("pandas is older than 3")
    monkeypatch.chdir(tmp_path)
    cells = CELL.findall(PAGE.read_text(encoding="utf-8"))
    assert len(cells) > 7
    names = {"__name__": "page"}
    for code, says in cells:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, str(PAGE), "exec"), names)
        assert printed.getvalue().strip() == says.strip(), code
