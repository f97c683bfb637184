//! Files, and folders, that are replaced by FIFOs and links while they are read.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use crate::common::*;

/// Runs of each command.
const ROUNDS: usize = 12;

const OUTSIDE: &[u8] = b"nobody may read this";

/// A tree of 20 folders with 20 files each, a folder outside of it with files of the same names,
/// and a FIFO and links to be put in their places.
fn directory() -> Dir {
    let dir = Dir::new();
    for name in 0..20 {
        dir.file(format!("outside/{name}"), OUTSIDE);
        for folder in 0..20 {
            let length = if name % 10 == 9 { 70_000 } else { 100 };
            dir.file(format!("tree/{folder}/{name}"), &noise(length, name));
        }
    }
    ok(&mut dir.peer("mkfifo", &["fifo"]));
    symlink(dir.at("outside/1"), dir.at("file-link")).unwrap();
    symlink(dir.at("outside"), dir.at("folder-link")).unwrap();
    dir
}

/// Swaps things with files and folders of the tree until it is told to stop, and restores them.
fn swap(dir: &Path, stop: &AtomicBool) {
    let swapped = dir.join("swapped");
    let mut number = 0_usize;
    while !stop.load(Ordering::Relaxed) {
        number += 1;
        let folder = dir.join("tree").join((number * 7 % 20).to_string());
        let (path, other): (PathBuf, _) = match number % 3 {
            0 => (folder, "folder-link"),
            1 => (folder.join((number % 20).to_string()), "file-link"),
            _ => (folder.join((number % 20).to_string()), "fifo"),
        };
        fs::rename(&path, &swapped).unwrap();
        fs::rename(dir.join(other), &path).unwrap();
        thread::yield_now();
        fs::rename(&path, dir.join(other)).unwrap();
        fs::rename(&swapped, &path).unwrap();
    }
}

#[test]
fn what_replaces_a_walked_file_is_neither_waited_for_nor_read() {
    let dir = directory();
    let manifest = ok(&mut dir.hashlanes(&["sum", "-r", "tree"]));
    dir.file("listed", &manifest);
    let outside = line_of(&ok(&mut dir.hashlanes(&["sum", "outside/1"])));
    let (stop, root) = (AtomicBool::new(false), dir.path().to_owned());
    thread::scope(|scope| {
        scope.spawn(|| swap(&root, &stop));
        // The swaps end even if an assertion fails.
        let _stop = Stop(&stop);
        for round in 0..ROUNDS {
            let resumed = format!("resumed-{}", round / 2);
            for arguments in [
                &["sum", "-r", "tree"][..],
                &["sum", "-r", "--threads", "1", "tree"],
                &["sum", "-r", "--resume", &resumed, "tree"],
                &["check", "--report", "listed", "tree"],
                &["tree", "s3-etag", "-r", "tree"],
                &["dedup", "tree"],
            ] {
                let program = env!("CARGO_BIN_EXE_hashlanes");
                let words = [&["60", program][..], arguments].concat();
                let output = run(&mut dir.peer("timeout", &words));
                assert_ne!(output.status.code(), Some(124), "{arguments:?} hangs");
                assert!(output.status.code().is_some_and(|code| code < 3), "{output:?}");
                let printed = [output.stdout, fs::read(dir.at(&resumed)).unwrap_or_default()];
                assert!(!lossy(&printed.concat()).contains(&outside), "{arguments:?} read it");
            }
        }
    });
}

/// The digest of a line.
fn line_of(output: &[u8]) -> String {
    lossy(output).split(' ').next().unwrap().to_owned()
}

struct Stop<'s>(&'s AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}
