"""Buffers over 2 GiB, and other interpreters."""

import hashlib
import mmap
import os
import subprocess
import sys
import textwrap

import pytest

import hashlanes

LARGE = (1 << 31) + 100
slow = pytest.mark.skipif(not os.environ.get("HASHLANES_THOROUGH"), reason="--thorough runs it")


@pytest.fixture(scope="module")
def large():
    """More than 2 GiB of zeros, few of them backed by memory, and some non-zero bytes."""
    memory = mmap.mmap(-1, LARGE)
    memory[0] = memory[LARGE // 2] = memory[LARGE - 1] = 7
    yield memory
    memory.close()


@slow
def test_large_buffers(large):
    expected = hashlib.sha1(large).digest()
    assert hashlanes.sha1(large).digest() == expected
    hasher = hashlanes.sha1()
    hasher.update(large)
    assert hasher.digest() == expected
    assert hashlanes.digest_many([large, b""], "sha1")[0] == expected
    served = hashlanes.HashServer("sha1").hasher()
    served.update(large)
    assert served.digest() == expected
    size = (1 << 30) + 1
    chunks = hashlanes.digest_chunks(large, size, "sha1")
    with memoryview(large) as view:
        assert chunks == [hashlib.sha1(view[i:i + size]).digest() for i in range(0, LARGE, size)]
    assert hashlanes.digest_chunks(large, LARGE, "sha1") == [expected]


@slow
def test_large_bytes():
    message = bytes(LARGE)
    expected = hashlib.sha1(message).digest()
    assert hashlanes.sha1(message).digest() == expected
    assert hashlanes.digest_many([message], "sha1") == [expected]
    assert hashlanes.digest_chunks(message, LARGE - 1, "sha1") == [
        hashlib.sha1(message[1:]).digest(), hashlib.sha1(b"\0").digest()]


def run(program):
    program = textwrap.dedent(program)
    return subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True)


def test_a_subinterpreter_gets_a_clear_error():
    result = run("""
        import hashlanes
        try:
            import _xxsubinterpreters as interpreters
        except ImportError:
            import _interpreters as interpreters
        program = "import hashlanes"
        interpreter = interpreters.create()
        try:
            failure = interpreters.run_string(interpreter, program)
        except Exception as error:
            failure = error
        print("refused:", failure)
        import hashlanes
        print(hashlanes.md5(b"abc").hexdigest())
    """)
    assert result.returncode == 0, result.stderr
    assert "refused:" in result.stdout and "ImportError" in result.stdout
    assert "subinterpreters" in result.stdout
    assert hashlib.md5(b"abc").hexdigest() in result.stdout


def test_threads_do_not_delay_the_exit():
    result = run("""
        import hashlanes, itertools
        results = hashlanes.hash_files(itertools.repeat(__import__("sys").executable), "sha512")
        next(results)
        server = hashlanes.HashServer("md5")
        server.hasher().update(b"abc")
        print("end")
    """)
    assert (result.returncode, result.stdout, result.stderr) == (0, "end\n", "")
