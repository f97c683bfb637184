"""`HashServer`: messages in many threads or tasks that share lanes."""

import asyncio
import os
from concurrent.futures import ThreadPoolExecutor

from . import _hashlanes

if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_hashlanes._forked)

# Threads for the tasks of one server: a round has at most as many messages as lanes.
_THREADS = 32

# Bytes of a task's message that are kept before a thread is asked to hash them. To ask takes about
# as long as to hash as many.
_KEEP = 64 * 1024


class HashServer:
    """Hashers for many messages at the same time, in threads or tasks, that share lanes.

        with HashServer("md5") as server:
            hasher = server.hasher()          # one for each message, in any thread
            hasher.update(b"piece")
            hasher.hexdigest()

        async with HashServer("md5") as server:
            hasher = server.async_hasher()    # one for each message, in any task
            await hasher.update(b"piece")
            await hasher.hexdigest()

    `memory` is how many bytes of all messages may be deferred, 16 MiB unless given.
    """

    def __init__(self, name, *, memory=None):
        self._server = _hashlanes.Server(name, memory)
        # It begins a thread when there is work for one.
        self._executor = ThreadPoolExecutor(_THREADS, "hashlanes")
        # `ThreadPoolExecutor` has locks that a thread may not ask for twice.
        self._turn = _hashlanes.Turn()
        self._closed = False

    @property
    def name(self):
        """The name of the algorithm."""
        return self._server.name

    def hasher(self):
        """A hasher of a new message, with the methods of hashlib's objects."""
        self._check()
        return self._server.hasher()

    def async_hasher(self):
        """A hasher of a new message, whose methods are awaited."""
        self._check()
        return AsyncHasher(self)

    def stats(self):
        """What the server has done, as a dict.

        The keys are `messages`, `bytes`, `bytes_shared` (hashed side by side with others),
        `rounds`, `mean_lanes` (filled on average) and `full_lanes`.
        """
        return self._server.stats()

    def close(self):
        """Make no more hashers. Wait for the threads that hash for tasks, and end them.

        Hashers of threads still work: nothing of theirs needs to be closed.
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
        """Call a function in one of the server's threads. Return what can be awaited."""
        loop = asyncio.get_running_loop()
        with self._turn:
            self._check()
            return loop.run_in_executor(self._executor, function, *arguments)


class AsyncHasher:
    """A message of a task. Its bytes are hashed in threads, never in the event loop.

    `update` returns at once as long as less than 64 KiB wait to be hashed. A task that is cancelled
    while it waits in `update` has appended the bytes all the same.
    """

    def __init__(self, server):
        self._server = server
        self._hasher = server.hasher()
        self._pieces = []
        self._waiting = 0
        # The task that hashes what waits. It is nobody's but this object's, so who is cancelled
        # does not cancel it.
        self._task = None

    @property
    def name(self):
        """The name of the algorithm."""
        return self._hasher.name

    @property
    def digest_size(self):
        """Bytes of a digest."""
        return self._hasher.digest_size

    @property
    def block_size(self):
        """Bytes of a block."""
        return self._hasher.block_size

    async def update(self, data):
        """Append the bytes of a buffer to the message. A buffer that may change is copied."""
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
                # If there is no thread for them, this raises, and they stay.
                hashed = self._server._run(self._update_all, self._pieces)
                self._pieces = []
                self._waiting = 0
                await hashed
        finally:
            self._task = None

    def _update_all(self, pieces):
        for piece in pieces:
            self._hasher.update(piece)
