//! Torrents that are created, read, compared with files, and refused.

use std::fs;
use std::path::Path;

use hashlanes::{Sha1, Sha256};
use hashlanes_files::walk::Walk;
use hashlanes_tree::Settings;
use hashlanes_tree::torrent::bencode::{Document, Writer};
use hashlanes_tree::torrent::metainfo::{Metainfo, MetainfoError};
use hashlanes_tree::torrent::{
    CreateError, Extras, FileState, Links, ListError, Listing, Options, Torrent, VerifyReport,
    Version, verify,
};
use tempfile::TempDir;

const PIECE: u64 = 32 << 10;
const VERSIONS: [Version; 3] = [Version::V1, Version::V2, Version::Hybrid];

fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed);
    (0..length).map(|_| random.u8(..)).collect()
}

/// A folder `data` with files around the length of a piece, in folders whose names and paths sort
/// differently.
fn folder() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    for (i, (name, length)) in FILES.iter().enumerate() {
        let path = data.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes(i as u64, *length)).unwrap();
    }
    folder
}

/// In the order of the torrent.
const FILES: [(&str, usize); 8] = [
    ("a/empty", 0),
    ("a/long", 5 * PIECE as usize + 1),
    ("a-b", 1),
    ("b", PIECE as usize - 1),
    ("c", PIECE as usize),
    ("d/e/f", PIECE as usize + 1),
    ("d/é", 20_000),
    ("z", 3 * PIECE as usize),
];

fn create(folder: &Path, version: Version) -> Torrent {
    let listing = Listing::new(&folder.join("data"), &Walk::default()).unwrap();
    let options = Options { piece_length: Some(PIECE), ..Options::new(version) };
    Torrent::create(&listing, &options, &Settings::default()).unwrap()
}

fn metainfo(folder: &Path, version: Version) -> Metainfo {
    Metainfo::parse(&create(folder, version).to_text(&Extras::default())).unwrap()
}

fn check(folder: &Path, version: Version, torrent: &Metainfo) -> VerifyReport {
    let report = verify(torrent, folder, Links::Stay, &Settings::default()).unwrap();
    assert_eq!(report.files.len(), FILES.len(), "{version:?}");
    report
}

/// The names of the files that are not good.
fn wrong(report: &VerifyReport) -> Vec<String> {
    let wrong = report.files.iter().filter(|file| !matches!(file.state, FileState::Good));
    wrong.map(|file| String::from_utf8(file.path.clone()).unwrap()).collect()
}

#[test]
fn pieces_and_roots_are_those_of_the_files() {
    let folder = folder();
    let contents: Vec<Vec<u8>> =
        FILES.iter().enumerate().map(|(i, (_, length))| bytes(i as u64, *length)).collect();
    let v1 = metainfo(folder.path(), Version::V1);
    let pieces: Vec<[u8; 20]> =
        contents.concat().chunks(PIECE as usize).map(Sha1::digest).collect();
    assert_eq!(v1.pieces.as_ref().unwrap(), &pieces);
    let names: Vec<_> = v1.files.iter().map(|file| file.path.clone()).collect();
    assert_eq!(names, FILES.map(|(name, _)| name.as_bytes().to_vec()));

    let hybrid = metainfo(folder.path(), Version::Hybrid);
    let padded = contents.iter().flat_map(|content| {
        let mut content = content.clone();
        content.resize(content.len().next_multiple_of(PIECE as usize), 0);
        content
    });
    let padded: Vec<u8> = padded.collect();
    let pieces: Vec<[u8; 20]> = padded.chunks(PIECE as usize).map(Sha1::digest).collect();
    assert_eq!(hybrid.pieces.as_ref().unwrap(), &pieces);

    let v2 = metainfo(folder.path(), Version::V2);
    // A file of one block, and one of two.
    assert_eq!(v2.files[2].hashes.as_ref().unwrap().root, Sha256::digest(&contents[2]));
    let blocks = contents[4].chunks(16 << 10).map(Sha256::digest).collect::<Vec<_>>();
    assert_eq!(v2.files[4].hashes.as_ref().unwrap().root, Sha256::digest(blocks.concat()));
    assert_eq!(v2.files[1].hashes.as_ref().unwrap().layer.len(), 6);
    assert_eq!(v2.files[0].hashes, None);
}

#[test]
fn the_same_files_give_the_same_torrent() {
    let (one, other) = (folder(), folder());
    for version in VERSIONS {
        let text = |folder: &TempDir| create(folder.path(), version).to_text(&Extras::default());
        assert!(text(&one) == text(&other), "{version:?}");
        assert!(Document::parse(&text(&one)).unwrap().is_sorted());
    }
}

#[test]
fn good_files_are_good() {
    let folder = folder();
    for version in VERSIONS {
        let torrent = metainfo(folder.path(), version);
        let report = check(folder.path(), version, &torrent);
        assert!(report.is_good(), "{version:?}: {report:?}");
    }
}

#[test]
fn a_changed_byte_makes_its_piece_bad_and_no_other() {
    for version in VERSIONS {
        let folder = folder();
        let torrent = metainfo(folder.path(), version);
        let data = folder.path().join("data");
        let mut offset = 0;
        for (i, (name, length)) in FILES.iter().enumerate().filter(|(_, (_, length))| *length > 0) {
            for at in [0, length / 2, length - 1] {
                let mut content = bytes(i as u64, *length);
                content[at] ^= 1;
                fs::write(data.join(name), &content).unwrap();
                let report = check(folder.path(), version, &torrent);
                assert_eq!(report.bad.len(), 1, "{version:?} {name} {at}");
                assert!(report.contradictions.is_empty());
                let bad = &report.bad[0];
                let piece = (offset + at as u64) / PIECE;
                assert_eq!(bad.pieces, piece..=piece, "{version:?} {name} {at}");
                assert!(bad.files.contains(&i));
                let names: Vec<_> =
                    bad.files.iter().map(|&file| format!("data/{}", FILES[file].0)).collect();
                assert_eq!(wrong(&report), names);
                assert!(version == Version::V1 || names.len() == 1);
            }
            fs::write(data.join(name), bytes(i as u64, *length)).unwrap();
            offset += match version {
                Version::V1 => *length as u64,
                _ => (*length as u64).next_multiple_of(PIECE),
            };
        }
    }
}

#[test]
fn missing_files_leave_others_checked() {
    for version in VERSIONS {
        let folder = folder();
        let torrent = metainfo(folder.path(), version);
        let data = folder.path().join("data");
        fs::remove_file(data.join("b")).unwrap();
        let mut content = bytes(7, FILES[7].1);
        content[3 * PIECE as usize - 1] ^= 1;
        fs::write(data.join("z"), content).unwrap();
        let report = check(folder.path(), version, &torrent);
        assert!(matches!(report.files[3].state, FileState::Missing));
        assert!(matches!(report.files[7].state, FileState::Bad));
        assert_eq!(report.bad.len(), 1);
        assert_eq!(report.bad[0].files, [7]);
        // With version 1 alone, pieces that contain bytes of `b` also contain bytes of these.
        let unchecked = match version {
            Version::V1 => vec!["data/a/long", "data/a-b", "data/b", "data/c", "data/z"],
            _ => vec!["data/b", "data/z"],
        };
        assert_eq!(wrong(&report), unchecked, "{version:?}");
        assert!(report.files[1..3].iter().all(|file| {
            matches!(file.state, FileState::Unchecked) == (version == Version::V1)
        }));
    }
}

#[test]
fn all_files_may_be_missing() {
    let folder = folder();
    for version in VERSIONS {
        let torrent = metainfo(folder.path(), version);
        let elsewhere = tempfile::tempdir().unwrap();
        let report = check(elsewhere.path(), version, &torrent);
        assert!(report.files.iter().all(|file| matches!(file.state, FileState::Missing)));
        assert!(report.bad.is_empty());
    }
}

#[test]
fn files_of_other_lengths_are_told_and_their_pieces_checked() {
    for version in VERSIONS {
        let folder = folder();
        let torrent = metainfo(folder.path(), version);
        let long = folder.path().join("data/a/long");
        let content = bytes(1, FILES[1].1);
        fs::write(&long, &content[..3 * PIECE as usize + 5]).unwrap();
        let mut grown = bytes(4, FILES[4].1);
        grown.push(0);
        fs::write(folder.path().join("data/c"), grown).unwrap();
        let report = check(folder.path(), version, &torrent);
        let found = |number: usize| match report.files[number].state {
            FileState::WrongSize { found, .. } => found,
            ref state => panic!("{version:?}: {state:?}"),
        };
        assert_eq!((found(1), found(4)), (3 * PIECE + 5, PIECE + 1));
        // The first three pieces of the short file are good.
        let bad = |piece: u64| report.bad.iter().any(|bad| bad.pieces.contains(&piece));
        assert!((0..3).all(|piece| !bad(piece)), "{version:?}");
        assert!(matches!(report.files[7].state, FileState::Good));
    }
}

#[test]
fn whole_pieces_of_short_files_are_checked() {
    for version in VERSIONS {
        let folder = folder();
        let torrent = metainfo(folder.path(), version);
        let mut content = bytes(1, FILES[1].1);
        for (length, damaged) in [(1, 0), (2, 1), (4, 2)] {
            let at = damaged * PIECE as usize + 7;
            content[at] ^= 1;
            let short = &content[..length * PIECE as usize + 100];
            fs::write(folder.path().join("data/a/long"), short).unwrap();
            let report = check(folder.path(), version, &torrent);
            let pieces: Vec<_> = report.bad.iter().map(|bad| bad.pieces.clone()).collect();
            assert_eq!(pieces, [damaged as u64..=damaged as u64], "{version:?}");
            content[at] ^= 1;
        }
    }
}

#[test]
fn petabytes_that_a_torrent_only_claims_are_not_hashed() {
    // A file of one piece and a pad file of a petabyte; and a file that should be that long.
    let petabyte = (1_u64 << 50) / (512 << 20);
    let mut writer = Writer::new();
    writer.dictionary(|root| {
        root.string("info").dictionary(|info| {
            info.string("files").list(|list| {
                for (name, attributes, pieces) in
                    [("a", "", 1), ("p", "p", petabyte), ("b", "", petabyte)]
                {
                    list.dictionary(|file| {
                        file.string("attr").string(attributes);
                        file.string("length").integer(pieces * (512 << 20));
                        file.string("path").list(|names| {
                            names.string(name);
                        });
                    });
                }
            });
            info.string("name").string("n").string("piece length").integer(512 << 20);
            info.string("pieces").string(vec![0; 20 * (2 * petabyte as usize + 1)]);
        });
    });
    let torrent = Metainfo::parse(&writer.into_text()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("n")).unwrap();
    fs::write(folder.path().join("n/b"), "short").unwrap();
    let report = verify(&torrent, folder.path(), Links::Stay, &Settings::default()).unwrap();
    assert!(matches!(report.files[0].state, FileState::Missing));
    assert!(matches!(report.files[1].state, FileState::WrongSize { found: 5, .. }));
}

#[cfg(unix)]
#[test]
fn links_are_not_followed_out_of_the_folder() {
    use std::os::unix::fs::symlink;
    for version in VERSIONS {
        let folder = folder();
        let torrent = metainfo(folder.path(), version);
        let data = folder.path().join("data");
        // The same bytes, at another place.
        fs::rename(data.join("z"), folder.path().join("z")).unwrap();
        symlink("../z", data.join("z")).unwrap();
        fs::rename(data.join("d"), data.join("other")).unwrap();
        symlink("other", data.join("d")).unwrap();
        let report = check(folder.path(), version, &torrent);
        assert!(matches!(report.files[7].state, FileState::Unreadable(_)));
        // In version 1, these share pieces with files that are not read.
        let good = |state: &FileState| match version {
            Version::V1 => matches!(state, FileState::Unchecked),
            _ => matches!(state, FileState::Good),
        };
        assert!(report.files[5..7].iter().all(|file| good(&file.state)), "{version:?}");
    }
    let folder = folder();
    let data = folder.path().join("data");
    // The torrent's own folder is elsewhere, and then below the folder that is passed.
    let (torrent, elsewhere) = (metainfo(folder.path(), Version::V2), tempfile::tempdir().unwrap());
    symlink(&data, elsewhere.path().join("data")).unwrap();
    let report = check(elsewhere.path(), Version::V2, &torrent);
    assert!(report.files.iter().all(|file| matches!(file.state, FileState::Unreadable(_))));
    let follow = verify(&torrent, elsewhere.path(), Links::Follow, &Settings::default()).unwrap();
    assert!(follow.is_good());
    fs::rename(&data, elsewhere.path().join("real")).unwrap();
    fs::remove_file(elsewhere.path().join("data")).unwrap();
    symlink("real", elsewhere.path().join("data")).unwrap();
    assert!(check(elsewhere.path(), Version::V2, &torrent).is_good());
    fs::rename(elsewhere.path().join("real"), &data).unwrap();
    symlink("z", data.join("link")).unwrap();
    symlink("..", data.join("up")).unwrap();
    let walk = Walk::default();
    let listing = Listing::new(&data, &walk).unwrap();
    assert_eq!(listing.files.len(), FILES.len());
    assert_eq!(walk.skipped().to_string(), "2 symbolic links");
}

#[test]
fn what_cannot_be_a_torrent_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let data = folder.path().join("data");
    let list = || Listing::new(&data, &Walk::default());
    assert!(matches!(list(), Err(ListError::Read(..))));
    fs::create_dir_all(data.join("empty/folder")).unwrap();
    assert!(matches!(list(), Err(ListError::Empty(_))));
    fs::write(data.join("file"), "").unwrap();
    assert!(matches!(list(), Err(ListError::Empty(_))));
    fs::write(data.join("file"), "x").unwrap();
    list().unwrap();

    let create = |version, piece_length| {
        let options = Options { piece_length: Some(piece_length), ..Options::new(version) };
        Torrent::create(&list().unwrap(), &options, &Settings::default())
    };
    for length in [0, 1, 8 << 10, 48 << 10, 1 << 30] {
        assert!(matches!(create(Version::V2, length), Err(CreateError::PieceLength(_))));
    }
    create(Version::V1, 48 << 10).unwrap();

    fs::rename(data.join("file"), data.join("data")).unwrap();
    create(Version::V1, PIECE).unwrap();
    assert!(matches!(create(Version::Hybrid, PIECE), Err(CreateError::Ambiguous(_))));

    #[cfg(unix)]
    {
        use std::os::unix::ffi::OsStrExt;
        fs::write(data.join(r"a\b"), "x").unwrap();
        assert!(matches!(list(), Err(ListError::Name(..))));
        fs::remove_file(data.join(r"a\b")).unwrap();
        fs::write(data.join(std::ffi::OsStr::from_bytes(b"a\xff")), "x").unwrap();
        assert!(matches!(list(), Err(ListError::NotUnicode(_))));
    }
}

/// The infohashes are libtorrent's.
#[test]
fn the_only_file_of_a_folder_has_no_pad() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("data")).unwrap();
    fs::write(folder.path().join("data/f"), [0; 16_385]).unwrap();
    let listing = Listing::new(&folder.path().join("data"), &Walk::default()).unwrap();
    let options = Options { piece_length: Some(16_384), ..Options::new(Version::Hybrid) };
    let torrent = Torrent::create(&listing, &options, &Settings::default()).unwrap();
    let hex = |hash: &[u8]| hash.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let (v1, v2) = (torrent.infohash_v1.unwrap(), torrent.infohash_v2.unwrap());
    assert_eq!(hex(v1.as_ref()), "e376b42e0ea0f4e044e5ac5709640184d2393d1d");
    let expected = "9d32f13b6baa907efd3ffdd5f65c5585bc58dbb5122e504125de36f277c1515c";
    assert_eq!(hex(v2.as_ref()), expected);
}

#[test]
fn folders_are_as_deep_as_programs_read() {
    for (depth, is_read) in [(94, true), (95, false)] {
        let folder = tempfile::tempdir().unwrap();
        let below = folder.path().join("data").join("d/".repeat(depth));
        fs::create_dir_all(&below).unwrap();
        fs::write(below.join("f"), "x").unwrap();
        metainfo(folder.path(), Version::V1);
        for version in [Version::V2, Version::Hybrid] {
            if is_read {
                metainfo(folder.path(), version);
                continue;
            }
            let listing = Listing::new(&folder.path().join("data"), &Walk::default()).unwrap();
            let made = Torrent::create(&listing, &Options::new(version), &Settings::default());
            assert!(matches!(made, Err(CreateError::TooDeep(_, 95))), "{made:?}");
        }
    }
}

/// An info dictionary of version 1 with these files.
fn with_files(files: &[&[&str]]) -> Vec<u8> {
    let mut writer = Writer::new();
    writer.dictionary(|root| {
        root.string("info").dictionary(|info| {
            info.string("files").list(|list| {
                for path in files {
                    list.dictionary(|file| {
                        file.string("length").integer(0).string("path").list(|names| {
                            path.iter().for_each(|name| {
                                names.string(name);
                            });
                        });
                    });
                }
            });
            info.string("name").string("n").string("piece length").integer(16384);
            info.string("pieces").string("");
        });
    });
    writer.into_text()
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    for path in [
        &[".."][..],
        &["a", ".."],
        &["."],
        &[""],
        &["/etc/passwd"],
        &["a/b"],
        &["..\\a"],
        &["C:\\a"],
        &["a\0"],
    ] {
        let refused = Metainfo::parse(&with_files(&[&["good"], path]));
        assert!(matches!(refused, Err(MetainfoError::Name { .. })), "{path:?}: {refused:?}");
    }
    assert_eq!(Metainfo::parse(&with_files(&[&[]])), Err(MetainfoError::Key("path")));
    assert_eq!(Metainfo::parse(&with_files(&[])), Err(MetainfoError::NoFiles));
    for name in ["..", "", "a/b", "/"] {
        let text = with_files(&[&["a"]]);
        let text = String::from_utf8(text).unwrap();
        let text = text.replace("4:name1:n", &format!("4:name{}:{name}", name.len()));
        let refused = Metainfo::parse(text.as_bytes());
        assert!(matches!(refused, Err(MetainfoError::Name { .. })), "{name}");
    }
}

#[test]
fn names_that_come_twice_are_refused() {
    for files in [
        &[&["a"][..], &["b"], &["a"]][..],
        &[&["a", "b"], &["c"], &["a"]],
        &[&["a"], &["a-b"], &["a", "b"]],
    ] {
        let refused = Metainfo::parse(&with_files(files));
        assert!(matches!(refused, Err(MetainfoError::Repeated(_))), "{files:?}");
    }
    Metainfo::parse(&with_files(&[&["a"], &["a-b"], &["ab"], &["b", "a"]])).unwrap();
}

/// The text of a torrent with a part of it replaced by one of equal length.
fn with(text: &[u8], old: &[u8], new: &[u8]) -> Vec<u8> {
    let at = text.windows(old.len()).position(|window| window == old).expect("it is there");
    [&text[..at], new, &text[at + old.len()..]].concat()
}

#[test]
fn torrents_that_contradict_themselves_are_refused() {
    let folder = folder();
    let hybrid = create(folder.path(), Version::Hybrid).to_text(&Extras::default());
    let parse = |text: &[u8]| Metainfo::parse(text).unwrap_err();
    // The length of `a/long` in the list, which comes before its path.
    let long = b"6:lengthi163841e4:pathl1:a4:long";
    let longer = b"6:lengthi163842e4:pathl1:a4:long";
    assert!(matches!(parse(&with(&hybrid, long, longer)), MetainfoError::Contradiction(_)));
    // Another file in the list of version 1.
    let renamed = with(&hybrid, b"pathl1:a4:long", b"pathl1:a4:lonG");
    assert!(matches!(parse(&renamed), MetainfoError::Contradiction(_)));
    // A pad file that is too short.
    assert!(matches!(
        parse(&with(&hybrid, b"6:lengthi32767e4:pathl4:.pad", b"6:lengthi32766e4:pathl4:.pad")),
        MetainfoError::Contradiction(_)
    ));
    // One bit of a layer, and one of a root.
    let torrent = Metainfo::parse(&hybrid).unwrap();
    let hashes = torrent
        .files
        .iter()
        .find_map(|file| file.hashes.as_ref().filter(|hashes| hashes.layer.len() == 6));
    let hashes = hashes.unwrap();
    let mut node = hashes.layer[3];
    node[0] ^= 1;
    assert!(matches!(parse(&with(&hybrid, &hashes.layer[3], &node)), MetainfoError::Layer(_)));
    let mut root = hashes.root;
    root[0] ^= 1;
    assert!(matches!(parse(&with(&hybrid, &hashes.root, &root)), MetainfoError::NoLayer(_)));
    // Every truncation.
    for length in (0..hybrid.len()).step_by(37) {
        assert!(matches!(parse(&hybrid[..length]), MetainfoError::Syntax(_)));
    }
    for (old, new) in [
        (&b"12:piece lengthi32768e"[..], &b"12:piece lengthi32769e"[..]),
        (b"12:piece lengthi32768e", b"12:piece lengthi-3276e"),
        (b"12:piece lengthi32768e", b"12:piece lengthi00008e"),
        (b"12:meta versioni2e", b"12:meta versioni3e"),
    ] {
        parse(&with(&hybrid, old, new));
    }
}

#[test]
fn versions_that_say_different_things_of_a_piece_are_told() {
    let folder = folder();
    let made = create(folder.path(), Version::Hybrid);
    let text = made.to_text(&Extras::default());
    let torrent = Metainfo::parse(&text).unwrap();
    let piece = torrent.pieces.as_ref().unwrap()[2];
    let mut other = piece;
    other[5] ^= 1;
    let torrent = Metainfo::parse(&with(&text, &piece, &other)).unwrap();
    let report = check(folder.path(), Version::Hybrid, &torrent);
    assert_eq!(report.contradictions, [2]);
    assert_eq!(wrong(&report), ["data/a/long"]);
    assert!(!report.is_good());
}

#[test]
fn links_in_a_torrent_are_compared() {
    let text = b"d4:infod5:filesld6:lengthi0e4:pathl1:aeed4:attr1:l6:lengthi0e\
        4:pathl1:d4:linke12:symlink pathl1:aeee4:name1:n12:piece lengthi16384e6:pieces0:ee";
    let torrent = Metainfo::parse(text).unwrap();
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir_all(folder.path().join("n/d")).unwrap();
    fs::write(folder.path().join("n/a"), "").unwrap();
    let state = || {
        let mut report =
            verify(&torrent, folder.path(), Links::Stay, &Settings::default()).unwrap();
        report.files.pop().unwrap().state
    };
    assert!(matches!(state(), FileState::Unreadable(_)));
    #[cfg(unix)]
    {
        let link = folder.path().join("n/d/link");
        for (target, good) in [("../a", true), ("../b", false), ("../../n/a", false)] {
            std::os::unix::fs::symlink(target, &link).unwrap();
            assert_eq!(matches!(state(), FileState::Good), good, "{target}");
            fs::remove_file(&link).unwrap();
        }
    }
    let out = with(text, b"12:symlink pathl1:ae", b"12:symlink pathl2:..e");
    assert!(matches!(Metainfo::parse(&out), Err(MetainfoError::Name { .. })));
}
