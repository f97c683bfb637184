//! The names in a manifest that a run will replace although it was changed since the last run.

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, BufReader, Seek};

use hashlanes_files::manifest::{Entry, Read, Reader, ReaderOptions, Record, Records, Writer};

/// The names of a manifest.
pub(super) struct Listed {
    records: Records<BufReader<File>>,
    /// Text may have lines of other functions than the run's.
    readers: Vec<Reader>,
}

impl Listed {
    pub(super) fn new(mut manifest: File, writer: &Writer) -> io::Result<Self> {
        manifest.rewind()?;
        let records = Records::new(BufReader::new(manifest), writer.zero);
        let only = (writer.functions.len() == 1).then(|| writer.functions[0]);
        let (format, zero) = (Some(writer.format), writer.zero);
        let reader =
            |function| Reader::new(ReaderOptions { format, function, zero, manifest: Vec::new() });
        Ok(Self { records, readers: vec![reader(None), reader(only)] })
    }

    /// Removes the names that a new manifest has.
    pub(super) fn without(self, new: Self) -> io::Result<HashSet<Vec<u8>>> {
        let mut names = self.collect::<io::Result<HashSet<_>>>()?;
        for name in new {
            names.remove(&name?);
        }
        Ok(names)
    }
}

impl Iterator for Listed {
    type Item = io::Result<Vec<u8>>;

    fn next(&mut self) -> Option<io::Result<Vec<u8>>> {
        let mut line = Vec::new();
        loop {
            match self.records.next(&mut line) {
                // An unterminated last line may have a truncated name.
                Ok(None | Some(Record::Cut)) => return None,
                Ok(Some(Record::TooLong)) => {}
                Ok(Some(Record::Whole)) => {
                    for reader in &mut self.readers {
                        if let Read::Entry(Entry { name, .. }) = reader.read(&line) {
                            return Some(Ok(name));
                        }
                    }
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}
