# What programs use is in `__init__.pyi`. The rest is for the modules of this package only.
from typing import Any

def __getattr__(name: str) -> Any: ...
