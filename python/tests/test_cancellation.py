"""Tasks that are cancelled: the bytes that an update was given are part of the message."""

import asyncio
import hashlib
import threading

import pytest
from common import pattern

import hashlanes

PIECES = [pattern(length, length) for length in [100_000, 5, 70_000, 0, 65_536, 1 << 20, 65_535]]
EXPECTED = hashlib.md5(b"".join(PIECES)).digest()


async def cancel_others():
    """As `asyncio.run` does at its end."""
    others = asyncio.all_tasks() - {asyncio.current_task()}
    for task in others:
        task.cancel()
    return await asyncio.gather(*others, return_exceptions=True)


def occupied(server):
    """Lets the threads of a server wait. Returns what ends this."""
    end = threading.Event()
    for _ in range(hashlanes._server._THREADS):
        server._run(end.wait)
    return end


async def upload(hasher, pieces=PIECES):
    for piece in pieces:
        await hasher.update(piece)


def test_all_tasks_are_cancelled_while_the_threads_are_busy():
    async def main():
        async with hashlanes.HashServer("md5") as server:
            end = occupied(server)
            hashers = [server.async_hasher() for _ in range(20)]
            for hasher in hashers:
                asyncio.ensure_future(hasher.update(PIECES[0]))
            await asyncio.sleep(0.01)
            await cancel_others()
            end.set()
            return [await hasher.digest() for hasher in hashers]

    assert asyncio.run(main()) == [hashlib.md5(PIECES[0]).digest()] * 20


@pytest.mark.parametrize("busy", [True, False])
@pytest.mark.parametrize("turns", range(12))
def test_a_task_is_cancelled_at_every_await(turns, busy):
    """And goes on with the piece after the one that it was cancelled in."""
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            end = occupied(server) if busy else None
            given = 0

            async def some():
                nonlocal given
                while given < len(PIECES):
                    given += 1
                    await hasher.update(PIECES[given - 1])

            task = asyncio.ensure_future(some())
            for _ in range(turns):
                await asyncio.sleep(0)
            await cancel_others()
            if busy:
                end.set()
            assert task.done()
            assert await hasher.digest() == hashlib.md5(b"".join(PIECES[:given])).digest()
            await some()
            return await hasher.digest()

    assert asyncio.run(main()) == EXPECTED


def test_a_task_that_never_starts():
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            tasks = [asyncio.ensure_future(hasher.update(piece)) for piece in PIECES]
            await cancel_others()
            assert all(task.cancelled() for task in tasks)
            return await hasher.digest()

    assert asyncio.run(main()) == EXPECTED


@pytest.mark.parametrize("turns", range(6))
def test_a_cancelled_digest_loses_nothing(turns):
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            await upload(hasher)
            end = occupied(server)
            task = asyncio.ensure_future(hasher.digest())
            for _ in range(turns):
                await asyncio.sleep(0)
            await cancel_others()
            end.set()
            assert task.cancelled()
            assert await hasher.digest() == EXPECTED
            await hasher.update(b"more")
            return await hasher.digest()

    assert asyncio.run(main()) == hashlib.md5(b"".join(PIECES) + b"more").digest()


def test_timeouts():
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            for piece in PIECES:
                end = occupied(server)
                try:
                    await asyncio.wait_for(hasher.update(piece), 0.01)
                except asyncio.TimeoutError:
                    pass
                end.set()
            return await hasher.digest()

    assert asyncio.run(main()) == EXPECTED


def test_a_hasher_goes_on_in_another_event_loop():
    server = hashlanes.HashServer("md5")
    hasher = server.async_hasher()
    end = occupied(server)

    async def stopped():
        task = asyncio.ensure_future(upload(hasher))
        await asyncio.sleep(0)
        return task

    asyncio.run(stopped())
    end.set()
    assert asyncio.run(hasher.digest()) == hashlib.md5(PIECES[0]).digest()
    asyncio.run(upload(hasher, PIECES[1:]))
    assert asyncio.run(hasher.digest()) == EXPECTED
    server.close()


def test_a_server_is_closed_although_its_task_is_cancelled():
    async def main():
        server = hashlanes.HashServer("md5")
        end = occupied(server)

        async def use():
            async with server:
                await asyncio.sleep(0)

        task = asyncio.ensure_future(use())
        for _ in range(2):
            await asyncio.sleep(0)
        await cancel_others()
        end.set()
        assert task.done()
        with pytest.raises(ValueError, match="closed"):
            server.hasher()

    asyncio.run(main())
