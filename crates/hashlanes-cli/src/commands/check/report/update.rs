//! Replaces the manifest atomically: at every moment the file is either the old or the new one.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use hashlanes_files::manifest::{Digits, Format, HashName, Unwritable, Writer, Written};
use hashlanes_files::replace::{Replacement, Replaces};

/// The name of the new manifest until it takes the old one's place.
const NEW: &str = "new";

pub(super) struct NewManifest {
    /// One per list of functions. All have the same format.
    writers: Vec<Writer>,
    file: BufWriter<File>,
    line: Vec<u8>,
    replacement: Replacement,
}

impl NewManifest {
    /// Begins a manifest that will replace `old`. If `old` is a link, its target is replaced.
    pub(super) fn new(
        old: &Path,
        format: Format,
        zero: bool,
        kinds: &[Vec<HashName>],
    ) -> io::Result<Self> {
        let replacement = Replacement::begin(old, Replaces::Any)?;
        let file = BufWriter::new(replacement.create(NEW)?);
        let digits = Digits::Hex;
        let writer = |functions: &Vec<HashName>| {
            let functions = functions.clone();
            Writer { format, functions, digits, zero, binary: false }
        };
        let writers: Vec<_> = kinds.iter().map(writer).collect();
        let mut new = Self { writers, file, line: Vec::new(), replacement };
        if let Some(writer) = new.writers.first() {
            writer.header(&mut new.line);
        }
        new.file.write_all(&new.line)?;
        Ok(new)
    }

    /// The manifest that will be replaced.
    pub(super) fn old(&self) -> &Path {
        self.replacement.target()
    }

    /// Adds a file. The inner error means that the format cannot represent its name.
    pub(super) fn add<D: AsRef<[u8]>>(
        &mut self,
        kind: usize,
        file: &Written<'_, D>,
    ) -> io::Result<Result<(), Unwritable>> {
        self.line.clear();
        let written = self.writers[kind].file(file, &mut self.line);
        self.file.write_all(&self.line)?;
        Ok(written)
    }

    /// Writes it to the disk, and puts it in its place.
    pub(super) fn finish(mut self) -> io::Result<()> {
        self.file.flush()?;
        self.replacement.put(NEW, self.file.get_ref(), self.replacement.target())
    }
}
