//! Sorts files by name in bounded memory: full runs go to temporary files.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, Write};
use std::path::Path;
use std::rc::Rc;

use hashlanes_files::manifest::{
    Digits, Entry, Format, Read, Reader, ReaderOptions, Record, Records, Writer, Written,
};

use super::{Files, Input, Item, Merged, Trouble, item};
use crate::terminal::message::reason;

/// The most bytes of files in memory.
const MEMORY: usize = 64 << 20;

type Source = Box<dyn Iterator<Item = Item>>;

/// The files of all manifests, sorted.
pub(super) fn sorted(inputs: Vec<Input>, trouble: &Trouble) -> io::Result<Files> {
    sorted_within(inputs, trouble, MEMORY)
}

fn sorted_within(
    items: impl IntoIterator<Item = impl IntoIterator<Item = Item>>,
    trouble: &Trouble,
    memory: usize,
) -> io::Result<Files> {
    let (mut runs, mut run, mut held) = (Vec::<Source>::new(), Vec::new(), 0);
    let mut functions = Vec::new();
    for item in items.into_iter().flatten() {
        item::add(&mut functions, &item);
        held += item.memory();
        run.push(item);
        if held > memory {
            runs.push(Box::new(Spilled::write(sort(std::mem::take(&mut run)), trouble)?));
            held = 0;
        }
    }
    runs.push(Box::new(sort(run)));
    Ok(Files { items: Box::new(Merged::new(runs, trouble.clone())), functions })
}

/// A stable sort: files with the same name keep their order.
fn sort(mut run: Vec<Item>) -> std::vec::IntoIter<Item> {
    run.sort_by(|a, b| a.key().cmp(b.key()));
    run.into_iter()
}

/// A run in an anonymous temporary file.
struct Spilled {
    records: Records<BufReader<File>>,
    reader: Reader,
    /// The manifests that list the files. A line begins with the index of one.
    from: Vec<Rc<Path>>,
    trouble: Trouble,
}

impl Spilled {
    fn write(items: impl Iterator<Item = Item>, trouble: &Trouble) -> io::Result<Self> {
        let mut file = BufWriter::new(tempfile::tempfile()?);
        let mut from: Vec<Rc<Path>> = Vec::new();
        let mut line = Vec::new();
        for item in items {
            let found = from.iter().position(|path| *path == item.from);
            let index = found.unwrap_or_else(|| {
                from.push(item.from.clone());
                from.len() - 1
            });
            line.clear();
            write!(line, "{index} ")?;
            write_item(&item, &mut line);
            file.write_all(&line)?;
        }
        let mut file = file.into_inner()?;
        file.rewind()?;
        let options = ReaderOptions { format: Some(Format::Json), ..ReaderOptions::default() };
        let (records, reader) = (Records::new(BufReader::new(file), false), Reader::new(options));
        Ok(Self { records, reader, from, trouble: trouble.clone() })
    }

    fn read(&mut self, line: &[u8]) -> Option<Item> {
        let blank = line.iter().position(|&byte| byte == b' ')?;
        let index: usize = str::from_utf8(&line[..blank]).ok()?.parse().ok()?;
        let Read::Entry(entry) = self.reader.read(&line[blank + 1..]) else { return None };
        Some(Item { entry, from: self.from.get(index)?.clone() })
    }
}

fn write_item(item: &Item, line: &mut Vec<u8>) {
    let writer = Writer {
        format: Format::Json,
        functions: item.functions().collect(),
        digits: Digits::Hex,
        zero: false,
        binary: false,
    };
    let Entry { name, size, modified, digests, .. } = &item.entry;
    // The same kind of digests as elsewhere, so that no writer is compiled once more.
    let digests: Vec<&[u8]> = digests.iter().map(AsRef::as_ref).collect();
    let file = Written { name, size: *size, modified: *modified, version: None, digests: &digests };
    writer.file(&file, line).expect("JSON can represent every name");
}

impl Iterator for Spilled {
    type Item = Item;

    fn next(&mut self) -> Option<Item> {
        let mut line = Vec::new();
        let why = match self.records.next(&mut line) {
            Ok(None) => return None,
            Ok(Some(Record::Whole)) => match self.read(&line) {
                Some(item) => return Some(item),
                None => "a line was lost".to_owned(),
            },
            Ok(Some(_)) => "a line is too long".to_owned(),
            Err(error) => reason(&error),
        };
        self.trouble.of(Path::new("a temporary file"), why);
        None
    }
}

#[cfg(test)]
mod tests {
    use hashlanes_files::manifest::{Expected, HashName};

    use super::*;

    #[test]
    fn runs_in_files_give_the_same_as_memory() {
        let from: Rc<Path> = Path::new("m").into();
        let md5 = HashName::named("md5").unwrap();
        let item = |i: u32| {
            let digest = vec![(i % 100) as u8; 16];
            let entry = Entry {
                name: format!("{:03}\n\u{e9}", i * 37 % 100).into_bytes(),
                digests: vec![Expected { function: md5, digest, guessed: false }],
                tagged: false,
                size: Some(i.into()),
                modified: Some((i.into(), i)),
                version: None,
                unknown: Vec::new(),
            };
            Item { entry, from: from.clone() }
        };
        let names = |memory| {
            let trouble = Trouble::default();
            let files = sorted_within([(0..150).map(item)], &trouble, memory).unwrap();
            let items: Vec<_> =
                files.items.map(|item| (item.entry.name, item.entry.size)).collect();
            assert_eq!(files.functions, [md5]);
            assert!(!trouble.is_there());
            items
        };
        let all = names(MEMORY);
        assert_eq!(all.len(), 100);
        assert!(all.is_sorted());
        assert_eq!(names(1000), all);
        assert_eq!(names(0), all);
    }
}
