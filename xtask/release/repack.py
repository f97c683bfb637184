"""Packs a wheel again, without the name of the folder in which it was made, and with the notices in
another folder, if it is named: `repack.py WHEEL ROOT [NOTICES]`.

The list of dependencies that maturin puts into a wheel has the paths of our own packages, a random
number and the time. The same commit would give other bytes. If `SOURCE_DATE_EPOCH` names a time,
the number is left out, and the list and the files get that time.
"""

import base64
import hashlib
import os
import pathlib
import re
import sys
import time
import urllib.parse
import zipfile

wheel, root = pathlib.Path(sys.argv[1]), sys.argv[2].encode()
with zipfile.ZipFile(wheel) as archive:
    files = [(info, archive.read(info)) for info in archive.infolist()]
epoch = os.environ.get("SOURCE_DATE_EPOCH")
then = time.gmtime(int(epoch)) if epoch else None
notices = sorted(pathlib.Path(sys.argv[3]).iterdir()) if len(sys.argv) > 3 else []


def recorded(name, content):
    """The line of RECORD for a file."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(content)}"


changed = {}
for index, (info, content) in enumerate(files):
    if "/sboms/" in info.filename:
        # An address has no spaces.
        quoted = urllib.parse.quote(root, safe="/!$&'()*+,:;=@").encode()
        content = content.replace(b"file://" + quoted, b"file:///hashlanes")
        # Whoever looks up our packages needs the registry's addresses, without a folder.
        content, folders = re.subn(rb'\?download_url=file:[^"#]*', b"", content)
        assert folders and b"download_url" not in content, "the list has another form"
        if then:
            content, numbers = re.subn(rb'\s*"serialNumber": "[^"]*",', b"", content)
            stamp = time.strftime('"timestamp": "%Y-%m-%dT%H:%M:%SZ"', then).encode()
            content, times = re.subn(rb'"timestamp": "[^"]*"', stamp, content)
            assert (numbers, times) == (1, 1), "the list has another form"
        files[index] = info, content
        changed[info.filename] = recorded(info.filename, content)
    elif info.filename.endswith(".dist-info/METADATA"):
        # The headers end with an empty line.
        lines = "".join(f"License-File: {notice.name}\n" for notice in notices).encode()
        content = content.replace(b"\n\n", b"\n" + lines + b"\n", 1)
        files[index] = info, content
        changed[info.filename] = recorded(info.filename, content)
assert len(changed) == 2, f"no list of dependencies or no METADATA: {changed}"
for index, (info, content) in enumerate(files):
    if info.filename.endswith(".dist-info/RECORD"):
        lines = content.decode().splitlines()
        lines = [changed.pop(line.split(",")[0], line) for line in lines]
        folder = info.filename.rsplit("/", 1)[0]
        for notice in notices:
            added = zipfile.ZipInfo(f"{folder}/licenses/{notice.name}", info.date_time)
            added.external_attr = info.external_attr
            files.append((added, notice.read_bytes()))
            lines.insert(-1, recorded(added.filename, files[-1][1]))
        files[index] = info, "".join(line + "\n" for line in lines).encode()
assert not changed, f"not in RECORD: {changed}"
with zipfile.ZipFile(wheel, "w") as archive:
    for info, content in files:
        assert root not in content, f"{info.filename} has the name of the folder"
        if then:
            info.date_time = then[:6]
        # Level 9, which makes a wheel 3% smaller than maturin does.
        archive.writestr(info, content, zipfile.ZIP_DEFLATED, 9)
