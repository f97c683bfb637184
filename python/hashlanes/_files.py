"""Hashes files on all cores, and writes and checks manifests."""

import contextlib
import os
import secrets
import time
import warnings
from typing import NamedTuple, Optional

from . import _hashlanes
from ._lanes import not_copied

# Seconds between two calls of a progress function.
_PROGRESS = 0.1


class HashedFile(NamedTuple):
    """The result for a file."""

    # The path, as it was given.
    path: object
    # The digest for each name.
    digests: dict
    # Number of bytes hashed.
    size: int
    # The file was written while it was read, so the digests may match no state that it ever had.
    changed: bool
    # Why the file could not be read.
    error: Optional[OSError]


class CheckedFile(NamedTuple):
    """The result for a line of a manifest."""

    # The name in the manifest, or None if the line has no readable name.
    path: Optional[str]
    # "ok", "failed" (the digests differ), "missing", "unreadable" (see `error`), "unknown" (an
    # unsupported hash function) or "malformed".
    status: str
    # Why the file could not be read, or what is wrong with the line.
    error: Optional[Exception] = None

    @property
    def ok(self):
        """Whether the file has the digests in the manifest."""
        return self.status == "ok"


class hash_files:  # noqa: N801 - called like a function
    """Hash files on all cores. Iterate over the results, in the order of the paths.

        for file in hash_files(paths, "sha256"):
            print(file.digests["sha256"], file.path)

    `paths` is any iterable. It is read as the results are taken, so it may be of any length. URLs
    name objects in stores, as in "s3://bucket/name"; the environment configures the access to them.
    An `OpenFile` of fsspec and a `UPath` stand for their URLs.
    `names` is the name of a hash function, or an iterable of several different names. Each file is
    read once. Digests are str with out="hex" and bytes with out="bytes". `threads` is the number of
    threads that read and hash, by default one per CPU. `progress` is called with the numbers of
    files and bytes hashed so far, ten times a second and at the end.

    With errors="raise" a file that cannot be read raises OSError in place of its result. The next
    call of `next` continues with the next file. With errors="return" the result holds the error.

    Only one thread at a time may use the iterator. `close`, or the end of a `with` block, cancels
    the remaining files.
    """

    def __init__(self, paths, names, *, out="hex", threads=None, errors="raise", progress=None):
        names = _names(names)
        _one_of("out", out, ("hex", "bytes"))
        _one_of("errors", errors, ("raise", "return"))
        self._names = names
        self._hex = out == "hex"
        self._raise = errors == "raise"
        self._progress = _Progress(progress)
        self._run = _hashlanes.FileRun(names, _several_paths(paths), threads)

    def __iter__(self):
        return self

    def __next__(self):
        try:
            path, digests, size, changed, error = next(self._run)
        except StopIteration:
            self._progress.end(self._run)
            raise
        self._progress.update(self._run)
        if error is not None and self._raise:
            raise error
        if self._hex:
            digests = [digest.hex() for digest in digests]
        return HashedFile(path, dict(zip(self._names, digests)), size, changed, error)

    def close(self):
        """Cancel the remaining files."""
        self._run.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __reduce_ex__(self, _):
        raise not_copied(self)


def write_manifest(
    manifest, paths, names="sha256", *, format="text", threads=None, progress=None
):
    """Write the digests of files to a manifest, as `sha256sum` does. Return the number of files.

    `manifest` is a path or a binary file object. A file at a path is replaced only when the
    manifest is complete; after an error it is as it was before. `format` is "text", "tagged",
    "json", "csv", "hashdeep", "sfv" or "bagit".
    """
    # A path may be one object that becomes another path each time.
    names, paths = _names(names), map(os.fsdecode, _several_paths(paths))
    writer = _hashlanes.ManifestWriter(format, names)
    with _destination(manifest) as file:
        file.write(writer.header())
        count = 0
        with hash_files(
            paths, names, out="bytes", threads=threads, progress=progress
        ) as results:
            for result in results:
                digests = list(result.digests.values())
                file.write(writer.file(result.path, result.size, digests))
                count += 1
    return count


def check_manifest(
    manifest, *, root=None, format=None, name=None, threads=None, progress=None
):
    """Check the files of a manifest, as `sha256sum -c` does. Return an iterator of `CheckedFile`.

        bad = [file for file in check_manifest("SHA256SUMS") if not file.ok]

    Relative names are resolved against `root`, by default the current folder. With a URL such as
    "s3://bucket/prefix", they are names of objects below it. `format` and `name`,
    the hash function, are detected from the manifest unless given.

    The iterator raises ValueError at the end if no line could be checked, since an empty manifest
    proves nothing. An unterminated last line may be truncated. It is checked, with a warning.
    """
    manifest = os.fsdecode(manifest)
    # Unbuffered, so that Ctrl-C works and other threads run while a read blocks.
    file = open(manifest, "rb", buffering=0)
    lines = _hashlanes.ManifestReader(file, manifest, format, name)
    return _strict(manifest, lines, _check(lines, root, threads, progress))


def _strict(manifest, lines, results):
    """Yields the results, and reports what is wrong with the manifest itself."""
    checked = 0
    for result in results:
        checked += result.status not in ("unknown", "malformed")
        yield result
    if lines.is_unterminated:
        message = f"{manifest!r}: the last line is not terminated and may be truncated"
        warnings.warn(message, stacklevel=2)
    if not checked:
        raise ValueError(f"{manifest!r} has no line that could be checked")


def _check(lines, root, threads, progress):
    progress = _Progress(progress)
    # The hash functions of a run are fixed when it starts, so consecutive lines with the same
    # functions share a run. Nearly all manifests need only one.
    lines = _Lookahead(lines)
    while lines.more():
        functions = lines.functions()
        if functions is None:
            yield _without_file(*lines.take())
            continue
        run = _hashlanes.FileRun(functions, _run_of_lines(lines, functions, root), threads)
        try:
            for result in run:
                yield _checked(*result)
                progress.update(run)
            progress.end(run)
        finally:
            run.close()


class _Lookahead:
    """The lines of a manifest, with one line of lookahead."""

    def __init__(self, lines):
        self._lines = lines
        self._next = next(lines, None)

    def more(self):
        return self._next is not None

    def functions(self):
        """The functions of the next line, or None if not all of them are supported."""
        if self._next is None or self._next[0] is None:
            return None
        functions = self._next[1]
        return functions if all(map(_hashlanes.can_hash_files_with, functions)) else None

    def take(self):
        line, self._next = self._next, next(self._lines, None)
        return line


def _run_of_lines(lines, functions, root):
    while lines.more() and lines.functions() == functions:
        path, _, digests = lines.take()
        yield _Line(os.fsdecode(path), digests, root)


class _Line(NamedTuple):
    """A line of a manifest, usable as the path of its file."""

    path: str
    digests: list
    root: Optional[object]

    def __fspath__(self):
        if self.root is None:
            return self.path
        if isinstance(self.root, str) and "://" in self.root:
            return f"{self.root.removesuffix('/')}/{self.path}"
        return os.path.join(self.root, self.path)


def _without_file(path, names, line):
    if path is not None:
        error = ValueError(f"unsupported hash function {', '.join(names)}")
        return CheckedFile(os.fsdecode(path), "unknown", error)
    if names is not None:
        error = ValueError(f"line {line}: unsupported hash function {names}")
        return CheckedFile(None, "unknown", error)
    return CheckedFile(None, "malformed", ValueError(f"line {line} is malformed"))


def _checked(line, digests, _size, _changed, error):
    if error is None:
        return CheckedFile(line.path, "ok" if digests == line.digests else "failed")
    missing = isinstance(error, FileNotFoundError)
    return CheckedFile(line.path, "missing" if missing else "unreadable", error)


class _Progress:
    """Calls a progress function at intervals."""

    def __init__(self, function):
        self._function = function
        self._next = time.monotonic() + _PROGRESS

    def update(self, run):
        if self._function is not None and time.monotonic() >= self._next:
            self.end(run)
            self._next = time.monotonic() + _PROGRESS

    def end(self, run):
        if self._function is not None:
            self._function(*run.progress())


@contextlib.contextmanager
def _destination(manifest):
    """A file to write a manifest to. A regular file is replaced only at the end."""
    if hasattr(manifest, "write"):
        yield manifest
        return
    path = os.path.realpath(os.fsdecode(manifest))
    if os.path.exists(manifest) and not os.path.isfile(manifest):
        # A device or a pipe, such as /dev/stdout, cannot be replaced.
        with open(manifest, "wb") as file:
            yield file
        return
    partial = _partial_name(path)
    try:
        # `open` gives it the permissions of any new file.
        with open(partial, "xb") as file:
            yield file
        with contextlib.suppress(FileNotFoundError):
            os.chmod(partial, os.stat(path).st_mode & 0o777)
        os.replace(partial, path)
    except BaseException:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(partial)
        raise


def _partial_name(path):
    """A new name in the same folder, of bounded length."""
    folder, name = os.path.split(path)
    return os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}")


def _names(names):
    names = [names] if isinstance(names, str) else list(names)
    if not names:
        raise ValueError("names must contain at least one hash function")
    for name in names:
        if not isinstance(name, str):
            raise TypeError(f"names must be str or an iterable of str, not of {_class(name)}")
    _hashlanes.check_names(names)
    return names


def _several_paths(paths):
    """An iterator over paths. Rejects a single path: iterating a str would give its characters."""
    if isinstance(paths, (str, bytes, os.PathLike)):
        raise TypeError(f"paths must be an iterable of paths, not one {_class(paths)}: [{paths!r}]")
    return iter(paths)


def _class(value):
    return type(value).__name__


def _one_of(argument, value, values):
    if value not in values:
        raise ValueError(f"{argument} must be one of {', '.join(map(repr, values))}, not {value!r}")
