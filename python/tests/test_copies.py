"""Copies and pickles: right, or refused."""

import copy
import pickle

import pytest

import hashlanes
from hashlanes.slh_dsa import SigningKey


def refused():
    server = hashlanes.HashServer("md5")
    things = [hashlanes.Lanes("md5"), server, server.hasher(), server.async_hasher(),
              hashlanes.hash_files([], "md5"),
              hashlanes.check_manifest("/dev/null"), SigningKey.generate("SLH-DSA-SHA2-128f")]
    things.append(things[-1].verifying_key)
    np = pytest.importorskip("numpy")
    things.append(hashlanes.digest_array(np.zeros((3, 4), "uint8"), "md5"))
    return things


@pytest.mark.parametrize("thing", refused(), ids=lambda thing: type(thing).__name__)
def test_what_cannot_be_copied_says_so(thing):
    for make in [copy.copy, copy.deepcopy, *[
            lambda thing, protocol=protocol: pickle.loads(pickle.dumps(thing, protocol))
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)]]:
        with pytest.raises(TypeError, match="cannot (copy|pickle)"):
            make(thing)


def test_lanes_are_as_they_were_after_a_copy_was_refused():
    with hashlanes.Lanes("md5") as lanes:
        lanes.update("one", b"a")
        with pytest.raises(TypeError):
            copy.copy(lanes)
        lanes.finish("one", b"bc")
        assert lanes.flush() == [("one", hashlanes.md5(b"abc").digest())]


def test_results_can_be_copied(tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    results = list(hashlanes.hash_files([str(tmp_path / "file"), str(tmp_path / "none")], "md5",
                                        errors="return"))
    for make in [copy.copy, copy.deepcopy, lambda thing: pickle.loads(pickle.dumps(thing))]:
        for result in results:
            assert make(result)[:4] == result[:4]
            assert type(make(result).error) is type(result.error)


@pytest.mark.parametrize("thing", refused(), ids=lambda thing: type(thing).__name__)
def test_objects_that_were_never_made_cannot_be_had(thing):
    if not hasattr(thing, "__dict__"):  # A class of the extension module.
        with pytest.raises(TypeError, match="not safe|cannot create"):
            object.__new__(type(thing))
