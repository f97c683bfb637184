//! Checksum lines: how they are written and read.
//!
//! | format | line |
//! |---|---|
//! | plain | `DIGEST  NAME`, or `DIGEST *NAME` for a file read as binary |
//! | reversed, of old BSD | `DIGEST NAME` |
//! | tagged | `SHA256 (NAME) = DIGEST`; OpenSSL's `SHA2-256(NAME)= DIGEST` is read too |
//!
//! If the name has a backslash, newline or carriage return, these are escaped, and the line begins with a backslash.

use std::path::Path;

use hashlanes::{Algorithm, Digest};

use crate::name;

/// How lines are written.
pub(crate) struct Format {
    pub(crate) tag: bool,
    /// Lines end in NUL, and no name is escaped.
    pub(crate) zero: bool,
    pub(crate) binary: bool,
}

impl Format {
    /// Appends the line, with its end, for a file.
    pub(crate) fn write(&self, line: &mut Vec<u8>, algorithm: Algorithm, digest: &Digest, path: &Path) {
        let name = name::bytes(path);
        let escaped = !self.zero && name::needs_escape(name);
        if escaped {
            line.push(b'\\');
        }
        if self.tag {
            line.extend(algorithm.tag().as_bytes());
            line.extend(b" (");
        } else {
            write_hex(line, digest);
            line.extend(if self.binary { b" *" } else { b"  " });
        }
        if escaped {
            name::escape(name, line);
        } else {
            line.extend(name);
        }
        if self.tag {
            line.extend(b") = ");
            write_hex(line, digest);
        }
        line.push(if self.zero { 0 } else { b'\n' });
    }
}

fn write_hex(line: &mut Vec<u8>, digest: &Digest) {
    let bytes = digest.as_bytes();
    let begin = line.len();
    line.resize(begin + 2 * bytes.len(), 0);
    base16ct::lower::encode(bytes, &mut line[begin..]).expect("there are two digits for each byte");
}
