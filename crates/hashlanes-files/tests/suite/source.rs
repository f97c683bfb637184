//! The sources of what a user names: paths, and URLs.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hashlanes_files::list::{End, List};
use hashlanes_files::source::{Ahead, Arguments, Listed, NoStores, Note, Stores, below};
use hashlanes_files::system::Stamp;
use hashlanes_files::walk::Walk;
use hashlanes_files::{Content, Engine, Function, Outcome, Report, Source, Stream, hash_files};

/// Stores whose streams consist of their URLs.
#[derive(Default)]
struct Echo(Mutex<Vec<PathBuf>>);

impl Stores for Echo {
    fn stream(&self, url: &Path) -> Box<dyn Stream> {
        self.0.lock().unwrap().push(url.to_owned());
        Box::new(Text { bytes: url.to_str().unwrap().to_owned(), read: 0, is_started: false })
    }

    fn below(self: Arc<Self>, _: &Walk, roots: Vec<PathBuf>) -> Box<dyn Source<Note = Note>> {
        Box::new(Arguments::new(roots, self))
    }
}

struct Text {
    bytes: String,
    read: usize,
    is_started: bool,
}

impl Stream for Text {
    fn start(&mut self) {
        self.is_started = true;
    }

    fn is_ready(&self, _: Duration) -> bool {
        self.is_started
    }

    fn length(&self) -> Option<u64> {
        Some(self.bytes.len() as u64)
    }

    fn read(&mut self, buffer: &mut [u8], _: Duration) -> io::Result<Option<usize>> {
        assert!(self.is_started, "it is read before it was started");
        let rest = &self.bytes.as_bytes()[self.read..];
        let length = rest.len().min(buffer.len());
        buffer[..length].copy_from_slice(&rest[..length]);
        self.read += length;
        Ok(Some(length))
    }

    fn stamp(&self) -> Option<Stamp> {
        None
    }

    fn tag(&self) -> Option<Box<str>> {
        Some("tag".into())
    }

    fn into_content(self: Box<Self>) -> io::Result<Box<dyn Content + Send>> {
        Err(io::ErrorKind::Unsupported.into())
    }
}

#[derive(Default)]
struct Lines(Vec<String>);

impl Report<Note> for Lines {
    fn file(&mut self, path: &Path, _: Note, outcome: Outcome) -> io::Result<()> {
        let told = match outcome {
            Ok(hashed) => hashed.digests[0].to_string(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => "missing".into(),
            Err(error) => error.to_string(),
        };
        self.0.push(format!("{} {told}", path.display()));
        Ok(())
    }

    fn note(&mut self, _: Note) -> io::Result<()> {
        self.0.push("note".into());
        Ok(())
    }
}

fn md5() -> Engine {
    Engine::new(Function::from_name("md5").unwrap())
}

fn line(path: &Path, content: &str) -> String {
    format!("{} {}", path.display(), md5().digest(content.as_bytes()))
}

fn lines(source: impl Source<Note = Note>) -> Vec<String> {
    let mut lines = Lines::default();
    hash_files(source, &[vec![md5()].into()], &mut lines, 2).unwrap();
    lines.0
}

#[test]
fn only_urls_are_asked_of_stores_and_the_order_stays() {
    let folder = tempfile::tempdir().unwrap();
    let (file, missing) = (folder.path().join("file"), folder.path().join("missing"));
    fs::write(&file, "content").unwrap();
    let long = PathBuf::from(format!("s3://bucket/{}", "x".repeat(100_000)));
    let short = PathBuf::from("https://host/a?sig=secret");
    let names = vec![short.clone(), file.clone(), long.clone(), missing.clone(), short.clone()];
    let stores = Arc::new(Echo::default());
    let source = Arguments::new(names, stores.clone());
    let found = lines(Ahead::new(source, stores.clone()));
    // The name in a manifest has no signature, and what is read has.
    let of_short = line(Path::new("https://host/a"), short.to_str().unwrap());
    let of_long = line(&long, long.to_str().unwrap());
    let of_missing = format!("{} missing", missing.display());
    assert_eq!(found, [of_short.clone(), line(&file, "content"), of_long, of_missing, of_short]);
    assert_eq!(*stores.0.lock().unwrap(), [short.clone(), long, short]);
}

#[test]
fn lists_have_files_folders_and_urls() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("sub")).unwrap();
    fs::write(at("sub/file"), "content").unwrap();
    fs::write(at("list"), format!("s3://bucket/a\n{}\n\n", at("sub").display())).unwrap();
    let stores = Arc::new(Echo::default());
    let list = List::open(&at("list"), End::Newline).unwrap();
    let source = Listed::new(list, Some(Walk::default()), stores.clone());
    let url = Path::new("s3://bucket/a");
    let expected = [line(url, "s3://bucket/a"), line(&at("sub/file"), "content"), "note".into()];
    assert_eq!(lines(Ahead::new(source, stores)), expected);
}

#[test]
fn without_stores_each_url_is_an_error_with_the_reason() {
    let stores: Arc<dyn Stores> = Arc::new(NoStores("no feature"));
    let urls = vec![PathBuf::from("s3://b/a"), PathBuf::from("gs://b/c")];
    let expected = ["s3://b/a no feature", "gs://b/c no feature"];
    assert_eq!(lines(Arguments::new(urls.clone(), Arc::clone(&stores))), expected);
    assert_eq!(lines(below(&Walk::default(), urls, &stores).unwrap()), expected);
}

#[test]
fn folders_and_urls_need_a_source_each() {
    let stores: Arc<dyn Stores> = Arc::new(Echo::default());
    let mixed = vec![PathBuf::from("s3://b/a"), PathBuf::from("folder")];
    assert!(below(&Walk::default(), mixed, &stores).is_err());
}
