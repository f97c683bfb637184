"""`HashServer`: messages in many threads or tasks that share lanes."""

import asyncio
import collections
import os
from concurrent.futures import ThreadPoolExecutor

from . import _hashlanes
from ._lanes import not_copied

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_hashlanes._forked)

# Threads for the tasks of one server. More would not help: a round has at most as many messages as
# lanes.
_THREADS = 32

# Bytes of a task's message that are kept before a thread is asked to hash them. The request takes
# about as long as hashing this many.
_KEEP = 64 * 1024


class HashServer:
    """Hashers that share lanes, for messages in many threads or tasks.

        with HashServer("md5") as server:
            hasher = server.hasher()          # one per message, in any thread
            hasher.update(b"piece")
            hasher.hexdigest()

        async with HashServer("md5") as server:
            hasher = server.async_hasher()    # one per message, in any task
            await hasher.update(b"piece")
            await hasher.hexdigest()

    `memory` limits the bytes that may be deferred, over all messages. The default is 16 MiB.
    """

    def __init__(self, name, *, memory=None):
        self._server = _hashlanes.Server(name, memory)
        # Starts threads only when there is work for them.
        self._executor = ThreadPoolExecutor(_THREADS, "hashlanes")
        # The locks of `ThreadPoolExecutor` would deadlock if a signal handler used the server.
        self._turn = _hashlanes.Turn()
        self._closed = False

    @property
    def name(self):
        """The name of the algorithm."""
        return self._server.name

    def hasher(self):
        """A hasher for a new message, with the methods of hashlib's objects."""
        self._check()
        return self._server.hasher()

    def async_hasher(self):
        """A hasher for a new message, with awaitable methods."""
        self._check()
        return AsyncHasher(self)

    def stats(self):
        """Statistics of the server, as a dict.

        The keys are `messages`, `bytes`, `bytes_shared` (hashed side by side with other messages),
        `rounds`, `mean_lanes` (filled on average) and `full_lanes`.
        """
        return self._server.stats()

    def close(self):
        """Stop creating hashers, and wait for the threads that hash for tasks to end.

        Hashers of threads keep working and need not be closed.
        """
        with self._turn:
            self._closed = True
            self._executor.shutdown(wait=False)
        self._executor.shutdown(wait=True)

    def __enter__(self):
        self._check()
        return self

    def __exit__(self, *_):
        self.close()

    async def __aenter__(self):
        return self.__enter__()

    async def __aexit__(self, *_):
        # Closed before the task can be cancelled.
        with self._turn:
            self._closed = True
            self._executor.shutdown(wait=False)
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def _check(self):
        if self._closed:
            raise ValueError("the HashServer is closed")
        self._server.check_process()

    def __reduce_ex__(self, _):
        raise not_copied(self)

    def _run(self, function):
        """Call a function in one of the server's threads. Return a future of that thread."""
        with self._turn:
            self._check()
            return self._executor.submit(function)


class AsyncHasher:
    """A message in a task. Its bytes are hashed in threads, never in the event loop.

    Calling `update` appends the bytes. Await what it returns: that waits while 64 KiB or more have
    not been hashed. The bytes are part of the message even if the task is cancelled there, or never
    starts.
    """

    def __init__(self, server):
        self._server = server
        self._hasher = server.hasher()
        # A piece leaves when it is hashed, in a thread. So no cancelled task can lose it.
        self._pieces = collections.deque()
        # Bytes since a thread was asked to hash them.
        self._waiting = 0
        # The future of that thread.
        self._hashing = None

    @property
    def name(self):
        """The name of the algorithm."""
        return self._hasher.name

    @property
    def digest_size(self):
        """Bytes in a digest."""
        return self._hasher.digest_size

    @property
    def block_size(self):
        """Bytes in a block."""
        return self._hasher.block_size

    def update(self, data):
        """Append the bytes of a buffer to the message. Mutable buffers are copied by the call."""
        data = _hashlanes._unchanging(data)
        self._server._check()
        self._pieces.append(data)
        self._waiting += len(data)
        return self._room()

    async def _room(self):
        if self._waiting >= _KEEP:
            await self._all_hashed()

    async def digest(self):
        """The digest of the message so far."""
        await self._all_hashed()
        return await asyncio.wrap_future(self._server._run(self._hasher.digest))

    async def hexdigest(self):
        """The digest of the message so far, in hexadecimal."""
        return (await self.digest()).hex()

    def __reduce_ex__(self, _):
        raise not_copied(self)

    async def _all_hashed(self):
        while self._pieces or not self._is_idle():
            if self._is_idle():
                self._hashing = self._server._run(self._hash_pieces)
                self._waiting = 0
            # The future of a cancelled waiter would cancel that of the thread.
            await asyncio.shield(asyncio.wrap_future(self._hashing))

    def _is_idle(self):
        return self._hashing is None or self._hashing.done()

    def _hash_pieces(self):
        while self._pieces:
            self._hasher.update(self._pieces[0])
            self._pieces.popleft()
