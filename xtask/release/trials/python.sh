# The wheels from a folder, in a virtual environment of each Python that this system has.
for python in /usr/bin/python3.[0-9]*[0-9]; do
    name=$(basename "$python")
    "$python" -m venv "/tmp/$name"
    timed "/tmp/$name/bin/pip" install --quiet --no-index --find-links /dist hashlanes
    has_notices "/tmp/$name/lib/$name/site-packages"/hashlanes-*.dist-info/licenses ^pyo3
    timed "/tmp/$name/bin/python" /trials/installed.py
done
