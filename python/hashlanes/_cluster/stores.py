"""Files that all workers reach, and objects in S3: listing, reading, writing."""

import contextlib
import os
import uuid
from typing import NamedTuple, Optional
from urllib.parse import urlsplit

# Bytes that are read at a time.
PIECE = 1 << 20
# How often a response that breaks off is continued.
_ATTEMPTS = 5
# A large folder of S3 is listed in ranges of names, which begin at these characters. The listing is
# correct with any characters; most names begin with one of these.
_BOUNDS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Object(NamedTuple):
    """An object, or a range of one, as it was listed. `os.PathLike`, if it is a file."""

    path: str
    size: Optional[int] = None
    # Nanoseconds since 1970.
    modified: Optional[int] = None
    etag: Optional[str] = None
    # Why it could not be listed.
    error: Optional[str] = None
    start: int = 0
    stop: int = 0

    def __fspath__(self):
        return local(self.path)


class Unit(NamedTuple):
    """What one worker lists: the objects below a prefix, whose names are within bounds."""

    prefix: str
    # With the contents of folders below the prefix.
    deep: bool = True
    # Names after this one, up to and including that one.
    after: str = ""
    until: Optional[str] = None


class Changed(Exception):
    """An object is not what was listed."""


def store(url, options=None):
    """The store of a URL. `options` are keyword arguments of `boto3.client`."""
    scheme = urlsplit(url).scheme
    if scheme in ("s3", "s3a", "s3n"):
        return _S3(url, options or {})
    if scheme in ("", "file"):
        return _Files(url)
    raise ValueError(f"{url!r}: the scheme must be file, s3 or s3a, not {scheme!r}")


def local(path):
    """The path of a file, from a path or a `file:` URL, whose names are taken literally."""
    if not path.startswith("file:"):
        return path
    path = path[len("file:"):]
    return "/" + path.lstrip("/")


class _Files:
    """A file system that all workers reach under the same path."""

    is_local = True
    errors = (OSError, Changed)

    def __init__(self, url):
        self.url = url.rstrip("/") or "/"
        if not local(self.url).startswith("/"):
            raise ValueError(f"{url!r} must be an absolute path that all workers can reach")

    def units(self):
        """The whole of it."""
        os.stat(local(self.url))
        return [Unit(self.url)]

    def split(self, unit):
        """Units that together list what `unit` does."""
        if not unit.deep:
            return [unit]
        try:
            entries = os.scandir(local(unit.prefix))
        except OSError:
            return [unit]  # A file, or an error that `list` reports.
        with entries:
            names = [entry.name for entry in entries if _is_folder(entry)]
        folders = [Unit(_join(unit.prefix, name)) for name in names]
        return [unit._replace(deep=False), *folders] if folders else [unit]

    def list(self, unit):
        """Yields the objects of a unit. Folders that cannot be read are objects with an error."""
        if os.path.isfile(local(unit.prefix)):
            yield _file(unit.prefix, os.stat(local(unit.prefix)))
            return
        folders = [unit.prefix]
        while folders:
            folder = folders.pop()
            try:
                with os.scandir(local(folder)) as entries:
                    for entry in entries:
                        path = _join(folder, entry.name)
                        if unit.deep and _is_folder(entry):
                            folders.append(path)
                        elif entry.is_file(follow_symlinks=False):
                            yield _listed(path, entry)
            except OSError as error:
                yield Object(_text(folder), error=reason(error))

    def read(self, item, start, stop):
        """Yields the bytes of a range in pieces. Raises an error if the file has changed."""
        with open(item, "rb", buffering=0) as file:
            unchanged(item, os.fstat(file.fileno()))
            while start < stop:
                piece = os.pread(file.fileno(), min(PIECE, stop - start), start)
                if not piece:
                    raise Changed("the file is shorter than listed")
                start += len(piece)
                yield piece
            unchanged(item, os.fstat(file.fileno()))

    def names(self, folder):
        """The names in a folder, which may be missing."""
        try:
            return os.listdir(local(f"{self.url}/{folder}"))
        except FileNotFoundError:
            return []

    def get(self, name):
        """The contents of a file."""
        with open(local(f"{self.url}/{name}"), "rb") as file:
            return file.read()

    def put(self, name, data, replace=True):
        """Writes a file, which readers see when it is complete. May keep one that is there."""
        path = local(f"{self.url}/{name}")
        folder, name = os.path.split(path)
        os.makedirs(folder, exist_ok=True)
        partial = os.path.join(folder, f".{name}.{uuid.uuid4().hex}")
        try:
            with open(partial, "xb") as file:
                file.write(data)
                os.fsync(file.fileno())
            if replace or not _linked(partial, path):
                os.replace(partial, path)
        finally:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(partial)


def _linked(partial, path):
    """Gives a file its name, unless another has it. Returns False if there are no hard links."""
    try:
        os.link(partial, path)
    except FileExistsError:
        return True
    except OSError:
        return os.path.exists(path)
    return True


def unchanged(item, now):
    """Raises an error if a file is not what was listed."""
    if (now.st_size, now.st_mtime_ns) != (item.size, item.modified):
        raise Changed("changed since it was listed")


def _join(folder, name):
    return f"{folder.rstrip('/')}/{name}"


def _is_folder(entry):
    return entry.is_dir(follow_symlinks=False)


def _listed(path, entry):
    try:
        return _file(path, entry.stat(follow_symlinks=False))
    except OSError as error:
        return Object(_text(path), error=reason(error))


def _file(path, known):
    if _text(path) != path:
        return Object(_text(path), error="the name is not UTF-8")
    return Object(path, known.st_size, known.st_mtime_ns, stop=known.st_size)


def _text(path):
    """A path that can be stored as UTF-8."""
    return path.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def reason(error):
    """Why something failed, without the name, which has a column of its own."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


class _S3:
    """A bucket, or what is below a prefix of it."""

    is_local = False

    def __init__(self, url, options):
        self.url = url.rstrip("/")
        parts = urlsplit(self.url)
        self._base = f"{parts.scheme}://{parts.netloc}/"
        self._bucket = parts.netloc
        # Not by `urlsplit`, which takes `?` and `#` for parts of a URL.
        self._key = self.url[len(self._base):]
        self._client = _client(options)
        self.errors = _errors()

    def units(self):
        """The objects below the prefix, and the one that has its name."""
        self._page(self._key)  # Raises an error if the bucket cannot be listed.
        if not self._key:
            return [Unit("")]
        return [Unit(f"{self._key}/"), Unit(self._key, deep=False, until=self._key)]

    def split(self, unit):
        """Units that together list what `unit` does: by folders, or by first characters."""
        if not unit.deep or unit.after or unit.until:
            return [unit]
        page = self._page(unit.prefix, delimiter="/")
        if page["IsTruncated"]:
            bounds = [unit.prefix + bound for bound in _BOUNDS]
            ranges = zip(["", *bounds], [*bounds, None])
            return [unit._replace(after=after, until=until) for after, until in ranges]
        folders = [Unit(folder["Prefix"]) for folder in page.get("CommonPrefixes", ())]
        return [unit._replace(deep=False), *folders] if folders else [unit]

    def list(self, unit):
        """Yields the objects of a unit."""
        # The name that is the prefix itself comes first, before all folders.
        delimiter = "" if unit.deep or unit.until == unit.prefix else "/"
        token = ""
        while True:
            page = self._page(unit.prefix, unit.after, delimiter, token)
            for known in page.get("Contents", ()):
                if unit.until is not None and known["Key"] > unit.until:
                    return
                # The name that stands for the folder itself is no object below it.
                if known["Key"] != f"{self._key}/" or not self._key:
                    yield self._object(known)
            if not page["IsTruncated"]:
                return
            token = page["NextContinuationToken"]

    def read(self, item, start, stop):
        """Yields the bytes of a range in pieces, and returns the version.

        Raises an error if the object has changed.
        """
        broken = 0
        while True:
            try:
                body, version = self._body(item, start, stop)
                with contextlib.closing(body):
                    while piece := body.read(PIECE):
                        start += len(piece)
                        yield piece
                if start == stop:
                    return version
                raise ConnectionError("the response ended early")
            except _transient():
                broken += 1
                if broken == _ATTEMPTS:
                    raise

    def names(self, folder):
        """The names in a folder, which may be missing."""
        prefix = "".join(f"{part}/" for part in (self._key, folder) if part)
        listed = self.list(Unit(prefix, deep=False))
        return [item.path.rpartition("/")[2] for item in listed]

    def get(self, name):
        """The contents of an object."""
        return self._client.get_object(**self._named(name))["Body"].read()

    def put(self, name, data, replace=True):
        """Writes an object, which readers see when it is complete. May keep one that is there."""
        condition = {} if replace else {"IfNoneMatch": "*"}
        try:
            self._client.put_object(**self._named(name), Body=data, **condition)
        except self._client.exceptions.ClientError as error:
            status = error.response["ResponseMetadata"]["HTTPStatusCode"]
            if not replace and status == 501:  # The store has no conditions.
                self.put(name, data)
            elif replace or status not in (409, 412):
                raise

    def _named(self, name):
        return {"Bucket": self._bucket, "Key": f"{self._key}/{name}".lstrip("/")}

    def _page(self, prefix, after="", delimiter="", token=""):
        asked = {"Prefix": prefix, "StartAfter": after, "Delimiter": delimiter}
        asked["ContinuationToken"] = token
        asked = {name: value for name, value in asked.items() if value}
        return self._client.list_objects_v2(Bucket=self._bucket, **asked)

    def _object(self, known):
        modified = int(known["LastModified"].timestamp()) * 1_000_000_000
        etag = known.get("ETag", "").strip('"') or None
        size = known["Size"]
        return Object(self._base + known["Key"], size, modified, etag, stop=size)

    def _body(self, item, start, stop):
        """The response to one request, and the version of the object."""
        asked = {"Bucket": self._bucket, "Key": item.path[len(self._base):]}
        if item.etag:
            asked["IfMatch"] = f'"{item.etag}"'
        else:
            asked["IfUnmodifiedSince"] = item.modified // 10**9
        if (start, stop) != (0, item.size):
            asked["Range"] = f"bytes={start}-{stop - 1}"
        try:
            response = self._client.get_object(**asked)
        except self._client.exceptions.ClientError as error:
            raise _explained(error) from error
        if response["ContentLength"] != stop - start:
            response["Body"].close()
            raise Changed("its length differs from the listing")
        return response["Body"], response.get("VersionId")


def _explained(error):
    """An error of the store, in the words of this module."""
    status = error.response["ResponseMetadata"]["HTTPStatusCode"]
    if status == 404:
        return Changed("vanished since it was listed")
    return Changed("changed since it was listed") if status == 412 else error


def _errors():
    """Errors after which other objects may be readable."""
    from botocore.exceptions import BotoCoreError, ClientError

    return OSError, Changed, BotoCoreError, ClientError


def _transient():
    """Errors of a connection that broke while a response was read."""
    from botocore.exceptions import HTTPClientError, IncompleteReadError

    return ConnectionError, HTTPClientError, IncompleteReadError


def _client(options):
    import boto3
    from botocore.config import Config

    # Requests that the store refuses because there are too many are repeated more slowly.
    retries = {"mode": "adaptive", "total_max_attempts": 10}
    config = Config(retries=retries, max_pool_connections=64)
    return boto3.session.Session().client("s3", **{"config": config, **options})
