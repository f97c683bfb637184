//! Objects in a store: a small server of the tests stands for S3. Real servers are for
//! `cargo xtask objects`.

use std::process::{Command, Output};
use std::sync::Arc;

use crate::common::store::{Fault, Store};
use crate::common::{hashlanes, leave_out, lossy, ok, run};

/// The program with this store and a secret that must never appear.
fn with(store: &Store) -> Command {
    let mut command = hashlanes();
    for (name, _) in std::env::vars().filter(|(name, _)| name.starts_with("AWS_")) {
        command.env_remove(name);
    }
    command
        .env("AWS_ENDPOINT_URL", &store.address)
        .env("AWS_ACCESS_KEY_ID", "AKIDTEST")
        .env("AWS_SECRET_ACCESS_KEY", "S3CR3T")
        .env_remove("http_proxy");
    command
}

fn sum(store: &Store, arguments: &[&str]) -> Output {
    run(with(store).arg("sum").args(arguments))
}

fn text(bytes: &[u8]) -> &str {
    str::from_utf8(bytes).unwrap()
}

const FEW: [(&str, &[u8]); 6] = [
    ("p-", b"beside"),
    ("p/", b""),
    ("p/a b+%20\n\u{e9}", b"odd"),
    ("p/a//b", b"twice"),
    ("p/dir/x", b"x"),
    ("q", b"other"),
];

fn content(length: usize, seed: usize) -> Vec<u8> {
    let block: Vec<u8> = (0..65_521).map(|i| (i * 31 + i / 251 * 7 + seed) as u8).collect();
    block.iter().copied().cycle().take(length).collect()
}

/// Objects of all kinds of lengths, and the manifest that files of these names have.
fn many() -> Vec<(String, Vec<u8>)> {
    let lengths = [0, 1, 63, 64, 1000, 65_535, 65_536, 65_537, 300_000, 9_000_000, 20_000_001];
    let names = ["", "one/", "one/two/", "zwei/"];
    let each = names.iter().flat_map(|folder| {
        lengths.iter().enumerate().map(move |(i, length)| {
            let length = if folder.is_empty() { *length } else { length / 100 };
            (format!("{folder}f{i:02}"), content(length, i))
        })
    });
    each.collect()
}

fn started(objects: &[(String, Vec<u8>)], fault: fn(usize, &str) -> Fault) -> Arc<Store> {
    let objects: Vec<(&str, &[u8])> = objects.iter().map(|(n, b)| (&**n, &**b)).collect();
    Store::start(&objects, fault)
}

/// What `sum` prints for the same content in files.
fn expected(objects: &[(String, Vec<u8>)], algorithms: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in objects {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let mut command = hashlanes();
    command.args(["sum", "-r", "-a", algorithms, ".", "--base", "."]);
    text(&ok(command.current_dir(folder.path()))).to_owned()
}

#[test]
fn names_stay_as_they_are_in_all_formats() {
    let store = Store::start(&FEW, |_, _| Fault::None);
    let listed = sum(&store, &["-r", "-a", "crc32", "s3://b/p"]);
    assert!(listed.status.success(), "{}", lossy(&listed.stderr));
    let text = lossy(&listed.stdout);
    let names: Vec<_> = text.lines().map(|line| line.split_once("  ").unwrap().1).collect();
    // `p/` itself has no name below `s3://b/p`, so it is reported.
    assert_eq!(names, ["a b+%20\\n\u{e9}", "a//b", "dir/x"]);
    for format in ["text", "tag", "json", "csv", "hashdeep"] {
        let output = sum(&store, &["-r", "-a", "sha256", "--format", format, "s3://b"]);
        let folder = tempfile::tempdir().unwrap();
        let manifest = folder.path().join("MANIFEST");
        std::fs::write(&manifest, &output.stdout).unwrap();
        let checked = run(with(&store).arg("check").arg(&manifest).arg("s3://b"));
        assert!(checked.status.success(), "{format}: {}", lossy(&checked.stderr));
        // hashdeep cannot have a newline in a name, and says so.
        let all = if format == "hashdeep" { 5 } else { 6 };
        assert_eq!(lossy(&checked.stdout).matches(": OK").count(), all, "{format}");
        assert_eq!(output.status.success(), all == 6, "{format}");
    }
}

#[test]
fn objects_have_the_digests_of_files() {
    let objects = many();
    let store = started(&objects, |_, _| Fault::None);
    for algorithms in ["sha256,md5,sha512", "crc32c", "blake3"] {
        let listed = sum(&store, &["-r", "-a", algorithms, "s3://b"]);
        assert_eq!(lossy(&listed.stderr), "");
        assert_eq!(text(&listed.stdout), expected(&objects, algorithms));
    }
    // By its name, of which nothing is known before.
    for (name, bytes) in objects.iter().filter(|(name, _)| !name.contains('/')) {
        let url = format!("s3://b/{name}");
        let line = ok(with(&store).args(["sum", "-a", "md5", &url]));
        let digest = base16ct::lower::encode_string(&hashlanes::Md5::digest(bytes));
        assert_eq!(text(&line), format!("{digest}  {url}\n"));
    }
}

#[test]
fn faults_of_the_store_change_no_digest() {
    let objects = many();
    let store = started(&objects, |number, _| match number % 7 {
        1 => Fault::Reset,
        3 => Fault::Truncated,
        5 => Fault::SlowDown,
        6 => Fault::Error,
        _ => Fault::None,
    });
    let listed = sum(&store, &["-r", "s3://b"]);
    assert_eq!(text(&listed.stdout), expected(&objects, "sha256"));
    assert!(lossy(&listed.stderr).contains("asks for fewer requests"));
}

#[test]
fn an_object_that_changes_is_named_and_the_others_are_hashed() {
    let objects = many();
    let store = started(&objects, |_, first| match first {
        _ if first.contains("/b/f10") || first.contains("/b/f03") => Fault::Changed,
        _ => Fault::None,
    });
    let listed = sum(&store, &["-r", "s3://b"]);
    assert_eq!(listed.status.code(), Some(1));
    let left: Vec<_> =
        objects.into_iter().filter(|(name, _)| !matches!(&**name, "f10" | "f03")).collect();
    assert_eq!(text(&listed.stdout), expected(&left, "sha256"));
    let messages = lossy(&listed.stderr);
    assert!(messages.contains("'s3://b/f10': changed while it was read"), "{messages}");
    assert!(messages.contains("'s3://b/f03': changed while it was read"), "{messages}");
}

#[test]
fn names_below_a_prefix_are_neither_doubled_nor_lost() {
    let store = Store::start(&[("p", b"3"), ("p/p", b"4"), ("/", b"5")], |_, _| Fault::None);
    let names = |arguments: &[&str]| {
        let output = sum(&store, arguments);
        let names = lossy(&output.stdout);
        names.lines().map(|line| line[66..].to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(names(&["-r", "s3://b/p"]), ["s3://b/p", "p"]);
    assert_eq!(names(&["-r", "s3://b"]), ["/", "p", "p/p"]);
    let none = sum(&store, &["-r", "s3://b/none"]);
    assert_eq!(none.status.code(), Some(1));
    assert!(lossy(&none.stderr).contains("'s3://b/none': no object has this prefix"));
}

#[test]
fn a_store_that_only_fails_is_reported_and_no_secret_appears() {
    let store = Store::start(&FEW, |_, first| match first {
        _ if first.contains("dir") => Fault::Redirect("http://localhost:1/x?X-Amz-Signature=s"),
        _ => Fault::None,
    });
    let listed = sum(&store, &["-r", "--json", "s3://b", "--exclude", "p-"]);
    assert_eq!(listed.status.code(), Some(1));
    let missing = sum(&store, &["s3://b/none", "s3://b/p/dir/x", "s3://u:S3CR3T@b/k", "s3://b"]);
    let shown = [&listed.stdout, &listed.stderr, &missing.stdout, &missing.stderr];
    let shown: String = shown.iter().map(|bytes| lossy(bytes)).collect();
    assert!(shown.contains("'s3://b/none': not found (HTTP 404, NoSuchKey)"), "{shown}");
    assert!(shown.contains("'s3://b': a bucket, not an object"), "{shown}");
    assert!(shown.contains("'s3://b/p/dir/x': redirected to localhost"), "{shown}");
    assert!(!shown.contains("S3CR3T") && !shown.contains("Signature") && !shown.contains("AKID"));
    // Requests are signed, and the secret is in none of them.
    let heads = store.heads.lock().unwrap().concat();
    assert!(heads.contains("Credential=AKIDTEST/") && !heads.contains("S3CR3T"));
    drop(heads);
    let public = sum(&store, &["--anonymous", "s3://b/q"]);
    assert!(public.status.success());
    assert!(!store.heads.lock().unwrap().last().unwrap().contains("AKIDTEST"));
}

#[test]
fn a_report_compares_a_manifest_with_a_prefix() {
    let store = Store::start(&FEW, |_, _| Fault::None);
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("MANIFEST");
    std::fs::write(&manifest, sum(&store, &["-r", "s3://b/"]).stdout).unwrap();
    let copy = Store::start(
        &[
            ("c/p-", b"changed"),
            ("c/p/", b""),
            ("c/p/a b+%20\n\u{e9}", b"odd"),
            ("c/p/moved", b"twice"),
            ("c/new", b"new"),
            ("c/q", b"other"),
        ],
        |_, _| Fault::None,
    );
    let report =
        run(with(&copy).args(["check", "--report=json", "--quiet"]).arg(&manifest).arg("s3://b/c"));
    assert_eq!(report.status.code(), Some(1), "{}", lossy(&report.stderr));
    let lines = lossy(&report.stdout);
    for line in [
        r#"{"path":"new","status":"new"}"#,
        r#"{"path":"p-","status":"changed"}"#,
        r#"{"path":"p/dir/x","status":"missing"}"#,
        r#"{"path":"p/moved","status":"moved","from":"p/a//b"}"#,
        r#""unchanged":3,"#,
    ] {
        assert!(lines.contains(line), "{line} in {lines}");
    }
}

#[test]
fn a_later_run_reads_only_what_is_new_or_changed() {
    let objects = many();
    let store = started(&objects, |_, _| Fault::None);
    let folder = tempfile::tempdir().unwrap();
    let manifest = folder.path().join("MANIFEST");
    let complete = || {
        store.heads.lock().unwrap().clear();
        let output = run(with(&store).args(["sum", "-r", "s3://b", "--resume"]).arg(&manifest));
        assert!(output.status.success(), "{}", lossy(&output.stderr));
        let heads = store.heads.lock().unwrap();
        let read = heads.iter().filter(|head| head.starts_with("GET /b/")).cloned();
        read.collect::<Vec<_>>()
    };
    assert!(complete().len() > objects.len() / 2);
    assert_eq!(complete(), Vec::<String>::new());
    let mut now = objects.clone();
    now[3].1[0] ^= 1;
    now.retain(|(name, _)| name != "zwei/f04");
    now.push(("zwei/new".into(), b"new".to_vec()));
    *store.objects.lock().unwrap() = now.iter().cloned().collect();
    let read = complete();
    assert_eq!(read.len(), 2, "{read:?}");
    assert!(read.iter().all(|head| head.contains("/b/f03 ") || head.contains("/b/zwei/new ")));
    assert_eq!(std::fs::read_to_string(&manifest).unwrap(), expected(&now, "sha256"));
}

#[test]
fn trees_are_read_by_ranges_of_one_version() {
    let big = content(20_000_001, 7);
    let store = Store::start(&[("big", &big), ("none", b"")], |number, _| match number % 5 {
        2 => Fault::Truncated,
        _ => Fault::None,
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("big"), &big).unwrap();
    let formats = "s3-etag,glacier,fs-verity";
    let mut ours = hashlanes();
    let ours = ok(ours.args(["tree", formats, "big"]).current_dir(folder.path()));
    let theirs = ok(with(&store).args(["tree", formats, "s3://b/big"]));
    assert_eq!(text(&theirs), text(&ours).replace("(big)", "(s3://b/big)"));
    let lines = folder.path().join("LINES");
    std::fs::write(&lines, theirs).unwrap();
    let unasked = run(with(&store).arg("check").arg(&lines));
    assert_eq!(
        (unasked.status.code(), lossy(&unasked.stdout).matches(": OK").count()),
        (Some(3), 0)
    );
    let checked = run(with(&store).args(["check", "--allow-remote"]).arg(&lines));
    assert_eq!(lossy(&checked.stdout).matches(": OK").count(), 3, "{}", lossy(&checked.stderr));
    let empty = ok(with(&store).args(["tree", "s3-etag", "s3://b/none"]));
    assert_eq!(text(&empty), "d41d8cd98f00b204e9800998ecf8427e  s3://b/none\n");
}

#[test]
fn a_manifest_at_a_url_is_one_of_files_here_or_of_what_is_below_a_url() {
    let sums = b"900150983cd24fb0d6963f7d28e17f72  a\n";
    let store = Store::start(&[("dir/SUMS", sums), ("dir/a", b"abc")], |_, _| Fault::None);
    let folder = tempfile::tempdir().unwrap();
    let check = |arguments: &[&str]| {
        let output = run(with(&store).arg("check").args(arguments).current_dir(folder.path()));
        (output.status.code(), lossy(&output.stdout), lossy(&output.stderr))
    };
    let here = || check(&["s3://b/dir/SUMS"]);
    let (status, told, why) = here();
    assert!(status == Some(3) && why.contains("try --base 's3://b/dir'"), "{told}{why}");
    let beside = check(&["--base", "s3://b/dir", "s3://b/dir/SUMS"]);
    assert_eq!(beside, (Some(0), "a: OK\n".into(), String::new()));
    for (content, status) in [("abc", 0), ("abd", 1)] {
        std::fs::write(folder.path().join("a"), content).unwrap();
        assert_eq!(here().0, Some(status));
    }
    let (status, _, why) = check(&["--report", "s3://b/dir/SUMS", "."]);
    assert!(status == Some(2) && why.contains("a manifest that is here"), "{why}");
}

#[test]
fn settings_that_end_with_a_newline_are_trimmed_and_others_refused_without_being_shown() {
    let store = Store::start(&FEW, |_, _| Fault::None);
    let sum = |end: &str| {
        let mut command = with(&store);
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN"] {
            command.env(name, format!("S3CR3T{end}"));
        }
        run(command.env("AWS_REGION", "here\n").args(["sum", "-r", "s3://b", "s3://b/q"]))
    };
    let trimmed = sum("\n");
    assert!(trimmed.status.success(), "{}", lossy(&trimmed.stderr));
    let refused = sum("\u{1}x");
    let why = lossy(&refused.stderr);
    assert_eq!((refused.status.code(), &*refused.stdout), (Some(1), &b""[..]), "{why}");
    assert!(why.contains("character") && !why.contains("S3CR3T"), "{why}");
    assert!(!why.contains("panicked"), "{why}");
}

#[test]
fn all_of_a_name_is_requested() {
    let store = Store::start(&[("a#?b", b"odd"), ("a", b"other")], |_, _| Fault::None);
    let digest = lossy(&ok(with(&store).args(["sum", "-a", "md5", "s3://b/a#?b"])));
    assert_eq!(digest, format!("{}  s3://b/a#?b\n", hashlanes::Algorithm::Md5.digest(b"odd")));
    sum(&store, &["s3://b#/a"]);
    assert!(store.heads.lock().unwrap().last().unwrap().starts_with("GET /b%23/a "));
}

#[test]
fn duplicates_are_counted_in_stores() {
    let mut objects = many();
    // Below folders that have the same content.
    objects.push(("zwei/again".into(), objects[10].1.clone()));
    let store = started(&objects, |number, _| match number % 9 {
        4 => Fault::Truncated,
        _ => Fault::None,
    });
    let folder = tempfile::tempdir().unwrap();
    for (name, bytes) in &objects {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }
    let mut ours = hashlanes();
    let files = ok(ours.args(["dedup", "--top", "3", "."]).current_dir(folder.path()));
    let counted = ok(with(&store).args(["dedup", "--top", "3", "s3://b"]));
    assert_eq!(text(&counted), text(&files));
    let mut ours = hashlanes();
    let chunks = ok(ours.args(["tree", "chunks", "f10"]).current_dir(folder.path()));
    let cut = ok(with(&store).args(["tree", "chunks", "s3://b/f10"]));
    assert_eq!(text(&cut), text(&chunks).replace("f10", "s3://b/f10"));

    let lost = run(with(&store).args(["dedup", "s3://b/nothing"]));
    assert_eq!(lost.status.code(), Some(1));
    assert!(lossy(&lost.stderr).contains("no object has this prefix"), "{}", lossy(&lost.stderr));
    let both = run(with(&store).args(["dedup", "s3://b"]).arg(folder.path()));
    assert_eq!(both.status.code(), Some(2));
}

#[test]
fn an_unknown_scheme_is_explained() {
    for arguments in [&["sum"][..], &["sum", "-r"], &["dedup"], &["tree", "s3-etag"]] {
        let output = run(hashlanes().args(arguments).arg("ftp://host/file"));
        let why = lossy(&output.stderr);
        assert!(!output.status.success() && why.contains("URLs begin with s3://"), "{why}");
    }
    let missing = run(hashlanes().args(["sum", "no-such-file"]));
    assert!(!lossy(&missing.stderr).contains("URL"));
}

#[test]
fn digests_are_written_back_and_nothing_else_changes() {
    let store = Store::start(&[("a", b"one"), ("p/b", b"two")], |_, _| Fault::None);
    let before = "content-type: text/plain\r\nx-amz-meta-owner: me\r\n";
    store.known.lock().unwrap().insert("a".into(), ("etag".into(), before.into()));
    let lines = ok(with(&store).args(["sum", "-r", "-a", "sha256,md5", "--store", "s3://b"]));
    assert_eq!(text(&lines).lines().count(), 4);
    let known = store.known.lock().unwrap()["a"].clone();
    for line in [
        "content-type: text/plain".to_owned(),
        "x-amz-meta-owner: me".into(),
        format!("x-amz-meta-hashlanes_sha256: {}", hashlanes::Algorithm::Sha256.digest(b"one")),
        format!("x-amz-meta-hashlanes_md5: {}", hashlanes::Algorithm::Md5.digest(b"one")),
    ] {
        assert!(known.1.contains(&line), "{line} in {}", known.1);
    }
    assert_eq!(known.0, "etag");
    // A second run writes nothing.
    let puts = || store.heads.lock().unwrap().iter().filter(|head| head.starts_with("PUT")).count();
    assert_eq!(puts(), 2);
    ok(with(&store).args(["sum", "-r", "-a", "sha256,md5", "--store", "s3://b"]));
    assert_eq!(puts(), 2);
}

#[test]
fn digests_that_cannot_be_written_back_are_named() {
    let refused = [
        ("lists/denied", "", "access control list: the store denies access (HTTP 403"),
        ("lists/shared", "", "access control list of its own"),
        ("archived", "x-amz-restore: ongoing-request=\"false\"", "archived"),
        ("keys", "x-amz-server-side-encryption: aws:kms", "key management service"),
        ("locked", "x-amz-object-lock-mode: COMPLIANCE", "locked"),
        ("odd", "x-amz-meta-odd: \u{e9}", "not ASCII"),
        ("own-key", "x-amz-server-side-encryption-customer-algorithm: AES256", "customer's key"),
    ];
    let names = ["broken", "good", "lists/none"].into_iter();
    let names = names.chain(refused.iter().map(|(name, ..)| *name));
    let objects: Vec<(&str, &[u8])> = names.map(|name| (name, &b"x"[..])).collect();
    let store = Store::start(&objects, |_, _| Fault::None);
    for (name, header, _) in refused.into_iter().filter(|(_, header, _)| !header.is_empty()) {
        store.known.lock().unwrap().insert(name.into(), ("e".into(), format!("{header}\r\n")));
    }
    let output = sum(&store, &["-r", "--store", "s3://b"]);
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lossy(&output.stdout).lines().count(), objects.len());
    let why = lossy(&output.stderr);
    for (name, _, reason) in refused.into_iter().chain([("broken", "", "the store failed")]) {
        let begin = format!("'s3://b/{name}': digests not stored: ");
        let line = why.lines().find(|line| line.contains(&begin));
        assert!(line.is_some_and(|line| line.contains(reason)), "{name}: {why}");
    }
    assert_eq!(why.lines().count(), refused.len() + 1, "{why}");
    let heads = store.heads.lock().unwrap();
    let puts = heads.iter().filter(|head| head.starts_with("PUT")).count();
    assert_eq!(puts, objects.len() - refused.len());
    drop(heads);
    let http = run(with(&store).args(["sum", "--store", &format!("{}/b/good", store.address)]));
    assert!(lossy(&http.stderr).contains("only to S3 and Azure"), "{}", lossy(&http.stderr));
}

#[test]
fn a_deleted_object_is_named_as_such() {
    let store = Store::start(&[("a", b"one")], |_, _| Fault::None);
    let why = lossy(&sum(&store, &["s3://b/deleted"]).stderr);
    assert!(why.contains("delete marker"), "{why}");
    assert!(!lossy(&sum(&store, &["s3://b/other"]).stderr).contains("delete marker"));
}

#[test]
fn a_name_with_nul_is_refused_and_forges_no_line() {
    let forged = format!("a\0{}  q", "0".repeat(64));
    let store = Store::start(&[(&forged, b"x"), ("q", b"other")], |_, _| Fault::None);
    for options in [&["-z"][..], &["--json"], &["--format=csv"], &["--tag"], &[]] {
        let output = sum(&store, &[options, &["-r", "s3://b"]].concat());
        let (shown, said) = (lossy(&output.stdout), lossy(&output.stderr));
        assert!(output.status.code() == Some(1) && said.contains("cannot contain NUL"), "{said}");
        assert!(shown.contains('q') && !shown.contains("00000000"), "{shown}");
    }
}

#[test]
fn signatures_in_the_urls_of_manifests_and_lines_are_not_shown() {
    let store =
        Store::start(&[("SUMS", b"x\n900150983cd24fb0d6963f7d28e17f72  a\n")], |_, _| Fault::None);
    let folder = tempfile::tempdir().unwrap();
    let check = |path: &str| {
        let url = format!("{}/b/{path}?X-Amz-Signature=S3CR3T/1", store.address);
        let output = run(with(&store).args(["check", "-v", &url]).current_dir(folder.path()));
        lossy(&output.stdout) + &lossy(&output.stderr)
    };
    let mut told = check("none") + &check("SUMS");
    assert!(told.contains("/SUMS': line 1: ") && told.contains("try --base"), "{told}");

    let url = format!("{}/b/none?X-Amz-Signature=S3CR3T", store.address);
    let line = format!("900150983cd24fb0d6963f7d28e17f72  {url}\n");
    std::fs::write(folder.path().join("MANIFEST"), line).unwrap();
    std::fs::write(folder.path().join("x"), "abc").unwrap();
    for report in ["--report", "--report=json"] {
        let report = ["check", report, "--allow-remote", "MANIFEST", "."];
        let output = run(with(&store).args(report).current_dir(folder.path()));
        told += &(lossy(&output.stdout) + &lossy(&output.stderr));
    }
    for expected in ["\"from\":\"http", "moved from http", "in the folder, as with "] {
        assert!(told.contains(expected), "{expected}: {told}");
    }
    assert!(!told.contains("S3CR3T") && !told.contains("Signature"), "{told}");
}

#[test]
fn a_system_without_threads_is_an_error() {
    let script = "ulimit -u 1; exec setpriv --reuid 61234 --clear-groups \"$0\" \
        sum http://127.0.0.1:1/x 2>&1";
    let output = run(Command::new("bash").args(["-c", script, env!("CARGO_BIN_EXE_hashlanes")]));
    let told = lossy(&output.stdout);
    if told.contains("setpriv") {
        return leave_out("a limit of threads, since this is not root");
    }
    assert!(told.contains("/x': no threads for requests: "), "{told}");
    assert_eq!(output.status.code(), Some(1));
}
