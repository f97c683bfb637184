"""Runs the examples of the guide and of the README unchanged."""

import pathlib
import re

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def examples():
    guide = ROOT / "docs" / "guide"
    for path in [guide / "python.md", guide / "slh-dsa.md", ROOT / "python" / "README.md"]:
        text = path.read_text(encoding="utf-8")
        for match in re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
            line = text[:match.start()].count("\n") + 2
            yield pytest.param(path, line, match[1], id=f"{path.name}:{line}")


@pytest.mark.parametrize("path, line, example", list(examples()))
def test_example(path, line, example, tmp_path, monkeypatch):
    if "numpy" in example:
        pytest.importorskip("numpy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "photos").mkdir()
    for number in range(3):
        (tmp_path / "photos" / f"{number}.raw").write_bytes(bytes(100_000 * number))
    # Pad with newlines, so that errors show the line numbers of the page.
    exec(compile("\n" * (line - 1) + example, str(path), "exec"), {"__name__": "__main__"})


def test_examples_were_found():
    assert len(list(examples())) >= 9
