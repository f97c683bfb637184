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

impl Tool {
    pub(crate) const ALL: [Self; 8] = [
        Self::Md5sum,
        Self::Sha1sum,
        Self::Sha224sum,
        Self::Sha256sum,
        Self::Sha384sum,
        Self::Sha512sum,
        Self::B2sum,
        Self::Cksum,
    ];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Md5sum => "md5sum",
            Self::Sha1sum => "sha1sum",
            Self::Sha224sum => "sha224sum",
            Self::Sha256sum => "sha256sum",
            Self::Sha384sum => "sha384sum",
            Self::Sha512sum => "sha512sum",
            Self::B2sum => "b2sum",
            Self::Cksum => "cksum",
        }
    }

    /// The tool with this program name. On Windows the name ends in `.exe`.
    pub(super) fn from_program(program: &OsStr) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?;
        let name = if cfg!(windows) { name.strip_suffix(".exe").unwrap_or(name) } else { name };
        Self::ALL.into_iter().find(|tool| tool.name() == name)
    }

    /// What the tool computes by default.
    pub(super) fn family(self) -> Family {
        match self {
            Self::Md5sum => Family::Md5,
            Self::Sha1sum => Family::Sha1,
            Self::Sha224sum => Family::Sha224,
            Self::Sha256sum => Family::Sha256,
            Self::Sha384sum => Family::Sha384,
            Self::Sha512sum => Family::Sha512,
            Self::B2sum => Family::Blake2b,
            Self::Cksum => Family::Crc,
        }
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
