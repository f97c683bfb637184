//! `Manifest` of Gentoo (GLEP 74). Names are relative to the manifest.
//!
//! ```text
//! DIST a-1.tar.gz 3 BLAKE2B ba80a53f981c4d0d... SHA512 ddaf35a193617aba...
//! AUX a.patch 3 BLAKE2B ba80a53f981c4d0d... SHA512 ddaf35a193617aba...
//! TIMESTAMP 2026-11-28T08:26:18Z
//! ```

use super::super::{Read, Reason};
use super::column::{Column, File};
use super::{Given, HashName, LineReader};

pub(super) struct Reader {
    only: Option<HashName>,
    is_sure: bool,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { only: given.function, is_sure: false }
    }

    fn file(&mut self, kind: &[u8], words: &[&[u8]]) -> Option<Read> {
        let [name, size, digests @ ..] = words else { return None };
        let mut file = File::new(self.only);
        match kind {
            b"DIST" | b"DATA" | b"EBUILD" | b"MISC" | b"MANIFEST" => file.name = name.to_vec(),
            b"AUX" => file.name = [b"files/", *name].concat(),
            _ => return None,
        }
        self.is_sure |= !digests.is_empty();
        if name.contains(&b'\\') {
            return Some(Read::Unverified(file.name, "names with escapes are not read"));
        }
        file.take(&Column::Size, size);
        for pair in digests.chunks(2) {
            let [function, digits] = pair else { return None };
            file.found.named(str::from_utf8(function).ok()?, digits);
        }
        Some(file.read())
    }
}

impl LineReader for Reader {
    fn read(&mut self, line: &[u8]) -> Read {
        let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let why = "expected KIND NAME SIZE FUNCTION DIGEST..";
        match &words[..] {
            [b"TIMESTAMP" | b"IGNORE", _] => Read::Nothing,
            [kind, rest @ ..] => {
                self.file(kind, rest).unwrap_or(Read::Malformed(Reason::Words(why)))
            }
            [] => Read::Nothing,
        }
    }

    fn is_sure(&self) -> bool {
        self.is_sure
    }
}
