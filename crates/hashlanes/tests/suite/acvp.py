#!/usr/bin/env python3
"""Makes of NIST's ACVP vectors the lines that tests read: `acvp.py INTO FOLDER...`

A folder has the vectors of a public repository, in one of two forms:

* `gen-val/json-files` of usnistgov/ACVP-Server: a folder for each set, with `prompt.json` and
  `expectedResults.json`;
* `vectors` and `expected` of geomys/acvp-testdata (a Go module), and of BoringSSL in
  `util/fipstools/acvp/acvptool/test`: files of the same names, compressed with bzip2.

INTO gets `hashes.txt` for crates/hashlanes/tests/suite/acvp.rs, and `slh-dsa.txt` for
extras/hashlanes-slh-dsa/tests/suite/acvp.rs: `HASHLANES_ACVP=INTO cargo test acvp::`. What is not
of whole bytes or of a function that hashlanes lacks is left out and counted.
"""

import bz2
import collections
import hashlib
import json
import pathlib
import sys

HASHES = {"SHA-1": "sha1", "SHA2-224": "sha224", "SHA2-256": "sha256", "SHA2-384": "sha384",
          "SHA2-512": "sha512", "SHA2-512/256": "sha512-256", "SHA3-224": "sha3-224",
          "SHA3-256": "sha3-256", "SHA3-384": "sha3-384", "SHA3-512": "sha3-512"}

SHAKES = {"SHAKE-128": "shake128", "SHAKE-256": "shake256", "cSHAKE-128": "shake128",
          "cSHAKE-256": "shake256", "KMAC-128": "shake128", "KMAC-256": "shake256"}

# Digests before a message that HashSLH-DSA signs, by NIST's name.
PRE_HASHES = HASHES | {"SHAKE-128": "shake128", "SHAKE-256": "shake256"}

# How the names of sets begin that are read.
OURS = ("SHA", "cSHAKE", "KMAC", "HMAC-SHA", "PBKDF", "SLH-DSA")


class LeftOut(Exception):
    """Why a vector is not used."""


def sets(folder):
    """The pairs of questions and answers below a folder."""
    for path in sorted(folder.rglob("prompt.json")):
        if path.parent.name.startswith(OURS):
            yield path, path.with_name("expectedResults.json")
    for path in sorted(folder.glob("vectors/*.bz2")):
        if path.name.startswith(OURS):
            yield path, folder / "expected" / path.name


def read(path):
    data = path.read_bytes()
    text = (bz2.decompress(data) if path.suffix == ".bz2" else data).decode()
    # After the document, some of BoringSSL's files have a word.
    parsed, _ = json.JSONDecoder().raw_decode(text)
    # An answer of NIST's server begins with its version.
    parts = parsed if isinstance(parsed, list) else [parsed]
    return [part for part in parts if part.get("testGroups")]


def known(names, name):
    if name not in names:
        raise LeftOut(f"no {name}")
    return names[name]


def whole(bits):
    if bits % 8:
        raise LeftOut("not of whole bytes")
    return bits // 8


def part(hexadecimal, bits):
    """The first bits of a field; a dash if there are none."""
    return hexadecimal[:2 * whole(bits)].lower() or "-"


def text(string):
    return string.encode().hex() or "-"


def digest(name, group, test, right):
    function = known(HASHES, name)
    kind = group["testType"]
    if kind == "LDT":
        large = test["largeMsg"]
        content = part(large["content"], large["contentLength"])
        if large["expansionTechnique"] != "repeating" or large["fullLength"] % (1 << 33):
            raise LeftOut("a large message of another kind")
        return f"ldt {function} {content} {large['fullLength'] >> 33} {right['md'].lower()}"
    message = part(test["msg"], test["len"])
    if kind == "MCT":
        last = right["resultsArray"][-1]["md"].lower()
        return f"mct {function} {group.get('mctVersion', 'standard')} {message} {last}"
    return f"aft {function} {message} {right['md'].lower()}"


def output(name, group, test, right):
    function = known(SHAKES, name)
    message = part(test["msg"], test["len"])
    if group["testType"] == "MCT":
        if name.startswith("c"):
            raise LeftOut("Monte Carlo tests of cSHAKE")
        last = right["resultsArray"][-1]
        shortest, longest = whole(group["minOutLen"]), whole(group["maxOutLen"])
        return f"xof-mct {function} {shortest} {longest} {message} {last['md'].lower()}"
    bits = right.get("outLen", test.get("outLen", group.get("outLen")))
    custom = test.get("customizationHex")
    custom = text(test.get("customization", "")) if custom is None else custom.lower() or "-"
    named = text(test.get("functionName", ""))
    return f"xof {function} {named} {custom} {message} {part(right['md'], bits)}"


def kmac(name, group, test, right):
    if group["testType"] != "AFT" or group.get("xof"):
        raise LeftOut("KMAC with an output of any length, or to be verified")
    custom = test.get("customizationHex")
    custom = text(test.get("customization", "")) if custom is None else custom.lower() or "-"
    key, message = part(test["key"], test["keyLen"]), part(test["msg"], test["msgLen"])
    return f"kmac {SHAKES[name]} {key} {custom} {message} {part(right['mac'], test['macLen'])}"


def hmac(name, group, test, right):
    function = known(HASHES, name.removeprefix("HMAC-"))
    of = group | test
    key, message = part(of["key"], of["keyLen"]), part(of["msg"], of["msgLen"])
    return f"hmac {function} {key} {message} {part(right['mac'], of['macLen'])}"


def pbkdf2(name, group, test, right):
    function = known(HASHES, group["hmacAlg"])
    key = part(right["derivedKey"], test["keyLen"])
    return (f"pbkdf2 {function} {test['password']} {test['salt'].lower()} "
            f"{test['iterationCount']} {key}")


def slh_dsa(mode, group, test, right):
    set_name = test.get("parameterSet", group.get("parameterSet"))
    if mode == "keyGen":
        return f"keygen {set_name} {right['sk'].lower()}"
    # Sets of 2024 do not name the interface.
    if group.get("signatureInterface", "internal") == "internal":
        how = "internal"
    elif group.get("preHash", "pure") == "pure":
        how = "pure"
    else:
        how = known(PRE_HASHES, test["hashAlg"])
    message = test["message"].lower() or "-"
    context = test.get("context", "").lower() or "-"
    if mode == "sigGen":
        random = test.get("additionalRandomness", "").lower() or "-"
        signature = hashlib.sha256(bytes.fromhex(right["signature"])).hexdigest()
        return (f"sign {set_name} {how} {test['sk'].lower()} {random} {context} {message} "
                f"{signature}")
    result = "valid" if right["testPassed"] else "invalid"
    return (f"verify {set_name} {how} {test['pk'].lower()} {context} {message} "
            f"{test['signature'].lower()} {result}")


def lines(questions, answers, left_out):
    if len(questions) != len(answers):
        raise SystemExit("a file has other sets than that with its answers")
    for part, of_part in zip(questions, answers):
        rights = {(group["tgId"], test["tcId"]): test
                  for group in of_part["testGroups"] for test in group["tests"] or []}
        name, mode = part["algorithm"], part.get("mode")
        makers = [("SHAKE", output), ("cSHAKE", output), ("KMAC", kmac), ("HMAC-", hmac),
                  ("PBKDF", pbkdf2), ("SHA", digest), ("SLH-DSA", slh_dsa)]
        make = next((make for start, make in makers if name.startswith(start)), None)
        if make is None:
            continue
        for group in part["testGroups"]:
            for test in group["tests"] or []:
                right = rights.get((group["tgId"], test["tcId"]))
                try:
                    if right is None:
                        raise LeftOut("without an answer")
                    yield make(mode if make is slh_dsa else name, group, test, right)
                except LeftOut as reason:
                    left_out[f"{name}: {reason}"] += 1


def main(into, *folders):
    into = pathlib.Path(into)
    into.mkdir(parents=True, exist_ok=True)
    files, left_out = {"hashes": [], "slh-dsa": []}, collections.Counter()
    for folder in map(pathlib.Path, folders):
        for questions, answers in sets(folder):
            for line in lines(read(questions), read(answers), left_out):
                signatures = line.startswith(("keygen ", "sign ", "verify "))
                files["slh-dsa" if signatures else "hashes"].append(line)
    for name, found in files.items():
        (into / f"{name}.txt").write_text("".join(f"{line}\n" for line in found))
        print(f"{name}.txt: {len(found)} vectors")
    for reason, count in sorted(left_out.items()):
        print(f"left out, {reason}: {count}")


main(*sys.argv[1:])
