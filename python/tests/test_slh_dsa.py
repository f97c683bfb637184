"""Signatures by SLH-DSA, compared with NIST's vectors, which the tests in Rust use too."""

import hashlib
import pathlib
import shutil
import subprocess
import threading

import pytest

from hashlanes.slh_dsa import SigningKey, VerifyingKey

VECTORS = (pathlib.Path(__file__).resolve().parents[2]
           / "extras" / "hashlanes-slh-dsa" / "tests" / "suite" / "acvp.txt")
SET = "SLH-DSA-SHA2-128f"


@pytest.fixture(scope="module")
def key():
    return SigningKey.generate(SET)


def vectors(kind):
    for line in VECTORS.read_text().splitlines():
        words = line.split(" ")
        if words[0] == kind:
            yield words[1:]


def unhex(word):
    return bytes.fromhex(word.strip("-"))


def how(word):
    """The `pre_hash` of a vector."""
    return None if word == "pure" else word


def test_the_signatures_of_nist():
    count = 0
    for name, form, private, random, context, message, digest in vectors("sign"):
        if form == "internal" or random != "-":
            continue
        key = SigningKey.from_bytes(name, unhex(private))
        options = {"context": unhex(context), "pre_hash": how(form)}
        signature = key.sign(unhex(message), deterministic=True, **options)
        assert hashlib.sha256(signature).hexdigest() == digest
        assert key.verifying_key.is_valid(unhex(message), signature, **options)
        count += 1
    assert count >= 12


def test_the_verdicts_of_nist():
    verdicts = set()
    for name, form, public, context, message, signature, verdict in vectors("verify"):
        if form == "internal":
            continue
        key = VerifyingKey.from_bytes(name, unhex(public))
        options = {"context": unhex(context), "pre_hash": how(form)}
        assert key.is_valid(unhex(message), unhex(signature), **options) == (verdict == "valid")
        verdicts.add(verdict)
    assert len(verdicts) == 2


def test_many_are_as_one(key):
    # More than are signed or verified side by side, and all kinds of messages.
    kinds = [str, str.encode, lambda text: bytearray(text, "ascii")]
    messages = [kinds[i % 3](str(i)) for i in range(70)]
    signatures = key.sign_many(iter(messages), deterministic=True)
    assert len(set(signatures)) == 70
    for i in [0, 15, 16, 69]:
        assert key.sign(messages[i], deterministic=True) == signatures[i]
    signatures[3], signatures[66] = signatures[66], bytearray(signatures[3])
    valid = key.verifying_key.verify_many(messages, signatures)
    assert valid == [i not in (3, 66) for i in range(70)]
    assert key.sign_many([]) == key.verifying_key.verify_many([], []) == []


def test_random_bytes_make_signatures_differ(key):
    first, second = key.sign_many(["message"] * 2)
    assert first != second
    assert key.verifying_key.verify_many(["message"] * 2, [first, second]) == [True] * 2
    assert SigningKey.generate(SET).to_bytes() != key.to_bytes()


def test_another_message_signature_context_or_key_is_not_valid(key):
    signature = key.sign(b"message", context=b"release")
    public = key.verifying_key
    for context in [b"release", bytearray(b"release"), memoryview(b"release")]:
        assert public.is_valid("message", memoryview(signature), context=context)
    assert not public.is_valid("massage", signature, context=b"release")
    assert not public.is_valid("message", signature)
    assert not public.is_valid("message", signature, context=b"release", pre_hash="sha256")
    for wrong in [b"", signature[:-1], signature + b"\0", bytes([signature[0] ^ 1]) + signature[1:]]:
        assert not public.is_valid("message", wrong, context=b"release")
    other = SigningKey.generate(SET).verifying_key
    assert not other.is_valid("message", signature, context=b"release")


def test_keys_as_bytes_and_pem(key):
    public = key.verifying_key
    assert key.parameter_set == public.parameter_set == SET
    assert key.to_bytes().endswith(public.to_bytes())
    assert SigningKey.from_pem(key.to_pem()).to_bytes() == key.to_bytes()
    both = f"{public.to_pem()}\n\n  {key.to_pem()}\n".replace("\n", "\r\n")
    assert SigningKey.from_pem(both).to_bytes() == key.to_bytes()
    assert VerifyingKey.from_pem(both) == public
    # A program can wipe a bytearray.
    for kind in [bytearray, memoryview]:
        same = SigningKey.from_bytes(SET, kind(key.to_bytes()))
        assert same.verifying_key == VerifyingKey.from_bytes(SET, kind(public.to_bytes())) == public
    same = VerifyingKey.from_pem(public.to_pem())
    assert same == public and hash(same) == hash(public)
    assert SigningKey.generate(SET).verifying_key != public
    for text in [repr(key), repr(public)]:
        assert SET in text and key.to_bytes()[:4].hex() not in text


def test_wrong_arguments(key):
    public = key.verifying_key
    with pytest.raises(ValueError, match="SLH-DSA-SHAKE-256f, not SPHINCS"):
        SigningKey.generate("SPHINCS")
    with pytest.raises(ValueError, match="63 bytes are not a key"):
        SigningKey.from_bytes(SET, bytes(63))
    with pytest.raises(ValueError, match="at most 255 bytes, not 256"):
        key.sign(b"", context=bytes(256))
    with pytest.raises(ValueError, match="no identifier for"):
        key.sign(b"", pre_hash="md5")
    with pytest.raises(ValueError, match="'root', 'verify' or 'twice', not 'thrice'"):
        key.sign(b"", check="thrice")
    with pytest.raises(ValueError, match="not a private key"):
        SigningKey.from_pem(public.to_pem())
    with pytest.raises(ValueError, match="not a public key"):
        VerifyingKey.from_pem(key.to_pem())
    with pytest.raises(ValueError, match="as many signatures as messages"):
        public.verify_many(["a", "b"], [b""])
    for wrong in ["signature", 5, None]:
        with pytest.raises(TypeError):
            public.is_valid("message", wrong)
        with pytest.raises(TypeError):
            public.verify_many(["message"], [wrong])
        with pytest.raises(TypeError):
            key.sign("message", context=wrong)
    for wrong in [5, "message", [5]]:
        with pytest.raises(TypeError):
            key.sign_many(wrong)
    with pytest.raises(TypeError):
        SigningKey(SET)


def test_a_damaged_key_signs_nothing(key):
    damaged = bytearray(key.to_bytes())
    damaged[0] ^= 1
    with pytest.raises(RuntimeError, match="damaged"):
        SigningKey.from_bytes(SET, bytes(damaged)).sign("message")


@pytest.mark.parametrize("check", ["root", "verify", "twice"])
def test_checks_change_no_signature(key, check):
    messages = [str(i) for i in range(20)]
    unchecked = key.sign_many(messages, deterministic=True)
    assert key.sign_many(messages, deterministic=True, check=check) == unchecked
    signature = key.sign("message", check=check, pre_hash="sha256")
    assert key.verifying_key.is_valid("message", signature, pre_hash="sha256")


def test_threads_share_a_key(key):
    signatures = []
    threads = [threading.Thread(target=lambda: signatures.extend(key.sign_many(["message"] * 20)))
               for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert key.verifying_key.verify_many(["message"] * 80, signatures) == [True] * 80


def openssl_knows_slh_dsa():
    openssl = shutil.which("openssl")
    listed = openssl and subprocess.run([openssl, "list", "-signature-algorithms"],
                                        capture_output=True, text=True).stdout
    return bool(listed) and SET in listed


@pytest.mark.skipif(not openssl_knows_slh_dsa(), reason="OpenSSL before 3.5")
def test_openssl_reads_keys_and_verifies(key, tmp_path):
    def openssl(*arguments):
        return subprocess.run(["openssl", *arguments], capture_output=True, check=True,
                              cwd=tmp_path).stdout

    (tmp_path / "key").write_text(key.to_pem())
    (tmp_path / "message").write_bytes(b"message")
    (tmp_path / "signature").write_bytes(key.sign(b"message", context=b"release"))
    assert openssl("pkey", "-in", "key", "-pubout").decode() == key.verifying_key.to_pem()
    options = ["-inkey", "key", "-rawin", "-in", "message", "-pkeyopt", "context-string:release"]
    openssl("pkeyutl", "-verify", "-sigfile", "signature", *options)
    signature = openssl("pkeyutl", "-sign", *options)
    assert key.verifying_key.is_valid(b"message", signature, context=b"release")
