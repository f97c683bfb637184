//! `hashlanes slh-dsa`: keys, signatures and their verification.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::common::{Dir, lossy, ok, peer, run};

/// A folder with a key and two signed files.
fn signed() -> Dir {
    let dir = Dir::new();
    dir.file("a", b"content of a").file("b", b"");
    ok(&mut dir.hashlanes(&["slh-dsa", "keygen", "--set", "slh-dsa-sha2-128f", "key"]));
    ok(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "key", "a", "b"]));
    dir
}

#[test]
fn signatures_are_verified_with_the_public_key() {
    let dir = signed();
    assert_eq!(fs::metadata(dir.at("a.sig")).unwrap().len(), 17_088);
    let mode = |name| fs::metadata(dir.at(name)).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode("key"), 0o600);
    let verify = ["slh-dsa", "verify", "--key", "key.pub", "a", "b"];
    assert_eq!(lossy(&ok(&mut dir.hashlanes(&verify))), "a: OK\nb: OK\n");

    // A change is found, a missing signature is named, and the other file is still verified.
    dir.file("a", b"other content");
    let output = run(&mut dir.hashlanes(&verify));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lossy(&output.stdout), "a: FAILED\nb: OK\n");
    assert_eq!(lossy(&output.stderr), "hashlanes: WARNING: 1 signature is NOT valid\n");
    fs::remove_file(dir.at("a.sig")).unwrap();
    let output = run(&mut dir.hashlanes(&verify));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lossy(&output.stdout), "b: OK\n");
    assert_eq!(lossy(&output.stderr), "hashlanes: a.sig: No such file or directory\n");
}

/// A signature that is too long is not valid, however long it is, and is not read to its end.
#[test]
fn long_signatures_take_no_memory() {
    let dir = signed();
    for name in ["a.sig", "b.sig"] {
        fs::OpenOptions::new().write(true).open(dir.at(name)).unwrap().set_len(1 << 31).unwrap();
    }
    let script = "ulimit -v 1000000; exec \"$0\" slh-dsa verify --key key.pub a b";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert_eq!(lossy(&output.stdout), "a: FAILED\nb: FAILED\n");
    let reason = "the signature has more than the 17088 bytes of SLH-DSA-SHA2-128f";
    assert!(lossy(&output.stderr).contains(&format!("hashlanes: b.sig: {reason}\n")));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_example_signs_a_release_and_shows_what_is_wrong_with_others() {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/examples/release.sh");
    let folder = Path::new(env!("CARGO_BIN_EXE_hashlanes")).parent().unwrap();
    let path = format!("{}:{}", folder.display(), std::env::var("PATH").unwrap());
    let output = ok(peer("sh").arg(script).env("PATH", path));
    let expected = "signatures: 1000
--- as it was released
1000 OK, exit status 0
--- a file was changed, a signature is missing, and another is incomplete
hashlanes: WARNING: 2 signatures are NOT valid
hashlanes: dist/artefact-8.tar.sig: No such file or directory
hashlanes: dist/artefact-9.tar.sig: the signature has 1000 bytes; SLH-DSA-SHA2-128f needs 17088
dist/artefact-7.tar: FAILED
dist/artefact-9.tar: FAILED
997 OK, exit status 1
--- what was signed for another release
0 OK, exit status 1
--- by the key of somebody else
0 OK, exit status 1
";
    assert_eq!(lossy(&output), expected);
}

#[test]
fn contexts_and_pre_hashing_must_agree() {
    let dir = signed();
    let with = ["--context", "mail", "--pre-hash", "sha3-256"];
    let run_with = |command, key, options: &[&str]| {
        let all = [&["slh-dsa", command, "--key", key][..], options, &["a"]].concat();
        run(&mut dir.hashlanes(&all)).status.code()
    };
    assert_eq!(run_with("sign", "key", &with), Some(0));
    assert_eq!(run_with("verify", "key.pub", &with), Some(0));
    assert_eq!(run_with("verify", "key.pub", &with[..2]), Some(1));
    assert_eq!(run_with("verify", "key.pub", &["--pre-hash", "md5"]), Some(2));
    assert_eq!(run_with("verify", "key.pub", &["--context", &"c".repeat(256)]), Some(2));
    // The private key does not verify, and the public one does not sign.
    assert_eq!(run_with("verify", "key", &[]), Some(1));
    assert_eq!(run_with("sign", "key.pub", &[]), Some(1));
}

#[test]
fn signatures_are_random_unless_asked_otherwise() {
    let dir = signed();
    let sign = |options: &[&str]| {
        ok(&mut dir.hashlanes(&[&["slh-dsa", "sign", "--key", "key", "a"], options].concat()));
        fs::read(dir.at("a.sig")).unwrap()
    };
    assert_ne!(sign(&[]), sign(&[]));
    assert_eq!(sign(&["--deterministic"]), sign(&["--deterministic"]));
}

#[test]
fn checks_change_no_signature() {
    let dir = signed();
    let sign = |check: &str| {
        let options = ["slh-dsa", "sign", "--key", "key", "--deterministic", "--check", check, "a"];
        ok(&mut dir.hashlanes(&options));
        fs::read(dir.at("a.sig")).unwrap()
    };
    let unchecked = sign("root");
    assert!(["verify", "twice"].iter().all(|check| sign(check) == unchecked));
    let output = run(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "key", "--check=no", "a"]));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn keys_are_never_overwritten() {
    let dir = signed();
    let before = fs::read(dir.at("key")).unwrap();
    let output = run(&mut dir.hashlanes(&["slh-dsa", "keygen", "key"]));
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lossy(&output.stderr), "hashlanes: key.pub: the file exists\n");
    fs::remove_file(dir.at("key.pub")).unwrap();
    let output = run(&mut dir.hashlanes(&["slh-dsa", "keygen", "key"]));
    assert_eq!(lossy(&output.stderr), "hashlanes: key: the file exists\n");
    assert_eq!(fs::read(dir.at("key")).unwrap(), before);
}

/// A device has no length, and this one no end.
#[test]
fn keys_of_any_length_take_no_memory() {
    let dir = Dir::new();
    for command in ["sign", "verify"] {
        let script = format!("ulimit -v 1000000; exec \"$0\" slh-dsa {command} --key /dev/zero a");
        let output = run(dir.peer("bash", &["-c", &script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(lossy(&output.stderr), "hashlanes: /dev/zero: too long for a key\n");
    }
}

#[test]
fn keys_that_cannot_be_written_leave_nothing_behind() {
    let dir = Dir::new();
    let script = "ulimit -f 0; trap '' XFSZ; exec \"$0\" slh-dsa keygen key";
    let output = run(dir.peer("bash", &["-c", script]).arg(env!("CARGO_BIN_EXE_hashlanes")));
    assert_eq!(output.status.code(), Some(1));
    assert!(lossy(&output.stderr).ends_with(": File too large\n"), "{output:?}");
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
    // The public key is written before the private one takes its place.
    dir.file(".key.hashlanes", b"in the way");
    assert_eq!(run(&mut dir.hashlanes(&["slh-dsa", "keygen", "key"])).status.code(), Some(1));
    assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 1);
}

#[test]
fn files_without_a_readable_key_are_told_apart() {
    let dir = signed();
    let pem = fs::read(dir.at("key")).unwrap();
    let encrypted = lossy(&pem).replace(" PRIVATE", " ENCRYPTED PRIVATE");
    for (content, reason) in [
        (&b""[..], "the file is empty"),
        (b"\x31\x52\x02\x01\x00\x30", "the file is neither PEM nor DER"),
        (b"ssh-ed25519 AAAA", "the file is neither PEM nor DER"),
        (encrypted.as_bytes(), "the key is encrypted; `openssl pkey` decrypts it"),
    ] {
        dir.file("key", content);
        let output = run(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "key", "a"]));
        assert_eq!(output.status.code(), Some(1));
        assert_eq!(lossy(&output.stderr), format!("hashlanes: key: {reason}\n"));
    }
}

/// The content of PEM, which is DER in base64.
fn der(dir: &Dir, name: &str) -> Vec<u8> {
    let script = "grep -v -e ----- \"$0\" | base64 -d";
    ok(dir.peer("sh", &["-c", script]).arg(name))
}

#[test]
fn keys_in_der_are_read() {
    let dir = signed();
    let (private, public) = (der(&dir, "key"), der(&dir, "key.pub"));
    dir.file("key.der", &private).file("pub.der", &public);
    ok(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "key.der", "a"]));
    ok(&mut dir.hashlanes(&["slh-dsa", "verify", "--key", "pub.der", "a", "b"]));
    // Not a key of this kind, incomplete, or with something behind it.
    let with_tail = [&private[..], b"\0"].concat();
    for wrong in [&private[..private.len() - 1], &with_tail] {
        dir.file("key.der", wrong);
        let output = run(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "key.der", "a"]));
        assert_eq!(output.status.code(), Some(1));
        let error = lossy(&output.stderr);
        let reason = "hashlanes: key.der: not a private key of SLH-DSA in PKCS#8: ";
        assert!(error.starts_with(reason), "{error}");
    }
    let output = run(&mut dir.hashlanes(&["slh-dsa", "verify", "--key", "key.der", "a"]));
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn a_key_of_the_wrong_half_is_named() {
    let dir = signed();
    let (private, public) = (der(&dir, "key"), der(&dir, "key.pub"));
    dir.file("key.der", &private).file("pub.der", &public);
    let encrypted = lossy(&fs::read(dir.at("key")).unwrap()).replace(" PRIV", " ENCRYPTED PRIV");
    dir.file("encrypted", encrypted.as_bytes());
    dir.file("other", b"-----BEGIN EC PRIVATE KEY-----\nAAAA\n-----END EC PRIVATE KEY-----\n");
    dir.file("certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n");
    for (command, key, expected) in [
        ("verify", "key", "this is a private key, and"),
        ("verify", "key.der", "this is a private key, and"),
        ("verify", "encrypted", "this is a private key, and"),
        ("verify", "other", "this is a private key, and"),
        ("verify", "certificate", "this is a certificate; `openssl x509 -pubkey -noout`"),
        ("sign", "key.pub", "this is a public key, and only"),
        ("sign", "pub.der", "this is a public key, and only"),
    ] {
        let output = run(&mut dir.hashlanes(&["slh-dsa", command, "--key", key, "a"]));
        assert_eq!(output.status.code(), Some(1));
        let error = lossy(&output.stderr);
        assert!(error.starts_with(&format!("hashlanes: {key}: {expected}")), "{error}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn messages_and_keys_come_from_the_standard_input() {
    let dir = signed();
    let options = ["slh-dsa", "sign", "--deterministic", "--key"];
    ok(&mut dir.hashlanes(&[&options[..], &["key", "a"]].concat()));
    let signature = fs::read(dir.at("a.sig")).unwrap();
    let from = |name: &str, options: &[&str]| {
        run(dir.hashlanes(options).stdin(fs::File::open(dir.at(name)).unwrap()))
    };
    // The signature of what is read is written to the standard output.
    assert_eq!(from("a", &[&options[..], &["key", "-"]].concat()).stdout, signature);
    assert!(!dir.at("-.sig").exists());
    let verify = ["slh-dsa", "verify", "--key", "key.pub", "--signature", "a.sig", "-"];
    assert_eq!(lossy(&from("a", &verify).stdout), "-: OK\n");
    assert_eq!(lossy(&from("b", &verify).stdout), "-: FAILED\n");
    // The key, in place of a message.
    let sign = [&options[..], &["-", "--signature", "other.sig", "a"]].concat();
    assert_eq!(from("key", &sign).status.code(), Some(0));
    assert_eq!(fs::read(dir.at("other.sig")).unwrap(), signature);
    let verify = ["slh-dsa", "verify", "--key", "-", "a", "b"];
    assert_eq!(lossy(&from("key.pub", &verify).stdout), "a: OK\nb: OK\n");

    for (wrong, reason) in [
        (&["sign", "--key", "-", "-"][..], "-: the standard input can be read only once"),
        (&["sign", "--key", "key", "-", "-"], "-: the standard input can be read only once"),
        (
            &["verify", "--key", "key.pub", "-"],
            "-: --signature names the signature of the standard input",
        ),
        (
            &["sign", "--key", "key", "--signature", "a.sig", "a", "b"],
            "--signature: expected a single NAME",
        ),
    ] {
        let output = from("a", &[&["slh-dsa"][..], wrong].concat());
        assert_eq!(output.status.code(), Some(2));
        let error = lossy(&output.stderr);
        assert!(error.starts_with(&format!("hashlanes: {reason}\n")), "{error}");
    }
}

/// `sign dist/*` for the second time.
#[test]
fn signatures_that_are_written_are_not_signed() {
    let dir = signed();
    let output = run(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "key", "a", "a.sig", "b"]));
    assert_eq!(output.status.code(), Some(1));
    let reason = "not signed: the signature of another file would overwrite it";
    assert_eq!(lossy(&output.stderr), format!("hashlanes: a.sig: {reason}\n"));
    assert!(!dir.at("a.sig.sig").exists());
    ok(&mut dir.hashlanes(&["slh-dsa", "verify", "--key", "key.pub", "a", "b"]));
}

#[test]
fn keys_are_found_in_what_surrounds_them() {
    let dir = signed();
    let [private, public] =
        ["key", "key.pub"].map(|name| fs::read_to_string(dir.at(name)).unwrap());
    let both = format!("\u{feff}Two keys:\r\n\n  {public}\n{private}\n\n");
    dir.file("both", both.replace('\n', " \r\n").as_bytes());
    ok(&mut dir.hashlanes(&["slh-dsa", "sign", "--key", "both", "a"]));
    ok(&mut dir.hashlanes(&["slh-dsa", "verify", "--key", "both", "a", "b"]));
}
