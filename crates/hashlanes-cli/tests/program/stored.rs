//! `check --stored`: what a store knows, against what is known here. Real servers are for
//! `cargo xtask objects`.

use std::process::Output;
use std::sync::Arc;

use hashlanes::Algorithm::{Md5, Sha256};
use hashlanes_files::manifest::Digits;

use crate::common::store::{Fault, Store};
use crate::common::{Dir, lossy, run, status};

const OBJECTS: [(&str, &[u8]); 6] = [
    ("changed", b"other bytes"),
    ("encrypted", b"under a key"),
    ("new", b"only in the store"),
    ("parts", b"in parts"),
    ("sha256", b"with a checksum"),
    ("whole", b"at once"),
];

/// A store that knows MD5s, except of what is encrypted or was uploaded in parts.
fn store() -> Arc<Store> {
    let store = Store::start(&OBJECTS, |_, _| Fault::None);
    let mut known = store.known.lock().unwrap();
    for (name, bytes) in OBJECTS {
        let md5 = Md5.digest(bytes);
        let mut sha256 = Vec::new();
        Digits::Base64.write(Sha256.digest(bytes).as_bytes(), &mut sha256);
        let (etag, header) = match name {
            // It has the form of an MD5.
            "encrypted" => (Md5.digest(b"x").to_string(), "server-side-encryption: aws:kms".into()),
            "parts" => (format!("{md5}-3"), String::new()),
            "sha256" => (format!("{md5}-3"), format!("checksum-sha256: {}", lossy(&sha256))),
            _ => (md5.to_string(), String::new()),
        };
        let kind = "x-amz-checksum-type: FULL_OBJECT\r\n";
        let more = if header.is_empty() { header } else { format!("x-amz-{header}\r\n{kind}") };
        known.insert(name.into(), (etag, more));
    }
    drop(known);
    store
}

/// Files with the names and the content of the objects, with exceptions.
fn folder() -> Dir {
    let dir = Dir::new();
    for (name, bytes) in OBJECTS.into_iter().filter(|(name, _)| *name != "new") {
        dir.file(format!("files/{name}"), if name == "changed" { b"these bytes" } else { bytes });
    }
    dir.file("files/lost", b"only here");
    dir
}

fn check(store: &Store, dir: &Dir, arguments: &[&str]) -> Output {
    let mut command = dir.hashlanes(&[]);
    command.arg("check").arg("--stored").args(arguments);
    command.env("AWS_ENDPOINT_URL", &store.address).env_remove("http_proxy");
    command.env("AWS_ACCESS_KEY_ID", "AKIDTEST").env("AWS_SECRET_ACCESS_KEY", "S3CR3T");
    run(&mut command)
}

/// The names of objects that were read, which `HEAD` does not do.
fn read(store: &Store) -> Vec<&'static str> {
    let heads = store.heads.lock().unwrap().concat();
    let names = OBJECTS.iter().map(|(name, _)| *name);
    names.filter(|name| heads.contains(&format!("GET /b/{name} "))).collect()
}

#[test]
fn a_folder_is_compared_and_only_what_is_unknown_is_read() {
    let (store, dir) = (store(), folder());
    let never = check(&store, &dir, &["--download=never", "-r", "files", "s3://b"]);
    let expected = "\
changed: changed (MD5, the ETag)
encrypted: unproven (the ETag of an encrypted object is not an MD5)
lost: missing
new: new
parts: unproven (the store keeps only MD5 of 3 parts)
sha256: unchanged (SHA256)
whole: unchanged (MD5, the ETag)

2 unchanged, 1 changed, 1 missing, 1 new, 2 unproven
";
    assert_eq!(lossy(&never.stdout), expected);
    assert_eq!((&*lossy(&never.stderr), status(&never)), ("", Some(1)));
    assert!(read(&store).is_empty());

    let missing = check(&store, &dir, &["-r", "files", "s3://b"]);
    let text = lossy(&missing.stdout);
    assert!(text.contains("encrypted: unchanged (SHA256, read)\n"), "{text}");
    assert!(text.contains("parts: unchanged (SHA256, read)\n"), "{text}");
    assert!(text.contains("changed: changed (MD5, the ETag)\n"), "{text}");
    assert_eq!(read(&store), ["encrypted", "parts"]);

    let always = check(&store, &dir, &["--download", "always", "-r", "files", "s3://b"]);
    let text = lossy(&always.stdout);
    assert!(text.contains("changed: changed (SHA256, read)\n"), "{text}");
    assert!(text.contains("whole: unchanged (SHA256, read)\n"), "{text}");
    assert!(!text.contains("ETag"), "{text}");
}

#[test]
fn a_manifest_is_compared_by_the_digests_that_it_has() {
    let (store, dir) = (store(), Dir::new());
    let line = |name: &str, bytes: &[u8]| format!("{}  {name}\n", Md5.digest(bytes));
    let mut lines = line("./whole", b"at once") + &line("changed", b"these bytes");
    lines += &format!("{}  sha256\n", Sha256.digest(b"with a checksum"));
    let tag = format!("S3-ETAG-3 (parts) = {}-3\n", Md5.digest(b"in parts"));
    dir.file("manifest", (lines + &tag).as_bytes());
    let output = check(&store, &dir, &["--quiet", "--exclude", "enc*", "manifest", "s3://b/"]);
    let text = lossy(&output.stdout);
    let expected = "changed: changed (MD5, the ETag)\nnew: new\n\n3 unchanged, 1 changed, 1 new\n";
    assert_eq!(text, expected, "{}", lossy(&output.stderr));
    assert!(read(&store).is_empty());
    // The ETag of the listing proves what is equal, so only the others are asked for.
    let heads = store.heads.lock().unwrap().concat();
    assert!(!heads.contains("HEAD /b/whole") && heads.contains("HEAD /b/changed"), "{heads}");

    dir.file("both", (line("whole", b"at once") + &line("./whole", b"other")).as_bytes());
    for download in ["missing", "never", "always"] {
        let output = check(&store, &dir, &["--download", download, "both", "s3://b/whole"]);
        assert!(lossy(&output.stdout).starts_with("whole: changed"), "{}", lossy(&output.stdout));
    }
}

#[test]
fn two_prefixes_are_compared_by_what_each_knows() {
    let (store, dir) = (store(), Dir::new());
    let same = check(&store, &dir, &["s3://b", "s3://b/"]);
    let text = lossy(&same.stdout);
    assert!(text.contains("parts: unchanged (MD5 of 3 parts, the ETag)\n"), "{text}");
    assert!(text.contains("encrypted: unchanged"), "{text}");
    assert_eq!(status(&same), Some(0), "{text}");
}

#[test]
fn wrong_usage_and_a_store_that_fails_are_named() {
    let (store, dir) = (store(), folder());
    for arguments in [&["-r", "files"][..], &["files", "s3://b"], &["-r", "files", "files"]] {
        let output = check(&store, &dir, arguments);
        assert_eq!(status(&output), Some(2), "{arguments:?}: {}", lossy(&output.stderr));
    }
    let failing = Store::start(&OBJECTS, |_, _| Fault::Redirect("http://elsewhere.example/"));
    let output = check(&failing, &dir, &["-r", "files", "s3://b"]);
    let text = lossy(&output.stdout);
    assert!(text.contains("s3://b/: unreadable (redirected to "), "{text}");
    // Nothing is said of names that were not compared.
    assert!(!text.contains("missing") && status(&output) == Some(1), "{text}");
}

#[test]
fn slashes_at_the_beginning_belong_to_names() {
    let (store, dir) =
        (Store::start(&[("//x", b"1"), ("/y", b"2")], |_, _| Fault::None), Dir::new());
    let line = |name: &str, bytes| format!("{}  {name}\n", Md5.digest(bytes));
    for (prefix, names) in [("s3://b", ["//x", "/y"]), ("s3://b//", ["/x", "y"])] {
        let manifest = line(names[0], b"1") + &line(names[1], b"2");
        dir.file("MANIFEST", manifest.as_bytes());
        let output = check(&store, &dir, &["MANIFEST", prefix]);
        let text = lossy(&output.stdout);
        assert!(text.contains("\n2 unchanged\n"), "{text}{}", lossy(&output.stderr));
    }
}

#[test]
fn each_name_is_an_object_of_json() {
    let (store, dir) = (store(), folder());
    let options = ["--json", "--download=never", "-r", "files", "s3://b"];
    let expected = r#"{"path":"changed","status":"changed","proof":"MD5, the ETag"}
{"path":"encrypted","status":"unproven","reason":"the ETag of an encrypted object is not an MD5"}
{"path":"lost","status":"missing"}
{"path":"new","status":"new"}
{"path":"parts","status":"unproven","reason":"the store keeps only MD5 of 3 parts"}
{"path":"sha256","status":"unchanged","proof":"SHA256"}
{"path":"whole","status":"unchanged","proof":"MD5, the ETag"}
{"summary":{"unchanged":2,"changed":1,"missing":1,"new":1,"unproven":2,"unreadable":0}}
"#;
    let output = check(&store, &dir, &options);
    assert_eq!(lossy(&output.stdout), expected, "{}", lossy(&output.stderr));
}

#[test]
fn a_prefix_may_be_a_folder_and_the_name_of_an_object() {
    const NAMES: [(&str, &[u8]); 4] =
        [("p", b"itself"), ("p/", b""), ("p/a", b"first"), ("p/b", b"second")];
    let (store, dir) = (Store::start(&NAMES, |_, _| Fault::None), Dir::new());
    for (name, bytes) in NAMES {
        let etag = Md5.digest(bytes).to_string();
        store.known.lock().unwrap().insert(name.into(), (etag, String::new()));
        if name.len() > 2 {
            dir.file(name, bytes);
        }
    }
    let both = "a: unchanged (MD5, the ETag)\nb: unchanged (MD5, the ETag)\n";
    let folder = check(&store, &dir, &["--download=never", "-r", "p", "s3://b/p/"]);
    assert_eq!(lossy(&folder.stdout), format!("{both}\n2 unchanged\n"));
    assert_eq!(status(&folder), Some(0));
    let name = check(&store, &dir, &["--download=never", "-r", "p", "s3://b/p"]);
    assert_eq!(lossy(&name.stdout), format!("{both}s3://b/p: new\n\n2 unchanged, 1 new\n"));

    dir.file("one", format!("{}  p\n", Md5.digest(b"other")).as_bytes());
    let one = check(&Store::start(&NAMES[..1], |_, _| Fault::None), &dir, &["one", "s3://b/p"]);
    assert_eq!(lossy(&one.stdout), "p: changed (MD5, read)\n\n1 changed\n");
}
