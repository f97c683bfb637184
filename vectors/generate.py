#!/usr/bin/env python3
"""Makes digests.txt: the right answers that the faces of all languages are tested with.

Run it in this folder: python3 generate.py > digests.txt

The answers are those of OpenSSL, as Python's hashlib and hmac call it. Each digest is also made by
Perl's Digest::SHA or Digest::MD5, whose code has nothing in common with it, or for SM3 by the few
lines below, and each HMAC also from its definition (RFC 2104). Nothing of hashlanes takes part.
"""

import hashlib
import hmac
import subprocess

# Name in the file, name in OpenSSL, function of Perl if there is one, bytes of a block.
ALGORITHMS = [
    ("md5", "md5", "Digest::MD5::md5_hex", 64),
    ("sha1", "sha1", "Digest::SHA::sha1_hex", 64),
    ("sha224", "sha224", "Digest::SHA::sha224_hex", 64),
    ("sha256", "sha256", "Digest::SHA::sha256_hex", 64),
    ("sha384", "sha384", "Digest::SHA::sha384_hex", 128),
    ("sha512", "sha512", "Digest::SHA::sha512_hex", 128),
    ("sha512-256", "sha512_256", "Digest::SHA::sha512256_hex", 128),
    ("sm3", "sm3", None, 64),
]

# Around the ends of blocks of 64 and 128 bytes, around the places from which on padding takes a
# block more (56, 112), around several blocks, and a few long ones.
LENGTHS = [0, 1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 32, 33, 54, 55, 56, 57, 63, 64, 65, 110, 111,
           112, 113, 119, 120, 121, 127, 128, 129, 183, 184, 191, 192, 193, 239, 240, 255, 256, 257,
           511, 512, 513, 1000, 1023, 1024, 1025, 4095, 4096, 4097, 16384, 65536, 100000]

# (bytes of the key, bytes of the message). Keys longer than a block are hashed.
MACS = [(0, 0), (1, 0), (20, 8), (32, 1000), (63, 64), (64, 64), (65, 55), (127, 128), (128, 112),
        (129, 119), (200, 4096)]

HEADER = """\
# Right answers for the functions of hashlanes, made by generate.py from OpenSSL and others.
#
# A line is one of
#   digest ALGORITHM MESSAGE_BYTES DIGEST
#   hmac ALGORITHM KEY_BYTES MESSAGE_BYTES MAC
# Byte i of a message, counted from 0, is i modulo 251. Byte i of a key is (i + 128) modulo 253.
# A line that begins with # is a comment. There are %d other lines.\
"""


def message(length):
    return bytes(i % 251 for i in range(length))


def key(length):
    return bytes((i + 128) % 253 for i in range(length))


def by_definition(name, block, secret, text):
    def digest(data):
        return hashlib.new(name, data).digest()

    secret = digest(secret) if len(secret) > block else secret
    secret = secret.ljust(block, b"\0")
    inner = digest(bytes(byte ^ 0x36 for byte in secret) + text)
    return digest(bytes(byte ^ 0x5C for byte in secret) + inner).hex()


def sm3(data):
    """GB/T 32905-2016, as it is written there."""

    def left(x, n):
        return (x << n % 32 | x >> (32 - n) % 32) & 0xFFFFFFFF

    state = [0x7380166F, 0x4914B2B9, 0x172442D7, 0xDA8A0600,
             0xA96F30BC, 0x163138AA, 0xE38DEE4D, 0xB0FB0E4E]
    data += b"\x80" + bytes(-(len(data) + 9) % 64) + (8 * len(data)).to_bytes(8, "big")
    for start in range(0, len(data), 64):
        w = [int.from_bytes(data[i:i + 4], "big") for i in range(start, start + 64, 4)]
        for j in range(16, 68):
            x = w[j - 16] ^ w[j - 9] ^ left(w[j - 3], 15)
            w.append(x ^ left(x, 15) ^ left(x, 23) ^ left(w[j - 13], 7) ^ w[j - 6])
        a, b, c, d, e, f, g, h = state
        for j in range(64):
            constant = 0x79CC4519 if j < 16 else 0x7A879D8A
            ss1 = left((left(a, 12) + e + left(constant, j)) & 0xFFFFFFFF, 7)
            ff = a ^ b ^ c if j < 16 else a & b | a & c | b & c
            gg = e ^ f ^ g if j < 16 else e & f | ~e & g
            tt1 = (ff + d + (ss1 ^ left(a, 12)) + (w[j] ^ w[j + 4])) & 0xFFFFFFFF
            tt2 = (gg + h + ss1 + w[j]) & 0xFFFFFFFF
            a, b, c, d = tt1, a, left(b, 9), c
            e, f, g, h = tt2 ^ left(tt2, 9) ^ left(tt2, 17), e, left(f, 19), g
        state = [x ^ y for x, y in zip(state, (a, b, c, d, e, f, g, h))]
    return b"".join(word.to_bytes(4, "big") for word in state).hex()


def others(function, lengths):
    return of_perl(function, lengths) if function else [sm3(message(n)) for n in lengths]


def of_perl(function, lengths):
    code = """use Digest::MD5; use Digest::SHA;
        for (@ARGV) { print %s(join '', map { chr($_ %% 251) } 0 .. $_ - 1), "\\n" }""" % function
    arguments = [str(length) for length in lengths]
    return subprocess.run(["perl", "-e", code] + arguments, check=True, capture_output=True,
                          text=True).stdout.split()


lines = []
for ours, theirs, perl, block in ALGORITHMS:
    for length, other in zip(LENGTHS, others(perl, LENGTHS), strict=True):
        digest = hashlib.new(theirs, message(length)).hexdigest()
        assert digest == other, (ours, length)
        lines.append(f"digest {ours} {length} {digest}")
    for key_length, length in MACS:
        mac = hmac.new(key(key_length), message(length), theirs).hexdigest()
        assert mac == by_definition(theirs, block, key(key_length), message(length)), ours
        lines.append(f"hmac {ours} {key_length} {length} {mac}")
print(HEADER % len(lines))
print("\n".join(lines))
