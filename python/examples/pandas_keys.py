"""pandas: digests of a column, and of rows to find those that changed.

    pip install ./python pandas pyarrow
    python pandas_keys.py
"""

import hashlanes
import pandas as pd

before = pd.DataFrame({"id": [1, 2, 3], "mail": ["a@example.org", "b@example.org", None]})
after = pd.DataFrame({"id": [1, 2, 3], "mail": ["a@example.org", "new@example.org", None]})

# A column of pseudonyms. A missing value stays missing.
before["pseudonym"] = hashlanes.digest_array(before["mail"], "sha256", hex=True)
print(before[["id", "pseudonym"]])


def fingerprints(frame):
    """One digest per row."""
    return hashlanes.digest_rows(frame.set_index("id", drop=False), ["id", "mail"], "md5")


changed = fingerprints(before) != fingerprints(after)
print("changed:", changed.index[changed].tolist())
