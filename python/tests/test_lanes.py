"""Messages in pieces, compared with hashlib: `Lanes`, `HashServer` and tasks."""

import asyncio
import hashlib
import linecache
import os
import random
import sys
import threading
import time

import pytest
from common import ALGORITHMS, LENGTHS, pattern, right

import hashlanes

each_algorithm = pytest.mark.parametrize("name", ALGORITHMS)


def pieces_of(message, random):
    while message:
        length = random.choice([1, 10, 64, 1000, 100_000])
        yield message[:length]
        message = message[length:]


@each_algorithm
def test_lanes_in_any_order(name):
    rng = random.Random(2)
    messages = {number: pattern(length, number) for number, length in enumerate(LENGTHS * 6)}
    with hashlanes.Lanes(name) as lanes:
        assert lanes.name == name
        waiting = {number: list(pieces_of(m, rng)) for number, m in messages.items()}
        digests = {}
        while waiting:
            number = rng.choice(list(waiting))
            pieces = waiting[number]
            if pieces:
                kind = rng.choice([bytes, bytearray, memoryview])
                lanes.update(number, kind(pieces.pop(0)))
            elif rng.random() < 0.5:
                lanes.finish(number)
                del waiting[number]
            else:
                lanes.finish(number, b"and more")
                messages[number] += b"and more"
                del waiting[number]
            digests.update(lanes.completed())
        digests.update(lanes.flush())
        assert len(lanes) == 0
    assert digests == {number: right(name, m) for number, m in messages.items()}


def test_keys_can_be_reused_after_the_last_piece():
    with hashlanes.Lanes("md5") as lanes:
        for i in range(300):
            lanes.update("key", str(i).encode())
            lanes.finish("key", b"!")
        digests = lanes.flush()
    expected = [right("md5", f"{i}!") for i in range(300)]
    assert sorted(digest for _, digest in digests) == sorted(expected)
    assert {key for key, _ in digests} == {"key"}


def test_invalid_calls_of_lanes():
    lanes = hashlanes.Lanes("md5")
    for wrong in [lambda: lanes.update("key", "text"), lambda: lanes.finish("key", 5),
                  lambda: lanes.update([], b"")]:
        with pytest.raises(TypeError):
            wrong()
    assert len(lanes) == 0
    with pytest.raises(KeyError):
        lanes.discard("key")
    with pytest.raises(ValueError, match="unknown algorithm"):
        hashlanes.Lanes("md6")
    lanes.close()
    for wrong in [lambda: lanes.update("key", b""), lambda: lanes.finish("key"), lanes.flush,
                  lanes.completed, lanes.__enter__]:
        with pytest.raises(ValueError, match="closed"):
            wrong()


def test_discarded_messages():
    with hashlanes.Lanes("sha1") as lanes:
        for number in range(200):
            lanes.update(number, b"abc")
        for number in range(0, 200, 2):
            lanes.discard(number)
        for number in range(1, 200, 2):
            lanes.finish(number, b"d")
        assert dict(lanes.flush()) == {n: right("sha1", b"abcd") for n in range(1, 200, 2)}
        assert len(lanes) == 0


def test_pieces_are_released():
    piece = os.urandom(1000)
    before = sys.getrefcount(piece)
    with hashlanes.Lanes("md5") as lanes:
        for number in range(500):
            lanes.update(number, piece)
        lanes.flush()
        assert sys.getrefcount(piece) == before
        lanes.update(1, piece)
    del lanes
    assert sys.getrefcount(piece) == before


@each_algorithm
def test_a_server_with_threads(name):
    results = {}
    with hashlanes.HashServer(name) as server:
        assert server.name == name

        def work(number):
            message, hasher = pattern(400_000, number), server.hasher()
            rng = random.Random(number)
            for piece in pieces_of(message, rng):
                hasher.update(rng.choice([bytes, bytearray])(piece))
            results[number] = hasher.digest() == right(name, message)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert results == {number: True for number in range(20)}
        stats = server.stats()
        assert stats["messages"] >= 20 and stats["bytes"] >= 20 * 400_000


def test_server_hashers_have_the_hashlib_interface():
    server = hashlanes.HashServer("sha256", memory=1 << 20)
    hasher = server.hasher()
    assert (hasher.name, hasher.digest_size, hasher.block_size) == ("sha256", 32, 64)
    hasher.update(b"ab")
    copy = hasher.copy()
    hasher.update(bytearray(b"c"))
    assert hasher.digest() == hasher.digest() == right("sha256", b"abc")
    assert copy.hexdigest() == right("sha256", b"ab").hex()
    hasher.reset()
    assert hasher.digest() == right("sha256", b"")
    for wrong in ["text", None, 5]:
        with pytest.raises(TypeError):
            hasher.update(wrong)
    server.close()
    server.close()
    for closed in [server.hasher, server.async_hasher, server.__enter__]:
        with pytest.raises(ValueError, match="closed"):
            closed()
    hasher.update(b"goes on")
    assert hasher.digest() == right("sha256", b"goes on")
    with pytest.raises(ValueError, match="unknown algorithm"):
        hashlanes.HashServer("md6")


def test_one_hasher_shared_by_threads():
    hasher = hashlanes.sha1()
    served = hashlanes.HashServer("sha1").hasher()

    def work():
        for _ in range(200):
            hasher.update(bytes(5000))
            served.update(bytes(5000))
            hasher.update(bytes(10))
            served.update(bytes(10))
            hasher.copy().digest()

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    expected = right("sha1", bytes(8 * 200 * 5010))
    assert hasher.digest() == served.digest() == expected


@each_algorithm
def test_tasks(name):
    async def upload(server, number):
        message, hasher = pattern(500_000, number), server.async_hasher()
        rng = random.Random(number)
        for piece in pieces_of(message, rng):
            await hasher.update(rng.choice([bytes, bytearray, memoryview])(piece))
        assert (hasher.name, hasher.digest_size) == (name, ALGORITHMS[name][0])
        assert await hasher.hexdigest() == right(name, message).hex()
        return await hasher.digest() == right(name, message)

    async def main():
        async with hashlanes.HashServer(name) as server:
            return await asyncio.gather(*[upload(server, number) for number in range(20)])

    assert asyncio.run(main()) == [True] * 20


def test_tasks_do_not_block_the_event_loop():
    """While a large piece is hashed, other tasks run thousands of times."""
    async def main():
        turns = 0

        async def turn():
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            turning = asyncio.ensure_future(turn())
            await hasher.update(bytes(100 << 20))
            turning.cancel()
        return turns

    assert asyncio.run(main()) > 10


def test_a_cancelled_task():
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            task = asyncio.ensure_future(hasher.update(bytes(50 << 20)))
            await asyncio.sleep(0.001)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await hasher.update(b"more")
            return await hasher.digest()

    assert asyncio.run(main()) == hashlib.md5(bytes(50 << 20) + b"more").digest()


def test_pieces_of_several_tasks_keep_their_order():
    async def main():
        async with hashlanes.HashServer("sha1") as server:
            hasher = server.async_hasher()
            message = [bytes([i]) * 70_000 for i in range(50)]
            await asyncio.gather(*[hasher.update(piece) for piece in message])
            return await hasher.digest() == right("sha1", b"".join(message))

    assert asyncio.run(main())


def test_invalid_calls_of_task_hashers():
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            for wrong in ["text", None, 5]:
                with pytest.raises(TypeError):
                    await hasher.update(wrong)
            assert await hasher.digest() == right("md5", b"")
        with pytest.raises(ValueError, match="closed"):
            await hasher.update(b"abc")

    asyncio.run(main())


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_after_a_fork():
    hasher, server = hashlanes.md5(b"a"), hashlanes.HashServer("md5")
    served = server.hasher()
    served.update(b"a")
    child = os.fork()
    if child == 0:
        status = 1
        try:
            hasher.update(b"b")
            assert hasher.digest() == right("md5", b"ab")
            assert len(hashlanes.digest_many([b"a"] * 10_000, "md5", threads=2)) == 10_000
            for refused in [server.hasher, server.stats, served.digest, served.copy]:
                with pytest.raises(RuntimeError, match="parent process"):
                    refused()
            del served
            fresh = hashlanes.HashServer("md5").hasher()
            fresh.update(b"b")
            assert fresh.digest() == right("md5", b"b")
            status = 0
        finally:
            os._exit(status)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, 9)
        raise AssertionError("the child hangs")
    assert status == 0
    served.update(b"b")
    assert served.digest() == right("md5", b"ab")


def test_message_numbers_are_unique_when_signal_handlers_raise():
    class Stop(Exception):
        pass

    for number in range(1, 30):
        lanes, left = hashlanes.Lanes("md5"), number

        def trace(frame, event, _):
            nonlocal left
            if frame.f_code.co_filename != hashlanes._lanes.__file__:
                return None
            # At these lines the interpreter runs no signal handler, and a `with` block would not be
            # left.
            line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
            left -= event == "line" and "with " not in line and "try:" not in line
            if left == 0:
                left = -1
                raise Stop
            return trace

        lanes.update("one", b"a")
        sys.settrace(trace)
        try:
            lanes.update("stopped", b"b")
        except Stop:
            pass
        finally:
            sys.settrace(None)
        lanes.finish("one", b"a")
        lanes.finish("other", b"c")
        digests = dict(lanes.flush())
        assert digests["one"] == right("md5", b"aa")
        assert digests["other"] == right("md5", b"c")


def test_pieces_of_a_task_are_kept_if_no_thread_starts(monkeypatch):
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            await hasher.update(b"a")
            with monkeypatch.context() as patched:
                refuse = lambda *_: (_ for _ in ()).throw(RuntimeError("can't start new thread"))
                patched.setattr(server, "_run", refuse)
                with pytest.raises(RuntimeError):
                    await hasher.digest()
            return await hasher.digest()

    assert asyncio.run(main()) == right("md5", b"a")
