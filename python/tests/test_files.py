"""Files and manifests, compared with hashlib and sha256sum."""

import contextlib
import hashlib
import http.server
import io
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading
import time

import pytest
from common import pattern

import hashlanes


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder with files, as the current folder."""
    for number, length in enumerate([0, 1, 100, 5000, 200_000, 3_000_000]):
        (tmp_path / f"file{number}").write_bytes(pattern(length, number))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def names(folder):
    return sorted(path.name for path in folder.iterdir())


def digest(path, name="sha256"):
    return hashlib.new(name, pathlib.Path(path).read_bytes()).hexdigest()


def test_results_are_in_order(folder):
    paths = names(folder) * 400
    results = list(hashlanes.hash_files(paths, "sha256"))
    right = {path: digest(path) for path in names(folder)}
    assert [result.path for result in results] == paths
    assert [result.digests["sha256"] for result in results] == [right[path] for path in paths]
    assert all(result.size == os.path.getsize(result.path) for result in results)
    assert not any(result.changed or result.error for result in results)


def test_several_functions_and_path_types(folder):
    paths = ["file2", b"file3", pathlib.Path("file4"), folder / "file5"]
    functions = ["md5", "SHA-256", "blake2b", "sha3-256", "crc32"]
    for threads in [1, 2, 5]:
        results = list(hashlanes.hash_files(paths, functions, out="bytes", threads=threads))
        assert [result.path for result in results] == paths
        for result in results:
            message = pathlib.Path(os.fsdecode(result.path)).read_bytes()
            assert list(result.digests) == functions
            assert result.digests["md5"] == hashlib.md5(message).digest()
            assert result.digests["SHA-256"] == hashlib.sha256(message).digest()
            assert result.digests["blake2b"] == hashlib.blake2b(message).digest()
            assert result.digests["sha3-256"] == hashlib.sha3_256(message).digest()


def test_unusual_file_names(folder):
    for name in ["-", "a b", "new\nline", "back\\slash", "h\xe4sh", b"\xff\xfe"]:
        with open(name, "wb") as file:
            file.write(b"abc")
    paths = ["-", "a b", "new\nline", "back\\slash", "h\xe4sh", b"\xff\xfe", "\udcff\udcfe"]
    results = list(hashlanes.hash_files(paths, "md5"))
    assert [result.path for result in results] == paths
    assert {result.digests["md5"] for result in results} == {hashlib.md5(b"abc").hexdigest()}
    with pytest.raises(ValueError if sys.platform == "win32" else OSError):
        next(hashlanes.hash_files(["nul\0byte"], "md5"))


def test_errors_are_raised_in_order_and_iteration_continues(folder):
    results = hashlanes.hash_files(["file1", "missing", str(folder), "file2"], "md5")
    assert next(results).path == "file1"
    with pytest.raises(FileNotFoundError) as error:
        next(results)
    assert (error.value.filename, error.value.errno) == ("missing", 2)
    with pytest.raises(IsADirectoryError) as error:
        next(results)
    assert error.value.filename == str(folder)
    assert next(results).digests["md5"] == digest("file2", "md5")
    with pytest.raises(StopIteration):
        next(results)
    with pytest.raises(StopIteration):
        next(results)


def test_errors_as_values(folder):
    results = list(hashlanes.hash_files(["missing", "file1"], "md5", errors="return"))
    assert isinstance(results[0].error, FileNotFoundError)
    assert results[0].digests == {} and results[0].size == 0
    assert results[1].error is None


def test_wrong_arguments(folder):
    cases = [
        (lambda: hashlanes.hash_files(["file1"], "md6"), ValueError, "md6"),
        (lambda: hashlanes.hash_files(["file1"], []), ValueError, "at least one"),
        (lambda: hashlanes.hash_files(["file1"], ["md5", "md5"]), ValueError, "twice"),
        (lambda: hashlanes.hash_files(["file1"], ["md5", "MD5"]), ValueError, "are both md5"),
        (lambda: hashlanes.write_manifest("x", [], ["sha256", "SHA-256"]), ValueError, "twice"),
        (lambda: hashlanes.hash_files(["file1"], "s h a256"), ValueError, "unknown algorithm"),
        (lambda: hashlanes.hash_files(["file1"], [5]), TypeError, "iterable of str, not of int"),
        (lambda: hashlanes.hash_files(["file1"], 5), TypeError, "not iterable"),
        (lambda: hashlanes.hash_files("ab", "md5"), TypeError, r"not one str: \['ab'\]"),
        (lambda: hashlanes.hash_files(b"ab", "md5"), TypeError, r"not one bytes: \[b'ab'\]"),
        (lambda: hashlanes.hash_files(folder, "md5"), TypeError, r"not one PosixPath: \[Posix"),
        (lambda: hashlanes.write_manifest("x", "ab"), TypeError, r"not one str: \['ab'\]"),
        (lambda: hashlanes.hash_files(["file1"], "md5", out="x"), ValueError, "out must be"),
        (lambda: hashlanes.hash_files(["file1"], "md5", errors="x"), ValueError, "errors must be"),
        (lambda: hashlanes.hash_files(["file1"], "md5", threads=0), ValueError, "at least 1"),
        (lambda: hashlanes.hash_files(5, "md5"), TypeError, "not iterable"),
        (lambda: hashlanes.write_manifest("x", [], "md5", format="x"), ValueError, "format must"),
        (lambda: hashlanes.write_manifest("x", [], "md5", format="sfv"), ValueError, None),
        (lambda: hashlanes.check_manifest("missing"), FileNotFoundError, "missing"),
        (lambda: hashlanes.check_manifest("file1", name="x"), ValueError, "unknown hash function"),
    ]
    for call, kind, message in cases:
        with pytest.raises(kind, match=message):
            call()
    assert not os.path.exists("x")


def test_errors_of_the_iterable_follow_earlier_results(folder):
    def paths(error):
        yield "file1"
        yield "file2"
        raise error

    results = hashlanes.hash_files(paths(KeyError("mine")), "md5")
    assert [next(results).path, next(results).path] == ["file1", "file2"]
    with pytest.raises(KeyError, match="mine"):
        next(results)
    results = hashlanes.hash_files(["file1", None, "file2"], "md5")
    assert next(results).path == "file1"
    with pytest.raises(TypeError, match="expected str, bytes or os.PathLike object, not NoneType"):
        next(results)
    assert [result.path for result in results] == ["file2"]


def test_ctrl_c_in_the_iterable_is_raised_at_once(folder):
    os.mkfifo("pipe")

    def paths():
        yield "pipe"
        raise KeyboardInterrupt

    results = hashlanes.hash_files(paths(), "md5")
    with pytest.raises(KeyboardInterrupt):
        next(results)
    pathlib.Path("pipe").write_bytes(b"abc")
    assert next(results).digests["md5"] == hashlib.md5(b"abc").hexdigest()


def raised_at_line(number, function):
    """Calls a function as if a signal handler raised at the line with this number."""
    class Stop(Exception):
        pass

    def trace(frame, event, _):
        nonlocal number
        if frame.f_code.co_filename != hashlanes._files.__file__:
            return None
        if event == "line":
            number -= 1
            if number == 0:
                raise Stop
        return trace

    sys.settrace(trace)
    try:
        function()
    except Stop:
        return True
    finally:
        sys.settrace(None)
    return False


def test_results_match_their_paths_when_signal_handlers_raise(folder):
    paths = names(folder)
    number = 1
    with hashlanes.hash_files(paths * 20, "md5") as results:
        while raised_at_line(number, lambda: next(results)):
            number += 1
            result = next(results)
            assert result.digests["md5"] == digest(result.path, "md5")
    assert number > 5


def test_paths_are_read_lazily(folder):
    taken = 0

    def paths():
        nonlocal taken
        while True:
            taken += 1
            yield "file1"

    with hashlanes.hash_files(paths(), "md5") as results:
        for _ in range(100):
            assert next(results).error is None
        before = taken
        time.sleep(0.1)
        assert taken == before < 20_000
    with pytest.raises(StopIteration):
        next(results)


def test_progress(folder):
    told = []
    paths = names(folder) * 3
    list(hashlanes.hash_files(paths, "md5", progress=lambda *progress: told.append(progress)))
    assert told[-1] == (len(paths), sum(map(os.path.getsize, paths)))

    def stop(files, size):
        raise KeyError("enough")

    with pytest.raises(KeyError):
        list(hashlanes.hash_files(paths, "md5", progress=stop))


def test_control_c_interrupts_a_wait(folder):
    os.mkfifo("pipe")
    results = hashlanes.hash_files(["file1", "pipe"], "md5")
    next(results)

    class Stop(Exception):
        pass

    def handler(*_):
        raise Stop

    old = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.1)
        with pytest.raises(Stop):
            next(results)
    finally:
        signal.signal(signal.SIGALRM, old)
    writer = threading.Thread(target=lambda: pathlib.Path("pipe").write_bytes(b"abc"))
    writer.start()
    assert next(results).digests["md5"] == hashlib.md5(b"abc").hexdigest()
    writer.join()


@pytest.mark.parametrize("format", ["text", "tagged", "json", "csv", "hashdeep", "bagit"])
def test_manifests_are_written_and_checked(folder, format):
    (folder / "new\nline").write_bytes(b"abc") if format in ("text", "json", "csv") else None
    paths = names(folder)
    assert hashlanes.write_manifest("manifest", paths, "sha256", format=format) == len(paths)
    results = list(hashlanes.check_manifest("manifest"))
    assert [(result.path, result.status) for result in results] == [(p, "ok") for p in paths]
    assert all(result.ok for result in results)
    (folder / "file2").write_bytes(b"other")
    (folder / "file3").unlink()
    results = {result.path: result for result in hashlanes.check_manifest("manifest")}
    assert results["file1"].status == "ok"
    assert results["file2"].status == "failed" and not results["file2"].ok
    assert results["file3"].status == "missing"
    assert isinstance(results["file3"].error, FileNotFoundError)


@pytest.mark.skipif(not shutil.which("sha256sum"), reason="no sha256sum")
def test_manifests_are_compatible_with_sha256sum(folder):
    (folder / "new\nline").write_bytes(b"abc")
    paths = names(folder)
    hashlanes.write_manifest("manifest", paths)
    theirs = subprocess.run(["sha256sum", *paths], capture_output=True, check=True).stdout
    assert (folder / "manifest").read_bytes() == theirs
    subprocess.run(["sha256sum", "-c", "manifest"], check=True, stdout=subprocess.DEVNULL)
    stream = io.BytesIO()
    hashlanes.write_manifest(stream, paths)
    assert stream.getvalue() == theirs


def test_a_manifest_appears_only_when_complete(folder):
    (folder / "manifest").write_text("old")
    os.chmod("manifest", 0o640)
    with pytest.raises(FileNotFoundError):
        hashlanes.write_manifest("manifest", ["file1", "missing"])
    assert (folder / "manifest").read_text() == "old"
    before = names(folder)
    hashlanes.write_manifest("manifest", ["file1"])
    assert names(folder) == before and os.stat("manifest").st_mode & 0o777 == 0o640


def test_pipes_and_devices_are_written_not_replaced(folder):
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append(pathlib.Path("pipe").read_bytes()))
    reader.start()
    assert hashlanes.write_manifest("pipe", ["file1"]) == 1
    reader.join()
    assert read == [f"{digest('file1')}  file1\n".encode()]
    assert pathlib.Path("pipe").is_fifo()
    program = "import hashlanes; hashlanes.write_manifest('/dev/stdout', ['file1'])"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert printed.stdout == read[0]
    # A new manifest has the permissions of any new file.
    hashlanes.write_manifest("n" * 255, ["file1"])
    assert os.stat("n" * 255).st_mode == os.stat("file1").st_mode


def test_a_manifest_read_from_a_pipe(folder):
    os.mkfifo("pipe")
    line = f"{digest('file1')}  file1\n"
    # The writer is a thread of the same interpreter.
    writer = threading.Timer(0.2, lambda: pathlib.Path("pipe").write_text(line))
    writer.start()
    assert [result.status for result in hashlanes.check_manifest(b"pipe")] == ["ok"]
    writer.join()


def test_control_c_interrupts_reading_a_manifest(folder):
    os.mkfifo("pipe")
    program = (
        "import signal, hashlanes\n"
        "signal.setitimer(signal.ITIMER_REAL, 0.3)\n"
        "def handler(*_): raise SystemExit(7)\n"
        "signal.signal(signal.SIGALRM, handler)\n"
        "list(hashlanes.check_manifest('pipe'))\n"
    )
    for holds_it_open in [False, True]:
        number = os.open("pipe", os.O_RDWR) if holds_it_open else None
        ran = subprocess.run([sys.executable, "-c", program], timeout=60)
        assert ran.returncode == 7
        if number is not None:
            os.close(number)


def test_malformed_lines_and_unsupported_functions(folder):
    lines = [
        f"{digest('file1')}  file1",
        "garbage",
        f"MD5 (file2) = {digest('file2', 'md5')}",
        f"MD4 (file2) = {'0' * 32}",
        f"NEW9 (file2) = {'0' * 32}",
        f"SHA512 (file3) = {digest('file3', 'sha512')}",
    ]
    (folder / "manifest").write_text("\n".join(lines) + "\n")
    results = list(hashlanes.check_manifest("manifest"))
    assert [result.status for result in results] == [
        "ok", "malformed", "ok", "unknown", "unknown", "ok"]
    assert str(results[1].error) == "line 2 is malformed"
    assert "md4" in str(results[3].error).lower()


@pytest.mark.parametrize("text", ["", "\n\n", "# a comment\n", "%%%% HASHDEEP-1.0\n",
                                  "path,size,modified,sha256\n", "garbage\n",
                                  f"MD4 (file2) = {'0' * 32}\n"], ids=repr)
def test_a_manifest_with_nothing_to_check_is_an_error(folder, text):
    (folder / "manifest").write_text(text)
    results = hashlanes.check_manifest("manifest")
    with pytest.raises(ValueError, match="'manifest' has no line that could be checked"):
        assert not any(result.ok for result in results)
        next(results)
        raise AssertionError("no error")


def test_an_unterminated_last_line_gives_a_warning(folder):
    hashlanes.write_manifest("manifest", ["file1", "file2"])
    whole = (folder / "manifest").read_text()
    (folder / "manifest").write_text(whole[:-1])
    with pytest.warns(UserWarning, match="'manifest': the last line is not terminated") as warned:
        assert [file.ok for file in hashlanes.check_manifest("manifest")] == [True, True]
    assert warned[0].filename == __file__
    # A line cut within the digest is malformed. One cut within the name refers to another file.
    for length, status in [(20, "malformed"), (-2, "missing")]:
        (folder / "manifest").write_text(whole[:length])
        with pytest.warns(UserWarning, match="may be truncated"):
            results = [file.status for file in checked_leniently("manifest")]
        assert results[-1] == status


def checked_leniently(manifest):
    with contextlib.suppress(ValueError):
        yield from hashlanes.check_manifest(manifest)


def test_names_relative_to_a_root(folder, monkeypatch, tmp_path_factory):
    hashlanes.write_manifest("manifest", ["file1", "file2"], "md5")
    monkeypatch.chdir(tmp_path_factory.mktemp("elsewhere"))
    results = hashlanes.check_manifest(folder / "manifest", root=folder)
    assert [result.status for result in results] == ["ok", "ok"]
    assert {r.status for r in hashlanes.check_manifest(folder / "manifest")} == {"missing"}


def test_threads_end_when_a_run_is_closed(folder):
    def count():
        return len(os.listdir("/proc/self/task"))

    if not os.path.isdir("/proc/self/task"):
        pytest.skip("no /proc")
    before = count()
    for _ in range(5):
        results = hashlanes.hash_files(names(folder) * 1000, "md5", threads=3)
        next(results)
        del results
    for _ in range(100):
        if count() <= before:
            return
        time.sleep(0.05)
    raise AssertionError("threads are left over")


class Named:
    """Has a URL as a `UPath` has."""

    def __init__(self, protocol, path):
        self.protocol, self.path = protocol, path


class Opened:
    """Has a URL as an `OpenFile` of fsspec has."""

    def __init__(self, full_name):
        self.full_name = full_name


@pytest.fixture
def store(folder, monkeypatch):
    """A server whose folder `bucket` is a bucket of S3, and its address."""
    (folder / "bucket").mkdir()
    for number in range(6):
        (folder / f"file{number}").rename(folder / "bucket" / f"file{number}")

    class Handler(http.server.SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        address = f"http://127.0.0.1:{server.server_address[1]}"
        monkeypatch.setenv("AWS_ENDPOINT_URL", address)
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "AKIDTEST")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "S3CR3T")
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield address
        server.shutdown()


def test_objects_are_hashed_where_they_are(folder, store):
    paths = [
        *(f"s3://bucket/file{number}" for number in range(6)),
        f"{store}/bucket/file3",
        Named("s3", "bucket/file4"),
        Opened("s3://bucket/file5"),
        Opened(f"file://{folder}/bucket/file1"),
        folder / "bucket" / "file2",
    ]
    files = ["file0", "file1", "file2", "file3", "file4", "file5", "file3", "file4", "file5"]
    files += ["file1", "file2"]
    results = list(hashlanes.hash_files(paths, "sha256"))
    assert [result.path for result in results] == paths
    right = [digest(folder / "bucket" / name) for name in files]
    assert [result.digests["sha256"] for result in results] == right
    with pytest.raises(FileNotFoundError, match="s3://bucket/nothing"):
        list(hashlanes.hash_files(["s3://bucket/nothing"], "sha256"))


def test_a_manifest_is_checked_against_objects(folder, store):
    names = [f"file{number}" for number in range(6)]
    os.chdir(folder / "bucket")
    hashlanes.write_manifest("../MANIFEST", names)
    os.chdir(folder)
    (folder / "bucket" / "file1").write_bytes(b"other")
    (folder / "bucket" / "file2").unlink()
    for root in ["s3://bucket", "s3://bucket/", f"{store}/bucket"]:
        results = list(hashlanes.check_manifest("MANIFEST", root=root))
        statuses = [result.status for result in results]
        assert statuses == ["ok", "failed", "missing", "ok", "ok", "ok"]
