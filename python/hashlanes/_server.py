"""`HashServer`: messages in many threads or tasks that share lanes."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from . import _hashlanes

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
        await asyncio.get_running_loop().run_in_executor(None, self.close)

    def _check(self):
        if self._closed:
            raise ValueError("the HashServer is closed")
        self._server.check_process()

    def _run(self, function, *arguments):
        """Call a function in one of the server's threads, and return an awaitable."""
        loop = asyncio.get_running_loop()
        with self._turn:
            self._check()
            return loop.run_in_executor(self._executor, function, *arguments)


class AsyncHasher:
    """A message in a task. Its bytes are hashed in threads, never in the event loop.

    `update` returns at once while less than 64 KiB wait to be hashed. If a task is cancelled while
    it waits in `update`, the bytes have been appended nevertheless.
    """

    def __init__(self, server):
        self._server = server
        self._hasher = server.hasher()
        self._pieces = []
        self._waiting = 0
        # The task that hashes the waiting pieces. It belongs to this object, so that cancelling a
        # caller does not cancel it.
        self._task = None

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

    async def update(self, data):
        """Append the bytes of a buffer to the message. Mutable buffers are copied."""
        if isinstance(data, str):
            raise TypeError("Strings must be encoded before hashing")
        if type(data) is not bytes:
            with memoryview(data) as view:
                data = view.tobytes()
        self._server._check()
        self._pieces.append(data)
        self._waiting += len(data)
        if self._waiting >= _KEEP:
            await self._all_hashed()

    async def digest(self):
        """The digest of the message so far."""
        await self._all_hashed()
        return await self._server._run(self._hasher.digest)

    async def hexdigest(self):
        """The digest of the message so far, in hexadecimal."""
        return (await self.digest()).hex()

    async def _all_hashed(self):
        while self._pieces or self._task is not None:
            if self._task is None:
                self._task = asyncio.ensure_future(self._hash_pieces())
            await asyncio.shield(self._task)

    async def _hash_pieces(self):
        try:
            while self._pieces:
                # If this raises for lack of a thread, the pieces are kept.
                hashed = self._server._run(self._update_all, self._pieces)
                self._pieces = []
                self._waiting = 0
                await hashed
        finally:
            self._task = None

    def _update_all(self, pieces):
        for piece in pieces:
            self._hasher.update(piece)
