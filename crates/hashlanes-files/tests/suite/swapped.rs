//! Something else takes the place of a file between the walk and the reading.

use std::fs;
use std::io;
use std::os::unix::fs::symlink;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use hashlanes_files::walk::{Options, Walk};
use hashlanes_files::{
    Engine, Entry, Function, Kind, Outcome, RegularFile, Report, Source, hash_files,
};

struct Found(std::vec::IntoIter<(PathBuf, Kind)>);

impl Source for Found {
    type Note = ();

    fn next(&mut self) -> Option<Entry<()>> {
        let (path, kind) = self.0.next()?;
        Some(Entry::file(path, kind, 0, ()))
    }
}

#[derive(Default)]
struct Outcomes(Vec<(PathBuf, Result<u64, String>)>);

impl Report<()> for Outcomes {
    fn file(&mut self, path: &Path, (): (), outcome: Outcome) -> io::Result<()> {
        let outcome = outcome.map(|hashed| hashed.length).map_err(|error| error.to_string());
        self.0.push((path.to_owned(), outcome));
        Ok(())
    }
}

const SMALL: usize = 10;
const LARGE: usize = 100_000;
/// The length of the files outside.
const OUTSIDE: usize = 7;

/// A folder `tree` with small and large files, of which some have others in their places when they
/// are read, and a folder `outside`. Returns the outcome of each file, or the number of bytes.
fn outcomes(follow_links: bool) -> Vec<(PathBuf, Result<u64, String>)> {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir_all(at("outside")).unwrap();
    fs::create_dir_all(at("tree/folder")).unwrap();
    for (name, length) in [("small", SMALL), ("large", LARGE)] {
        fs::write(at("outside").join(name), [1; OUTSIDE]).unwrap();
        fs::write(at("tree/folder").join(name), vec![1; length]).unwrap();
        for what in ["fifo", "link", "inner", "kept", "directory", "socket", "gone"] {
            fs::write(at(&format!("tree/{what}-{name}")), vec![2; length]).unwrap();
        }
    }
    let walk = Walk::new(Options { follow_links, ..Options::default() });
    let found: Result<Vec<_>, _> = walk.files(vec![at("tree")]).collect();
    let found = found.unwrap();
    assert_eq!(found.len(), 16);

    let mut sockets = Vec::new();
    for name in ["small", "large"] {
        for what in ["fifo", "link", "inner", "directory", "socket", "gone"] {
            let path = at(&format!("tree/{what}-{name}"));
            fs::remove_file(&path).unwrap();
            match what {
                "fifo" => assert!(Command::new("mkfifo").arg(&path).status().unwrap().success()),
                "link" => symlink(at("outside").join(name), &path).unwrap(),
                "inner" => symlink(format!("kept-{name}"), &path).unwrap(),
                "directory" => fs::create_dir(&path).unwrap(),
                "socket" => sockets.push(UnixListener::bind(&path).unwrap()),
                _ => {}
            }
        }
    }
    fs::rename(at("tree/folder"), at("moved")).unwrap();
    symlink(at("outside"), at("tree/folder")).unwrap();

    let opened = found.iter().map(|(path, kind)| {
        let file = RegularFile::open_as(path, kind);
        file.map(|file| file.stamp().size).map_err(|error| error.to_string())
    });
    let opened: Vec<_> = opened.collect();
    let (done, outcomes) = mpsc::channel();
    thread::spawn(move || {
        let plan = vec![Engine::new(Function::from_name("md5").unwrap())];
        let mut outcomes = Outcomes::default();
        hash_files(Found(found.into_iter()), &[plan.into()], &mut outcomes, 2).unwrap();
        done.send(outcomes.0)
    });
    let outcomes = outcomes.recv_timeout(Duration::from_secs(60)).expect("it hangs");
    let lengths: Vec<_> = outcomes.iter().map(|(_, outcome)| outcome.clone()).collect();
    assert_eq!(lengths, opened, "they open files in the same way");
    let root = at("tree");
    outcomes
        .into_iter()
        .map(|(path, outcome)| (path.strip_prefix(&root).unwrap().to_owned(), outcome))
        .collect()
}

#[test]
fn nothing_but_the_files_that_the_walk_found_is_read() {
    for (path, outcome) in outcomes(false) {
        let name = path.to_str().unwrap();
        match name {
            "kept-small" => assert_eq!(outcome, Ok(SMALL as u64)),
            "kept-large" => assert_eq!(outcome, Ok(LARGE as u64)),
            _ => {
                let why = outcome.expect_err(name);
                let expected = match name.split('-').next().unwrap() {
                    "fifo" | "directory" => "not a regular file",
                    "link" | "inner" | "folder/small" | "folder/large" => "a symbolic link",
                    "socket" => "No such device",
                    _ => "No such file",
                };
                if cfg!(target_os = "linux") {
                    assert!(why.contains(expected), "{name}: {why}");
                }
            }
        }
    }
}

#[test]
fn links_that_are_followed_may_lead_elsewhere_but_not_to_a_fifo() {
    for (path, outcome) in outcomes(true) {
        let name = path.to_str().unwrap();
        let expected = match name {
            "kept-small" | "inner-small" => Some(SMALL),
            "kept-large" | "inner-large" => Some(LARGE),
            "link-small" | "link-large" | "folder/small" | "folder/large" => Some(OUTSIDE),
            _ => None,
        };
        assert_eq!(outcome.ok(), expected.map(|length| length as u64), "{name}");
    }
}

#[test]
fn each_of_many_roots_has_files_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let roots: Vec<_> = (0..600).map(|number| folder.path().join(number.to_string())).collect();
    for (number, root) in roots.iter().enumerate() {
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/file"), vec![0; number]).unwrap();
    }
    let found: Result<Vec<_>, _> = Walk::default().files(roots.clone()).collect();
    let found = found.unwrap();
    // The first stays open and is read wherever it is. The last is opened again.
    let last = found.last().unwrap().0.ancestors().nth(2).unwrap().to_owned();
    for (root, to) in [(&roots[0], "first"), (&last, "last")] {
        fs::rename(root, folder.path().join(to)).unwrap();
        fs::create_dir_all(root.join("a")).unwrap();
        fs::write(root.join("a/file"), "another folder").unwrap();
    }
    for (path, kind) in &found {
        let root = path.ancestors().nth(2).unwrap();
        let number: u64 = root.file_name().unwrap().to_str().unwrap().parse().unwrap();
        match RegularFile::open_as(path, kind) {
            Ok(file) => assert_eq!(file.stamp().size, number),
            Err(error) => assert!(root == last && error.to_string().contains("moved"), "{error}"),
        }
    }
}
