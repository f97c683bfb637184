//! Runs the examples in `examples/` as a user does. WebAssembly cannot start processes.
#![cfg(all(feature = "std", not(target_family = "wasm")))]

use std::env;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::{noise, program};
use md5::Digest as _;

/// A command that runs an example, as `cargo test` has built it. With `--test`, `cargo test` builds
/// no examples: then the command is `cargo run` with the same features.
fn command(example: &str) -> Option<Command> {
    let this = env::current_exe().unwrap();
    let folder = this.parent().and_then(Path::parent).unwrap().join("examples");
    let built = folder.join(format!("{example}{}", env::consts::EXE_SUFFIX));
    if built.is_file() {
        return Some(program(&built));
    }
    if cfg!(windows) && env!("CARGO").starts_with('/') {
        // Under wine, a Windows program cannot wait for a Linux program.
        eprintln!("NOT TESTED: cargo belongs to another system");
        return None;
    }
    let features = [
        ("digest", cfg!(feature = "digest")),
        ("serde", cfg!(feature = "serde")),
        ("zeroize", cfg!(feature = "zeroize")),
    ];
    let features: Vec<_> = features.iter().filter(|(_, on)| *on).map(|(name, _)| *name).collect();
    let mut cargo = Command::new(env!("CARGO"));
    cargo
        .args(["run", "--quiet", "--features", &features.join(",")])
        .args(["--example", example, "--target-dir"])
        .arg(Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap())
        .arg("--")
        .current_dir(env!("CARGO_MANIFEST_DIR"));
    Some(cargo)
}

/// Whether an example can run here.
fn can_start(example: &str) -> bool {
    command(example).is_some()
}

/// Runs an example with these arguments.
fn run(example: &str, arguments: &[&str]) -> Output {
    command(example).unwrap().args(arguments).output().unwrap()
}

/// Runs an example that must succeed, and returns its standard output.
fn ok(example: &str, arguments: &[&str]) -> String {
    let output = run(example, arguments);
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{example} {arguments:?}: {errors}");
    assert_eq!(errors, "");
    String::from_utf8(output.stdout).unwrap()
}

/// Creates files with these contents in a folder of this name, and returns their paths.
fn files(folder: &str, contents: &[&[u8]]) -> Vec<String> {
    let folder: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(folder);
    fs::create_dir_all(&folder).unwrap();
    let paths = contents.iter().enumerate().map(|(i, bytes)| {
        let path = folder.join(i.to_string());
        fs::write(&path, bytes).unwrap();
        path.into_os_string().into_string().unwrap()
    });
    paths.collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The recursive definition of RFC 6962 section 2.1.
fn merkle_tree_hash(leaves: &[&[u8]]) -> Vec<u8> {
    match leaves {
        [] => sha2::Sha256::digest(b"").to_vec(),
        [leaf] => sha2::Sha256::digest([b"\0", *leaf].concat()).to_vec(),
        leaves => {
            let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
            let (left, right) = (merkle_tree_hash(left), merkle_tree_hash(right));
            sha2::Sha256::digest([b"\x01", &left[..], &right].concat()).to_vec()
        }
    }
}

#[test]
fn merkle_prints_the_root_of_each_file() {
    if !can_start("merkle") {
        return;
    }
    let bytes = noise(1, 70 * 4096);
    let ends = [0, 1, 4096, 4097, 3 * 4096, 8 * 4096, 11 * 4096 + 5, 70 * 4096];
    let paths = files("merkle", &ends.map(|end| &bytes[..end]));
    let arguments: Vec<_> = paths.iter().map(String::as_str).collect();
    let lines: String = ends
        .iter()
        .zip(&paths)
        .map(|(end, path)| {
            let leaves: Vec<_> = bytes[..*end].chunks(4096).collect();
            format!("{}  {path}\n", hex(&merkle_tree_hash(&leaves)))
        })
        .collect();
    assert_eq!(ok("merkle", &arguments), lines);

    let leaves = vec![&[0; 4096][..]; 244];
    let zeros = hex(&merkle_tree_hash(&[&leaves[..], &[&[0; 1_000_000 - 244 * 4096]]].concat()));
    assert_eq!(ok("merkle", &[]), format!("{zeros}  1000000 zeros\n"));
}

#[test]
fn git_annex_is_answered_in_lines() {
    if !can_start("git_annex") {
        return;
    }
    let bytes = noise(9, 100_000);
    let paths = files("git annex", &[&bytes, b"", b"abc"]);
    let key = |bytes: &[u8]| format!("XBLAKE3-s{}--{}", bytes.len(), blake3::hash(bytes));
    let [key_of_bytes, empty, abc] = [&bytes[..], b"", b"abc"].map(key);
    let digest = abc.split_once("--").unwrap().1;
    let verify = |key: &str, path: &str| format!("VERIFYKEYCONTENT {key} {path}");
    let path = &paths[2];
    let (right, wrong) = ("VERIFYKEYCONTENT-SUCCESS", "VERIFYKEYCONTENT-FAILURE");
    let cases = [
        ("GETVERSION".into(), "VERSION 1".into()),
        ("CANVERIFY".into(), "CANVERIFY-YES".into()),
        ("ISSTABLE".into(), "ISSTABLE-YES".into()),
        ("ISCRYPTOGRAPHICALLYSECURE".into(), "ISCRYPTOGRAPHICALLYSECURE-YES".into()),
        (format!("GENKEY {}", paths[0]), format!("GENKEY-SUCCESS {key_of_bytes}")),
        (format!("GENKEY {}", paths[1]), format!("GENKEY-SUCCESS {empty}")),
        (verify(&abc, path), right.into()),
        (verify(&format!("XBLAKE3E-s3-m7--{digest}.tar.gz"), path), right.into()),
        (verify(&format!("XBLAKE3--{digest}"), path), right.into()),
        (verify(&format!("XBLAKE3-s4--{digest}"), path), wrong.into()),
        (verify(&abc, &paths[0]), wrong.into()),
        (verify(&format!("XBLAKE3-s3x--{digest}"), path), wrong.into()),
        (verify(&format!("SHA256-s3--{digest}"), path), wrong.into()),
        (verify(&format!("XBLAKE3X-s3--{digest}"), path), wrong.into()),
        (verify("nonsense", path), wrong.into()),
        ("VERIFYKEYCONTENT".into(), wrong.into()),
        ("GENKEY /does/not/exist".into(), "GENKEY-FAILURE /does/not/exist: ".into()),
        ("SOMETHING new".into(), "ERROR unknown request: SOMETHING".into()),
    ];
    let requests: String = cases.iter().map(|(request, _)| format!("{request}\n")).collect();
    // Of the names of files, only Linux takes any bytes.
    let other = [Path::new(path).parent().unwrap().as_os_str().as_encoded_bytes(), b"/\xff \r"];
    let other = other.concat();
    #[cfg(target_os = "linux")]
    fs::write(<std::ffi::OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(&other), b"abc")
        .unwrap();
    let requests =
        [requests.as_bytes(), b"GENKEY ", &other, b"\nVERIFYKEYCONTENT ", abc.as_bytes(), b" "];
    let requests = [&requests.concat()[..], &other, b"\nGETVERSION\n"].concat();
    let mut child = command("git_annex").unwrap();
    child.stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = child.spawn().unwrap();
    child.stdin.take().unwrap().write_all(&requests).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    let mut answers = answers.lines().filter(|line| !line.starts_with("DEBUG "));
    for (request, answer) in &cases {
        let given = answers.next().unwrap();
        assert!(given.starts_with(answer.as_str()), "{request}: {given}, not {answer}");
    }
    let others: Vec<_> = answers.collect();
    if cfg!(target_os = "linux") {
        assert_eq!(others[..2], [&format!("GENKEY-SUCCESS {abc}"), right]);
    }
    assert_eq!(others[2..], ["VERSION 1"]);
}

#[test]
fn dedup_counts_equal_chunks() {
    if !can_start("dedup") {
        return;
    }
    let bytes = noise(2, 10 * 4096);
    // The second file has nine chunks of the first. The third is short and has none. The fourth is
    // empty.
    let second = [&bytes[..9 * 4096], &bytes[1..4097]].concat();
    let paths = files("dedup", &[&bytes, &second, &bytes[..4095], b""]);
    let arguments: Vec<_> = paths.iter().map(String::as_str).collect();
    assert_eq!(ok("dedup", &arguments), "21 chunks, 9 of them duplicates (42.9 %)\n");
    assert_eq!(ok("dedup", &arguments[3..]), "0 chunks, 0 of them duplicates (0.0 %)\n");
    assert_eq!(ok("dedup", &[]), "6 chunks, 2 of them duplicates (33.3 %)\n");
}

#[test]
fn etag_is_that_of_an_upload_in_parts() {
    if !can_start("etag") {
        return;
    }
    const MIB: usize = 1 << 20;
    let bytes = noise(3, 17 * MIB);
    // A batch has 8 parts. These lengths are around its end.
    let ends = [0, 1000, MIB - 1, MIB, MIB + 1, 8 * MIB - 1, 8 * MIB, 8 * MIB + 1, 16 * MIB]
        .into_iter()
        .chain([17 * MIB]);
    let contents: Vec<_> = ends.map(|end| &bytes[..end]).collect();
    let paths = files("etag", &contents);
    let right = |bytes: &[u8], part: usize| {
        if bytes.len() < part {
            return hex(&md5::Md5::digest(bytes));
        }
        let parts: Vec<_> = bytes.chunks(part).map(md5::Md5::digest).collect();
        format!("{}-{}", hex(&md5::Md5::digest(parts.concat())), parts.len())
    };
    for mib in [1, 2] {
        let size = mib.to_string();
        let arguments: Vec<_> =
            [&*size].into_iter().chain(paths.iter().map(String::as_str)).collect();
        let lines: String = contents
            .iter()
            .zip(&paths)
            .map(|(bytes, path)| format!("{}  {path}\n", right(bytes, mib * MIB)))
            .collect();
        assert_eq!(ok("etag", &arguments), lines);
    }
    let zeros = right(&vec![0; 20 * MIB], 8 * MIB);
    assert_eq!(ok("etag", &[]), format!("{zeros}  20 MiB of zeros in parts of 8 MiB\n"));
}

#[test]
fn unreadable_files_are_named_and_the_others_are_processed() {
    if !can_start("merkle") {
        return;
    }
    let paths = files("errors", &[b"abc"]);
    for (example, first) in [("merkle", None), ("dedup", None), ("etag", Some("8"))] {
        let arguments: Vec<_> = first.into_iter().chain(["no such file", &paths[0]]).collect();
        let output = run(example, &arguments);
        assert_eq!(output.status.code(), Some(1), "{example}");
        let errors = String::from_utf8(output.stderr).unwrap();
        assert!(errors.starts_with(&format!("{example}: no such file: ")), "{errors}");
        assert_eq!(output.stdout.iter().filter(|&&byte| byte == b'\n').count(), 1, "{example}");
    }
    for size in ["0", "5121", "-1", "8M", "etag.rs"] {
        let output = run("etag", &[size, &paths[0]]);
        assert_eq!(output.status.code(), Some(2));
        let errors = String::from_utf8(output.stderr).unwrap();
        assert_eq!(errors, format!("etag: {size}: the size of a part is 1 to 5120 MiB\n"));
    }
}

/// A folder with an executable, a link, an empty file and folder, names whose order depends on
/// which are folders, and more files than there are lanes.
#[cfg(unix)]
fn tree(name: &str) -> PathBuf {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&root);
    for folder in ["empty/empty", "a/b/c", "a.b", "many"] {
        fs::create_dir_all(root.join(folder)).unwrap();
    }
    for (path, content) in [("a.txt", "text\n"), ("a/b/c/deep", "x"), ("a.b/e", ""), ("a0", "a")] {
        fs::write(root.join(path), content).unwrap();
    }
    for i in 0..100 {
        fs::write(root.join(format!("many/{i}")), noise(i, i as usize * 53)).unwrap();
    }
    fs::write(root.join("run"), "#!/bin/sh\n").unwrap();
    fs::set_permissions(root.join("run"), fs::Permissions::from_mode(0o755)).unwrap();
    symlink("a/b", root.join("link")).unwrap();
    root
}

#[cfg(unix)]
#[test]
fn git_prints_the_tree_that_git_writes() {
    if !can_start("git") {
        return;
    }
    let root = tree("git");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.arg("-C").arg(&root).args(arguments).env("GIT_CONFIG_GLOBAL", "/dev/null");
        let output = git.output().expect("git is installed");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    git(&["init", "-q"]);
    git(&["add", "--all", "--force"]);
    let right = git(&["write-tree"]);
    assert_eq!(ok("git", &[root.to_str().unwrap()]), right);
    fs::write(root.join("a/b/c/deep"), "y").unwrap();
    assert_ne!(ok("git", &[root.to_str().unwrap()]), right);
}

/// The messages `Directory` of the Remote Execution API, all of whose lengths are below 128.
#[cfg(unix)]
#[test]
fn build_cache_prints_the_digest_of_a_folder() {
    if !can_start("build_cache") {
        return;
    }
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).join("build_cache");
    let _ = fs::remove_dir_all(&root);
    let of = |bytes: &[u8]| hex(&sha2::Sha256::digest(bytes));
    fs::create_dir_all(root.join("sub")).unwrap();
    let nothing = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855/0";
    let printed = ok("build_cache", &[root.join("sub").to_str().unwrap()]);
    assert_eq!(printed, format!("{nothing}  0 files in 1 folders\n"));
    fs::write(root.join("f"), "abc").unwrap();
    std::os::unix::fs::symlink("f", root.join("l")).unwrap();
    let file = [b"\x0a\x01f\x12\x44\x0a\x40", of(b"abc").as_bytes(), b"\x10\x03"].concat();
    let folder = [b"\x0a\x03sub\x12\x42\x0a\x40", of(b"").as_bytes()].concat();
    let link = b"\x1a\x06\x0a\x01l\x12\x01f";
    let root_message = [b"\x0a\x49", &file[..], b"\x12\x49", &folder, link].concat();
    assert_eq!((file.len(), folder.len()), (0x49, 0x49));
    let right = format!("{}/{}  1 files in 2 folders\n", of(&root_message), root_message.len());
    assert_eq!(ok("build_cache", &[root.to_str().unwrap()]), right);
    tree("build_cache_tree");
    let many = root.with_file_name("build_cache_tree");
    let printed = ok("build_cache", &[many.to_str().unwrap()]);
    assert!(printed.ends_with("  105 files in 8 folders\n"), "{printed}");
}

/// The recursive definitions of RFC 6962, sections 2.1.1 and 2.1.2.
fn inclusion(leaves: &[&[u8]], leaf: usize) -> Vec<Vec<u8>> {
    if leaves.len() == 1 {
        return Vec::new();
    }
    let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
    let (mut path, sibling) = match leaf.checked_sub(left.len()) {
        None => (inclusion(left, leaf), right),
        Some(leaf) => (inclusion(right, leaf), left),
    };
    path.push(merkle_tree_hash(sibling));
    path
}

fn consistency(leaves: &[&[u8]], old: usize, is_whole: bool) -> Vec<Vec<u8>> {
    if old == leaves.len() {
        return if is_whole { Vec::new() } else { vec![merkle_tree_hash(leaves)] };
    }
    let (left, right) = leaves.split_at(leaves.len().next_power_of_two() / 2);
    let (mut proof, other) = match old.checked_sub(left.len()) {
        None | Some(0) => (consistency(left, old, is_whole), right),
        Some(old) => (consistency(right, old, false), left),
    };
    proof.push(merkle_tree_hash(other));
    proof
}

#[test]
fn transparency_prints_proofs_and_checks_them() {
    if !can_start("transparency") {
        return;
    }
    for size in [2, 3, 7, 8, 9, 70] {
        let entries: Vec<String> = (0..size).map(|entry| entry.to_string()).collect();
        let leaves: Vec<_> = entries.iter().map(String::as_bytes).collect();
        for leaf in [0, size / 2, size - 1] {
            for old in [1, size / 2, size * 2 / 3, size - 1] {
                let arguments = [size, leaf, old].map(|number| number.to_string());
                let output = run("transparency", &arguments.each_ref().map(String::as_str));
                let root = [(merkle_tree_hash(&leaves), "root".to_owned())];
                let path = inclusion(&leaves, leaf).into_iter();
                let proof = consistency(&leaves, old, true).into_iter();
                let all = root.into_iter().chain(path.map(|node| (node, format!("entry {leaf}"))));
                let all = all.chain(proof.map(|node| (node, format!("first {old}"))));
                let mut right: String =
                    all.map(|(node, what)| format!("{}  {what}\n", hex(&node))).collect();
                right.push_str("both proofs are right\n");
                assert_eq!(String::from_utf8_lossy(&output.stdout), right, "{arguments:?}");
            }
        }
    }
}

/// The digests of the matrices that the Python packages kyber-py 1.2.0 and dilithium-py 1.5.1
/// expand from the bytes 0 to 31. These packages pass NIST's tests.
#[test]
fn lattice_expands_matrices() {
    if !can_start("lattice") {
        return;
    }
    let seed: Vec<u8> = (0..32).collect();
    let right = "\
        1e1cf1c6c50c88bb71bd986bd8a7615e67d144b0b822e909d32f1b39bc812548  ML-KEM-512\n\
        1ad7dc2121d2a2c4590d97a651cf5064b90f87ff50f862e100b415bb5cbb0dce  ML-KEM-768\n\
        f961ef715dd2531337fa8b466677ecc040a3d55b0dfce3be2aac07bb5cfccba1  ML-KEM-1024\n\
        31520d22df54c5d554365445eb0e03f2aefce273522138ee949096d1e22c7241  ML-DSA-44\n\
        8a946321f44f9d674769c7a55404e8ae60b537554dc18572235559186817a77c  ML-DSA-65\n\
        b1892c7f616daec3fe035a6270180a667a933b0c53967ad8b42ec2b487808b0d  ML-DSA-87\n";
    assert_eq!(ok("lattice", &[&hex(&seed)]), right);
    assert_ne!(ok("lattice", &[]), right);
    for wrong in ["00", &"g".repeat(64), &"0".repeat(66)] {
        let output = run("lattice", &[wrong]);
        assert_eq!(output.status.code(), Some(1), "{wrong}");
        assert_eq!(
            String::from_utf8_lossy(&output.stderr),
            "lattice: the seed must have 64 hexadecimal digits\n"
        );
    }
}
