"""The digests of objects, hashed side by side, with memory that depends on neither number nor size.

Whole files are read and hashed by `hash_files`. Objects in S3, and parts of files, are read by
`READERS` threads a piece at a time, and hashed in `Lanes`.
"""

import concurrent.futures
import contextlib
import os
import queue
from typing import NamedTuple, Optional

from .._files import hash_files
from .._lanes import Lanes
from .stores import PIECE, Changed, Object, reason, unchanged

# Ranges that are read at the same time.
READERS = 16
# Bytes that may wait in the lanes.
_WAITING = 2 * READERS * PIECE


class Hashed(NamedTuple):
    """The result for an object, or for a range of one."""

    item: Object
    # For each hash function the digests of all parts, one after the other.
    digests: Optional[list] = None
    version: Optional[str] = None
    error: Optional[str] = None


def digests(store, objects, names, part_size=None):
    """Yields the result for each object or range, in any order."""
    unlisted = []

    def listed():
        for item in objects:
            if item.error is None:
                yield item
            else:
                unlisted.append(Hashed(item, error=item.error))

    if store.is_local and part_size is None:
        results = _files(listed(), names)
    else:
        results = _Streams(store, names, part_size)(listed())
    for result in results:
        yield result
        while unlisted:
            yield unlisted.pop()
    yield from unlisted


def _files(objects, names):
    for file in hash_files(objects, names, out="bytes", threads=1, errors="return"):
        try:
            if file.error is not None:
                raise file.error
            unchanged(file.path, os.stat(file.path))
            yield Hashed(file.path, list(file.digests.values()))
        except (OSError, Changed) as error:
            yield Hashed(file.path, error=reason(error))


class _Range:
    """A range of an object, of which the parts are hashed side by side."""

    def __init__(self, item, part_size, functions):
        size = part_size or max(item.stop - item.start, 1)
        # An empty object has one part, too.
        starts = range(item.start, item.stop, size) or [item.start]
        self.item = item
        self.spans = [(start, min(start + size, item.stop)) for start in starts]
        self.digests = [[b""] * len(self.spans) for _ in range(functions)]
        self.missing = len(self.spans) * functions
        self.version = None
        self.error = None

    def result(self):
        if self.error is not None:
            return Hashed(self.item, error=self.error)
        return Hashed(self.item, [b"".join(parts) for parts in self.digests], self.version)


class _Streams:
    """Ranges of objects that are read and hashed at the same time."""

    def __init__(self, store, names, part_size):
        self._store = store
        self._part_size = part_size
        self._lanes = [Lanes(name) for name in names]
        self._waiting = 0
        self._ended = []

    def __call__(self, objects):
        spans = self._spans(objects)
        arrived = queue.SimpleQueue()
        reading = 0
        threads = concurrent.futures.ThreadPoolExecutor(READERS)

        def request(span, pieces):
            future = threads.submit(next, pieces)
            future.add_done_callback(lambda future: arrived.put((span, pieces, future)))

        try:
            while True:
                while reading < READERS and (span := next(spans, None)) is not None:
                    request(span, self._store.read(span[0].item, *span[0].spans[span[1]]))
                    reading += 1
                if not reading:
                    break
                span, pieces, future = arrived.get()
                if self._take(span, future):
                    request(span, pieces)
                else:
                    reading -= 1
                yield from self._completed()
            self._flush()
            yield from self._completed()
        finally:
            threads.shutdown(cancel_futures=True)

    def _spans(self, objects):
        for item in objects:
            parts = _Range(item, self._part_size, len(self._lanes))
            for index in range(len(parts.spans)):
                yield parts, index

    def _take(self, span, future):
        """Gives the lanes what was read. Returns whether there may be more of this span."""
        try:
            piece = future.result()
        except StopIteration as end:
            span[0].version = end.value
            for lanes in self._lanes:
                lanes.finish(span)
            return False
        except self._store.errors as error:
            self._fail(span, error)
            return False
        for lanes in self._lanes:
            lanes.update(span, piece)
        self._waiting += len(piece)
        if self._waiting >= _WAITING:
            self._flush()
        return True

    def _flush(self):
        for function, lanes in enumerate(self._lanes):
            self._digested(function, lanes.flush())
        self._waiting = 0

    def _fail(self, span, error):
        parts, _ = span
        parts.error = parts.error or reason(error)
        for lanes in self._lanes:
            with contextlib.suppress(KeyError):  # Nothing of it had arrived.
                lanes.discard(span)
            self._end(parts)

    def _end(self, parts):
        parts.missing -= 1
        if not parts.missing:
            self._ended.append(parts.result())

    def _completed(self):
        """The results of ranges that have ended."""
        for function, lanes in enumerate(self._lanes):
            self._digested(function, lanes.completed())
        ended, self._ended = self._ended, []
        return ended

    def _digested(self, function, messages):
        for (parts, index), digest in messages:
            parts.digests[function][index] = digest
            self._end(parts)
