//! `hashlanes tree torrent-*`, `verify-torrent` and `chunks`, `hashlanes dedup`, and torrents in
//! `hashlanes check`: what is printed, and the exit statuses.

use crate::common::*;

/// The exit status, the standard output and the standard error.
#[track_caller]
fn outcome(dir: &Dir, arguments: &[&str]) -> (i32, String, String) {
    let output = run(&mut dir.hashlanes(arguments));
    (output.status.code().unwrap(), lossy(&output.stdout), lossy(&output.stderr))
}

fn folder() -> Dir {
    let dir = Dir::new();
    std::fs::create_dir_all(dir.at("data/sub")).unwrap();
    dir.file("data/a", &noise(100_000, 1));
    dir.file("data/empty", b"");
    dir.file("data/sub/b", &noise(50_000, 2));
    dir
}

const VERSIONS: [&str; 3] = ["torrent-v1", "torrent-v2", "torrent-hybrid"];

#[test]
fn created_torrents_are_verified() {
    let dir = folder();
    for version in VERSIONS {
        let (status, printed, said) =
            outcome(&dir, &["tree", version, "-o", version, "--announce", "http://t/a", "data"]);
        assert_eq!((status, &*said), (0, ""));
        assert!(printed.lines().last().unwrap().starts_with("magnet:?xt=urn:bt"));
        let lines = if version == "torrent-hybrid" { 3 } else { 2 };
        assert_eq!(printed.lines().count(), lines);
        let good = "data/a: OK\ndata/empty: OK\ndata/sub/b: OK\n";
        let verified = outcome(&dir, &["tree", "verify-torrent", version]);
        assert_eq!(verified, (0, good.into(), String::new()));
        // The name does not matter.
        assert_eq!(outcome(&dir, &["check", version]), (0, good.into(), String::new()));
        assert_eq!(outcome(&dir, &["check", "--quiet", version]).1, "");
        let report = outcome(&dir, &["check", "--report", "--quiet", version, "data"]);
        assert_eq!(report, (0, String::new(), String::new()));
    }
    // An SFV file that begins like a torrent, and a manifest named like a torrent.
    dir.file("d1:a", b"abc").file("sums.sfv", b"d1:a 352441C2\n");
    assert_eq!(outcome(&dir, &["check", "sums.sfv"]), (0, "d1:a: OK\n".into(), String::new()));
    dir.file("sums.torrent", &ok(&mut dir.hashlanes(&["sum", "d1:a"])));
    assert_eq!(outcome(&dir, &["check", "sums.torrent"]).1, "d1:a: OK\n");
}

#[cfg(unix)]
#[test]
fn a_folder_that_is_a_link_out_is_refused_by_default() {
    let (dir, elsewhere) = (folder(), Dir::new());
    ok(&mut dir.hashlanes(&["tree", "torrent-v2", "-o", "x", "data"]));
    std::fs::copy(dir.at("x"), elsewhere.at("x")).unwrap();
    std::os::unix::fs::symlink(dir.at("data"), elsewhere.at("data")).unwrap();
    for (command, expected) in [(&["check", "x"][..], 3), (&["tree", "verify-torrent", "x"], 1)] {
        let (status, shown, said) = outcome(&elsewhere, command);
        assert_eq!((status, shown.matches("FAILED open or read").count()), (expected, 3));
        assert!(said.contains("data/a: a symbolic link leads out of the folder\n"), "{said}");
        let follow = [command, &["-L"]].concat();
        let (status, shown, said) = outcome(&elsewhere, &follow);
        assert_eq!((status, shown.matches(": OK\n").count(), &*said), (0, 3, ""));
    }
}

/// The parent folder is required, as programs for torrents do.
#[test]
fn a_folder_without_the_files_is_reported() {
    let dir = folder();
    ok(&mut dir.hashlanes(&["tree", "torrent-v1", "-o", "x.torrent", "data"]));
    let (status, _, said) = outcome(&dir, &["tree", "verify-torrent", "x.torrent", "data"]);
    assert_eq!(status, 1);
    let last = said.lines().last().unwrap();
    let hint = "none of the torrent's files is here; give the folder that contains data";
    assert_eq!(last, format!("hashlanes: data: {hint}"));
}

#[test]
fn problems_are_reported_and_the_rest_is_checked() {
    let dir = folder();
    for version in VERSIONS {
        ok(&mut dir.hashlanes(&["tree", version, "-f", "-o", "x.torrent", "data"]));
        let mut damaged = noise(100_000, 1);
        damaged[40_000] ^= 1;
        dir.file("data/a", &damaged);
        std::fs::remove_file(dir.at("data/sub/b")).unwrap();
        let (status, printed, said) = outcome(&dir, &["check", "x.torrent"]);
        assert_eq!(status, 1);
        let lines: Vec<&str> = printed.lines().collect();
        let expected = [
            "data/a: FAILED",
            "data/empty: OK",
            "data/sub/b: FAILED open or read",
            "piece 2: FAILED: data/a",
        ];
        assert_eq!(lines, expected, "{version}");
        assert!(said.contains("data/sub/b: No such file"), "{said}");
        assert!(said.contains("WARNING: 1 piece does NOT match"), "{said}");
        assert_eq!(outcome(&dir, &["check", "--status", "x.torrent"]), {
            (1, String::new(), String::new())
        });
        let (status, printed, _) =
            outcome(&dir, &["tree", "verify-torrent", "--json", "--quiet", "x.torrent", "."]);
        assert_eq!(status, 1);
        let objects: Vec<serde_json::Value> =
            printed.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        assert_eq!(objects[0]["state"], "bad");
        assert_eq!(objects[1]["state"], "missing");
        assert_eq!(objects[2]["first_piece"], 2);
        dir.file("data/a", &noise(100_000, 1));
        let (status, ..) = outcome(&dir, &["check", "--ignore-missing", "x.torrent"]);
        // In version 1, `a` shares its last piece with a missing file.
        assert_eq!(status, 3 * i32::from(version == "torrent-v1"));
        dir.file("data/sub/b", &noise(50_000, 2));
    }
}

#[test]
fn torrents_and_manifests_can_be_checked_together() {
    let dir = folder();
    ok(&mut dir.hashlanes(&["tree", "torrent-v1", "-o", "x.torrent", "data"]));
    std::fs::write(dir.at("SUMS"), ok(&mut dir.hashlanes(&["sum", "data/a"]))).unwrap();
    let (status, printed, _) = outcome(&dir, &["check", "x.torrent", "SUMS"]);
    assert_eq!((status, printed.lines().count()), (0, 4));
    dir.file("data/empty", b"no");
    let (status, printed, said) = outcome(&dir, &["check", "x.torrent", "SUMS"]);
    assert_eq!(status, 1);
    assert!(printed.contains("data/empty: FAILED\n"));
    assert!(said.contains("data/empty: 2 bytes instead of 0"), "{said}");
}

#[test]
fn nothing_is_overwritten_and_options_are_checked_first() {
    let dir = folder();
    let make = |arguments: &[&str]| outcome(&dir, &[&["tree", "torrent-v2"], arguments].concat());
    assert_eq!(make(&["data"]).0, 0);
    assert_eq!(make(&["data"]).0, 1);
    assert_eq!(make(&["data", "--force"]).0, 0);
    // A torrent must not become a part of itself.
    assert_eq!(make(&["data", "-f", "-o", "data/a"]).0, 1);
    // Nor replace one of its files, under another name of that file.
    let before = std::fs::read(dir.at("data/a")).unwrap();
    std::fs::hard_link(dir.at("data/a"), dir.at("hard")).unwrap();
    assert_eq!(make(&["data", "-f", "-o", "hard"]).0, 1);
    assert!(std::fs::read(dir.at("data/a")).unwrap() == before);
    std::fs::remove_file(dir.at("hard")).unwrap();
    for wrong in
        [&["--piece-length", "8KiB"][..], &["--announce", "tracker"], &["--piece-length", "3MiB"]]
    {
        assert_eq!(make(&[wrong, &["-f", "data"]].concat()).0, 2, "{wrong:?}");
    }
    assert_eq!(make(&["missing"]).0, 1);
    assert_eq!(make(&[]).0, 2);
    let text = ok(&mut dir.hashlanes(&["tree", "torrent-v2", "-o", "-", "data"]));
    assert_eq!(text, std::fs::read(dir.at("data.torrent")).unwrap());
}

#[test]
fn files_that_are_not_torrents_are_refused() {
    let dir = folder();
    ok(&mut dir.hashlanes(&["tree", "torrent-v1", "-o", "x.torrent", "data"]));
    let text = std::fs::read(dir.at("x.torrent")).unwrap();
    let evil = lossy(&text[..100]).replace("4:pathl1:ae", "4:pathl2:..1:ae");
    let evil = [evil.as_bytes(), &text[100..]].concat();
    for (content, why) in [
        (&b""[..], "the text ends"),
        (&text[..text.len() - 1], "the text ends"),
        (b"d4:infodee", "not a torrent of version 1"),
        (b"d4:info", "the text ends"),
        (&evil, "'.' and '..' are not file names"),
        (&b"l".repeat(1000), "nested more than 100 deep"),
    ] {
        dir.file("bad.torrent", content);
        let (status, printed, said) = outcome(&dir, &["tree", "verify-torrent", "bad.torrent"]);
        assert_eq!((status, &*printed), (1, ""));
        assert!(said.starts_with("hashlanes: bad.torrent: ") && said.contains(why), "{said}");
        // A file that does not begin like a torrent is taken for a manifest, and is none either.
        assert_eq!(outcome(&dir, &["check", "bad.torrent"]).0, 1);
    }
    assert_eq!(outcome(&dir, &["tree", "verify-torrent", "missing"]).0, 1);
}

#[test]
fn chunks_and_repeated_bytes_are_printed() {
    let dir = Dir::new();
    std::fs::create_dir(dir.at("data")).unwrap();
    let noise = noise(500_000, 3);
    dir.file("data/one", &noise);
    // The same bytes after others.
    dir.file("data/two", &[b"more", &noise[..]].concat());
    dir.file("data/empty", b"");
    let printed = lossy(&ok(&mut dir.hashlanes(&["tree", "chunks", "data/one", "data/two"])));
    let mut ends = std::collections::HashMap::new();
    for line in printed.lines() {
        let chunk: serde_json::Value = serde_json::from_str(line).unwrap();
        let (offset, length) =
            (chunk["offset"].as_u64().unwrap(), chunk["length"].as_u64().unwrap());
        let end = ends.entry(chunk["path"].as_str().unwrap().to_owned()).or_insert(0);
        assert_eq!(offset, *end);
        *end += length;
    }
    assert_eq!((ends["data/one"], ends["data/two"]), (500_000, 500_004));

    let printed = ok(&mut dir.hashlanes(&["dedup", "--json", "--top", "2", "data"]));
    let counts: serde_json::Value = serde_json::from_slice(&printed).unwrap();
    assert_eq!((counts["files"].as_u64(), counts["bytes"].as_u64()), (Some(3), Some(1_000_004)));
    // All but the chunks at the beginning.
    let duplicates = counts["duplicate_bytes"].as_u64().unwrap();
    assert!((200_000..500_000).contains(&duplicates), "{duplicates}");
    assert_eq!(counts["top"].as_array().unwrap().len(), 2);

    let (status, printed, said) = outcome(&dir, &["dedup", "data", "missing"]);
    assert_eq!(status, 1);
    assert!(said.starts_with("hashlanes: missing: ") && printed.contains("all "), "{said}");
    let (status, _, said) = outcome(&dir, &["tree", "chunks", "data", "data/empty"]);
    assert_eq!(status, 1);
    assert!(said.starts_with("hashlanes: data: "), "{said}");
    for wrong in [["--min", "1"], ["--avg", "8KiB"], ["--max", "1GiB"], ["--min", "16385"]] {
        let (status, _, said) = outcome(&dir, &["dedup", wrong[0], wrong[1], "data"]);
        assert_eq!(status, 2, "{said}");
    }
}
