"""`file_digest` for all versions of Python. hashlib has it since 3.11."""

from ._hashlanes import new


def file_digest(fileobj, digest, /, *, _bufsize=2**18):
    """Hash the rest of a file object, and return the hash object.

    `digest` is the name of an algorithm or a callable that makes a hash object. The file object
    must be open for reading in binary mode and have a `readinto` method. The whole buffer of an
    object with `getbuffer`, such as `io.BytesIO`, is hashed instead. The position of the file
    object afterwards is unspecified.
    """
    message = new(digest) if isinstance(digest, str) else digest()
    if hasattr(fileobj, "getbuffer"):
        with fileobj.getbuffer() as buffer:
            message.update(buffer)
        return message
    if not _is_readable_binary(fileobj):
        raise ValueError(f"'{fileobj!r}' is not a file-like object in binary reading mode.")
    memory = bytearray(_bufsize)
    with memoryview(memory) as view:
        while size := _read(fileobj, memory):
            message.update(view[:size])
    return message


def _is_readable_binary(fileobj):
    return hasattr(fileobj, "readinto") and hasattr(fileobj, "readable") and fileobj.readable()


def _read(fileobj, memory):
    size = fileobj.readinto(memory)
    if size is None:
        raise BlockingIOError("I/O operation would block.")
    return size
