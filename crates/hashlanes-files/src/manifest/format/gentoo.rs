//! `Manifest` of Gentoo (GLEP 74). Names are relative to the manifest.
//!
//! ```text
//! DIST a-1.tar.gz 3 BLAKE2B ba80a53f981c4d0d... SHA512 ddaf35a193617aba...
//! AUX a.patch 3 BLAKE2B ba80a53f981c4d0d... SHA512 ddaf35a193617aba...
//! TIMESTAMP 2026-11-28T08:26:18Z
//! ```

use super::super::{Read, Reason};
use super::column::{Column, File};
use super::{Given, LineReader};

#[derive(Default)]
pub(super) struct Reader;

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, line: &[u8]) -> Result<Read, Reason> {
        let words: Vec<&[u8]> = line.split(|byte| *byte == b' ').collect();
        let why = Reason::Words("expected KIND NAME SIZE FUNCTION DIGEST..");
        let [kind, name, size, digests @ ..] = &words[..] else {
            let is_other = matches!(&words[..], [b"TIMESTAMP" | b"IGNORE", _]);
            return if is_other { Ok(Read::Nothing) } else { Err(why) };
        };
        let mut file = File::new(given.function);
        match *kind {
            b"DIST" | b"DATA" | b"EBUILD" | b"MISC" | b"MANIFEST" => file.name = name.to_vec(),
            b"AUX" => file.name = [b"files/", *name].concat(),
            _ => return Err(why),
        }
        given.is_shown |= !digests.is_empty();
        if name.contains(&b'\\') {
            return Ok(Read::Unverified(file.name, "names with escapes are not read"));
        }
        file.take(&Column::Size, size);
        for pair in digests.chunks(2) {
            let &[function, digits] = pair else { return Err(why) };
            let Ok(function) = str::from_utf8(function) else { return Err(why) };
            file.found.named(function, digits);
        }
        file.read()
    }
}
