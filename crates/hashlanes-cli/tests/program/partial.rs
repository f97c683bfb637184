//! `hashlanes sum --resume` of large files: a run that is killed is continued within a file.

use std::fs::{self, File};
use std::io::{Seek, SeekFrom, Write};
use std::time::Duration;

use crate::common::{Dir, lossy, noise, ok, run, settle};

const SIZE: usize = 12 << 20;

/// The bytes after which the states are saved. Parts of one file are as long.
const EVERY: u64 = 256 << 10;

/// What keeps the states.
const PARTIAL: &str = ".manifest.hashlanes/partial";

fn resume(algorithms: &str, more: &[&str]) -> Vec<String> {
    let every = EVERY.to_string();
    let fixed = ["sum", "--tag", "-a", algorithms, "--resume", "manifest", "--save-every", &every];
    fixed.iter().chain(more).map(|&part| part.to_owned()).collect()
}

/// The number of bytes after which the state of a file was saved last.
fn saved(dir: &Dir, name: &str) -> u64 {
    let text = fs::read_to_string(dir.at(PARTIAL)).unwrap_or_default();
    let hex: String = name.bytes().map(|byte| format!("{byte:02x}")).collect();
    let line = text.lines().find(|line| line.starts_with(&format!("{hex} ")));
    line.map_or(0, |line| line.split(' ').nth(7).unwrap().parse().unwrap())
}

/// Kills a run once the states of these files are saved, each after at least this many bytes.
fn kill_after(dir: &Dir, bytes: u64, arguments: &[String], names: &[&str]) {
    let mut child = dir.hashlanes(&[]).args(arguments).args(["--rate", "40MiB"]).spawn().unwrap();
    while names.iter().any(|name| saved(dir, name) < bytes) {
        assert!(child.try_wait().unwrap().is_none(), "the run ended before it saved its states");
        std::thread::sleep(Duration::from_millis(1));
    }
    child.kill().unwrap();
    child.wait().unwrap();
}

/// Runs to the end. Returns the messages and the number of bytes read.
fn finish(dir: &Dir, arguments: &[String]) -> (String, u64) {
    let output = run(dir.hashlanes(&[]).args(arguments).args(["--metrics", "metrics"]));
    assert!(output.status.success(), "{}", lossy(&output.stderr));
    let metrics = fs::read_to_string(dir.at("metrics")).unwrap();
    let line = metrics.lines().find(|line| line.starts_with("hashlanes_bytes_total"));
    let read = line.expect(&metrics).rsplit(' ').next().unwrap().parse().unwrap();
    assert!(!dir.at(".manifest.hashlanes").exists());
    (lossy(&output.stderr), read)
}

fn assert_digests(dir: &Dir, algorithms: &str, names: &[&str]) {
    let printed = ok(dir.hashlanes(&["sum", "--tag", "-a", algorithms]).args(names));
    assert_eq!(lossy(&fs::read(dir.at("manifest")).unwrap()), lossy(&printed));
}

fn start_over(dir: &Dir) {
    for name in ["manifest", "manifest.resume", "metrics"] {
        fs::remove_file(dir.at(name)).unwrap();
    }
}

#[test]
fn a_killed_run_continues_within_large_files() {
    let dir = Dir::new();
    dir.file("a", &noise(SIZE, 1));
    dir.file("b", &noise(SIZE + 12345, 2));
    settle();
    let functions = ["sha256", "blake3", "kt128", "sha256,blake3,kt256,sha3-256,turboshake128,md5"];
    for (number, algorithms) in functions.iter().chain(&functions).enumerate() {
        let names = if number < functions.len() { &["a"][..] } else { &["a", "b"] };
        let threads = if number % 2 == 0 { "1" } else { "2" };
        let arguments = resume(algorithms, &[&["--threads", threads], names].concat());
        // Parts of one file come before those of another.
        let in_parts = !algorithms.contains("sha");
        let first = if in_parts { &names[..1] } else { names };
        kill_after(&dir, 1 << 20, &arguments, first);
        // Once more, in the middle of what was continued.
        kill_after(&dir, 3 << 20, &arguments, first);
        let after: u64 = names.iter().map(|name| saved(&dir, name)).sum();
        let (told, read) = finish(&dir, &arguments);
        for name in first {
            assert!(told.contains(&format!("hashlanes: {name}: continued after ")), "{told}");
        }
        let all: u64 = names.iter().map(|name| dir.at(name).metadata().unwrap().len()).sum();
        assert_eq!(read, all - after, "{algorithms} of {names:?}");
        assert_digests(&dir, algorithms, names);
        start_over(&dir);
    }
}

#[test]
fn a_sparse_file_is_continued_after_its_hole() {
    let dir = Dir::new();
    let mut file = File::create(dir.at("a")).unwrap();
    file.set_len(3 * SIZE as u64).unwrap();
    file.seek(SeekFrom::Start(SIZE as u64)).unwrap();
    file.write_all(&noise(SIZE, 3)).unwrap();
    settle();
    for algorithms in ["sha1", "blake3"] {
        let arguments = resume(algorithms, &["--quiet", "a"]);
        kill_after(&dir, SIZE as u64 + (1 << 20), &arguments, &["a"]);
        assert_eq!(finish(&dir, &arguments).0, "");
        assert_digests(&dir, algorithms, &["a"]);
        start_over(&dir);
    }
}

#[test]
fn a_changed_file_and_a_damaged_state_begin_anew() {
    let dir = Dir::new();
    for algorithms in ["sha512,blake3", "blake3"] {
        dir.file("a", &noise(SIZE, 4));
        settle();
        let arguments = resume(algorithms, &["a"]);
        kill_after(&dir, 1 << 20, &arguments, &["a"]);
        // The same length.
        dir.file("a", &noise(SIZE, 5));
        settle();
        let (told, read) = finish(&dir, &arguments);
        let why = "hashlanes: a: changed since a run was interrupted: read from the beginning\n";
        assert_eq!((&told[..], read), (why, SIZE as u64));
        assert_digests(&dir, algorithms, &["a"]);
        start_over(&dir);

        let why = "hashlanes: a: the state that an interrupted run has saved is damaged: read from \
                   the beginning\n";
        for (at, what) in [(9, '0'), (400, 'f'), (401, 'g')] {
            kill_after(&dir, 1 << 20, &arguments, &["a"]);
            let text = fs::read_to_string(dir.at(PARTIAL)).unwrap();
            let at = text.len() - at;
            let what = if text[at..].starts_with(what) { '1' } else { what };
            let changed = format!("{}{what}{}", &text[..at], &text[at + 1..]);
            fs::write(dir.at(PARTIAL), changed).unwrap();
            assert_eq!(finish(&dir, &arguments), (why.into(), SIZE as u64));
            assert_digests(&dir, algorithms, &["a"]);
            start_over(&dir);
        }
    }
}

/// CRCs have no saved states, and what was just written could be written again unnoticed.
#[test]
fn nothing_is_saved_that_could_not_be_continued() {
    let dir = Dir::new();
    dir.file("a", &noise(2 << 20, 6));
    ok(dir.hashlanes(&[]).args(resume("md5", &["a"])));
    let watch = |algorithms: &str| {
        let mut child = dir
            .hashlanes(&[])
            .args(resume(algorithms, &["a"]))
            .args(["--rate", "4MiB"])
            .spawn()
            .unwrap();
        while child.try_wait().unwrap().is_none() {
            assert!(!dir.at(PARTIAL).exists(), "a state was saved");
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_digests(&dir, algorithms, &["a"]);
        ["manifest", "manifest.resume"].iter().for_each(|it| fs::remove_file(dir.at(it)).unwrap());
    };
    ["manifest", "manifest.resume"].iter().for_each(|it| fs::remove_file(dir.at(it)).unwrap());
    dir.file("a", &noise(2 << 20, 7));
    watch("md5");
    settle();
    watch("md5,crc32c");
}
