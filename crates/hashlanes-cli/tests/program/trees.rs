//! `hashlanes tree`: lines, options, messages and exit statuses. `cargo xtask tree` compares the
//! digests with other programs.

use std::process::Output;

use crate::common::*;
use hashlanes::{Algorithm, AnyDigest, Md5, Sha256};

fn tree(dir: &Dir, arguments: &[&str]) -> Output {
    run(&mut dir.hashlanes(&[&["tree"], arguments].concat()))
}

/// Runs successfully and without messages.
#[track_caller]
fn lines(dir: &Dir, arguments: &[&str]) -> String {
    let output = tree(dir, arguments);
    assert_eq!(lossy(&output.stderr), "", "{arguments:?}");
    assert!(output.status.success(), "{arguments:?}");
    lossy(&output.stdout)
}

/// The message and the exit status of a run without output.
#[track_caller]
fn fails(dir: &Dir, status: i32, arguments: &[&str]) -> String {
    let output = tree(dir, arguments);
    assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", lossy(&output.stderr));
    assert_eq!(lossy(&output.stdout), "", "{arguments:?}");
    lossy(&output.stderr)
}

/// The ETag as defined.
fn etag(data: &[u8], part: usize) -> String {
    let md5s: Vec<u8> = data.chunks(part).flat_map(Md5::digest).collect();
    format!("{}-{}", Algorithm::Md5.digest(&md5s), md5s.len() / 16)
}

#[test]
fn an_etag_has_parts_at_or_above_the_threshold() {
    let dir = Dir::new();
    let data = noise(25_000_000, 1);
    dir.file("a", &data);
    dir.file("b", &data[..8 << 20]);
    dir.file("c", &data[..(8 << 20) - 1]);
    dir.file("empty", b"");
    assert_eq!(
        lines(&dir, &["s3-etag", "a", "b", "c", "empty"]),
        format!(
            "{}  a\n{}  b\n{}  c\n{}  empty\n",
            etag(&data, 8 << 20),
            etag(&data[..8 << 20], 8 << 20),
            Algorithm::Md5.digest(&data[..(8 << 20) - 1]),
            Algorithm::Md5.digest("")
        )
    );
    // Everything in parts, and nothing in parts.
    let parts = lines(&dir, &["s3-etag", "--threshold", "0", "c", "empty"]);
    let one = |data: &[u8]| Algorithm::Md5.digest(Md5::digest(data));
    assert_eq!(parts, format!("{}-1  c\n{}-1  empty\n", one(&data[..(8 << 20) - 1]), one(b"")));
    let whole = lines(&dir, &["s3-etag", "--threshold", "1GiB", "a", "empty"]);
    let [all, nothing] = [&data[..], b""].map(|data| Algorithm::Md5.digest(data));
    assert_eq!(whole, format!("{all}  a\n{nothing}  empty\n"));
}

#[test]
fn the_crc_of_a_full_object_is_the_files_crc() {
    let dir = Dir::new();
    let data = noise(9_000_001, 9);
    for (name, length) in [("a", data.len()), ("b", (8 << 20) - 1), ("empty", 0)] {
        dir.file(name, &data[..length]);
        for crc in ["crc32", "crc32c", "crc64nvme"] {
            let plain = lossy(&ok(&mut dir.hashlanes(&["sum", "-a", crc, "--base64", name])));
            let format = format!("s3-{crc}");
            assert_eq!(lines(&dir, &[&format, "--full-object", name]), plain);
            // Shorter than a part, or never composite.
            if name != "a" || crc == "crc64nvme" {
                assert_eq!(lines(&dir, &[&format, name]), plain);
            }
            let tagged = lines(&dir, &[&format, "--full-object", "--tag", name]);
            assert!(tagged.starts_with(&format!("S3-{} ({name}) = ", crc.to_uppercase())));
            dir.file("SUMS", tagged.as_bytes());
            let checked = lossy(&ok(&mut dir.hashlanes(&["check", "--strict", "SUMS"])));
            assert_eq!(checked, format!("{name}: OK\n"));
        }
    }
    let json = lines(&dir, &["s3-crc32c", "--json", "a"]);
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["part_size"], 8 << 20);
    assert!(object["digest"].as_str().unwrap().ends_with("==-2"));
}

#[test]
fn several_lines_of_a_file_name_their_formats() {
    let dir = Dir::new();
    let data = noise(100_000, 2);
    dir.file("a\nb\\", &data);
    let leaves = AnyDigest::from(Sha256::digest(&data));
    let both = lines(&dir, &["glacier,merkle", "--leaf-size", "1MiB", "a\nb\\"]);
    let expected = format!(
        "\\GLACIER (a\\nb\\\\) = {leaves}\n\\MERKLE-SHA256-1048576 (a\\nb\\\\) = {leaves}\n"
    );
    assert_eq!(both, expected);
    assert_eq!(lines(&dir, &["glacier", "a\nb\\"]), format!("\\{leaves}  a\\nb\\\\\n"));
    assert_eq!(lines(&dir, &["glacier", "-z", "a\nb\\"]), format!("{leaves}  a\nb\\\0"));
    let json = lines(&dir, &["glacier", "--json", "a\nb\\"]);
    let object: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(object["path"], "a\nb\\");
    assert_eq!(object["size"], 100_000);
    assert_eq!(object["digest"], leaves.to_string());
}

#[test]
fn check_reads_tree_lines_among_others() {
    let dir = Dir::new();
    let data = noise(300_000, 3);
    dir.file("a", &data);
    dir.file("b\nc", &data[..100]);
    let formats = "s3-etag,s3-sha1,s3-sha256,s3-crc32,s3-crc64nvme,glacier,merkle,fs-verity";
    let mut manifest = lines(&dir, &[formats, "a"]);
    manifest += &lines(&dir, &["--tag", "glacier", "b\nc"]);
    manifest += &lossy(&ok(dir.hashlanes(&["sum", "--tag", "a"]).arg("b\nc")));
    dir.file("SUMS", manifest.as_bytes());
    let checked = lossy(&ok(&mut dir.hashlanes(&["check", "--strict", "SUMS"])));
    assert_eq!(checked, format!("{}\\b\\nc: OK\na: OK\n\\b\\nc: OK\n", "a: OK\n".repeat(8)));

    // One bit of the file, and one truncated line.
    let mut other = data;
    other[200_000] ^= 1;
    dir.file("a", &other);
    dir.file("SUMS", format!("{manifest}S3-ETAG-5 (a) = 00\n").as_bytes());
    let output = run(&mut dir.hashlanes(&["check", "SUMS"]));
    assert_eq!(output.status.code(), Some(1));
    let failed = "a: FAILED\n".repeat(8);
    assert_eq!(lossy(&output.stdout), format!("{failed}\\b\\nc: OK\na: FAILED\n\\b\\nc: OK\n"));
    assert_eq!(
        lossy(&output.stderr),
        "hashlanes: SUMS: line 12: the digest does not fit the tag\n\
         hashlanes: WARNING: 1 line is improperly formatted\n\
         hashlanes: WARNING: 9 computed checksums did NOT match\n"
    );

    // A file that is missing.
    std::fs::remove_file(dir.at("a")).unwrap();
    dir.file("SUMS", manifest.as_bytes());
    let missing = run(&mut dir.hashlanes(&["check", "--ignore-missing", "SUMS"]));
    assert_eq!(lossy(&missing.stdout), "\\b\\nc: OK\n\\b\\nc: OK\n");
    assert!(missing.status.success());
    assert_eq!(run(&mut dir.hashlanes(&["check", "SUMS"])).status.code(), Some(3));
}

#[test]
fn proofs_are_made_and_verified() {
    let dir = Dir::new();
    let data = noise(100_000, 4);
    dir.file("a", &data);
    let merkle = &["merkle", "--rfc6962", "--leaf-size", "1000"][..];
    let root = lines(&dir, &[merkle, &["a"]].concat())[..64].to_owned();
    let proofs = lines(&dir, &[merkle, &["--prove", "0,57,99", "a"]].concat());
    assert_eq!(proofs.lines().count(), 3);
    dir.file("proofs", proofs.as_bytes());
    let verify = ["merkle", "--verify", "proofs", "--root", &root];
    let all = "a: leaf 0: OK\na: leaf 57: OK\na: leaf 99: OK\n";
    assert_eq!(lines(&dir, &[&verify[..], &["a"]].concat()), all);

    let mut other = data;
    other[57_500] ^= 1;
    dir.file("b", &other);
    let output = tree(&dir, &[&verify[..], &["b"]].concat());
    assert_eq!(output.status.code(), Some(1));
    assert_eq!(lossy(&output.stdout), "b: leaf 0: OK\nb: leaf 57: FAILED\nb: leaf 99: OK\n");

    let message = fails(&dir, 1, &[merkle, &["--prove", "100", "a"]].concat());
    assert_eq!(message, "hashlanes: a: there is no leaf 100\n");
    for (text, why) in [
        ("", "there is no proof"),
        ("{}\n", "line 1: not a proof: missing field `algorithm` at line 1 column 2"),
    ] {
        dir.file("proofs", text.as_bytes());
        let message = fails(&dir, 1, &[&verify[..], &["a"]].concat());
        assert_eq!(message, format!("hashlanes: proofs: {why}\n"));
    }
}

#[test]
fn a_tree_of_dm_verity_is_written_and_verified() {
    let dir = Dir::new();
    let mut data = noise(300 * 4096, 5);
    dir.file("image", &data);
    let uuid = "--uuid=00112233-4455-6677-8899-aabbccddeeff";
    let write = ["dm-verity", "--salt", "0102", uuid, "--hash-file", "tree", "image"];
    let root = lines(&dir, &write)[..64].to_owned();
    // The superblock, and 300 digests of 32 bytes in three blocks and then one.
    assert_eq!(std::fs::metadata(dir.at("tree")).unwrap().len(), 5 * 4096);
    let verify = ["dm-verity", "--verify", "tree", "--root", &root];
    assert_eq!(lines(&dir, &[&verify[..], &["image"]].concat()), "image: OK\n");

    data[200 * 4096] ^= 1;
    dir.file("image", &data);
    let output = tree(&dir, &[&verify[..], &["image"]].concat());
    assert_eq!(lossy(&output.stdout), "image: FAILED\n");
    let message = lossy(&output.stderr);
    assert!(message.contains("image: block 200 differs: bytes 819200 to 823296\n"), "{message}");

    dir.file("short", &data[..4096]);
    let message = fails(&dir, 1, &[&verify[..], &["short"]].concat());
    assert_eq!(message, "hashlanes: short: shorter than 300 blocks of 4096\n");
    let message = fails(&dir, 1, &["dm-verity", "--verify", "short", "--root", &root, "image"]);
    assert_eq!(message, "hashlanes: short: not a dm-verity superblock\n");
    let tree = std::fs::read(dir.at("tree")).unwrap();
    dir.file("tree", &tree[..4 * 4096]);
    let message = fails(&dir, 1, &[&verify[..], &["image"]].concat());
    assert_eq!(message, "hashlanes: image: the tree is truncated\n");
}

#[test]
fn a_tree_of_dm_verity_follows_its_data() {
    let dir = Dir::new();
    let data = noise(300 * 4096, 5);
    dir.file("image", &data).file("alone", &data);
    let common = ["dm-verity", "--salt=0102", "--uuid=00112233-4455-6677-8899-aabbccddeeff"];
    let tree_at = |offset: &str, more: &[&str]| {
        let options = ["--hash-file", "image", "--hash-offset", offset];
        tree(&dir, &[&common[..], &options, more, &["image"]].concat())
    };
    // The data end where the tree begins.
    let output = tree_at("1228800", &[]);
    assert_eq!((output.status.code(), lossy(&output.stderr)), (Some(0), String::new()));
    let root = lossy(&output.stdout)[..64].to_owned();
    let plain = lines(&dir, &[&common[..], &["--hash-file", "plain", "alone"]].concat());
    assert_eq!(plain[..64], root);
    let written = std::fs::read(dir.at("image")).unwrap();
    let plain = std::fs::read(dir.at("plain")).unwrap();
    assert_same(&written, &[&data[..], &plain].concat(), "the data and the tree");
    let verify = |offset: &str| {
        let options = ["--verify", "image", "--root", &root, "--hash-offset", offset, "image"];
        tree(&dir, &[&["dm-verity"], &options[..]].concat())
    };
    assert_eq!(lossy(&verify("1228800").stdout), "image: OK\n");
    // Now the tree would count as data, too.
    let message = lossy(&tree_at("1228800", &[]).stderr);
    assert!(message.contains("would overwrite the data of 1249280 bytes; see --data-blocks"));
    assert!(tree_at("1228800", &["-f", "--data-blocks", "300"]).status.success());
    assert_same(&std::fs::read(dir.at("image")).unwrap(), &written, "once more");
    // Blocks of the tree are aligned, and what lies between is kept.
    let output = tree_at("1229824", &["-f", "--data-blocks", "300"]);
    assert_eq!(lossy(&output.stdout), format!("{root}  image\n"));
    assert_eq!(lossy(&verify("1229824").stdout), "image: OK\n");
    let moved = std::fs::read(dir.at("image")).unwrap();
    assert_eq!(moved[1_229_824..1_230_336], plain[..512]);
    assert_eq!(moved[1_228_800..1_229_824], written[1_228_800..1_229_824]);
    assert_eq!(moved[1_232_896..], plain[4096..]);
    for (offset, why) in [
        ("1228801", "hashlanes: image: not a dm-verity superblock\n"),
        ("1249280", "hashlanes: image: it is too short for a superblock of dm-verity\n"),
        ("0", "hashlanes: image: not a dm-verity superblock\n"),
        ("18446744073709551104", "hashlanes: image: it is too short for a superblock"),
    ] {
        let message = lossy(&verify(offset).stderr);
        assert!(message.starts_with(why), "{offset}: {message}");
    }
    for (offset, why) in [
        ("1228801", "an offset must be a multiple of 512, with room after it, not 1228801"),
        ("9223372036854775296", "an offset must be a multiple of 512"),
    ] {
        let message = lossy(&tree_at(offset, &["--data-blocks", "300"]).stderr);
        assert!(message.contains(why), "{message}");
    }
    let message = lossy(&tree_at("4194304", &["--data-blocks", "4000"]).stderr);
    assert_eq!(message, "hashlanes: image: shorter than 4000 blocks of 4096\n");
}

#[test]
fn many_small_files_have_the_digests_of_pipes() {
    let dir = Dir::new();
    let formats = "s3-etag,s3-sha1,s3-crc32c,s3-crc64nvme,glacier,merkle,fs-verity";
    let lengths = [0, 1, 55, 64, 4095, 4096, 4097, 70_000, 131_072, 131_073, 1 << 20, 9_000_001];
    let names: Vec<String> = (0..150).map(|i| format!("f{i:03}")).collect();
    for (i, name) in names.iter().enumerate() {
        dir.file(name, &noise(lengths[i % lengths.len()], i as u64));
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    // One file does not exist. All others are hashed in order.
    let all = [&[formats, "--part-size", "64KiB,8MiB"], &names[..75], &["none"], &names[75..]];
    let output = tree(&dir, &all.concat());
    assert!(lossy(&output.stderr).contains(&format!("hashlanes: none: {}\n", missing())));
    let text = lossy(&output.stdout);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 150 * 10);
    for (name, own) in names.iter().zip(lines.chunks(10)).step_by(5) {
        let data = std::fs::read(dir.at(name)).unwrap();
        let piped = ["tree", formats, "--part-size", "64KiB,8MiB"];
        let piped = lossy(&run_with_input(&mut dir.hashlanes(&piped), &data).stdout);
        let own: String = own.iter().map(|line| format!("{line}\n")).collect();
        assert_eq!(piped.replace("(-)", &format!("({name})")), own);
    }
}

#[test]
fn unreadable_files_are_reported_and_the_others_hashed() {
    let dir = Dir::new();
    dir.file("a", b"abc");
    dir.file("folder/b", b"abc");
    let output = tree(&dir, &["glacier", "none", "a", "folder"]);
    assert_eq!(output.status.code(), Some(1));
    let digest = Algorithm::Sha256.digest("abc");
    assert_eq!(lossy(&output.stdout), format!("{digest}  a\n"));
    let directory = std::fs::read(dir.at("folder")).unwrap_err().to_string();
    let directory = directory[..directory.find(" (os error").unwrap()].to_lowercase();
    assert_eq!(
        lossy(&output.stderr).to_lowercase(),
        format!("hashlanes: none: {}\nhashlanes: folder: {directory}\n", missing().to_lowercase())
    );
    let below = lines(&dir, &["-r", "glacier", "folder", "a"]);
    assert_eq!(below, format!("{digest}  a\n{digest}  folder/b\n"));

    let message = fails(&dir, 1, &["dm-verity", "a"]);
    assert_eq!(message, "hashlanes: a: 3 bytes are not a multiple of the block size 4096\n");
    dir.file("empty", b"");
    let message = fails(&dir, 1, &["dm-verity", "empty"]);
    assert_eq!(message, "hashlanes: empty: dm-verity needs at least one block of data\n");
    let piped = run_with_input(&mut dir.hashlanes(&["tree", "dm-verity"]), b"abc");
    let why = "hashlanes: -: dm-verity needs a regular file or a block device, of known \
               length\n";
    assert_eq!(lossy(&piped.stderr), why);
}

#[test]
fn a_pipe_gives_the_digests_of_a_file() {
    let dir = Dir::new();
    let data = noise(20_000_001, 6);
    dir.file("a", &data);
    let formats = "s3-etag,s3-sha256,s3-crc32,s3-crc64nvme,glacier,merkle,fs-verity";
    let file = lines(&dir, &[formats, "a"]);
    let piped = run_with_input(&mut dir.hashlanes(&["tree", formats]), &data);
    assert_eq!(lossy(&piped.stdout).replace("(-)", "(a)"), file);
    // With memory for one leaf at a time.
    let little = ["tree", formats, "--memory", "1MiB"];
    let piped = run_with_input(&mut dir.hashlanes(&little), &data);
    assert_eq!(lossy(&piped.stdout).replace("(-)", "(a)"), file);
    let large =
        run_with_input(&mut dir.hashlanes(&["tree", "s3-etag", "--threshold", "1GiB"]), b"");
    assert_eq!(large.status.code(), Some(1));
}

#[test]
fn match_finds_the_part_size() {
    let dir = Dir::new();
    let data = noise(40_000_000, 7);
    dir.file("a", &data);
    for part in [8 << 20, 5 << 20, 7 << 20, 17_179_870] {
        let etag = etag(&data, part);
        let line = format!("S3-ETAG-{part} (a) = {etag}\n");
        assert_eq!(lines(&dir, &["s3-etag", "--match", &etag, "a"]), line);
    }
    let odd = etag(&data, 7_000_000);
    let message = fails(&dir, 1, &["s3-etag", "--match", &odd, "a"]);
    let why = "none of the 1 part sizes from 7340032 to 7340032 bytes gives this ETag";
    assert_eq!(message, format!("hashlanes: a: {why}\n"));
    let given = lines(&dir, &["s3-etag", "--match", &odd, "--part-size", "7MB", "a"]);
    assert_eq!(given, format!("S3-ETAG-7000000 (a) = {odd}\n"));
    let whole = Algorithm::Md5.digest(&data).to_string();
    let line = format!("S3-ETAG-8388608 (a) = {whole}\n");
    assert_eq!(lines(&dir, &["s3-etag", "--match", &whole, "a"]), line);
    let other = "0".repeat(32);
    assert_eq!(
        fails(&dir, 1, &["s3-etag", "--match", &other, "a"]),
        "hashlanes: a: the MD5 differs\n"
    );
}

#[test]
fn exceeding_amazons_limits_is_a_warning() {
    let dir = Dir::new();
    dir.file("a", &noise(100_000, 8));
    let output = tree(&dir, &["s3-etag", "--part-size", "5", "a"]);
    assert!(output.status.success());
    let why = "WARNING: parts of 5 bytes: Amazon S3 accepts at most 10,000 parts";
    assert_eq!(lossy(&output.stderr), format!("hashlanes: a: {why}\n"));
    assert!(lossy(&output.stdout).ends_with("-20000  a\n"));
}

#[test]
#[cfg(unix)]
fn a_hash_file_never_overwrites_data() {
    let dir = Dir::new();
    let data = noise(8 * 4096, 9);
    dir.file("a", &data).file("list", b"a\n").file("two", b"a\nb\n").file("b", &data);
    std::fs::hard_link(dir.at("a"), dir.at("hard")).unwrap();
    std::os::unix::fs::symlink("a", dir.at("soft")).unwrap();
    let overwrites = "hashlanes: --hash-file would overwrite the data; \
        see --hash-offset and --data-blocks\n";
    for name in ["a", "./a", "hard", "soft"] {
        assert_eq!(fails(&dir, 2, &["dm-verity", "--hash-file", name, "a"]), overwrites);
    }
    let offset = ["dm-verity", "--hash-file", "hard", "--hash-offset", "4096", "a"];
    assert!(fails(&dir, 1, &offset).contains("would overwrite the data"));
    for offset in ["0", "28672"] {
        let behind = ["dm-verity", "--hash-file", "b", "--hash-offset", offset, "a"];
        let exists = "hashlanes: a: b: it already contains data there; --force overwrites it\n";
        assert_eq!(fails(&dir, 1, &behind), exists);
    }
    assert!(fails(&dir, 1, &["dm-verity", "--hash-file", "b", "a"]).contains("--force"));
    assert_eq!(std::fs::read(dir.at("b")).unwrap(), data);
    assert!(tree(&dir, &["dm-verity", "-f", "--hash-file", "b", "a"]).status.success());
    let single = "hashlanes: --hash-file takes a single file\n";
    for (name, list) in [("a", "list"), ("t", "two")] {
        let arguments = ["dm-verity", "--hash-file", name, "--files-from", list];
        assert_eq!(fails(&dir, 2, &arguments), single);
    }
    assert_eq!(std::fs::read(dir.at("a")).unwrap(), data);
}

#[test]
fn incompatible_options_are_refused() {
    let dir = Dir::new();
    dir.file("a", b"abc");
    for (arguments, message) in [
        (
            &["glacier", "--part-size", "5", "a"][..],
            "--part-size is only for s3-etag, s3-sha1, s3-sha256, s3-crc32, s3-crc32c",
        ),
        (
            &["s3-sha256", "--full-object", "a"],
            "--full-object is only for s3-crc32, s3-crc32c, s3-crc64nvme",
        ),
        (&["glacier", "--rfc6962", "a"], "--rfc6962 is only for merkle"),
        (&["s3-etag,s3-etag", "a"], "s3-etag is listed twice"),
        (&["s3-etag", "--part-size", "0", "a"], "a part must have at least one byte"),
        (&["merkle", "--leaf-size", "0", "a"], "a leaf must have at least one byte"),
        (
            &["merkle,glacier", "--prove", "1", "a"],
            "--prove works only with a single format, merkle",
        ),
        (&["fs-verity", "-a", "md5", "a"], "fs-verity supports sha256 and sha512, not md5"),
        (
            &["fs-verity", "--block-size", "5000", "a"],
            "an fs-verity block must be a power of two from 1 KiB to 64 KiB, not 5000",
        ),
        (
            &["fs-verity", "--salt", "0", "a"],
            "\"0\" is not a salt: give pairs of hexadecimal digits",
        ),
        (&["dm-verity", "--hash-type", "2", "a"], "the hash type of dm-verity is 0 or 1, not 2"),
        (
            &["dm-verity", "--hash-file", "a", "a"],
            "--hash-file would overwrite the data; see --hash-offset and --data-blocks",
        ),
        (
            &["dm-verity", "--hash-offset", "512", "a"],
            "--hash-offset needs --hash-file or --verify",
        ),
        (&["glacier", "--data-blocks", "1", "a"], "--data-blocks is only for dm-verity"),
        (
            &["dm-verity,glacier", "--data-blocks", "1", "a"],
            "--data-blocks works only with a single format, dm-verity",
        ),
        (&["dm-verity", "--hash-file", "t", "a", "b"], "--hash-file takes a single file"),
        (
            &["dm-verity,glacier", "--verify", "t", "--root", ROOT, "a"],
            "--verify works only with a single format, merkle or dm-verity",
        ),
        (
            &["s3-etag", "--match", "x-1", "a"],
            "\"x-1\" is not an ETag: give 32 hexadecimal digits, and - and a number for parts",
        ),
    ] {
        assert_eq!(fails(&dir, 2, arguments), format!("hashlanes: {message}\n"));
    }
    for arguments in [&["nonsense", "a"][..], &[], &["dm-verity", "--verify", "t", "a"]] {
        assert_eq!(tree(&dir, arguments).status.code(), Some(2), "{arguments:?}");
    }
    assert_eq!(std::fs::read(dir.at("a")).unwrap(), b"abc");
}

const ROOT: &str = "0000000000000000000000000000000000000000000000000000000000000000";

#[test]
#[cfg(target_os = "linux")]
fn a_file_without_a_length_that_cannot_be_read_is_not_empty() {
    let dir = Dir::new();
    for more in [&[][..], &["/proc/version"]] {
        let output = run(dir.hashlanes(&["tree", "glacier", "/proc/self/mem"]).args(more));
        assert_eq!(output.status.code(), Some(1));
        assert!(!lossy(&output.stdout).contains("/proc/self/mem"), "{}", lossy(&output.stdout));
        assert!(lossy(&output.stderr).contains("/proc/self/mem: "), "{}", lossy(&output.stderr));
    }
}
