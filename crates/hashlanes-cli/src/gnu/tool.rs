//! The programs that this one replaces.

use std::ffi::OsStr;
use std::path::Path;

use super::family::Family;

/// A program of GNU coreutils.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tool {
    Md5sum,
    Sha1sum,
    Sha224sum,
    Sha256sum,
    Sha384sum,
    Sha512sum,
    B2sum,
    Cksum,
}

/// The name of each tool, what it computes by default, and how `--help` calls the digest.
const TOOLS: [(Tool, &str, Family, &str); 8] = [
    (Tool::Md5sum, "md5sum", Family::Md5, "MD5 (128-bit)"),
    (Tool::Sha1sum, "sha1sum", Family::Sha1, "SHA1 (160-bit)"),
    (Tool::Sha224sum, "sha224sum", Family::Sha224, "SHA224 (224-bit)"),
    (Tool::Sha256sum, "sha256sum", Family::Sha256, "SHA256 (256-bit)"),
    (Tool::Sha384sum, "sha384sum", Family::Sha384, "SHA384 (384-bit)"),
    (Tool::Sha512sum, "sha512sum", Family::Sha512, "SHA512 (512-bit)"),
    (Tool::B2sum, "b2sum", Family::Blake2b, "BLAKE2b (512-bit)"),
    (Tool::Cksum, "cksum", Family::Crc, "CRC (32-bit)"),
];

impl Tool {
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        TOOLS.into_iter().map(|(tool, ..)| tool)
    }

    fn row(self) -> (Self, &'static str, Family, &'static str) {
        let row = TOOLS.into_iter().find(|(tool, ..)| *tool == self);
        row.expect("every tool has a row")
    }

    pub(crate) fn name(self) -> &'static str {
        self.row().1
    }

    /// The tool with this program name. On Windows the name ends in `.exe`.
    pub(super) fn from_program(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        let name = if cfg!(windows) { name.strip_suffix(".exe").unwrap_or(name) } else { name };
        Self::all().find(|tool| tool.name() == name)
    }

    /// What the tool computes by default.
    pub(super) fn family(self) -> Family {
        self.row().2
    }

    /// The name of its digest in `--help`.
    pub(super) fn digest(self) -> &'static str {
        self.row().3
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_part_of_the_path_decides() {
        let tool = |program: &str| Tool::from_program(program.as_ref());
        assert_eq!(tool("md5sum"), Some(Tool::Md5sum));
        assert_eq!(tool("/usr/local/bin/cksum"), Some(Tool::Cksum));
        assert_eq!(tool("./b2sum"), Some(Tool::B2sum));
        for other in ["hashlanes", "md5", "md5sum2", "MD5SUM", "md5sum/x", "", "/"] {
            assert_eq!(tool(other), None, "{other}");
        }
        assert_eq!(tool("md5sum.exe").is_some(), cfg!(windows));
    }
}
