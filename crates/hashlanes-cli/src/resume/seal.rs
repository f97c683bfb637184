//! Check values: of a line in `MANIFEST.resume`, and of the manifest.

use std::fs::File;
use std::io::{self, Seek};
use std::sync::LazyLock;

use base16ct::lower::encode_string;
use hashlanes::Sha256;
use hashlanes_files::Engine;

use crate::options::algorithm;

static CRC: LazyLock<Engine> =
    LazyLock::new(|| Engine::new(algorithm("crc32c").expect("there is CRC-32C")));

/// The length of a blank and a CRC-32C in hexadecimal.
const CHECK: usize = 9;

/// Appends the check value to the line that begins at `start`, before its newline.
pub(super) fn add_check(lines: &mut Vec<u8>, start: usize) {
    lines.pop_if(|end| *end == b'\n');
    let check = check(&lines[start..]);
    lines.extend(check.bytes());
    lines.push(b'\n');
}

/// A line without newline and without its check value. `None` if the check value does not match.
pub(super) fn checked(line: &[u8]) -> Option<&[u8]> {
    let (line, found) = line.split_at_checked(line.len().checked_sub(CHECK)?)?;
    (found == check(line).as_bytes()).then_some(line)
}

fn check(line: &[u8]) -> String {
    format!(" {}", encode_string(CRC.digest(line).as_bytes()))
}

/// The SHA-256 of a whole manifest, which shows a later run whether the manifest was changed.
pub(super) fn seal(manifest: &mut File) -> io::Result<String> {
    manifest.rewind()?;
    let mut hasher = Sha256::hasher();
    hasher.update_reader(manifest)?;
    Ok(encode_string(hasher.finalize().as_ref()))
}

/// Stands for the SHA-256 of a manifest that is not complete.
pub(super) fn no_seal() -> String {
    "0".repeat(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_with_a_damaged_byte_is_detected() {
        let mut lines = b"first\n{\"path\":\"a\"}\n".to_vec();
        add_check(&mut lines, 6);
        let line = &lines[6..lines.len() - 1];
        assert_eq!(checked(line), Some(&b"{\"path\":\"a\"}"[..]));
        for at in 0..line.len() {
            let mut damaged = line.to_vec();
            damaged[at] ^= 1;
            assert_eq!(checked(&damaged), None);
        }
        assert_eq!(checked(b"short"), None);
    }
}
