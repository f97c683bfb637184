//! Large files whose parts all threads hash.

use std::fs::{self, File};
use std::io::{self, Seek, SeekFrom, Write};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use hashlanes_files::{
    Continue, Control, Engine, Entry, Function, Hashed, Kind, Outcome, Partial, Plan, Report,
    Settings, Source, hash_files, system::Stamp,
};

/// Bytes in a part.
const PART: usize = 256 << 10;

/// The plan of each file is its number modulo that of plans.
struct Names(std::vec::IntoIter<(PathBuf, usize)>);

impl Source for Names {
    type Note = ();

    fn next(&mut self) -> Option<Entry<()>> {
        let (path, plan) = self.0.next()?;
        Some(Entry::file(path, Kind::Unknown, plan, ()))
    }

    fn remaining(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

#[derive(Default)]
struct Outcomes(Vec<Hashed>);

impl Report<()> for Outcomes {
    fn file(&mut self, _: &Path, (): (), outcome: Outcome) -> io::Result<()> {
        outcome.map(|hashed| self.0.push(hashed))
    }
}

fn engines(names: &[&str]) -> Vec<Engine> {
    names.iter().map(|name| Engine::new(Function::from_name(name).unwrap())).collect()
}

/// Bytes that are different everywhere.
fn content(length: usize) -> Vec<u8> {
    let words = (0..length.div_ceil(8) as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let mut bytes: Vec<u8> = words.flat_map(u64::to_le_bytes).collect();
    bytes.truncate(length);
    bytes
}

fn run(paths: &[&Path], engines: &[Engine], settings: Settings<'_>) -> Vec<Hashed> {
    let names: Vec<_> = paths.iter().map(|path| (path.to_path_buf(), 0)).collect();
    let mut outcomes = Outcomes::default();
    let plan = engines.to_vec().into();
    hash_files(Names(names.into_iter()), &[plan], &mut outcomes, settings).unwrap();
    outcomes.0
}

/// Checks that the digests are those of the first bytes of the content.
fn check(hashed: &Hashed, engines: &[Engine], content: &[u8]) {
    let message = &content[..hashed.length as usize];
    let expected: Vec<_> = engines.iter().map(|engine| engine.digest(message)).collect();
    assert_eq!(hashed.digests, expected, "{} bytes", hashed.length);
}

#[test]
fn files_of_every_number_of_parts() {
    let folder = tempfile::tempdir().unwrap();
    let content = content(37 * PART);
    let more = [0, 1, 2, PART, 2 * PART, 4 * PART + 70_001];
    let sizes = more.map(|more| 32 * PART - 1 + more);
    let files = sizes.map(|size| {
        let path = folder.path().join(size.to_string());
        fs::write(&path, &content[..size]).unwrap();
        path
    });
    let names = [&["blake3"][..], &["kt128"], &["kt256", "blake3"], &["blake3", "sha256"]];
    let plans: Vec<Plan> = names.iter().map(|names| engines(names).into()).collect();
    for threads in [1, 2, 5] {
        for count in [1, 2, 8] {
            // Each file by each plan, so that those in parts are among others.
            let names: Vec<_> =
                (0..count).map(|i| (files[i % 6].clone(), (i + threads + i / 6) % 4)).collect();
            let (control, mut outcomes) = (Control::new(), Outcomes::default());
            let settings = Settings { control: Some(&control), ..threads.into() };
            let source = Names(names.clone().into_iter());
            hash_files(source, &plans, &mut outcomes, settings).unwrap();
            assert_eq!(outcomes.0.len(), count);
            for (hashed, (path, plan)) in outcomes.0.iter().zip(&names) {
                let metadata = fs::metadata(path).unwrap();
                assert_eq!(hashed.length, metadata.len());
                assert_eq!(hashed.stamp, Some((&metadata).into()));
                assert!(!hashed.is_changed);
                check(hashed, &plans[*plan], &content);
            }
            let bytes: u64 = outcomes.0.iter().map(|hashed| hashed.length).sum();
            assert_eq!((control.bytes(), control.files()), (bytes, count as u64));
        }
    }
}

#[test]
fn holes_are_zeros() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sparse");
    let mut file = File::create(&path).unwrap();
    let mut expected = content(3 * PART / 2);
    file.write_all(&expected).unwrap();
    // Whole parts of a hole, and a hole at the end.
    expected.resize(9 * PART, 0);
    expected.extend(content(100));
    file.seek(SeekFrom::Start(9 * PART as u64)).unwrap();
    file.write_all(&content(100)).unwrap();
    expected.resize(36 * PART + 5, 0);
    file.set_len(expected.len() as u64).unwrap();
    let engines = engines(&["blake3", "kt128"]);
    for threads in [1, 3] {
        let hashed = run(&[&path], &engines, threads.into()).remove(0);
        assert_eq!(hashed.length, expected.len() as u64);
        check(&hashed, &engines, &expected);
    }
}

/// Hashes a file slowly, by a limit on the rate, and changes it after some of it was read.
fn while_it_changes(change: impl Fn(&Path) + Sync) -> Hashed {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let content = content(48 * PART);
    fs::write(&path, &content[..40 * PART]).unwrap();
    let engines = engines(&["blake3", "kt128"]);
    let control = Control::new();
    control.limit(NonZeroU64::new(100 * PART as u64).unwrap());
    let hashed = thread::scope(|scope| {
        scope.spawn(|| {
            while control.bytes() == 0 {
                thread::sleep(Duration::from_millis(1));
            }
            change(&path);
        });
        let settings = Settings { control: Some(&control), ..2.into() };
        run(&[&path], &engines, settings).remove(0)
    });
    check(&hashed, &engines, &content);
    hashed
}

#[test]
fn a_file_that_becomes_shorter_ends_there() {
    let length = 36 * PART as u64 + 12_345;
    let hashed = while_it_changes(|path| {
        File::options().write(true).open(path).unwrap().set_len(length).unwrap()
    });
    assert!(hashed.is_changed);
    assert_eq!(hashed.length, length);
}

#[test]
fn a_file_that_becomes_longer_is_hashed_to_its_new_end() {
    let more = &content(48 * PART)[40 * PART..];
    let hashed = while_it_changes(|path| {
        File::options().append(true).open(path).unwrap().write_all(more).unwrap();
    });
    assert!(hashed.is_changed);
    assert_eq!(hashed.length, 48 * PART as u64);
}

#[test]
fn a_file_that_is_emptied_is_changed() {
    let hashed = while_it_changes(|path| drop(File::create(path).unwrap()));
    assert!(hashed.is_changed && hashed.length < 40 * PART as u64);
}

#[test]
#[cfg(unix)]
fn a_file_that_is_removed_is_hashed_nevertheless() {
    let hashed = while_it_changes(|path| fs::remove_file(path).unwrap());
    assert_eq!(hashed.length, 40 * PART as u64);
}

#[test]
fn a_run_that_is_stopped_within_a_file_reports_what_is_done() {
    let folder = tempfile::tempdir().unwrap();
    let [first, second] = ["first", "second"].map(|name| folder.path().join(name));
    fs::write(&first, content(32 * PART)).unwrap();
    fs::write(&second, content(100 * PART)).unwrap();
    let control = Control::new();
    control.limit(NonZeroU64::new(200 * PART as u64).unwrap());
    let outcomes = thread::scope(|scope| {
        scope.spawn(|| {
            while control.bytes() < 40 * PART as u64 {
                thread::sleep(Duration::from_millis(1));
            }
            control.stop();
        });
        let settings = Settings { control: Some(&control), ..3.into() };
        run(&[&first, &second], &engines(&["blake3"]), settings)
    });
    assert_eq!(outcomes.len(), 1);
    assert!(control.is_drained() && control.bytes() < 132 * PART as u64);
}

/// The states of one file, by the bytes after which they were kept.
#[derive(Debug, Default)]
struct States(Mutex<Vec<(u64, Vec<Vec<u8>>)>>);

impl Partial for States {
    fn interval(&self) -> u64 {
        PART as u64
    }

    fn begin(&self, _: &Path, _: &Stamp, continued: Continue<'_>) -> u64 {
        let states = self.0.lock().unwrap();
        let Some((length, states)) = states.last() else { return 0 };
        if continued(*length, states) { *length } else { 0 }
    }

    fn keep(&self, _: &Path, _: &Stamp, length: u64, states: &[Vec<u8>]) {
        self.0.lock().unwrap().push((length, states.to_vec()));
    }

    fn end(&self, _: &Path) {}
}

#[test]
fn a_file_is_hashed_though_no_part_of_it_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    let content = content(41 * PART);
    let engines = engines(&["blake3", "kt128"]);
    let kept = Arc::new(States::default());
    let hash = |size: usize| {
        fs::write(&path, &content[..size]).unwrap();
        let settings = Settings { partial: Some(kept.clone()), ..2.into() };
        let hashed = run(&[&path], &engines, settings);
        assert_eq!(hashed.len(), 1, "{size} bytes");
        assert_eq!(hashed[0].length, size as u64);
        check(&hashed[0], &engines, &content);
    };
    hash(41 * PART);
    // All but the last part, which is left to be read.
    assert_eq!(kept.0.lock().unwrap().last().unwrap().0, 40 * PART as u64);
    // A state after 40 parts, of a file that has no other.
    hash(40 * PART);
    hash(40 * PART + 5);
    // Of files that are shorter.
    hash(40 * PART - 1);
    // One that can be continued.
    hash(41 * PART);
}
