//! The digests of an object's content that one side knows.

use std::fmt;

use hashlanes::Algorithm;
use hashlanes_files::{Digest, Engine, Function, Single};
use hashlanes_tree::Format;

/// A digest of an object's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fact {
    /// The bytes that it is a digest of.
    pub of: Of,
    /// The digest.
    pub digest: Digest,
    /// Who computed it.
    pub by: By,
}

/// What a digest is computed of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Of {
    /// All bytes, as one message.
    Whole(Function),
    /// The digests of the parts in which the object was uploaded.
    Parts {
        /// The function for the parts and for their digests.
        function: Function,
        /// The number of parts.
        count: u64,
        /// Bytes of each part except the last, if known.
        size: Option<u64>,
    },
}

/// Who computed a digest. This decides what it proves if it differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum By {
    /// The client that uploaded the object wrote it beside the data, and the store did not check
    /// it.
    Uploader,
    /// It is an ETag that looks like an MD5 but may be something else.
    EtagPerhaps,
    /// It is the ETag of an object whose ETag is an MD5.
    Etag,
    /// The store computed it, or checked it when the object was written.
    Store,
    /// It was computed from the data here, or comes from a manifest.
    Us,
}

impl By {
    /// Whether a different digest proves different data. If not, only an equal digest proves
    /// anything.
    pub fn is_decisive(self) -> bool {
        self >= Self::Etag
    }
}

/// How hard it is to find other content with the same digest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Strength {
    /// A CRC or a fast hash: it detects accidental changes, but anybody can forge it.
    Checksum,
    /// MD5, SHA-1 or a short digest: whoever makes both contents can make them collide.
    Forgeable,
    /// Nobody knows how to find two contents with the same digest.
    Cryptographic,
}

impl Strength {
    /// The strength of a function.
    pub fn of(function: Function) -> Self {
        match function {
            Function::Single(
                Single::Crc32
                | Single::Crc32c
                | Single::Crc64Nvme
                | Single::Xxh3
                | Single::Xxh64
                | Single::Xxh128
                | Single::PosixCrc
                | Single::BsdSum
                | Single::SysvSum,
            ) => Self::Checksum,
            Function::Lanes(Algorithm::Md5 | Algorithm::Sha1) => Self::Forgeable,
            function if function.digest_len() < 28 => Self::Forgeable,
            _ => Self::Cryptographic,
        }
    }
}

impl Of {
    /// The function.
    pub fn function(self) -> Function {
        match self {
            Self::Whole(function) | Self::Parts { function, .. } => function,
        }
    }
}

impl fmt::Display for Of {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Whole(function) => f.write_str(&function.tag()),
            Self::Parts { function, count: 1, .. } => write!(f, "{} of 1 part", function.tag()),
            Self::Parts { function, count, size: None } => {
                write!(f, "{} of {count} parts", function.tag())
            }
            Self::Parts { function, count, size: Some(size) } => {
                write!(f, "{} of {count} parts of {size} bytes", function.tag())
            }
        }
    }
}

impl fmt::Display for By {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Uploader => "uploader",
            Self::EtagPerhaps | Self::Etag => "ETag",
            Self::Store => "store",
            Self::Us => "data",
        })
    }
}

impl Fact {
    /// A digest from a manifest's line, such as `SHA256 (name) = ..`.
    ///
    /// ```
    /// use hashlanes_files::Function;
    /// use hashlanes_objects::stored::{Fact, Of};
    ///
    /// let sha256 = Function::from_name("sha256")?;
    /// let fact = Fact::from_manifest(sha256, &[7; 32]).unwrap();
    /// assert_eq!(fact.of, Of::Whole(sha256));
    /// assert_eq!(Fact::from_manifest(sha256, &[7; 31]), None);
    /// # Ok::<(), hashlanes_files::UnknownFunction>(())
    /// ```
    pub fn from_manifest(function: Function, digest: &[u8]) -> Option<Self> {
        let digest = Digest::from_slice(digest).filter(|_| digest.len() == function.digest_len());
        Some(Self { of: Of::Whole(function), digest: digest?, by: By::Us })
    }

    /// A digest from a line of `hashlanes tree`, such as `S3-ETAG-8388608 (name) = ..-3`. `None` if
    /// the format is not one of S3's, or the digest does not fit the format.
    pub fn from_tag(format: &Format, digest: &str) -> Option<Self> {
        let (function, size) = match format {
            Format::S3 { engine, part, .. } => (engine.algorithm().into(), Some(*part)),
            Format::S3Crc { crc, part, .. } => (crc.function().into(), *part),
            _ => return None,
        };
        let (of, digest) = read(function, digest)?;
        let of = match of {
            Of::Parts { function, count, .. } => Of::Parts { function, count, size },
            whole => whole,
        };
        Some(Self { of, digest, by: By::Us })
    }

    /// Whether two facts agree. `None` if that cannot be said: they are of different functions or
    /// parts.
    pub(super) fn agrees(&self, other: &Self) -> Option<bool> {
        match (self.of, other.of) {
            (Of::Whole(one), Of::Whole(two)) => (one == two).then(|| self.digest == other.digest),
            (
                Of::Parts { function: one, count: n, size: a },
                Of::Parts { function: two, count: m, size: b },
            ) => {
                let same_size = n == 1 || a.is_none() || b.is_none() || a == b;
                let comparable = one == two && n == m && same_size;
                comparable.then(|| self.digest == other.digest)
            }
            (Of::Whole(one), Of::Parts { function: two, count: 1, .. }) => {
                let again = || Engine::new(one).digest(self.digest.as_bytes());
                (one == two).then(|| again() == other.digest)
            }
            (Of::Parts { count: 1, .. }, Of::Whole(_)) => other.agrees(self),
            _ => None,
        }
    }

    /// Whether content with another digest is other content. Parts can have different sizes, so a
    /// digest of several proves nothing if it differs.
    pub(super) fn is_decisive(&self) -> bool {
        self.by.is_decisive() && !matches!(self.of, Of::Parts { count: 2.., .. })
    }
}

/// Reads a digest in hexadecimal or base64, with `-N` after it for parts.
pub(super) fn read(function: Function, text: &str) -> Option<(Of, Digest)> {
    let (digits, of) = match text.rsplit_once('-') {
        Some((digits, count)) => {
            let count = part_count(count)?;
            (digits, Of::Parts { function, count, size: None })
        }
        None => (text, Of::Whole(function)),
    };
    Some((of, bytes(digits, function.digest_len())?))
}

/// The number after the hyphen. Amazon takes 10,000 parts, others take more.
fn part_count(text: &str) -> Option<u64> {
    let is_plain = text.bytes().all(|digit| digit.is_ascii_digit());
    text.parse().ok().filter(|&count| is_plain && count > 0)
}

/// A digest of this many bytes in hexadecimal or base64.
fn bytes(digits: &str, length: usize) -> Option<Digest> {
    use data_encoding::{BASE64, HEXLOWER_PERMISSIVE};
    // Base64 of four bytes is as long as their hexadecimal digits, but is padded.
    let is_hex = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let encoding = if is_hex { &HEXLOWER_PERMISSIVE } else { &BASE64 };
    let digest = encoding.decode(digits.as_bytes()).ok()?;
    Digest::from_slice(&digest).filter(|_| digest.len() == length)
}

/// What one side knows about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Known {
    /// Its length in bytes.
    pub size: Option<u64>,
    /// Its digests.
    pub facts: Vec<Fact>,
    /// Whether its ETag is not an MD5, because it is encrypted with a key of a management service
    /// or of the customer.
    pub encrypted: bool,
}

impl Known {
    /// Whether it has digests of parts whose size is unknown.
    pub fn needs_part(&self) -> bool {
        let unknown = |of| matches!(of, Of::Parts { count: 2.., size: None, .. });
        self.facts.iter().any(|fact| unknown(fact.of))
    }

    /// Sets the size of the parts of all facts with this number of parts.
    pub fn set_part(&mut self, bytes: u64, parts: u64) {
        for fact in &mut self.facts {
            match &mut fact.of {
                Of::Parts { count, size, .. } if *count == parts => *size = Some(bytes),
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MD5: Function = Function::Lanes(Algorithm::Md5);

    fn fact(text: &str, by: By) -> Fact {
        let (of, digest) = read(MD5, text).unwrap();
        Fact { of, digest, by }
    }

    #[test]
    fn digests_are_read_in_both_encodings_and_nothing_else_is() {
        let hex = "900150983cd24fb0d6963f7d28e17f72";
        let (of, digest) = read(MD5, hex).unwrap();
        assert_eq!((of, digest.to_string().as_str()), (Of::Whole(MD5), hex));
        assert_eq!(read(MD5, "kAFQmDzST7DWlj99KOF/cg==").unwrap().1, digest);
        let (of, _) = read(MD5, &format!("{hex}-12")).unwrap();
        assert_eq!(of, Of::Parts { function: MD5, count: 12, size: None });
        for wrong in ["", "-", "-3", &hex[1..], &format!("{hex}0"), "kAFQmDzST7DWlj99KOF/cg="] {
            assert_eq!(read(MD5, wrong), None, "{wrong}");
        }
        for count in ["", "0", "+1", "-1", "1x", "99999999999999999999999"] {
            assert_eq!(read(MD5, &format!("{hex}-{count}")), None, "{count}");
        }
    }

    #[test]
    fn one_part_is_comparable_with_the_whole() {
        let whole = fact("900150983cd24fb0d6963f7d28e17f72", By::Us);
        let again = Engine::new(MD5).digest(whole.digest.as_bytes());
        let etag = fact(&format!("{again}-1"), By::Etag);
        assert_eq!(whole.agrees(&etag), Some(true));
        assert_eq!(etag.agrees(&whole), Some(true));
        assert_eq!(whole.agrees(&fact(&format!("{again}-2"), By::Etag)), None);
        assert_eq!(whole.agrees(&fact(&format!("{}-1", whole.digest), By::Etag)), Some(false));
    }

    #[test]
    fn parts_are_comparable_unless_their_sizes_differ() {
        let parts = |size| {
            let of = Of::Parts { function: MD5, count: 3, size };
            Fact { of, ..fact("900150983cd24fb0d6963f7d28e17f72", By::Us) }
        };
        for (one, two, agrees) in [
            (None, None, Some(true)),
            (None, Some(5), Some(true)),
            (Some(5), Some(5), Some(true)),
            (Some(5), Some(6), None),
        ] {
            assert_eq!(parts(one).agrees(&parts(two)), agrees, "{one:?} {two:?}");
        }
    }

    #[test]
    fn lines_of_trees_are_facts() {
        let line = |tag: &str, text: &str| {
            Fact::from_tag(&Format::from_tag(tag)?, text).map(|fact| fact.of.to_string())
        };
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        assert_eq!(line("S3-ETAG-5", md5).as_deref(), Some("MD5"));
        let parts = line("S3-ETAG-5", &format!("{md5}-2"));
        assert_eq!(parts.as_deref(), Some("MD5 of 2 parts of 5 bytes"));
        assert_eq!(line("S3-CRC64NVME", "I537ZdA1+iY=").as_deref(), Some("CRC64NVME"));
        assert_eq!(line("GLACIER", &md5.repeat(2)), None);
    }

    #[test]
    fn strengths() {
        let strength = |name| Strength::of(Function::from_name(name).unwrap());
        assert_eq!(strength("crc64nvme"), Strength::Checksum);
        assert_eq!(strength("xxh128"), Strength::Checksum);
        assert_eq!(strength("sha1"), Strength::Forgeable);
        assert_eq!(strength("blake2b-128"), Strength::Forgeable);
        assert_eq!(strength("sha512"), Strength::Cryptographic);
        assert_eq!(strength("blake3"), Strength::Cryptographic);
    }
}
