//! Runs that are watched and stopped from another thread.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hashlanes_files::{
    Control, Engine, Entry, Function, Kind, Outcome, Report, Settings, Source, hash_files,
};

struct Names(std::vec::IntoIter<PathBuf>);

impl Source for Names {
    type Note = ();

    fn next(&mut self) -> Option<Entry<()>> {
        let path = self.0.next()?;
        Some(Entry::file(path, Kind::Unknown, 0, ()))
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

#[derive(Clone, Default)]
struct Seen(Arc<Mutex<Vec<PathBuf>>>);

impl Report<()> for Seen {
    fn file(&mut self, path: &Path, (): (), outcome: Outcome) -> io::Result<()> {
        outcome.map(|_| self.0.lock().unwrap().push(path.to_owned()))
    }
}

fn files(folder: &Path, count: usize, length: usize) -> Vec<PathBuf> {
    let paths = (0..count).map(|number| folder.join(format!("{number:04}")));
    paths.inspect(|path| std::fs::write(path, vec![7; length]).unwrap()).collect()
}

fn run(paths: Vec<PathBuf>, control: &Control, threads: usize) -> Vec<PathBuf> {
    let mut seen = Seen::default();
    hash(paths, control, threads, &mut seen);
    seen.0.lock().unwrap().clone()
}

fn hash(paths: Vec<PathBuf>, control: &Control, threads: usize, seen: &mut Seen) {
    let plan = vec![Engine::new(Function::from_name("sha256").unwrap())];
    let settings = Settings { control: Some(control), ..threads.into() };
    hash_files(Names(paths.into_iter()), &[plan.into()], seen, settings).unwrap();
}

#[test]
fn all_is_counted() {
    let folder = tempfile::tempdir().unwrap();
    for (count, length) in [(100, 1000), (3, 1 << 20)] {
        let paths = files(folder.path(), count, length);
        let control = Control::new();
        assert_eq!(run(paths.clone(), &control, 2), paths);
        assert_eq!(control.files(), count as u64);
        assert_eq!(control.bytes(), (count * length) as u64);
        assert!(!control.is_stopped() && !control.is_drained());
    }
}

#[test]
fn a_stopped_run_ends() {
    let folder = tempfile::tempdir().unwrap();
    let control = Control::new();
    control.stop();
    assert!(run(files(folder.path(), 100, 10), &control, 3).is_empty());
    assert!(control.is_drained());
}

#[test]
#[cfg(unix)]
fn what_is_done_behind_a_pipe_is_reported_when_the_run_is_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let fifo = folder.path().join("a fifo");
    let made = std::process::Command::new("mkfifo").arg(&fifo).status();
    assert!(made.unwrap().success());
    let paths = files(folder.path(), 100, 10);
    let all = [vec![fifo.clone()], paths.clone()].concat();
    let control = Control::new();
    let seen = Seen::default();
    std::thread::scope(|scope| {
        scope.spawn(|| hash(all, &control, 2, &mut seen.clone()));
        let wait = |until: &dyn Fn() -> bool| {
            while !until() {
                std::thread::sleep(Duration::from_millis(1));
            }
        };
        wait(&|| control.files() == 100);
        let before = seen.0.lock().unwrap().len();
        control.stop();
        wait(&|| control.is_drained());
        let after = seen.0.lock().unwrap().clone();
        // The worker that waits for a writer now gets one, and gives up.
        drop(std::fs::File::options().write(true).open(&fifo).unwrap());
        assert_eq!(before, 0);
        assert_eq!(after, paths);
    });
    assert_eq!(seen.0.lock().unwrap().len(), 100);
}
