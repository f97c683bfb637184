# The public interface is in `__init__.pyi`. The rest is private to this package.
from typing import Any

def __getattr__(name: str) -> Any: ...
