"""Iterables that fill one buffer again for each element, in every function that takes several.

Each element is read before the next one is asked for, and none after the end.
"""

import ast
import asyncio
import hashlib
import os
import pathlib
import sys

import pytest
from common import pattern

import hashlanes
from hashlanes.slh_dsa import SigningKey

# Shorter and longer than what is copied, held, hashed in pieces, and hashed at once.
LENGTHS = [0, 5, 64, 65, 1000, 65_536, 65_537, 100_000]
MESSAGES = [pattern(length, start) for start, length in enumerate(LENGTHS * 40)]
VERY_LONG = [pattern(length, length) for length in [33 << 20, 7, 40 << 20, 200_000, 34 << 20]]
VALUES = [pattern(32, start) for start in range(300)]


def refilled(values, kind=bytearray):
    """Yields one buffer for all values, as a loop over `readinto` does."""
    memory = bytearray(max(map(len, values), default=0))
    for value in values:
        memory[:len(value)] = value
        if kind is bytearray:
            # Of another length each time, which an exported buffer would refuse.
            memory[len(value):] = b""
            yield memory
        else:
            view = memoryview(memory)[:len(value)]
            yield view if kind is memoryview else kind(view)
        memory[:] = bytes(max(map(len, values)))


class Refilled:
    """An iterable that is no iterator. `tuple` and `list` of it have one buffer several times."""

    def __init__(self, values):
        self.values = values

    def __iter__(self):
        return refilled(self.values)


class Place(os.PathLike):
    """A path that becomes another one."""

    def __fspath__(self):
        return self.path


def places(paths):
    place = Place()
    for path in paths:
        place.path = str(path)
        yield place
        place.path = "elsewhere"


class Once:
    """An iterator that breaks the protocol, as one over a growing file does: it goes on after its
    end if it is asked again."""

    def __init__(self, values):
        self.values, self.has_ended = list(values), False

    def __iter__(self):
        return self

    def __next__(self):
        assert not self.has_ended, "asked again after the end"
        if self.values:
            return self.values.pop(0)
        self.has_ended = True
        raise StopIteration


def files(folder):
    for number in range(30):
        (folder / f"{number}").write_bytes(pattern(number * 100))
    return [folder / f"{number}" for number in range(30)]


def names(values):
    return (value for value in values)


@pytest.fixture(scope="module")
def key():
    return SigningKey.generate("SLH-DSA-SHA2-128f")


def both(call, *columns):
    """What a call returns for iterables that fill their buffers again, and for lists of bytes."""
    right = call(*columns)
    assert len(right) == len(columns[0])
    for kind in [bytearray, memoryview]:
        assert call(*[refilled(column, kind) for column in columns]) == right
    assert call(*map(Refilled, columns)) == right
    assert call(*map(Once, columns)) == right


def digest_many_parts(_key, _folder):
    def in_parts(kind, values):
        """Both the messages and their parts fill buffers again."""
        messages = refilled(values, kind)
        return (refilled([b"head", value, b"", value[:9]], kind) for value in messages)

    for values in [MESSAGES, VERY_LONG]:
        expected = hashlanes.digest_many([b"head" + v + v[:9] for v in values], "sha256")
        for kind in [bytearray, memoryview, bytes]:
            assert hashlanes.digest_many_parts(in_parts(kind, values), "sha256") == expected
        lists = [[b"head", v, b"", v[:9]] for v in values]
        assert hashlanes.digest_many_parts(map(Once, lists), "sha256") == expected
        assert hashlanes.digest_many_parts(Once(lists), "sha256") == expected


def digest_many(_key, _folder):
    for messages in [MESSAGES, VERY_LONG]:
        right = [hashlib.sha256(message).digest() for message in messages]
        for threads in [1, 3]:
            for kind in [bytearray, memoryview]:
                given = refilled(messages, kind)
                assert hashlanes.digest_many(given, "sha256", threads=threads) == right
            for kind in [Refilled, Once]:
                assert hashlanes.digest_many(kind(messages), "sha256", threads=threads) == right


def xof_many(_key, _folder):
    both(lambda messages: hashlanes.xof_many(messages, "shake128", 40), MESSAGES)
    lengths = [length % 50 for length in range(len(MESSAGES))]
    both(lambda messages: hashlanes.xof_many(messages, "kt128", iter(lengths)), MESSAGES)
    right = [hashlib.shake_256(message).digest(9) for message in MESSAGES]
    assert hashlanes.xof_many(refilled(MESSAGES), "shake256", 9) == right


def pbkdf2_many(_key, _folder):
    both(lambda *columns: hashlanes.pbkdf2_many("sha256", *columns, 2), VALUES, VALUES[::-1])
    right = [hashlib.pbkdf2_hmac("sha256", value, b"salt", 2) for value in VALUES]
    salts = [b"salt"] * len(VALUES)
    assert hashlanes.pbkdf2_many("sha256", refilled(VALUES), salts, 2) == right


def hkdf_many(_key, _folder):
    both(lambda *columns: hashlanes.hkdf_many("sha1", *columns, 50),
         VALUES, VALUES[5:] + VALUES[:5], VALUES[::-1])


def digest_chains(_key, _folder):
    both(lambda values: hashlanes.digest_chains(values, list(range(300)), "sha256"), VALUES)


def sign_many(key, _folder):
    messages = MESSAGES[:40]
    both(lambda messages: key.sign_many(messages, deterministic=True), messages)
    signatures = key.sign_many(refilled(messages))
    assert key.verifying_key.verify_many(messages, signatures) == [True] * 40


def verify_many(key, _folder):
    messages = [b"message %d" % number for number in range(130)]
    signatures = key.sign_many(messages)
    public = key.verifying_key
    signatures[3] = signatures[4]
    both(public.verify_many, messages, signatures)
    valid = public.verify_many(refilled(messages), refilled(signatures))
    assert valid == [number != 3 for number in range(130)]
    # Only the last one was signed.
    others = [b"forged  %d" % number for number in range(129)] + messages[-1:]
    valid = public.verify_many(refilled(others), [signatures[-1]] * 130)
    assert valid == [False] * 129 + [True]


def digest_rows(_key, _folder):
    pa = pytest.importorskip("pyarrow")
    table = pa.table({"a": ["x", "y"], "b": [1, 2], "c": [3, 4]})
    right = hashlanes.digest_rows(table, ["c", "a"], "md5").to_pylist()
    assert hashlanes.digest_rows(table, names(["c", "a"]), "md5").to_pylist() == right


def hash_files(_key, folder):
    paths = files(folder)
    right = [{name: hashlib.new(name, path.read_bytes()).hexdigest() for name in ["md5", "sha1"]}
             for path in paths]
    for given in [paths, places(paths), map(os.fsencode, paths), Once(paths)]:
        found = [file.digests for file in hashlanes.hash_files(given, names(["md5", "sha1"]))]
        assert found == right


def write_manifest(_key, folder):
    paths = files(folder)
    written = []
    for number, given in enumerate([paths, places(paths), Once(paths)]):
        hashlanes.write_manifest(folder / f"manifest {number}", given, names(["md5"]))
        written.append((folder / f"manifest {number}").read_bytes())
    assert written == written[:1] * 3 and written[0].count(b"\n") == len(paths)


def several_updates(_key, _folder):
    """Tasks are started later than their coroutines are made."""
    async def main():
        async with hashlanes.HashServer("md5") as server:
            hasher = server.async_hasher()
            await asyncio.gather(*[hasher.update(piece) for piece in refilled(MESSAGES)])
            return await hasher.digest()

    assert asyncio.run(main()) == hashlib.md5(b"".join(MESSAGES)).digest()


def of_cluster(_key, _folder):
    """They take names only, and the tests of Spark and Ray call them."""


# Every function with an argument that is an iterable, and how it is called here.
DOORS = {
    "AsyncHasher.update": several_updates,
    "SigningKey.sign_many": sign_many,
    "VerifyingKey.verify_many": verify_many,
    "digest_chains": digest_chains,
    "digest_many": digest_many,
    "digest_many_parts": digest_many_parts,
    "digest_rows": digest_rows,
    "hash_files.__init__": hash_files,
    "hkdf_many": hkdf_many,
    "pbkdf2_many": pbkdf2_many,
    "ray.digests": of_cluster,
    "spark.digests": of_cluster,
    "write_manifest": write_manifest,
    "xof_many": xof_many,
}
# One message each time, in many calls.
SEVERAL_CALLS = {"AsyncHasher.update"}


@pytest.mark.parametrize("door", DOORS.values(), ids=DOORS)
def test_each_element_is_read_before_the_next_one_is_asked_for(door, key, tmp_path):
    door(key, tmp_path)


def takes_several(function):
    """Whether a stub has an argument that is an iterable."""
    arguments = function.args
    every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    every += [one for one in [arguments.vararg] if one is not None and one.arg != "_"]
    words = {word for argument in every if argument.annotation is not None
             for word in ast.walk(argument.annotation) if isinstance(word, ast.Name)}
    return bool({"Iterable", "Iterator", "Sequence", "list", "tuple"} & {w.id for w in words})


def functions_of(body, prefix):
    for node in body:
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield from functions_of(node.body, f"{prefix}{node.name}.")
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield prefix + node.name, node


def test_no_function_that_takes_several_things_is_missing_here():
    package = pathlib.Path(hashlanes.__file__).parent
    typed = [("", "__init__.pyi"), ("", "slh_dsa.pyi"), ("ray.", "ray.py"), ("spark.", "spark.py")]
    found, public = set(), set()
    for prefix, name in typed:
        tree = ast.parse((package / name).read_text())
        # Functions with the parameters of another one are written as `sha1 = md5`.
        public |= {node.targets[0].id for node in tree.body if isinstance(node, ast.Assign)}
        # Functions with the same parameters are values of a class that can be called.
        callables = {node.name for node in tree.body if isinstance(node, ast.ClassDef)
                     for call in node.body
                     if isinstance(call, ast.FunctionDef) and call.name == "__call__"
                     and takes_several(call)}
        several = {node.target.id for node in tree.body if isinstance(node, ast.AnnAssign)
                   and getattr(getattr(node.annotation, "value", None), "id", None) in callables}
        found |= several
        public |= several
        for function, node in functions_of(tree.body, prefix):
            public.add(function.split(".")[0])
            if takes_several(node):
                found.add(function)
    assert found | SEVERAL_CALLS == set(DOORS)
    # The stubs lack nothing: what is public here is in them.
    ours = {name for name in hashlanes.__all__
            if callable(getattr(hashlanes, name))
            and getattr(getattr(hashlanes, name), "__module__", "").startswith("hashlanes")}
    assert {name for name in ours if name not in {"HashedFile", "CheckedFile"}} <= public


@pytest.mark.parametrize("threads", [1, 2])
def test_lists_and_tuples_are_not_copied(threads):
    """Lists are borrowed: there is no memory for a copy of everything."""
    buffer = bytearray(48 << 20)
    expected = hashlib.md5(buffer).digest()
    for several in [[buffer] * 4, (buffer,) * 4]:
        assert hashlanes.digest_many(several, "md5", threads=threads) == [expected] * 4


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="asks Linux for its memory")
def test_memory_is_bounded_however_much_an_iterator_yields():
    import resource

    def peak():
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10

    hashlanes.digest_many(refilled([bytes(1 << 20)] * 10), "blake3", threads=2)
    before = peak()
    # 2 GiB in all, of which at most some windows of 64 MiB are held.
    hashlanes.digest_many(refilled([bytes(32 << 20)] * 64), "blake3", threads=2)
    assert peak() - before < 600 << 20
    hashlanes.xof_many(refilled([bytes(32 << 20)] * 20), "blake3", 32)
    assert peak() - before < 600 << 20
