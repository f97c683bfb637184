//! Formats chosen at run time, with their parameters and their names in checksum lines.

use std::fmt::{self, Write};
use std::io;

use hashlanes::{Algorithm, AnyDigest, Engine};
use hashlanes_files::manifest::Digits;

use crate::dmverity::{self, Blocks, Verity, VerityTree};
use crate::fsverity::{FsVerity, FsVerityTree};
use crate::merkle::{Domain, Tree};
use crate::s3_crc::{Crc, Crcs};
use crate::{MerkleFold, Plan, Root, Sink, glacier, s3};

/// A format with its parameters.
///
/// A tag names both, in tagged lines such as `S3-ETAG-8388608 (name) = ..-12`, which `hashlanes
/// check` reads.
///
/// ```
/// use hashlanes_tree::{Format, Settings};
///
/// let format = Format::from_tag("S3-ETAG-5242880").unwrap();
/// let object = vec![7; 11 << 20];
/// let digests = hashlanes_tree::digest(object.as_slice(), &[format], &Settings::default())?;
/// assert!(digests[0].ends_with("-3"));
/// # Ok::<(), hashlanes_tree::DigestError>(())
/// ```
#[derive(Clone, Debug)]
pub enum Format {
    /// The ETag or composite checksum of an S3 object, by the algorithm of the engine.
    S3 {
        /// MD5 for ETags, SHA-1 or SHA-256 for checksums.
        engine: Engine,
        /// Bytes of a part.
        part: u64,
        /// Shorter objects are uploaded as a whole.
        threshold: u64,
    },
    /// A CRC of an S3 object.
    S3Crc {
        /// The kind of CRC.
        crc: Crc,
        /// Bytes of a part of a composite checksum. `None` for a full object checksum, the only
        /// kind that CRC-64 has.
        part: Option<u64>,
        /// Shorter objects are uploaded as a whole.
        threshold: u64,
    },
    /// The tree hash of Glacier.
    Glacier(Engine),
    /// A plain binary Merkle tree.
    Merkle(Tree),
    /// fs-verity.
    FsVerity(FsVerity),
    /// dm-verity: the root hash.
    DmVerity(dmverity::Parameters),
}

/// Why a format cannot hash a file of this length, or a pipe.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Invalid {
    /// dm-verity requires a multiple of the block size.
    DmVerity(dmverity::Invalid),
    /// The length must be known in advance.
    Length(&'static str),
    /// S3 has no checksums with this algorithm.
    S3(Algorithm),
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DmVerity(invalid) => invalid.fmt(f),
            Self::Length(why) => f.write_str(why),
            Self::S3(algorithm) => write!(f, "S3 has no checksums with {algorithm}"),
        }
    }
}

impl std::error::Error for Invalid {}

impl From<dmverity::Invalid> for Invalid {
    fn from(invalid: dmverity::Invalid) -> Self {
        Self::DmVerity(invalid)
    }
}

impl Format {
    /// The name of the format: `s3-etag`, `s3-sha1`, `s3-sha256`, `s3-crc32`, `s3-crc32c`,
    /// `s3-crc64nvme`, `glacier`, `merkle`, `fs-verity` or `dm-verity`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::S3 { engine, .. } => match engine.algorithm() {
                Algorithm::Sha1 => "s3-sha1",
                Algorithm::Sha256 => "s3-sha256",
                Algorithm::Md5 => "s3-etag",
                // S3 has no such checksums, and `begin` refuses them.
                _ => "s3",
            },
            Self::S3Crc { crc, .. } => crc.name(),
            Self::Glacier(_) => "glacier",
            Self::Merkle(_) => "merkle",
            Self::FsVerity(_) => "fs-verity",
            Self::DmVerity(_) => "dm-verity",
        }
    }

    /// The format and its parameters, as in tagged lines.
    ///
    /// | tag | parameters |
    /// |---|---|
    /// | `S3-ETAG-8388608`, `S3-SHA1-..`, `S3-SHA256-..` | the part size |
    /// | `S3-CRC32-8388608`, `S3-CRC32C-..` | the part size of a composite checksum |
    /// | `S3-CRC32`, `S3-CRC32C`, `S3-CRC64NVME` | of the full object |
    /// | `GLACIER` | |
    /// | `MERKLE-SHA256-4096`, `MERKLE-RFC6962-SHA256-4096` | algorithm, leaf size |
    /// | `FS-VERITY-SHA256-4096-0102` | algorithm, block size, salt if there is one |
    /// | `DM-VERITY-1-SHA256-4096-4096-0102` | type, algorithm, blocks of data and digests, salt |
    pub fn tag(&self) -> String {
        let mut tag = self.name().to_ascii_uppercase();
        let mut add = |part: &dyn fmt::Display| {
            let _ = write!(tag, "-{part}");
        };
        let mut salt = &[][..];
        match self {
            Self::S3 { part, .. } => add(part),
            Self::S3Crc { part, .. } => part.iter().for_each(|part| add(part)),
            Self::Glacier(_) => {}
            Self::Merkle(Tree { engine, leaf, domain }) => {
                if *domain == Domain::Rfc6962 {
                    add(&"RFC6962");
                }
                add(&engine.algorithm().tag());
                add(leaf);
            }
            Self::FsVerity(verity) => {
                add(&verity.algorithm().tag());
                add(&verity.block());
                salt = verity.salt();
            }
            Self::DmVerity(parameters) => {
                add(&parameters.hash_type.number());
                add(&parameters.engine.algorithm().tag());
                add(&parameters.data_block);
                add(&parameters.hash_block);
                salt = &parameters.salt;
            }
        }
        if !salt.is_empty() {
            add(&Digits::Hex.text(salt));
        }
        tag
    }

    /// The format of a tag. `None` if the tag is unknown or its parameters are invalid.
    pub fn from_tag(tag: &str) -> Option<Self> {
        let size = |text: &str| {
            let plain = text.bytes().all(|byte| byte.is_ascii_digit());
            text.parse::<u64>().ok().filter(|&size| plain && size > 0)
        };
        let engine = |tag: &str| {
            let algorithm = Algorithm::from_name(tag).ok()?;
            (algorithm.tag() == tag).then(|| Engine::of(algorithm))
        };
        let salt = |rest: &[&str]| match rest {
            [] => Some(Vec::new()),
            [salt] => bytes(salt),
            _ => None,
        };
        let words: Vec<&str> = tag.split('-').collect();
        Some(match words.as_slice() {
            ["S3", kind, rest @ ..] if kind.starts_with("CRC") => {
                let is_named = |crc: &Crc| crc.name()[3..].to_ascii_uppercase() == *kind;
                let crc = Crc::ALL.into_iter().find(is_named)?;
                let part = match rest {
                    [] => None,
                    [part] if crc.is_composite() => Some(size(part)?),
                    _ => return None,
                };
                Self::S3Crc { crc, part, threshold: part.unwrap_or(0) }
            }
            ["S3", kind, part] => {
                let algorithm = match *kind {
                    "ETAG" => Algorithm::Md5,
                    "SHA1" => Algorithm::Sha1,
                    "SHA256" => Algorithm::Sha256,
                    _ => return None,
                };
                let part = size(part)?;
                Self::S3 { engine: Engine::of(algorithm), part, threshold: part }
            }
            ["GLACIER"] => Self::Glacier(Engine::of(Algorithm::Sha256)),
            ["MERKLE", rest @ .., algorithm, leaf] => {
                let domain = match rest {
                    [] => Domain::Plain,
                    ["RFC6962"] => Domain::Rfc6962,
                    _ => return None,
                };
                Self::Merkle(Tree { engine: engine(algorithm)?, leaf: size(leaf)?, domain })
            }
            ["FS", "VERITY", algorithm, block, rest @ ..] => {
                let block = block.parse().ok()?;
                Self::FsVerity(FsVerity::new(engine(algorithm)?, block, &salt(rest)?).ok()?)
            }
            ["DM", "VERITY", hash_type, algorithm, data_block, hash_block, rest @ ..] => {
                let parameters = dmverity::Parameters {
                    engine: engine(algorithm)?,
                    hash_type: dmverity::Type::from_number(hash_type.parse().ok()?)?,
                    data_block: data_block.parse().ok()?,
                    hash_block: hash_block.parse().ok()?,
                    salt: salt(rest)?,
                    uuid: [0; 16],
                };
                // The length does not matter here: any number of full blocks is valid.
                Verity::new(parameters.clone(), u64::from(parameters.data_block)).ok()?;
                Self::DmVerity(parameters)
            }
            _ => return None,
        })
    }

    /// Begins to hash content of this length, or a pipe if the length is `None`.
    ///
    /// # Errors
    /// If the format has no digest for it.
    pub fn begin(&self, length: Option<u64>) -> Result<Digester, Invalid> {
        self.begin_with(length, Box::new(()))
    }

    /// Like [`begin`](Self::begin). The blocks of a dm-verity tree go to `blocks`.
    ///
    /// # Errors
    /// If the format has no digest for it.
    ///
    /// # Panics
    /// If a part size is 0, or a CRC-64 is to be composite.
    pub fn begin_with(
        &self,
        length: Option<u64>,
        blocks: Box<dyn Blocks>,
    ) -> Result<Digester, Invalid> {
        let (plan, state) = match self {
            Self::S3 { engine, .. } if self.name() == "s3" => {
                return Err(Invalid::S3(engine.algorithm()));
            }
            Self::S3 { engine, part, threshold } => {
                let part = match length {
                    Some(length) if length < *threshold => u64::MAX,
                    None if threshold > part => return Err(Invalid::Length(NO_LENGTH)),
                    _ => *part,
                };
                let parts = s3::Parts::new(*engine, part);
                (parts.plan(), State::S3(Box::new(parts)))
            }
            Self::S3Crc { crc, part, threshold } => {
                let crcs = match (*part, length) {
                    (Some(part), None) if *threshold > part => {
                        return Err(Invalid::Length(NO_LENGTH));
                    }
                    (Some(part), length) if length.is_none_or(|length| length >= *threshold) => {
                        Crcs::composite(*crc, part)
                    }
                    _ => Crcs::full(*crc),
                };
                (crcs.plan(), State::S3Crc(crcs))
            }
            Self::Glacier(engine) => {
                (glacier::plan(Some(*engine)), State::Binary(glacier::fold(Some(*engine))))
            }
            Self::Merkle(tree) => (tree.plan(), State::Binary(tree.fold())),
            Self::FsVerity(verity) => (verity.plan(), State::FsVerity(verity.tree())),
            Self::DmVerity(parameters) => {
                let why = "dm-verity needs a regular file or a block device, of known length";
                let length = length.ok_or(Invalid::Length(why))?;
                let verity = Verity::new(parameters.clone(), length)?;
                (verity.plan(), State::DmVerity(verity.tree(blocks)))
            }
        };
        Ok(Digester { format: self.clone(), plan, state })
    }
}

const NO_LENGTH: &str =
    "the length of a pipe is unknown, so its parts cannot be larger than the threshold";

/// Parses lower-case hexadecimal digits.
fn bytes(hex: &str) -> Option<Vec<u8>> {
    base16ct::lower::decode_vec(hex).ok().filter(|bytes| !bytes.is_empty())
}

/// Computes the digest of one file by one format: a sink for the leaves of its plan.
pub struct Digester {
    format: Format,
    plan: Plan,
    state: State,
}

enum State {
    S3(Box<s3::Parts>),
    S3Crc(Crcs),
    Binary(MerkleFold),
    FsVerity(FsVerityTree),
    DmVerity(VerityTree<Box<dyn Blocks>>),
}

/// The result of a [`Digester`].
#[derive(Clone, Debug)]
pub struct Finished {
    /// The digest in the format's notation: hexadecimal or base64, with `-N` for parts.
    pub text: String,
    /// The root of a binary tree, with the requested proofs.
    pub root: Option<Root>,
}

impl Digester {
    /// What to hash, and how.
    pub fn plan(&self) -> Plan {
        self.plan.clone()
    }

    /// Requests a proof that a binary tree contains this leaf. Must be called before any leaf is
    /// hashed.
    pub fn prove(&mut self, index: u64) {
        if let State::Binary(fold) = &mut self.state {
            fold.prove(index);
        }
    }

    /// The digest of content of this length.
    ///
    /// # Errors
    /// Any error that the [`Blocks`] of dm-verity return.
    pub fn finish(self, length: u64) -> io::Result<Finished> {
        let plain = |text: String| Finished { text, root: None };
        Ok(match (self.state, &self.format) {
            (State::S3(parts), Format::S3 { engine, threshold, .. }) => {
                let digests = parts.finish();
                let is_etag = engine.algorithm() == Algorithm::Md5;
                plain(match digests.whole.filter(|_| length < *threshold) {
                    Some(whole) => s3_text(whole, is_etag),
                    None => {
                        format!("{}-{}", s3_text(digests.composite, is_etag), digests.count)
                    }
                })
            }
            (State::S3Crc(crcs), Format::S3Crc { threshold, .. }) => {
                plain(crcs.finish(length, *threshold))
            }
            (State::Binary(fold), format) => {
                let root = fold.finish();
                let digest = match (&root, format) {
                    (Some(root), _) => root.digest,
                    (None, Format::Merkle(tree)) => tree.empty(),
                    (None, _) => Algorithm::Sha256.digest([]),
                };
                Finished { text: digest.to_string(), root }
            }
            (State::FsVerity(tree), Format::FsVerity(verity)) => {
                plain(verity.digest(tree, length)?.to_string())
            }
            (State::DmVerity(tree), _) => plain(tree.finish()?.0.to_string()),
            _ => unreachable!("the state is that of the format"),
        })
    }
}

fn s3_text(digest: AnyDigest, is_etag: bool) -> String {
    let digits = if is_etag { Digits::Hex } else { Digits::Base64 };
    digits.text(digest.as_bytes())
}

impl Sink for Digester {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        match &mut self.state {
            State::S3(parts) => parts.leaves(digests),
            State::S3Crc(crcs) => crcs.leaves(digests),
            State::Binary(fold) => fold.leaves(digests),
            State::FsVerity(tree) => tree.leaves(digests),
            State::DmVerity(tree) => tree.leaves(digests),
        }
    }
}

/// Why a digest could not be computed.
#[derive(Debug)]
pub enum DigestError {
    /// The format cannot hash this content.
    Invalid(Invalid),
    /// The run failed.
    Run(crate::Error),
}

impl fmt::Display for DigestError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Invalid(error) => error.fmt(f),
            Self::Run(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for DigestError {}

impl From<Invalid> for DigestError {
    fn from(invalid: Invalid) -> Self {
        Self::Invalid(invalid)
    }
}

impl From<crate::Error> for DigestError {
    fn from(error: crate::Error) -> Self {
        Self::Run(error)
    }
}

/// The digests of content by several formats, in their order, with a single read of the content.
///
/// # Errors
/// If the content cannot be read, or a format cannot hash it.
///
/// # Examples
/// ```
/// use hashlanes_tree::{Format, Settings};
///
/// let formats = ["GLACIER", "FS-VERITY-SHA256-4096"].map(|tag| Format::from_tag(tag).unwrap());
/// let digests = hashlanes_tree::digest(b"abc".as_slice(), &formats, &Settings::default())?;
/// assert!(digests[0].starts_with("ba7816bf"));
/// # Ok::<(), hashlanes_tree::DigestError>(())
/// ```
pub fn digest(
    content: &(impl crate::Content + ?Sized),
    formats: &[Format],
    settings: &crate::Settings<'_>,
) -> Result<Vec<String>, DigestError> {
    let length = content.length();
    let begun = formats.iter().map(|format| format.begin(Some(length)));
    let mut digesters = begun.collect::<Result<Vec<Digester>, Invalid>>()?;
    let plans: Vec<Plan> = digesters.iter().map(Digester::plan).collect();
    let pairs = plans.iter().zip(&mut digesters);
    let mut jobs: Vec<_> = pairs.map(|(plan, sink)| crate::Job::new(plan, sink)).collect();
    crate::hash_content(content, &mut jobs, settings)?;
    drop(jobs);
    let texts = digesters.into_iter().map(|digester| Ok(digester.finish(length)?.text));
    texts.collect::<io::Result<_>>().map_err(|error| crate::Error::Sink(error).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_come_back() {
        for tag in [
            "S3-ETAG-8388608",
            "S3-SHA1-5242880",
            "S3-SHA256-1",
            "S3-CRC32-8388608",
            "S3-CRC32C-1",
            "S3-CRC32",
            "S3-CRC32C",
            "S3-CRC64NVME",
            "GLACIER",
            "MERKLE-SHA256-4096",
            "MERKLE-RFC6962-SHA512/256-1",
            "FS-VERITY-SHA256-4096",
            "FS-VERITY-SHA512-1024-00ff",
            "DM-VERITY-1-SHA256-4096-4096",
            "DM-VERITY-0-SHA1-512-1024-abcdef",
        ] {
            assert_eq!(Format::from_tag(tag).map(|format| format.tag()).as_deref(), Some(tag));
        }
    }

    #[test]
    fn s3_has_no_checksums_of_other_algorithms() {
        for &algorithm in Algorithm::ALL {
            let format = Format::S3 { engine: Engine::of(algorithm), part: 5, threshold: 5 };
            let is_known = Format::from_tag(&format.tag()).is_some();
            let begun = format.begin(Some(1)).map(drop);
            assert_eq!(begun, if is_known { Ok(()) } else { Err(Invalid::S3(algorithm)) });
        }
    }

    #[test]
    fn other_tags_are_of_no_format() {
        for tag in [
            "",
            "S3",
            "S3-ETAG",
            "S3-ETAG-0",
            "S3-ETAG-x",
            "S3-ETAG-+5",
            "S3-ETAG-99999999999999999999",
            "S3-MD5-5",
            "S3-CRC32-0",
            "S3-crc32",
            "S3-CRC64NVME-5",
            "S3-CRC64",
            "GLACIER-1",
            "MERKLE-SHA256",
            "MERKLE-sha256-4096",
            "MERKLE-RFC-SHA256-4096",
            "FS-VERITY-SHA256-4095",
            "FS-VERITY-SHA1-4096",
            "FS-VERITY-SHA256-4096-0",
            "FS-VERITY-SHA256-4096-0G",
            "FS-VERITY-SHA256-4096-",
            "FS-VERITY-SHA256-4096-00-00",
            "DM-VERITY-2-SHA256-4096-4096",
            "DM-VERITY-1-SHA256-4096-100",
            "SHA256",
        ] {
            assert!(Format::from_tag(tag).is_none(), "{tag}");
        }
    }
}
