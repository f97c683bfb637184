//! Compares content-defined chunks with a sequential cutter, and a census with a map.

use std::collections::HashMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use fastcdc::v2020::FastCDC;
use hashlanes::{Algorithm, Engine, Sha256};
use hashlanes_files::Control;
use hashlanes_tree::dedup::{Census, Chunk, Opened, Report, Sizes, chunk_contents, chunk_files};
use hashlanes_tree::{Content, Error, ReadError, Settings};

/// The calls of a report, as text.
#[derive(Default)]
struct Told {
    chunks: Vec<(PathBuf, u64, u32, String)>,
    ends: Vec<(PathBuf, bool)>,
}

impl Report for Told {
    fn chunks(&mut self, path: &Path, chunks: &[Chunk]) -> io::Result<()> {
        self.chunks.extend(
            chunks.iter().map(|chunk| {
                (path.to_owned(), chunk.offset, chunk.length, chunk.digest.to_string())
            }),
        );
        Ok(())
    }

    fn end(&mut self, path: &Path, outcome: io::Result<()>) -> io::Result<()> {
        self.ends.push((path.to_owned(), outcome.is_ok()));
        Ok(())
    }
}

/// Bytes with repeated parts and zeros.
fn bytes(seed: u64, length: usize) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(seed % 3);
    let mut bytes: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
    let zeros = length / 3..length / 2;
    bytes[zeros].fill(0);
    bytes.rotate_left(seed as usize % length.max(1));
    bytes
}

/// Files of all kinds: empty, small, at the limits of batches and segments, and a missing one.
fn files(folder: &Path) -> Vec<PathBuf> {
    const MIB: usize = 1 << 20;
    let lengths = [0, 1, 1000, 300_000, 4 * MIB, 4 * MIB + 1, 16 * MIB, 16 * MIB + 1, 0, 40 * MIB];
    let lengths = lengths.into_iter().chain((0..100).map(|i| 1 << (i % 16)));
    let mut paths = Vec::new();
    for (i, length) in lengths.enumerate() {
        let path = folder.join(format!("{i:03}"));
        std::fs::write(&path, bytes(i as u64, length)).unwrap();
        paths.push(path);
    }
    paths.insert(50, folder.join("missing"));
    paths
}

fn by_definition(paths: &[PathBuf], (min, avg, max): (usize, usize, usize)) -> Told {
    let mut told = Told::default();
    for path in paths {
        if let Ok(bytes) = std::fs::read(path) {
            for chunk in FastCDC::new(&bytes, min, avg, max) {
                let digest = Sha256::digest(&bytes[chunk.offset..][..chunk.length]);
                let digest = digest.iter().map(|byte| format!("{byte:02x}")).collect();
                let (offset, length) = (chunk.offset as u64, chunk.length as u32);
                told.chunks.push((path.clone(), offset, length, digest));
            }
        }
        told.ends.push((path.clone(), path.exists()));
    }
    told
}

#[test]
fn chunks_are_those_of_a_cutter_that_has_the_whole_file() {
    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    for (min, avg, max) in [(16 << 10, 64 << 10, 256 << 10), (64, 1024, 8192)] {
        let expected = by_definition(&paths, (min, avg, max));
        let sizes = Sizes::new(min as u64, avg as u64, max as u64).unwrap();
        for threads in [1, 2, 7] {
            let settings = Settings { threads: threads.try_into().unwrap(), ..Settings::default() };
            let mut told = Told::default();
            let engine = Engine::of(Algorithm::Sha256);
            chunk_files(paths.clone().into_iter(), sizes, engine, &mut told, &settings).unwrap();
            assert!(told.ends == expected.ends, "{avg} with {threads} threads");
            assert!(told.chunks == expected.chunks, "{avg} with {threads} threads");
        }
    }
}

#[test]
fn a_census_counts_what_a_map_counts() {
    struct Counting(Census, HashMap<String, (u64, u64)>);

    impl Report for Counting {
        fn chunks(&mut self, _: &Path, chunks: &[Chunk]) -> io::Result<()> {
            for chunk in chunks {
                self.0.add(chunk)?;
                let known = self.1.entry(chunk.digest.to_string()).or_default();
                *known = (known.0 + 1, u64::from(chunk.length));
            }
            Ok(())
        }

        fn end(&mut self, _: &Path, _: io::Result<()>) -> io::Result<()> {
            Ok(())
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let sizes = Sizes::new(64, 1024, 8192).unwrap();
    // With so little memory, runs are written to the disk.
    let census = Census::new(0, Some(folder.path().into()));
    let mut counting = Counting(census, HashMap::new());
    let engine = Engine::of(Algorithm::Sha256);
    chunk_files(paths.into_iter(), sizes, engine, &mut counting, &Settings::default()).unwrap();
    let Counting(census, map) = counting;
    let counts = census.finish(1).unwrap();
    assert_eq!(counts.unique_chunks, map.len() as u64);
    assert_eq!(counts.unique_bytes, map.values().map(|(_, length)| length).sum::<u64>());
    assert_eq!(counts.bytes, map.values().map(|(count, length)| count * length).sum::<u64>());
    assert!(counts.duplicate_bytes() > counts.unique_bytes / 2);
    let most = map.values().map(|(count, length)| (count - 1) * length).max();
    assert_eq!(counts.top[0].duplicate_bytes, most.unwrap());
}

#[test]
fn a_report_and_a_control_end_the_run() {
    struct Refuse;

    impl Report for Refuse {
        fn chunks(&mut self, _: &Path, _: &[Chunk]) -> io::Result<()> {
            Err(io::Error::other("full"))
        }

        fn end(&mut self, _: &Path, _: io::Result<()>) -> io::Result<()> {
            Ok(())
        }
    }

    let folder = tempfile::tempdir().unwrap();
    let paths = files(folder.path());
    let (sizes, engine) = (Sizes::default(), Engine::of(Algorithm::Sha256));
    let settings = Settings { threads: 4.try_into().unwrap(), ..Settings::default() };
    let ended = chunk_files(paths.clone().into_iter(), sizes, engine, &mut Refuse, &settings);
    assert!(matches!(ended, Err(Error::Sink(error)) if error.to_string() == "full"));

    let control = Control::new();
    control.stop();
    let settings = Settings { control: Some(&control), ..settings };
    let mut told = Told::default();
    let ended = chunk_files(paths.into_iter(), sizes, engine, &mut told, &settings);
    assert!(matches!(ended, Err(Error::Stopped)) && told.chunks.is_empty());
}

/// The example, as `cargo test` has built it, or by cargo.
#[test]
fn the_example_names_the_chunks_of_one_cutter_over_the_whole_file() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("cut");
    let bytes = bytes(4, 20_000_000);
    std::fs::write(&path, &bytes).unwrap();
    let folder = std::env::current_exe().unwrap();
    let built = folder.parent().and_then(Path::parent).unwrap().join("examples/cut");
    let mut example = std::process::Command::new(if built.is_file() {
        &*built
    } else {
        Path::new(env!("CARGO"))
    });
    if !built.is_file() {
        example.args(["run", "--quiet", "--example", "cut", "--target-dir"]);
        example.arg(Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap()).arg("--");
        example.current_dir(env!("CARGO_MANIFEST_DIR"));
    }
    let output = example.arg(&path).arg("sha256").output().unwrap();
    let cutter = FastCDC::new(&bytes, 16 << 10, 64 << 10, 256 << 10);
    let right: String = cutter
        .map(|chunk| {
            let digest = Algorithm::Sha256.digest(&bytes[chunk.offset..][..chunk.length]);
            format!("{digest}  {}\n", chunk.length)
        })
        .collect();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(right.lines().count() > 100);
    assert!(String::from_utf8_lossy(&output.stdout) == right);
}

/// Bytes around a hole, and how many of them were read.
struct Holey(Arc<[u8]>, Range<usize>, Arc<AtomicU64>);

impl Content for Holey {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_exact_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), ReadError> {
        self.2.fetch_add(buffer.len() as u64, Ordering::Relaxed);
        self.0[..].read_exact_at(buffer, offset)
    }

    fn is_hole(&self, range: Range<u64>) -> bool {
        self.1.start as u64 <= range.start && range.end <= self.1.end as u64
    }
}

#[test]
fn chunks_in_holes_are_not_read() {
    const LENGTH: usize = 80 << 20;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for hole in [0..LENGTH, 5_000_001..70_000_001, 0..60_000_000, 20_000_000..LENGTH] {
        let mut content = vec![7; LENGTH];
        fastrand::Rng::with_seed(1).fill(&mut content);
        content[hole.clone()].fill(0);
        std::fs::write(&path, &content).unwrap();
        let expected = by_definition(std::slice::from_ref(&path), (16 << 10, 64 << 10, 256 << 10));
        let content: Arc<[u8]> = content.into();
        for threads in [1, 3] {
            let read = Arc::new(AtomicU64::new(0));
            let holey = Box::new(Holey(content.clone(), hole.clone(), read.clone())) as Opened;
            let settings = Settings { threads: threads.try_into().unwrap(), ..Settings::default() };
            let (mut told, engine) = (Told::default(), Engine::of(Algorithm::Sha256));
            let contents = [(path.clone(), Ok(holey))].into_iter();
            chunk_contents(contents, Sizes::default(), engine, &mut told, &settings).unwrap();
            assert!(told.chunks == expected.chunks, "{hole:?} with {threads} threads");
            // What is around the hole, with the rest of a buffer on both sides, twice.
            let most = LENGTH - hole.len() + (36 << 20);
            assert!(read.load(Ordering::Relaxed) < most as u64, "{hole:?}: {read:?}");
        }
    }
}
