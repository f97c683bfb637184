"""Interruptions of a call: signals, reentrant calls, forks and failed allocations."""

import asyncio
import itertools
import os
import signal
import subprocess
import sys
import textwrap
import time

import pytest
from common import right

import hashlanes
from hashlanes.slh_dsa import SigningKey

# Several steps, so that signals are checked in between.
LONG = 100 << 20
forks = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="wants Linux's limits")


class Stop(Exception):
    pass


def stop():
    signal.setitimer(signal.ITIMER_REAL, 0)
    raise Stop


def run(program, *, timeout=60, **options):
    """Runs a program in another process, because it might hang or crash."""
    return subprocess.run([sys.executable, "-I", "-c", textwrap.dedent(program)], timeout=timeout,
                          capture_output=True, text=True, **options)


def says(program):
    result = run(program)
    assert result.returncode == 0, result.stderr
    return result.stdout


@pytest.fixture
def alarm():
    """Calls a function as a signal handler every few milliseconds."""
    def start(function):
        signal.signal(signal.SIGALRM, lambda *_: function())
        signal.setitimer(signal.ITIMER_REAL, 0.005, 0.005)

    old = signal.getsignal(signal.SIGALRM)
    yield start
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, old)


def lanes_of(message):
    lanes = hashlanes.Lanes("md5")
    lanes.finish("key", message)
    return lanes


LONG_CALLS = {
    "constructor": lambda message: hashlanes.md5(message),
    "new": lambda message: hashlanes.new("md5", message),
    "update": lambda message: hashlanes.md5().update(message),
    "served": lambda message: hashlanes.HashServer("md5").hasher().update(message),
    "many": lambda message: hashlanes.digest_many([message], "md5", threads=1),
    "many in threads": lambda message: hashlanes.digest_many([message] * 3, "md5", threads=2),
    "lanes": lambda message: lanes_of(message).flush(),
    "chunks": lambda message: hashlanes.digest_chunks(message, LONG, "md5", threads=1),
}


@pytest.mark.parametrize("kind", [bytes, bytearray])
@pytest.mark.parametrize("call", LONG_CALLS.values(), ids=LONG_CALLS)
def test_signals_are_handled_during_long_messages(call, kind, alarm):
    message, calls = kind(LONG), 0

    def handler():
        nonlocal calls
        calls += 1
        if calls == 2:
            stop()

    alarm(handler)
    # Handlers run once at the end of a call, however many signals arrived.
    with pytest.raises(Stop):
        call(message)


KEY = SigningKey.generate("SLH-DSA-SHA2-128s")
# Each is one call of the library, which takes much longer than the time between two checks.
LONG_WORK = {
    "one key": lambda: hashlanes.pbkdf2_many("sha256", ["password"], ["salt"], 20_000_000),
    "many keys": lambda: hashlanes.pbkdf2_many("sha3-256", ["password"] * 64, ["salt"] * 64, 10**6),
    "a long key": lambda: hashlanes.pbkdf2_many("md5", ["password"], ["salt"], 10**6, 16 * 500),
    "a long key of one round": lambda: hashlanes.pbkdf2_many(
        "sha3-512", ["password"], ["salt"], 1, 1 << 27),
    "keys from secrets": lambda: hashlanes.hkdf_many(
        "sha256", ["secret"] * 64, ["salt"] * 64, [bytes(1 << 19)] * 64, 255 * 32),
    "a long output": lambda: hashlanes.xof_many([b"x"], "shake256", 4 * LONG),
    "long outputs": lambda: hashlanes.xof_many([b"x"] * 20, "turboshake128", LONG),
    "a long message": lambda: hashlanes.xof_many([bytes(8 * LONG)], "shake128", 32),
    "a long tree": lambda: hashlanes.xof_many([bytes(8 * LONG)] * 8, "kt128", 32),
    "many parts": lambda: hashlanes.digest_many_parts([itertools.repeat(b"", 10**8)], "md5"),
    "signatures": lambda: KEY.sign_many(["message"] * 16),
    "a checked signature": lambda: KEY.sign_many(["message"] * 16, check="twice"),
    "chains": lambda: hashlanes.digest_chains([bytes(32)] * 3, [1 << 40] * 3, "sha256"),
}


@pytest.mark.parametrize("call", LONG_WORK.values(), ids=LONG_WORK)
def test_signals_are_handled_during_long_work(call, alarm):
    """At least twice before its end: once would be at the end of a call that checks nothing."""
    calls = 0

    def handler():
        nonlocal calls
        calls += 1
        if calls == 3:
            stop()

    with pytest.raises(Stop):
        alarm(handler)
        call()


@pytest.mark.parametrize("make", [hashlanes.md5, lambda: hashlanes.HashServer("md5").hasher()])
def test_an_interrupted_update_changes_nothing(make, alarm):
    hasher = make()
    hasher.update(b"abc")

    alarm(stop)
    with pytest.raises(Stop):
        hasher.update(bytes(LONG))
    assert hasher.digest() == right("md5", b"abc")
    hasher.update(b"d")
    assert hasher.digest() == right("md5", b"abcd")


def test_long_messages_hashed_in_steps():
    message = os.urandom(1 << 20) * 34 + b"end"
    expected = right("sha1", message)
    for kind in [bytes, bytearray]:
        assert hashlanes.sha1(kind(message)).digest() == expected
        hasher, served = hashlanes.sha1(), hashlanes.HashServer("sha1").hasher()
        hasher.update(kind(message))
        served.update(kind(message))
        assert hasher.digest() == served.digest() == expected
        lanes = lanes_of(kind(message))
        assert lanes.flush() == [("key", right("md5", message))]
        assert hashlanes.digest_many([kind(message), b"x"], "sha1") == [
            expected, right("sha1", b"x")]
        assert hashlanes.digest_chunks(kind(message), 20 << 20, "sha1") == [
            right("sha1", message[:20 << 20]), right("sha1", message[20 << 20:])]


WITHIN = "in use by this thread"


@pytest.mark.parametrize("make", ["hashlanes.md5()", "hashlanes.HashServer('md5').hasher()"])
def test_a_handler_that_uses_the_message_in_progress(make):
    printed = says(f"""
        import hashlanes, signal
        hasher = {make}
        hasher.update(b"abc")
        def handler(*_):
            for use in [lambda: hasher.update(b"x"), hasher.digest, hasher.copy]:
                try:
                    use()
                except RuntimeError as error:
                    assert {WITHIN!r} in str(error), error
                else:
                    print("allowed")
            signal.setitimer(signal.ITIMER_REAL, 0)
            print("handled")
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.005)
        hasher.update(bytes({LONG}))
        assert hasher.digest() == hashlanes.md5(b"abc" + bytes({LONG})).digest()
    """)
    assert printed == "handled\n"


def test_a_key_that_uses_its_lanes():
    printed = says(f"""
        import hashlanes
        lanes = hashlanes.Lanes("md5")
        class Key:
            def __hash__(self):
                return 1
            def __eq__(self, other):
                try:
                    lanes.update("other", b"x")
                except RuntimeError as error:
                    print({WITHIN!r} in str(error))
                return self is other
        first, second = Key(), Key()
        lanes.finish(first, b"1")
        lanes.update(second, b"2")
        lanes.update(first, b"3")
        lanes.finish(first, b"3")
        lanes.finish(second, b"2")
        digests = [digest for _, digest in lanes.flush()]
        assert sorted(digests) == sorted(hashlanes.md5(m).digest() for m in [b"1", b"22", b"33"])
    """)
    assert set(printed.split()) == {"True"}


def test_a_handler_that_uses_busy_lanes():
    """It may run at any moment. Nothing hangs, and no digest is lost or wrong."""
    says(f"""
        import hashlanes, signal
        lanes = hashlanes.Lanes("md5")
        refused = number = 0
        def handler(*_):
            global refused, number
            try:
                lanes.update(("handler", number), b"x")
                number += 1
            except RuntimeError as error:
                assert {WITHIN!r} in str(error), error
                refused += 1
        signal.signal(signal.SIGALRM, handler)
        signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
        digests = []
        for key in range(20_000):
            lanes.finish(key, str(key).encode() * 50)
            digests += lanes.completed()
        signal.setitimer(signal.ITIMER_REAL, 0)
        for i in range(number):
            lanes.finish(("handler", i))
        digests = dict(digests + lanes.flush())
        assert len(digests) == 20_000 + number and number
        for key in range(20_000):
            assert digests[key] == hashlanes.md5(str(key).encode() * 50).digest()
        assert digests["handler", 0] == hashlanes.md5(b"x").digest()
    """)


def test_no_digests_are_lost_when_a_handler_raises_in_flush(alarm):
    lanes = hashlanes.Lanes("md5")
    for key in range(100):
        lanes.finish(key, bytes(1 << 20))

    with pytest.raises(Stop):
        alarm(stop)
        lanes.flush()
        time.sleep(1)
    assert len(lanes) == 100
    assert [digest for _, digest in lanes.flush()] == [right("md5", bytes(1 << 20))] * 100
    assert len(lanes) == 0


def test_a_handler_that_uses_a_server_as_it_submits_work():
    says(f"""
        import asyncio, hashlanes, signal
        async def main():
            server = hashlanes.HashServer("md5")
            def handler(*_):
                try:
                    server._run(lambda: None)
                except RuntimeError as error:
                    assert {WITHIN!r} in str(error), error
            signal.signal(signal.SIGALRM, handler)
            signal.setitimer(signal.ITIMER_REAL, 0.0005, 0.0005)
            for _ in range(500):
                hasher = server.async_hasher()
                await hasher.update(bytes(100_000))
                await hasher.digest()
            signal.setitimer(signal.ITIMER_REAL, 0)
            server.close()
        asyncio.run(main())
    """)


def test_a_reentrant_iterator_of_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"abc")

    def paths():
        with pytest.raises(RuntimeError, match="in use by another call to next"):
            next(results)
        yield "file"
        results.close()
        yield "file"

    results = hashlanes.hash_files(paths(), "md5")
    assert list(results) == []


def test_an_interrupted_iterator_of_paths_continues(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_bytes(b"abc")

    class Paths:
        """Behaves as if a signal handler raised before the second path."""

        def __init__(self):
            self.calls = 0

        def __iter__(self):
            return self

        def __next__(self):
            self.calls += 1
            if self.calls == 2:
                raise Stop
            if self.calls > 4:
                raise StopIteration
            return "file"

    results = hashlanes.hash_files(Paths(), "md5")
    assert next(results).path == "file"
    with pytest.raises(Stop):
        next(results)
    assert [result.path for result in results] == ["file", "file"]


def in_child(function):
    """Calls a function in a child process, which must end in time."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            signal.alarm(30)
            function()
            status = 0
        except BaseException:
            sys.excepthook(*sys.exc_info())
        finally:
            os._exit(status)
    assert os.waitpid(child, 0)[1] == 0


IN_PARENT = "in use by another thread when the process was forked"


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("name", ["md5", "server", "lanes"])
def test_a_fork_while_another_thread_hashes(name):
    import threading

    hasher = {"md5": hashlanes.md5, "server": hashlanes.HashServer("md5").hasher,
              "lanes": lambda: hashlanes.Lanes("md5")}[name]()
    work = {"lanes": lambda: hasher.flush()}.get(name, lambda: hasher.update(bytes(LONG)))
    if name == "lanes":
        hasher.finish("key", bytes(LONG))
    thread = threading.Thread(target=work)
    thread.start()
    time.sleep(0.02)

    def child():
        for use in [getattr(hasher, "digest", None) or hasher.flush,
                    lambda: hasher.update(*[b"x", b"x"][:1 + (name == "lanes")])]:
            with pytest.raises(RuntimeError, match="parent process|" + IN_PARENT):
                use()
        assert hashlanes.md5(b"abc").digest() == right("md5", b"abc")

    assert thread.is_alive()
    in_child(child)
    thread.join()


@forks
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_server_with_tasks_after_a_fork():
    server = hashlanes.HashServer("md5")

    async def use():
        hasher = server.async_hasher()
        await hasher.update(bytes(100_000))
        return hasher, await hasher.digest()

    hasher, _ = asyncio.run(use())

    def child():
        with pytest.raises(RuntimeError, match="parent process"):
            asyncio.run(use())
        with pytest.raises(RuntimeError, match="parent process"):
            asyncio.run(hasher.digest())
        server.close()

    in_child(child)
    assert asyncio.run(use())[1] == right("md5", bytes(100_000))


@linux
def test_failed_allocations():
    pytest.importorskip("pyarrow")
    with open("/proc/sys/vm/overcommit_memory") as file:
        if file.read().strip() == "1":
            pytest.skip("this system refuses no memory")
    printed = says("""
        import hashlanes, pyarrow as pa
        for hex in [False, True]:
            for rows in [2**40, 2**45]:
                try:
                    nulls = pa.Array.from_buffers(pa.null(), rows, [None])
                    hashlanes.digest_array(nulls, "sha256", hex=hex)
                except MemoryError as error:
                    print(error)
    """)
    assert printed.count("not enough memory for the digests of") == 4
