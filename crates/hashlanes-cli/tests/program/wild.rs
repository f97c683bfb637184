//! Manifests that other people and other programs made, as they are found in the wild.

use std::fs;
use std::net::TcpListener;

use super::common::{Dir, lossy, ok, run};
use super::wild_rows::MORE;

const MD5: &str = "900150983cd24fb0d6963f7d28e17f72";
const SHA256: &str = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const SHA1: &str = "a9993e364706816aba3e25717850c26c9cd0d89d";
const SHA512: &str = concat!(
    "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a",
    "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f"
);
const SHA512_BASE64: &str =
    "3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw==";
const BLAKE2B: &str = concat!(
    "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1",
    "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923"
);

/// A folder in which the file `a` contains `abc`.
fn abc() -> Dir {
    let dir = Dir::new();
    dir.file("a", b"abc");
    dir
}

/// The status, the output and the messages of a run.
#[track_caller]
fn said(dir: &Dir, arguments: &[&str]) -> (i32, String, String) {
    let output = run(&mut dir.hashlanes(arguments));
    (output.status.code().unwrap(), lossy(&output.stdout), lossy(&output.stderr))
}

#[test]
fn a_line_opens_no_connection_that_nobody_asked_for() {
    let dir = abc();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}/a", listener.local_addr().unwrap());
    dir.file("m", format!("{MD5}  a\n{MD5}  {url}\nMD5 (s3://bucket/b) = {MD5}\n").as_bytes());
    for arguments in [&["check", "m"][..], &["check", "--ignore-missing", "m"]] {
        let (status, told, why) = said(&dir, arguments);
        assert_eq!(status, 3, "{told}");
        assert!(told.contains("a: OK\n") && told.contains("/a: FAILED open or read\n"), "{told}");
        assert_eq!(
            why.matches("a URL, which is read only with --allow-remote").count(),
            2,
            "{why}"
        );
        assert!(listener.accept().is_err());
    }
}

#[test]
fn a_name_does_not_lead_out_of_the_url_that_was_given() {
    let dir = abc();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let base = format!("http://{}/dir", listener.local_addr().unwrap());
    let names = ["../x", "a/../../x", "./../x", "..\\x"].map(str::to_owned);
    let urls = ["%2E%2e/x", "..%2fx", ".%2E%5Cx", "..%5cx"].map(|name| format!("{base}/{name}"));
    let names = [names, urls].concat();
    let lines: Vec<_> = names.iter().map(|name| format!("{MD5}  {name}\n")).collect();
    dir.file("m", lines.concat().as_bytes());
    let (status, told, why) = said(&dir, &["check", "--base", &base, "m"]);
    assert_eq!(
        (status, why.matches("with --allow-remote").count()),
        (3, names.len()),
        "{told}{why}"
    );
    assert!(listener.accept().is_err());
}

#[test]
fn a_name_with_a_dot_before_it_is_the_same_name() {
    let dir = abc();
    dir.file("one", format!("{MD5}  a\n{MD5}  ./b\n").as_bytes());
    dir.file("two", format!("{MD5}  ./a\n{MD5}  b\n").as_bytes());
    assert_eq!(said(&dir, &["manifest", "diff", "one", "two"]), (0, "".into(), "".into()));
    let (status, told, _) = said(&dir, &["manifest", "merge", "one", "two"]);
    assert_eq!((status, told), (0, format!("{MD5}  a\n{MD5}  ./b\n")));
    let (_, told, _) = said(&dir, &["manifest", "sort", "two", "one"]);
    assert_eq!(told, format!("{MD5}  ./a\n{MD5}  b\n"));
}

#[test]
fn bytes_that_are_stored_once_are_no_duplicates() {
    let dir = abc();
    dir.file("f/big", &super::common::noise(300_000, 1));
    fs::hard_link(dir.at("f/big"), dir.at("f/same")).unwrap();
    std::os::unix::fs::symlink("f", dir.at("link")).unwrap();
    for folders in [&["f"][..], &["f", "f"], &["f", "./f/", "f/big"], &[".", "f"], &["f", "link/"]]
    {
        let json = lossy(&ok(dir.hashlanes(&["dedup", "--json"]).args(folders)));
        assert!(json.contains("\"duplicate_bytes\":0,"), "{folders:?}: {json}");
    }
    fs::copy(dir.at("f/big"), dir.at("f/copy")).unwrap();
    let json = lossy(&ok(&mut dir.hashlanes(&["dedup", "--json", "f", "f"])));
    assert!(json.contains("\"duplicate_bytes\":300000,"), "{json}");
}

#[test]
fn a_copy_is_not_judged_by_its_original() {
    let dir = Dir::new();
    dir.file("original/a", b"abc").file("copy/a", b"damaged");
    let absolute = dir.at("original/a").to_str().unwrap().to_owned();
    dir.file("m", format!("{SHA256}  {absolute}\n").as_bytes());
    let (status, told, why) = said(&dir, &["check", "--report", "m", "copy"]);
    assert_eq!(status, 1);
    assert!(told.starts_with("\n0 unchanged, 0 changed, 1 missing, 1 new"), "{told}");
    assert!(why.contains("1 listed file has an absolute name outside of copy"), "{why}");
    // In its own folder, the name is right.
    let (status, told, _) = said(&dir, &["check", "--report", "m", "original"]);
    assert!(status == 0 && told.contains("1 unchanged"), "{told}");
}

/// A manifest of another program or place, with what it is and what checking it gives.
pub(crate) struct Row {
    source: &'static str,
    /// The name of the manifest.
    name: &'static str,
    /// `M`, `1`, `S`, `5`, `B` and `C` in braces stand for the digests of `abc` in MD5, SHA-1,
    /// SHA-256, SHA-512, BLAKE2b and C4.
    text: &'static str,
    options: &'static [&'static str],
    status: i32,
    /// What is printed, or a part of what is said.
    told: &'static str,
}

pub(crate) const fn row(source: &'static str, name: &'static str, text: &'static str) -> Row {
    Row { source, name, text, options: &[], status: 0, told: "a: OK\n" }
}

pub(crate) const fn bad(row: Row, status: i32, told: &'static str) -> Row {
    Row { status, told, ..row }
}

pub(crate) const fn with(row: Row, options: &'static [&'static str]) -> Row {
    Row { options, ..row }
}

const ROWS: &[Row] = &[
    // The digest alone.
    row("Maven Central", "a.sha256", "{S}"),
    row("Maven Central", "a.md5", "{M}\n"),
    row("Windows, upper case", "a.SHA256", "{S^}\r\n"),
    row("sha256sum < a", "a.sha256", "{S}  -\n"),
    row("openssl < a", "a.sha256", "SHA2-256(stdin)= {S}\n"),
    row("a file for two functions", "a.sum", "{M}\n{S}\n"),
    row("WARC", "a.digest", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5\n"),
    row("OCI", "a.digest", "sha256:{S}"),
    row("subresource integrity", "a.digest", "sha256-ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0="),
    bad(row("a list without names", "list", "{S}\n"), 1, "the name is missing"),
    bad(row("a list of several files", "a.sha256", "{S}\n{S}\n"), 1, "the name is missing"),
    // Headings.
    row("a heading with a commit", "m", "Checksums for commit 1a2b3c4d\n\n{S}  a\n"),
    row("a heading with a commit", "m", "Checksums for commit 1a2b3c4d\n{S}  a\n{S}  ./a\n"),
    row(
        "gpg --print-mds",
        "m",
        "a:    MD5 = 90 01 50 98 3C D2 4F B0  D6 96 3F 7D 28 E1 7F 72\n\
        a: SHA256 = BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61\n            \
        F20015AD\n",
    ),
    row(
        "gpg --print-md SHA256",
        "m",
        "a: BA7816BF 8F01CFEA 414140DE 5DAE2223 B00361A3 96177A9C B410FF61\n   F20015AD\n",
    ),
    row(
        "gpg --clearsign",
        "m",
        "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{S}  a\n\
        -----BEGIN PGP SIGNATURE-----\n\niQIzBAEBCAAdFiEE\n-----END PGP SIGNATURE-----\n",
    ),
    // Windows.
    row("lines that end in CR CR LF", "m", "{M}  a\r\r\n"),
    row(
        "certutil",
        "m",
        "SHA256 hash of a:\r\n{S}\r\n\
        CertUtil: -hashfile command completed successfully.\r\n",
    ),
    row(
        "certutil, Windows 7",
        "m",
        "SHA1 hash of file a:\n\
        a9 99 3e 36 47 06 81 6a ba 3e 25 71 78 50 c2 6c 9c d0 d8 9d\n",
    ),
    row("certutil, German", "m", "SHA256-Hash von a:\n{S}\nCertUtil: -hashfile-Befehl\n"),
    row(
        "Get-FileHash",
        "m",
        "\r\nAlgorithm       Hash     Path\r\n---------       ----     ----\r\n\
        SHA256          {S^}       a\r\n\r\n",
    ),
    row(
        "Get-FileHash | Format-List",
        "m",
        "\nAlgorithm : SHA256\nHash      : {S^}\nPath      : a\n\n\n",
    ),
    row(
        "Export-Csv",
        "m",
        "#TYPE Microsoft.PowerShell.Utility\r\n\"Algorithm\",\"Hash\",\"Path\"\r\n\
         \"SHA256\",\"{S^}\",\"a\"\r\n",
    ),
    row(
        "ConvertTo-Json",
        "m",
        "{\r\n  \"Algorithm\": \"SHA256\",\r\n  \"Hash\": \"{S^}\",\r\n  \"Path\": \"a\"\r\n}\r\n",
    ),
    with(row("Windows names", "m", "{M} *.\\a\r\n"), &["--fix-names"]),
    with(bad(row("Windows names", "m", "{M}  d\\e\n"), 0, "d/e: OK\n"), &["--fix-names"]),
    with(bad(row("Windows names", "m", "\\{M}  d\\\\e\n"), 0, "d/e: OK\n"), &["--fix-names"]),
    bad(row("Windows names", "m", "{M}  d\\e\n"), 3, "exists with / for \\: try --fix-names"),
    bad(row("Windows names", "m", "{M} *C:\\x\\a\n"), 3, "try --fix-names --strip all"),
    with(row("Windows names", "m", "{M} *C:\\x\\a\n"), &["--fix-names", "--strip", "all"]),
    // Names of other machines.
    bad(row("CI", "m", "{M}  /home/runner/work/a\n"), 3, "without folders: try --strip all"),
    with(row("CI", "m", "{M}  /home/runner/work/a\n"), &["--strip", "all"]),
    bad(row("CI", "m", "{M}  x/y/d/e\n"), 3, "without the first 2 parts: try --strip 2"),
    with(bad(row("CI", "m", "{M}  x/y/d/e\n"), 0, "d/e: OK\n"), &["--strip", "2"]),
    bad(row("a list in its folder", "d/m", "{M}  e\n"), 3, "exists in d: try --base d"),
    bad(row("a list of a folder", "m", "{M}  e\n{M}  a\n"), 3, "the missing name exists in d: try"),
    // Unicode: `é` in two forms.
    bad(row("macOS", "m", "{M}  u/\u{e9}\n"), 3, "normal form or case: try --fix-names"),
    with(bad(row("macOS", "m", "{M}  u/\u{e9}\n"), 0, "u/e\u{301}: OK\n"), &["--fix-names"]),
    with(bad(row("Windows", "m", "{M}  D/E\n"), 0, "d/e: OK\n"), &["--fix-names"]),
    // Functions that are not supported.
    bad(
        row(
            "hashdeep -c md5,tiger",
            "m",
            "%%%% HASHDEEP-1.0\n%%%% size,md5,tiger,filename\n\
        3,{M},0123456789abcdef,a\n",
        ),
        1,
        "expected 48 hexadecimal digits",
    ),
    bad(
        row(
            "hashdeep -c md5,md6",
            "m",
            "%%%% HASHDEEP-1.0\n%%%% size,md5,md6,filename\n\
        3,{M},01,a\n",
        ),
        0,
        "a: OK\n",
    ),
    row(
        "JSON with another function",
        "m",
        "{\"path\":\"a\",\"digests\":{\"md6\":\"00\",\"md5\":\"{M}\"}}\n",
    ),
    bad(
        row("JSON with another function", "m", "{\"path\":\"a\",\"digests\":{\"md6\":\"00\"}}\n"),
        1,
        "no support for md6",
    ),
    // More formats.
    row("xxhsum -H3", "m", "XXH3_78af5f94892f3950  a\n"),
    row("xxhsum --tag", "m", "XXH64 (a) = 44bc2cf5ad770999\n"),
    bad(row("xxhsum -H1", "m", "44bc2cf5ad770999  a\n"), 1, "may be of crc64nvme, xxh3, xxh64"),
    bad(row("xxhsum -H0", "m", "32d153ff  a\n"), 1, "may be of crc32, crc32c, xxh32; name"),
    with(row("xxhsum -H1", "m", "44bc2cf5ad770999  a\n"), &["-a", "xxh64"]),
    row("xxhsum -H1", "m.xxh64", "44bc2cf5ad770999  a\n"),
    row("OCI", "m", "sha256:{S}  a\n"),
    row("a name first", "m", "a: {S}\n"),
    row("a name first", "m", "a\t{S}\n"),
    row("a name first", "m", "\"a\" {M^}\n"),
    row("WARC", "m", "sha1:VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5 a\n"),
    row("base64url", "m", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0  a\n"),
    row(
        "openssl dgst -c",
        "m",
        "SHA1(a)= a9:99:3e:36:47:06:81:6a:ba:3e:25:71:78:50:c2:6c:9c:d0:d8:9d\n",
    ),
    row(
        "Debian .dsc",
        "x.dsc",
        "Format: 3.0 (quilt)\nSource: x\nFiles:\n {M} 3 a\n\
        Checksums-Sha256:\n {S} 3 a\nHomepage: https://example.org\n",
    ),
    row("Debian .changes", "x.changes", "Format: 1.8\nFiles:\n {M} 3 admin optional a\n"),
    row(
        "Debian Release",
        "Release",
        "Origin: X\nMD5Sum:\n {M}                3 a\nSHA256:\n {S} 3 a\n",
    ),
    row("cfv, quoted", "m.sfv", "; quoted\n\"a\" 352441C2\n"),
    row("CSV of Excel", "m", "sep=;\r\nname;size;md5\r\na;3;{M}\r\n"),
    row("S3 Inventory", "m", "\"b\",\"a\",\"3\",\"2026-11-22T12:27:23.000Z\",\"{M}\"\n"),
    bad(row("S3 Inventory", "m", "\"b\",\"a\",\"3\",\"{M}-2\"\n"), 3, "an upload in parts"),
    row(
        "rclone lsjson --hash",
        "m",
        "[\n{\"Path\":\"a\",\"Name\":\"a\",\"Size\":3,\"IsDir\":false,\
        \"Hashes\":{\"md5\":\"{M}\",\"quickxor\":\"AAAA\",\"crc32\":\"\"}},\n\
        {\"Path\":\"d\",\"Name\":\"d\",\"Size\":-1,\"IsDir\":true}\n]\n",
    ),
    bad(
        row("rclone lsjson, truncated", "m", "[\n{\"Path\":\"a\",\"Hashes\":{\"md5\":\"{M}\"}},\n"),
        1,
        "truncated",
    ),
    bad(
        row("rclone md5sum", "m", "{M}  a\n                     UNSUPPORTED  b\n"),
        3,
        "UNSUPPORTED",
    ),
    bad(row("rclone md5sum", "m", "{M}  a\n                           ERROR  c\n"), 3, "ERROR"),
    row(
        "DVC .dir",
        "x.dir",
        "[{\"md5\": \"{M}\", \"relpath\": \"a\"}, {\"md5\": \"{M}\", \"relpath\": \"d/e\"}]",
    ),
    row(
        "ASC MHL 2.0",
        "ascmhl/0001_x.mhl",
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
        <hashlist version=\"2.0\" \
         xmlns=\"urn:ASC:MHL:v2.0\">\n  <creatorinfo/>\n  <processinfo>\n    \
        <roothash><content><xxh64>00</xxh64></content></roothash></processinfo>\n  <hashes>\n    \
        <hash>\n      <path size=\"3\">a</path>\n      <xxh64 action=\"original\">44bc2cf5ad770999\
        </xxh64>\n      <md5>{M}</md5>\n    </hash>\n    <directoryhash><path>d</path>\
        </directoryhash>\n  </hashes>\n</hashlist>\n",
    ),
    row(
        "MHL 1.1",
        "x.mhl",
        "<?xml version=\"1.0\"?>\r\n<hashlist version=\"1.1\">\r\n<!-- <hash> -->\
        <hash><file>&#97;</file><size>3</size><xxhash64be>44bc2cf5ad770999</xxhash64be>\
        <hashdate>2026-11-22T12:27:23Z</hashdate></hash></hashlist>",
    ),
    bad(
        row(
            "MHL 1.1, truncated",
            "x.mhl",
            "<hashlist version=\"1.1\"><hash><file>a</file><md5>{M}</md5>\
        </hash>",
        ),
        1,
        "truncated",
    ),
    bad(
        row(
            "XML with a document type",
            "x.mhl",
            "<!DOCTYPE x [<!ENTITY y \"z\">]><hashlist><hash>\
        <file>a</file><md5>{M}</md5></hash></hashlist>",
        ),
        1,
        "",
    ),
    row("C4", "m", "{C}  a\n"),
];

/// The C4 ID of `abc`.
const C4: &str =
    "c45S4rnaTNWonxss1u8LzsaJdEph1AJhWUF4sh2waXKMsutyfAxg4ybUeuXVWS9HdNcEypmeXn8FZGonD4w1rj9DZp";

fn filled(text: &str) -> String {
    let upper = |digest: &str| digest.to_uppercase();
    let zeros = "0".repeat(64);
    text.replace("{M}", MD5)
        .replace("{S}", SHA256)
        .replace("{M^}", &upper(MD5))
        .replace("{S^}", &upper(SHA256))
        .replace("{C}", C4)
        .replace("{1}", SHA1)
        .replace("{1^}", &upper(SHA1))
        .replace("{5}", SHA512)
        .replace("{5=}", SHA512_BASE64)
        .replace("{SU}", "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0")
        .replace("{S=}", "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=")
        .replace("{B}", BLAKE2B)
        // Digests that no file has, and that do not count.
        .replace("{M0}", &zeros[..32])
        .replace("{10}", &zeros[..40])
        .replace("{S0}", &zeros)
}

/// A folder with the files that the rows are about.
fn wild() -> Dir {
    let dir = abc();
    dir.file("d/e", b"abc").file("u/e\u{301}", b"abc");
    dir
}

#[test]
fn manifests_of_others_are_read_as_what_they_are() {
    let mut wrong = Vec::new();
    for row in ROWS.iter().chain(MORE) {
        let dir = wild();
        dir.file(row.name, filled(row.text).as_bytes());
        let (status, told, why) = said(&dir, &[&["check", "-v", row.name], row.options].concat());
        let is_told = told.contains(row.told) || why.contains(row.told);
        if status != row.status || !is_told || !why.contains("read as: ") {
            wrong.push(format!("{} ({}):\nstatus {status}\n{told}{why}", row.source, row.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What other programs write here, and what they write of a file that has changed.
#[test]
fn what_other_programs_write_now_is_verified() {
    for words in [
        "rhash --md5 a d/e",
        "rhash --sfv --md5 --sha1 --crc32 a d/e",
        "rhash --bsd --sha256 --sha3-256 --blake2s --crc32c a d/e",
        "rhash --sha512 --base64 a d/e",
        "rhash --crc32 a d/e",
        "hashdeep -c md5,sha1,sha256 -l a d/e",
        "hashdeep -d -l a d/e",
        "md5deep -l a d/e",
        "md5deep -l -z a d/e",
        "md5deep -l -c a d/e",
        "md5deep -d -l a d/e",
        "sha256deep -l -k a d/e",
        "xxhsum -H3 a d/e",
        "xxhsum -H1 --tag a d/e",
        "xxhsum -H2 --tag a d/e",
        "openssl dgst -sha3-256 a d/e",
        "openssl dgst -c -sha1 a d/e",
        "openssl dgst -r -sha384 a d/e",
        "sha224sum --tag a d/e",
        "b2sum --tag -l 160 a d/e",
        "cksum -a sm3 a d/e",
        "shasum -a 512 -b a d/e",
    ] {
        let dir = abc();
        dir.file("d/e", &super::common::noise(100_000, 1));
        let mut all = words.split(' ');
        let program = all.next().unwrap();
        let arguments: Vec<_> = all.collect();
        dir.file("m", &ok(&mut dir.peer(program, &arguments)));
        let checked = said(&dir, &["check", "m"]);
        // Some write a line for each of several functions.
        let told: std::collections::BTreeSet<_> = checked.1.lines().collect();
        let told: Vec<_> = told.into_iter().collect();
        assert_eq!((checked.0, &*told), (0, &["a: OK", "d/e: OK"][..]), "{words}: {}", checked.2);
        for (name, content) in [("a", b"abd"), ("d/e", b"abc")] {
            let before = fs::read(dir.at(name)).unwrap();
            dir.file(name, content);
            let (status, told, _) = said(&dir, &["check", "m"]);
            assert!(status == 1 && told.contains(&format!("{name}: FAILED\n")), "{words}");
            dir.file(name, &before);
        }
    }
}

/// A bag of one file, as cases of the Library of Congress's conformance suite have it.
fn bag(declaration: &str, manifest: &[u8]) -> Dir {
    let dir = Dir::new();
    dir.file("bag/bagit.txt", declaration.as_bytes());
    dir.file("bag/manifest-md5.txt", manifest).file("bag/data/e\u{301}", b"abc");
    dir
}

#[test]
fn bags_of_the_conformance_suite_are_judged_as_it_says() {
    let declared = |version: &str, encoding: &str| {
        format!("BagIt-Version: {version}\nTag-File-Character-Encoding: {encoding}\n")
    };
    let line = |name: &str| format!("{MD5}  data/{name}\n");
    let utf_8 = line("e\u{301}");
    let utf_16: Vec<u8> = utf_8.encode_utf16().flat_map(u16::to_be_bytes).collect();
    let marked = [b"\xfe\xff", &utf_16[..]].concat();
    // In ISO-8859-1 there is no combining accent.
    let latin_1 = [MD5.as_bytes(), b"  data/\xe9\n"].concat();
    let nfc = line("\u{e9}");
    let both = [utf_8.as_bytes(), nfc.as_bytes()].concat();
    let case = [utf_8.as_bytes(), line("E\u{301}").as_bytes()].concat();
    for (source, declaration, manifest, status) in [
        ("v0.97/valid/basic-bag", declared("0.97", "UTF-8"), utf_8.as_bytes(), 0),
        ("v0.97/valid/ISO-8859-1-encoded-tag-files", declared("0.97", "ISO-8859-1"), &latin_1, 0),
        ("v0.97/valid/UTF-16-encoded-tag-files", declared("0.97", "UTF-16"), &marked, 0),
        ("v0.97/valid/UTF-16-encoded-tag-files", declared("0.97", "UTF-16BE"), &utf_16, 0),
        ("v0.97/warning/..-different-normalization", declared("0.97", "UTF-8"), &both, 0),
        // The suite only warns of this. Where case counts, one of two files is missing.
        ("v0.97/warning/..-with-different-case", declared("0.97", "UTF-8"), &case, 3),
        ("two normal forms since 1.0", declared("1.0", "UTF-8"), &both, 3),
        (
            "v1.0/invalid/..-with-invalid-whitespace",
            declared("1.0", "UTF-8").replace(':', " :"),
            utf_8.as_bytes(),
            1,
        ),
        ("v0.97/invalid/invalid-version-number", declared("x", "UTF-8"), utf_8.as_bytes(), 1),
        ("an unknown encoding", declared("0.97", "EBCDIC"), utf_8.as_bytes(), 1),
    ] {
        let dir = bag(&declaration, manifest);
        let (found, told, why) = said(&dir, &["check", "bag"]);
        assert_eq!(found, status, "{source}:\n{told}{why}");
        assert_eq!(
            why.contains("in another way than"),
            status == 0 && manifest != utf_8.as_bytes() && !manifest.contains(&0),
            "{why}"
        );
        // Damage is found in each.
        dir.file("bag/data/e\u{301}", b"abd");
        assert_eq!(said(&dir, &["check", "bag"]).0, 1, "{source}");
    }
}

/// The digests in the rows, in all encodings.
const DIGESTS: [&str; 17] = [
    MD5,
    SHA256,
    C4,
    SHA1,
    SHA512,
    SHA512_BASE64,
    BLAKE2B,
    "kAFQmDzST7DWlj99KOF/cg",
    "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319",
    "VGMT4NSHA2AWVOR6EVYXQUGCNSONBWE5",
    "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0",
    "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0",
    "78af5f94892f3950",
    "44bc2cf5ad770999",
    "352441C2",
    "a9:99:3e:36:47:06:81:6a:ba:3e:25:71:78:50:c2:6c:9c:d0:d8:9d",
    "a9 99 3e 36 47 06 81 6a ba 3e 25 71 78 50 c2 6c 9c d0 d8 9d",
];

/// The places of digits in a manifest: the first, the last and one between of each digest.
fn places(text: &str) -> Vec<usize> {
    let mut places = Vec::new();
    for digest in DIGESTS.iter().flat_map(|digest| [digest.to_string(), digest.to_uppercase()]) {
        for (at, _) in text.match_indices(&digest) {
            places.extend([at, at + digest.len() / 2, at + digest.len() - 1]);
        }
    }
    places.sort_unstable();
    places.dedup();
    places
}

#[test]
fn no_change_of_a_file_or_of_a_digest_is_overlooked() {
    let whole = ROWS.iter().chain(MORE).filter(|row| row.status == 0 && row.told == "a: OK\n");
    let mut changes = 0;
    for row in whole {
        let dir = wild();
        let text = filled(row.text);
        let arguments = [&["check", "--status", row.name], row.options].concat();
        for at in places(&text) {
            let mut changed = text.clone().into_bytes();
            // Another digit in all encodings; the least bits of a last one may not count.
            changed[at] = match changed[at] {
                b'8' | b'2' => b'5',
                b'D' | b'd' => changed[at] - 2,
                byte if byte.is_ascii_uppercase() => {
                    if byte == b'E' {
                        b'A'
                    } else {
                        b'E'
                    }
                }
                byte if byte.is_ascii_lowercase() => {
                    if byte == b'e' {
                        b'a'
                    } else {
                        b'e'
                    }
                }
                b'0'..=b'9' => b'2',
                _ => continue,
            };
            dir.file(row.name, &changed);
            let status = run(&mut dir.hashlanes(&arguments)).status.code();
            let shown = String::from_utf8_lossy(&changed).into_owned();
            assert_ne!(status, Some(0), "{}: {shown}", row.source);
            changes += 1;
        }
        dir.file(row.name, text.as_bytes()).file("a", b"abd");
        let status = run(&mut dir.hashlanes(&arguments)).status.code();
        assert_eq!(status, Some(1), "{}: {text}", row.source);
    }
    assert!(changes > 100);
}

/// A dictionary of bencode around these entries.
fn torrent(info: &[&[u8]], after: &[u8]) -> Vec<u8> {
    let begin: &[&[u8]] = &[b"d4:infod"];
    [begin, info, &[b"ee", after]].concat().concat()
}

#[test]
fn torrents_of_other_programs_are_read() {
    let dir = Dir::new();
    dir.file("t/a", b"abc").file("t/b", b"abc");
    let mut piece = b"abc".to_vec();
    piece.resize(16384, 0);
    let digests: Vec<u8> = [&piece[..], b"abc"]
        .iter()
        .flat_map(|piece| hashlanes::Algorithm::Sha1.digest(piece).as_bytes().to_vec())
        .collect();
    let end = [b"4:name1:t12:piece lengthi16384e6:pieces40:", &digests[..]].concat();
    let (a, b) = ("d6:lengthi3e4:pathl1:aee", "d6:lengthi3e4:pathl1:bee");
    let by_name = "d6:lengthi16381e4:pathl24:_____padding_file_0_____ee";
    let without_path = "d4:attr1:p6:lengthi16381ee";
    for (what, before, pad, after) in [
        ("BitComet", "", by_name, ""),
        ("a pad file without a path", "", without_path, ""),
        ("bytes after the dictionary", "", by_name, "\r\n"),
        ("length beside files", "6:lengthi6e", by_name, ""),
    ] {
        let files = format!("5:filesl{a}{pad}{b}e{before}");
        dir.file("x.torrent", &torrent(&[files.as_bytes(), &end], after.as_bytes()));
        let (status, told, why) = said(&dir, &["check", "x.torrent"]);
        assert_eq!((status, &*told), (0, "t/a: OK\nt/b: OK\n"), "{what}: {why}");
        assert_eq!(why.contains("2 bytes after its end are ignored"), !after.is_empty(), "{why}");
        dir.file("t/b", b"abd");
        assert_eq!(said(&dir, &["check", "x.torrent"]).0, 1, "{what}");
        dir.file("t/b", b"abc");
    }
}

#[test]
fn a_torrent_of_one_file_is_compared_with_a_file_of_any_name() {
    let dir = Dir::new();
    dir.file("a", &super::common::noise(100_000, 1));
    ok(&mut dir.hashlanes(&["tree", "torrent-v2", "-o", "x.torrent", "a"]));
    fs::rename(dir.at("a"), dir.at("other")).unwrap();
    let verified = said(&dir, &["tree", "verify-torrent", "x.torrent", "other"]);
    assert_eq!(verified, (0, "other: OK\n".into(), String::new()));
    assert_eq!(said(&dir, &["check", "--base", "other", "x.torrent"]).0, 0);
    // Without layers, the root is known.
    let text = fs::read(dir.at("x.torrent")).unwrap();
    let layers = text.windows(15).position(|part| part == b"12:piece layers").unwrap();
    dir.file("y.torrent", &[&text[..layers], b"e"].concat());
    let verify = ["tree", "verify-torrent", "y.torrent", "other"];
    assert_eq!(said(&dir, &verify), (0, "other: OK\n".into(), String::new()));
    dir.file("other", &super::common::noise(100_000, 2));
    let (status, told, _) = said(&dir, &verify);
    assert!(status == 1 && told.starts_with("other: FAILED\n"), "{told}");
    // Of both versions, the pieces are those of version 1.
    let mut content = super::common::noise(100_000, 3);
    dir.file("t/a", &content).file("t/b", &content[..50_000]);
    ok(&mut dir.hashlanes(&["tree", "torrent-hybrid", "-o", "h.torrent", "t"]));
    let text = fs::read(dir.at("h.torrent")).unwrap();
    let layers = text.windows(15).position(|part| part == b"12:piece layers").unwrap();
    dir.file("i.torrent", &[&text[..layers], b"e"].concat());
    assert_eq!(said(&dir, &["check", "i.torrent"]).1, "t/a: OK\nt/b: OK\n");
    content[50_000] ^= 1;
    dir.file("t/a", &content);
    for name in ["h.torrent", "i.torrent"] {
        let (status, told, why) = said(&dir, &["check", name]);
        assert!(status == 1 && told.contains("t/a: FAILED\n"), "{told}{why}");
        assert!(told.contains("t/b: OK\n") && !why.contains("contradict"), "{told}{why}");
    }
}

#[test]
fn a_report_knows_a_file_in_another_normal_form() {
    let dir = Dir::new();
    // All have the same content; only the name tells which is which.
    for name in ["t/e\u{301}", "t/x", "t/y"] {
        dir.file(name, b"abc");
    }
    dir.file("m", format!("{MD5}  t/a\n{MD5}  t/\u{e9}\n{MD5}  t/z\n").as_bytes());
    let (status, told, _) = said(&dir, &["check", "--report", "m", "t"]);
    assert!(status == 1 && told.contains("t/e\u{301}: moved from t/\u{e9}\n"), "{told}");
    dir.file("m", format!("{MD5}  t/\u{e9}\n{MD5}  t/x\n{MD5}  t/y\n").as_bytes());
    let (status, told, why) = said(&dir, &["check", "--report", "--fix-names", "m", "t"]);
    assert_eq!(status, 0, "{told}{why}");
    // Nothing is changed silently.
    assert_eq!(said(&dir, &["check", "--report", "m", "t"]).0, 1);
}

#[test]
fn an_image_layout_is_verified_by_the_names_of_its_blobs() {
    let dir = Dir::new();
    let layer = format!("blobs/sha256/{SHA256}");
    let image = format!(
        "{{\"config\":{{\"digest\":\"sha256:{SHA256}\"}},\
         \"layers\":[{{\"digest\":\"sha256:{SHA256}\"}}]}}"
    );
    let digest = hashlanes::Algorithm::Sha256.digest(image.as_bytes()).to_string();
    let kind = "application/vnd.oci.image.manifest.v1+json";
    let index =
        format!("{{\"manifests\":[{{\"mediaType\":\"{kind}\",\"digest\":\"sha256:{digest}\"}}]}}");
    let document = format!("image/blobs/sha256/{digest}");
    dir.file("image/oci-layout", b"{\"imageLayoutVersion\":\"1.0.0\"}");
    dir.file("image/index.json", index.as_bytes()).file(&document, image.as_bytes());
    dir.file(format!("image/{layer}"), b"abc");
    let (status, told, why) = said(&dir, &["check", "image"]);
    assert_eq!((status, told.matches(": OK\n").count(), &*why), (0, 2, ""), "{told}");
    dir.file(format!("image/{layer}"), b"abd");
    let (status, told, _) = said(&dir, &["check", "image"]);
    assert!(status == 1 && told.contains(&format!("{layer}: FAILED\n")), "{told}");
    // The index names a blob that does not exist.
    fs::remove_file(dir.at(format!("image/{layer}"))).unwrap();
    let (status, told, _) = said(&dir, &["check", "image"]);
    assert!(status == 3 && told.contains(&format!("{layer}: FAILED open or read\n")), "{told}");
    dir.file(format!("image/{layer}"), b"abc").file("image/blobs/sha256/stray", b"");
    assert_eq!(said(&dir, &["check", "image"]).0, 1);
}

/// A layout with these blobs, whose index leads to the first ones.
fn layout(blobs: &[&str], first: usize) -> (Dir, Vec<String>) {
    let dir = Dir::new();
    let digests = blobs.iter().map(|blob| hashlanes::Algorithm::Sha256.digest(blob.as_bytes()));
    let digests: Vec<_> = digests.map(|digest| digest.to_string()).collect();
    for (blob, digest) in blobs.iter().zip(&digests) {
        dir.file(format!("image/blobs/sha256/{digest}"), blob.as_bytes());
    }
    dir.file("image/oci-layout", b"{}");
    dir.file("image/index.json", list("manifests", &digests[..first]).as_bytes());
    (dir, digests)
}

fn list(of: &str, digests: &[String]) -> String {
    let all: Vec<_> =
        digests.iter().map(|digest| format!("{{\"digest\":\"sha256:{digest}\"}}")).collect();
    format!("{{\"{of}\":[{}]}}", all.join(","))
}

#[test]
fn a_layout_whose_documents_cannot_be_followed_is_not_verified() {
    let large = format!("{{\"layers\":[]{}}}", " ".repeat(4 << 20));
    for document in ["", "{\"manifests\":[", "{}", "[]", "{\"manifests\":[{}]}", &large] {
        let (dir, _) = layout(&["abc"], 0);
        assert_eq!(said(&dir, &["check", "image"]).0, 0);
        dir.file("image/index.json", document.as_bytes());
        let (status, told, why) = said(&dir, &["check", "image"]);
        assert!(status == 1 && why.contains("image/index.json: "), "{document:.20}: {why}");
        // The blobs are verified all the same.
        assert!(told.contains(": OK\n"), "{told}");
    }
    let (dir, _) = layout(&["abc"], 0);
    fs::remove_file(dir.at("image/index.json")).unwrap();
    assert_eq!(said(&dir, &["check", "image"]).0, 1);
    ok(&mut dir.peer("mkfifo", &["image/index.json"]));
    assert_eq!(said(&dir, &["check", "image"]).0, 1);
    fs::remove_dir_all(dir.at("image/blobs")).unwrap();
    let (_, _, why) = said(&dir, &["check", "image"]);
    assert!(why.contains("image/blobs: "), "{why}");
    // A blob that is a document, with the digest of its name.
    for document in ["", "{", "abc", &large] {
        let (dir, digests) = layout(&[document], 1);
        let (status, _, why) = said(&dir, &["check", "image"]);
        assert!(status == 1 && why.contains(&format!("{}: ", digests[0])), "{why}");
    }
}

#[test]
fn documents_of_a_layout_are_known_by_what_they_contain() {
    let missing = hashlanes::Algorithm::Sha256.digest(b"missing").to_string();
    let image = list("layers", std::slice::from_ref(&missing));
    let digest = hashlanes::Algorithm::Sha256.digest(image.as_bytes()).to_string();
    let index = list("manifests", &[digest]);
    let (dir, _) = layout(&[&index, &image], 1);
    dir.file("image/blobs/.DS_Store", b"x");
    let (status, told, why) = said(&dir, &["check", "image"]);
    assert_eq!(status, 3, "{told}{why}");
    assert!(told.contains(&format!("{missing}: FAILED open or read\n")), "{told}");
    assert_eq!(told.matches(": OK\n").count(), 2, "{told}");
}

#[test]
fn documents_of_a_layout_that_list_each_other_are_read_once() {
    let (dir, mut digests) = layout(&["1", "2", "3", "4", "5", "6", "7", "8"], 8);
    let all = std::mem::take(&mut digests);
    let repeated: Vec<_> = all.iter().cycle().take(8 * 200).cloned().collect();
    for digest in &all {
        dir.file(format!("image/blobs/sha256/{digest}"), list("manifests", &repeated).as_bytes());
    }
    let (status, told, _) = said(&dir, &["check", "image"]);
    assert_eq!((status, told.matches(": FAILED\n").count()), (1, 8), "{told}");
}

#[test]
fn a_listed_file_is_not_found_in_place_of_another() {
    let dir = Dir::new();
    dir.file("data/readme", b"abc");
    for names in [["data/README", "data/readme"], ["data/readme", "data/README"]] {
        let lines = names.map(|name| format!("{MD5}  {name}\n")).concat();
        dir.file("m", lines.as_bytes());
        for options in [&["check", "m"][..], &["check", "--fix-names", "m"]] {
            let (status, told, why) = said(&dir, options);
            let told_of = told.contains("data/README: FAILED open or read\n");
            assert!(status == 3 && told_of && told.contains("data/readme: OK\n"), "{told}{why}");
        }
        let mut piped = dir.hashlanes(&["check", "--fix-names", "-"]);
        piped.stdin(fs::File::open(dir.at("m")).unwrap());
        let piped = run(&mut piped);
        assert_eq!(piped.status.code(), Some(3));
        // What did not help is no tip.
        assert!(!lossy(&piped.stderr).contains("try --fix-names"));
        assert_eq!(said(&dir, &["check", "--report", "--fix-names", "m", "data"]).0, 1);
        let version = "BagIt-Version: 1.0\nTag-File-Character-Encoding: UTF-8\n";
        dir.file("bag/bagit.txt", version.as_bytes()).file("bag/data/readme", b"abc");
        dir.file("bag/manifest-md5.txt", lines.as_bytes());
        for bag in ["bag", "bag/manifest-md5.txt"] {
            let (status, told, why) = said(&dir, &["check", bag]);
            assert!(status == 3 && told.contains("data/README: FAILED"), "{told}{why}");
        }
    }
    // One file cannot be two missing ones.
    dir.file("m", format!("{MD5}  data/README\n{MD5}  data/ReadMe\n").as_bytes());
    assert_eq!(said(&dir, &["check", "--fix-names", "m"]).0, 3);
    dir.file("m", format!("{MD5}  data/README\n{MD5}  data/README\n").as_bytes());
    assert_eq!(said(&dir, &["check", "--fix-names", "m"]).0, 0);
}

#[test]
fn names_beside_a_manifest_are_the_same_for_all_commands() {
    let dir = Dir::new();
    dir.file("a", b"another").file("x/a", b"abc").file("y/a", b"abc");
    let release = format!("Origin: X\nMD5Sum:\n {MD5} 3 a\n");
    let hashes =
        format!("<hashlist version=\"1.1\"><hash><file>a</file><md5>{MD5}</md5></hash></hashlist>");
    for (name, text) in [("Release", &release), ("x.mhl", &hashes), ("ascmhl/1.mhl", &hashes)] {
        let manifest = format!("x/{name}");
        dir.file(&manifest, text.as_bytes()).file(format!("y/{name}"), text.as_bytes());
        assert_eq!(said(&dir, &["check", &manifest]).0, 0);
        let (_, told, why) = said(&dir, &["check", "--report", &manifest, "x"]);
        assert!(told.contains("1 unchanged, 0 changed, 0 missing"), "{told}{why}");
        let (status, told, why) =
            said(&dir, &["manifest", "convert", "--format", "text", &manifest]);
        assert_eq!((status, told), (0, format!("{MD5}  x/a\n")), "{why}");
        dir.file("m", format!("{MD5}  x/a\n").as_bytes());
        assert_eq!(said(&dir, &["manifest", "diff", &manifest, "m"]).0, 0);
        dir.file("m", format!("{MD5}  a\n").as_bytes());
        assert_eq!(said(&dir, &["manifest", "diff", &manifest, "m"]).0, 1);
        assert_eq!(said(&dir, &["manifest", "diff", &manifest, &format!("y/{name}")]).0, 0);
        fs::remove_file(dir.at(&manifest)).unwrap();
    }
    dir.file("x/Release", release.as_bytes());
    fs::remove_file(dir.at("x/a")).unwrap();
    assert_eq!(said(&dir, &["check", "--report", "x/Release", "x"]).0, 1);
}

#[test]
fn a_report_does_not_pass_over_a_line_with_a_url() {
    let dir = Dir::new();
    dir.file("t/a", b"abc");
    dir.file("m", format!("{MD5}  t/a\n{MD5}  http://127.0.0.1:1/b\n").as_bytes());
    let (status, told, why) = said(&dir, &["check", "--report", "m", "t"]);
    assert!(status == 1 && told.contains("1 unreadable"), "{told}");
    assert!(why.contains("read only with --allow-remote"), "{why}");
}

#[test]
fn what_is_only_read_is_not_updated() {
    for manifest in [
        format!("{{\"Path\":\"a\",\"Hashes\":{{\"md5\":\"{MD5}\"}}}}\n"),
        format!("[{{\"path\":\"a\",\"digests\":{{\"md5\":\"{MD5}\"}}}}]\n"),
        format!("Algorithm,Hash,Path\nMD5,{MD5},a\n"),
        "SHA1(a)= a9:99:3e:36:47:06:81:6a:ba:3e:25:71:78:50:c2:6c:9c:d0:d8:9d\n".into(),
        format!("a: {SHA256}\n"),
        format!("{C4}  a\n"),
        // The signature would no longer be right.
        format!(
            "-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{SHA256}  a\n\
                 -----BEGIN PGP SIGNATURE-----\n\niQIz\n=AbCd\n-----END PGP SIGNATURE-----\n"
        ),
        format!("untrusted comment: x\nRWRGj1pR\nSHA256 (a) = {SHA256}\n"),
    ] {
        let dir = Dir::new();
        dir.file("t/a", b"abd").file("m", manifest.as_bytes());
        let update = ["check", "--report", "--update", "--base", "t", "m"];
        let (status, told, why) = said(&dir, &update);
        assert!(status == 1 && why.contains("m: not updated: "), "{manifest}: {told}{why}");
        assert_eq!(fs::read(dir.at("m")).unwrap(), manifest.as_bytes());
    }
}

#[test]
fn media_hash_lists_are_written_and_read_back() {
    let dir = Dir::new();
    dir.file("t/a", b"abc").file("t/b & <c>\u{e9}", &super::common::noise(100_000, 1));
    let sum = ["sum", "-r", "t", "--base", "t", "--format", "mhl", "-a", "md5,sha1,xxh64"];
    dir.file("t/x.mhl", &ok(&mut dir.hashlanes(&sum)));
    let text = fs::read_to_string(dir.at("t/x.mhl")).unwrap();
    assert!(text.contains("<hash><file>a</file><size>3</size><lastmodificationdate>"), "{text}");
    assert!(text.contains("<xxhash64be>44bc2cf5ad770999</xxhash64be>"), "{text}");
    assert!(text.contains("<file>b &amp; &lt;c&gt;\u{e9}</file>"), "{text}");
    assert!(text.ends_with("</hash>\n</hashlist>\n"), "{text}");
    let (status, told, why) = said(&dir, &["check", "t/x.mhl"]);
    assert_eq!((status, told.matches(": OK\n").count(), &*why), (0, 2, ""), "{told}");
    // It replaces itself, and each format becomes it if it has sizes.
    ok(&mut dir.hashlanes(&["manifest", "sort", "--format", "mhl", "-o", "y.mhl", "t/x.mhl"]));
    ok(&mut dir.hashlanes(&["manifest", "sort", "--format", "mhl", "-o", "y.mhl", "t/x.mhl"]));
    let as_text = |name| said(&dir, &["manifest", "convert", "--format", "tag", name]);
    assert_eq!(as_text("t/x.mhl"), as_text("y.mhl"));
    dir.file("m", format!("{MD5}  a\n").as_bytes());
    let (status, _, why) = said(&dir, &["manifest", "convert", "--format", "mhl", "m"]);
    assert!(status == 1 && why.contains("a media hash list needs sizes"), "{why}");
    dir.file("t/a", b"abd");
    assert_eq!(said(&dir, &["check", "t/x.mhl"]).0, 1);
    dir.file("t/x.mhl", text.replace("</hashlist>", "").as_bytes());
    assert!(said(&dir, &["check", "t/x.mhl"]).2.contains("truncated"));
    for (arguments, expected) in [
        (&["--format", "mhl", "-a", "sha256"][..], "hold md5, sha1 and xxh64, not sha256"),
        (&["--format", "mhl", "-a", "md5", "--resume", "m"], "not mhl"),
        (&["--format", "mhl", "-a", "md5", "--base64"], "hexadecimal"),
    ] {
        let (status, _, why) = said(&dir, &[&["sum", "t/a"], arguments].concat());
        assert!(status == 2 && why.contains(expected), "{status}: {why}");
    }
    // XML has neither of these.
    for name in ["t/n\nn", "t/n\u{fffe}"] {
        dir.file(name, b"");
        let (status, _, why) = said(&dir, &sum);
        assert!(status == 1 && why.contains("without control characters"), "{why}");
        fs::remove_file(dir.at(name)).unwrap();
    }
}

/// What `ascmhl-debug verify --packing_list` of ascmhl 1.2 takes for a file, where it is installed.
#[test]
fn media_hash_lists_of_asc_are_written_and_read_back() {
    let dir = Dir::new();
    dir.file("t/a", b"abc").file("t/b & <c>\u{e9}", &super::common::noise(100_000, 1));
    let functions = "md5,sha1,sha512,xxh64,xxh3,xxh128";
    let sum = ["sum", "-r", "t", "--base", "t", "--format", "ascmhl", "-a", functions];
    dir.file("x.mhl", &ok(&mut dir.hashlanes(&sum)));
    let text = fs::read_to_string(dir.at("x.mhl")).unwrap();
    let begin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n<creatorinfo><creationdate>2";
    assert!(text.starts_with(begin), "{text}");
    let hash = "<hash><path size=\"3\" lastmodificationdate=\"2";
    assert!(
        text.contains(hash) && text.contains("Z\">a</path><md5 action=\"original\">"),
        "{text}"
    );
    assert!(text.contains(&format!("<c4 action=\"original\">{C4}</c4>")), "{text}");
    assert!(text.ends_with("</hash>\n</hashes>\n</hashlist>\n"), "{text}");
    let check = ["check", "--base", "t", "x.mhl"];
    let (status, told, why) = said(&dir, &check);
    assert_eq!((status, told.matches(": OK\n").count(), &*why), (0, 2, ""), "{told}");
    let verify = ["verify", "-v", "-pl", "x.mhl", "t"];
    let peer = |dir: &Dir| run(&mut dir.peer("ascmhl-debug", &verify));
    let has_peer = std::env::var_os("PATH").is_some_and(|path| {
        std::env::split_paths(&path).any(|it| it.join("ascmhl-debug").exists())
    });
    if has_peer {
        let output = peer(&dir);
        assert!(output.status.success(), "{}{}", lossy(&output.stdout), lossy(&output.stderr));
    }
    dir.file("t/a", b"abd");
    assert_eq!(said(&dir, &check).0, 1);
    assert!(!has_peer || !peer(&dir).status.success());
    let (status, _, why) = said(&dir, &["sum", "t/a", "--format", "ascmhl", "-a", "sha256"]);
    assert!(status == 2 && why.contains("sha512 (as C4), xxh64, xxh3 and xxh128, not"), "{why}");
}

/// A file with data at its beginning, in its middle and at its end.
#[test]
fn sparse_files_have_the_digests_of_their_content() {
    use std::os::unix::fs::FileExt;

    const SIZE: usize = 9_000_001;
    let dir = Dir::new();
    let parts = [(0, 5), (3 << 20, 100_000), (SIZE - 10, 10)];
    let mut content = vec![0; SIZE];
    let (sparse, hole) = (dir.at("sparse"), dir.at("hole"));
    let file = fs::File::create(&sparse).unwrap();
    file.set_len(SIZE as u64).unwrap();
    for (at, length) in parts {
        let noise = super::common::noise(length, at as u64);
        content[at..at + length].copy_from_slice(&noise);
        file.write_all_at(&noise, at as u64).unwrap();
    }
    dir.file("dense", &content).file("zeros", &vec![0; SIZE]);
    fs::File::create(&hole).unwrap().set_len(SIZE as u64).unwrap();
    let digits = |arguments: &[&str], name| {
        let all = lossy(&ok(dir.hashlanes(arguments).arg(name)));
        all.replace(name, "")
    };
    let all =
        "md5,sha1,sha256,sha512,sm3,sha3-256,blake2b,blake2s,blake3,kt128,crc32,crc64nvme,xxh64";
    for arguments in [
        &["sum", "--tag", "-a", all][..],
        &["sum", "--tag", "-a", "sha256,crc32"],
        &["sum", "-a", "sha256", "--threads", "1"],
        &["tree", "s3-etag,merkle,s3-crc32"],
        &["tree", "s3-etag", "--part-size", "5MiB"],
        &["tree", "fs-verity,glacier"],
        &["tree", "chunks"],
        &["dedup", "--json"],
    ] {
        assert_eq!(digits(arguments, "sparse"), digits(arguments, "dense"), "{arguments:?}");
        assert_eq!(digits(arguments, "hole"), digits(arguments, "zeros"), "{arguments:?}");
    }
}

#[test]
fn a_digest_alone_needs_no_newline() {
    let dir = abc();
    dir.file("a.sha256", SHA256.as_bytes());
    let checked = said(&dir, &["check", "--strict", "a.sha256"]);
    assert_eq!(checked, (0, "a: OK\n".into(), String::new()));
    // It may still be cut.
    dir.file("a.sha256", &SHA256.as_bytes()[..63]);
    assert_eq!(said(&dir, &["check", "a.sha256"]).0, 1);
}

#[test]
fn a_folder_with_none_of_the_files_is_told_what_would_fit() {
    let dir = wild();
    dir.file("m", format!("{MD5}  /home/x/e\n").as_bytes());
    let (status, _, why) = said(&dir, &["check", "m", "d"]);
    assert!(status == 3 && why.contains("without folders: try --strip all"), "{why}");
    assert_eq!(said(&dir, &["check", "--strip", "all", "m", "d"]).0, 0);
}
