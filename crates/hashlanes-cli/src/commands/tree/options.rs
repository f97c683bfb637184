//! The formats, and their options.

use std::num::{NonZeroU64, NonZeroUsize};
use std::path::PathBuf;

use clap::ValueEnum;
use hashlanes::{Algorithm, AnyDigest};
use hashlanes_entropy::{Grade, Provider};
use hashlanes_files::Engine;
use hashlanes_tree::dmverity::{self, Verity};
use hashlanes_tree::fsverity::FsVerity;
use hashlanes_tree::merkle::{Domain, Tree};
use hashlanes_tree::s3_crc::Crc;
use hashlanes_tree::{Format, s3};

use crate::options::size::Size;
use crate::options::{machine::Machine, path};

/// The name of a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Name {
    /// The ETag of an object of S3: MD5 of the MD5s of its parts
    S3Etag,
    /// The composite SHA-1 of an object of S3, in base64
    S3Sha1,
    /// The composite SHA-256 of an object of S3, in base64
    S3Sha256,
    /// The composite CRC-32 of an object of S3, in base64
    S3Crc32,
    /// The composite CRC-32C of an object of S3, in base64
    S3Crc32c,
    /// The CRC-64/NVME of a full object of S3, in base64
    #[value(name = "s3-crc64nvme")]
    S3Crc64Nvme,
    /// The tree hash of Glacier
    Glacier,
    /// The root of a binary Merkle tree
    Merkle,
    /// The digest of fs-verity, as `fsverity digest` prints it
    FsVerity,
    /// The root hash of dm-verity, as `veritysetup format` prints it
    DmVerity,
}

use Name::{
    DmVerity, FsVerity as FsVerityName, Glacier, Merkle, S3Crc32, S3Crc32c, S3Crc64Nvme, S3Etag,
    S3Sha1, S3Sha256,
};

/// Options that only some formats have.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Size of a part [default: 8MiB, as in aws cli and boto3]. Several sizes give one digest each.
    /// Amazon accepts parts from 5MiB to 5GiB, and at most 10,000. Other stores have other limits,
    /// so there is only a warning
    #[arg(long, value_name = "SIZE", value_delimiter = ',', help_heading = "S3")]
    part_size: Vec<Size>,

    /// Shorter objects are not uploaded in parts, and have plain digests [default: the part size]
    #[arg(long, value_name = "SIZE", help_heading = "S3")]
    threshold: Option<Size>,

    /// Print the checksum of the full object instead of the composite one, for s3-crc32 and
    /// s3-crc32c. s3-crc64nvme is always the checksum of the full object
    #[arg(long, conflicts_with_all = ["part_size", "threshold"], help_heading = "S3")]
    full_object: bool,

    /// Find the part size that gives this ETag, among those of common clients and all whole numbers
    /// of MiB that give the same number of parts. The file is read once. The output line has the
    /// part size
    #[arg(long = "match", value_name = "ETAG", help_heading = "S3")]
    etag: Option<String>,

    /// With --match, the maximum number of part sizes to try
    #[arg(long, value_name = "N", default_value = "32", requires = "etag", help_heading = "S3")]
    candidates: NonZeroUsize,

    /// The hash function of merkle, fs-verity and dm-verity [default: sha256]
    #[arg(short, long, value_name = "ALGORITHM", help_heading = "Trees")]
    algorithm: Option<Algorithm>,

    /// The salt of fs-verity and dm-verity in hexadecimal digits, `-` for none, or `random`
    #[arg(long, value_name = "HEX", default_value = "-", help_heading = "Trees")]
    salt: String,

    /// Compare instead of printing: for dm-verity with the tree and the superblock in this file,
    /// for merkle with the proofs in this file, as --prove prints them. Requires --root
    #[arg(
        long,
        value_name = "FILE",
        value_parser = path(),
        requires = "root",
        help_heading = "Trees"
    )]
    verify: Option<PathBuf>,

    /// The trusted root hash, with --verify
    #[arg(long, value_name = "HASH", requires = "verify", help_heading = "Trees")]
    root: Option<AnyDigest>,

    /// Size of a leaf of merkle [default: 4KiB]
    #[arg(long, value_name = "SIZE", help_heading = "Merkle trees")]
    leaf_size: Option<Size>,

    /// Hash a byte 0 before each leaf of merkle and a byte 1 before each node (RFC 6962)
    #[arg(long, help_heading = "Merkle trees")]
    rfc6962: bool,

    /// Print one object per line that proves that this leaf is in the tree. The first leaf is 0
    #[arg(
        long,
        value_name = "LEAF",
        value_delimiter = ',',
        conflicts_with_all = ["verify", "tag", "json", "zero"],
        help_heading = "Merkle trees"
    )]
    prove: Vec<u64>,

    /// Size of a block of fs-verity [default: 4KiB]
    #[arg(long, value_name = "SIZE", help_heading = "fs-verity")]
    block_size: Option<Size>,

    /// Size of a block of data [default: 4KiB]
    #[arg(long, value_name = "SIZE", help_heading = "dm-verity")]
    data_block_size: Option<Size>,

    /// Size of a block of digests [default: 4KiB]
    #[arg(long, value_name = "SIZE", help_heading = "dm-verity")]
    hash_block_size: Option<Size>,

    /// Hash type: 1, with the salt before each block, is usual; 0, with the salt after it, is for
    /// Chrome OS [default: 1]
    #[arg(long, value_name = "TYPE", help_heading = "dm-verity")]
    hash_type: Option<u32>,

    /// Write the superblock and the tree to this file, which is created or truncated, or to this
    /// device
    #[arg(
        long,
        value_name = "FILE",
        value_parser = path(),
        conflicts_with = "verify",
        help_heading = "dm-verity"
    )]
    hash_file: Option<PathBuf>,

    /// Offset of the superblock in the hash file or device, a multiple of 512. What precedes it is
    /// kept, so the hash file may be the data file. Also with --verify
    #[arg(long, value_name = "SIZE", help_heading = "dm-verity")]
    hash_offset: Option<Size>,

    /// Overwrite existing content of the hash file
    #[arg(short, long, requires = "hash_file", help_heading = "dm-verity")]
    force: bool,

    /// Number of blocks of data, from the beginning of the file [default: all]
    #[arg(long, value_name = "N", conflicts_with = "verify", help_heading = "dm-verity")]
    data_blocks: Option<NonZeroU64>,

    /// The UUID in the superblock [default: a random one]
    #[arg(long, requires = "hash_file", help_heading = "dm-verity")]
    uuid: Option<String>,

    /// Memory for buffers and waiting digests [default: 256MiB, which is rarely used up]
    #[arg(long, value_name = "SIZE", help_heading = "Speed")]
    memory: Option<Size>,
}

/// The task that the options describe.
pub(super) enum Task {
    Print(Wanted),
    FindPart(FindPart),
    /// Compares with the proofs in this file, and their trusted root.
    VerifyProofs(PathBuf, AnyDigest),
    /// Compares with the tree of dm-verity in this file, and its trusted root.
    VerifyTree(PathBuf, AnyDigest),
}

/// Digests to be printed.
#[derive(Default)]
pub(super) struct Wanted {
    pub(super) formats: Vec<Format>,
    /// Leaves to prove. If there are any, the only format is a binary tree.
    pub(super) prove: Vec<u64>,
    /// The file for the tree of dm-verity.
    pub(super) hash_file: Option<HashFile>,
    /// Number of blocks of data, if not all. Then dm-verity is the only format.
    pub(super) data_blocks: Option<u64>,
}

/// A file for the tree of dm-verity.
pub(super) struct HashFile {
    pub(super) path: PathBuf,
    /// Offset of the superblock; what precedes it is kept. `None` if the file is created or
    /// truncated.
    pub(super) offset: Option<u64>,
    /// Whether it is the file with the data.
    pub(super) has_data: bool,
    /// Whether existing content may be overwritten.
    pub(super) force: bool,
}

/// An ETag whose part size is to be found.
pub(super) struct FindPart {
    pub(super) engine: hashlanes::Engine,
    pub(super) digest: AnyDigest,
    /// The number of parts. `None` if the object was not uploaded in parts.
    pub(super) parts: Option<u64>,
    /// Part sizes to try first.
    pub(super) first: Vec<u64>,
    pub(super) most: usize,
}

impl Options {
    /// The offset of the superblock.
    pub(super) fn offset(&self) -> u64 {
        self.hash_offset.map_or(0, Size::bytes)
    }

    /// The memory limit in bytes.
    pub(super) fn memory(&self) -> usize {
        self.memory.map_or(256 << 20, Size::in_memory)
    }

    /// The task that the options describe.
    ///
    /// # Errors
    /// A reason why the options do not fit together.
    pub(super) fn task(&self, names: &[Name], machine: &Machine) -> Result<Task, String> {
        self.belong(names)?;
        let mut pairs = names.iter().enumerate();
        if let Some((_, &name)) = pairs.find(|(i, name)| names[..*i].contains(name)) {
            return Err(format!("{} is listed twice", name_of(name)));
        }
        if let Some(etag) = &self.etag {
            return self.find_part(etag, names, machine).map(Task::FindPart);
        }
        if let (Some(file), Some(root)) = (self.verify.clone(), self.root) {
            return match names {
                [Merkle] => Ok(Task::VerifyProofs(file, root)),
                [DmVerity] => Ok(Task::VerifyTree(file, root)),
                _ => Err("--verify works only with a single format, merkle or dm-verity".into()),
            };
        }
        if !self.prove.is_empty() && names != [Merkle] {
            return Err("--prove works only with a single format, merkle".into());
        }
        let mut formats = Vec::new();
        for &name in names {
            self.formats(name, machine, &mut formats)?;
        }
        let offset = self.hash_offset.map(Size::bytes);
        if offset.is_some() && self.hash_file.is_none() {
            return Err("--hash-offset needs --hash-file or --verify".into());
        }
        let data_blocks = self.data_blocks.map(NonZeroU64::get);
        if data_blocks.is_some() && formats.len() > 1 {
            return Err("--data-blocks works only with a single format, dm-verity".into());
        }
        let path = self.hash_file.clone();
        let hash_file =
            path.map(|path| HashFile { path, offset, has_data: false, force: self.force });
        Ok(Task::Print(Wanted { formats, prove: self.prove.clone(), hash_file, data_blocks }))
    }

    /// Rejects options that none of the formats has.
    fn belong(&self, names: &[Name]) -> Result<(), String> {
        let s3 = &[S3Etag, S3Sha1, S3Sha256, S3Crc32, S3Crc32c][..];
        let all: [(&str, bool, &[Name]); 17] = [
            ("--full-object", self.full_object, &[S3Crc32, S3Crc32c, S3Crc64Nvme]),
            ("--part-size", !self.part_size.is_empty(), s3),
            ("--threshold", self.threshold.is_some(), s3),
            ("--match", self.etag.is_some(), &[S3Etag]),
            ("--algorithm", self.algorithm.is_some(), &[Merkle, FsVerityName, DmVerity]),
            ("--salt", self.salt != "-", &[FsVerityName, DmVerity]),
            ("--verify", self.verify.is_some(), &[Merkle, DmVerity]),
            ("--leaf-size", self.leaf_size.is_some(), &[Merkle]),
            ("--rfc6962", self.rfc6962, &[Merkle]),
            ("--prove", !self.prove.is_empty(), &[Merkle]),
            ("--block-size", self.block_size.is_some(), &[FsVerityName]),
            ("--data-block-size", self.data_block_size.is_some(), &[DmVerity]),
            ("--hash-block-size", self.hash_block_size.is_some(), &[DmVerity]),
            ("--hash-type", self.hash_type.is_some(), &[DmVerity]),
            ("--hash-file", self.hash_file.is_some(), &[DmVerity]),
            ("--hash-offset", self.hash_offset.is_some(), &[DmVerity]),
            ("--data-blocks", self.data_blocks.is_some(), &[DmVerity]),
        ];
        for (option, given, owners) in all {
            if given && !names.iter().any(|name| owners.contains(name)) {
                let owners: Vec<String> = owners.iter().map(|&name| name_of(name)).collect();
                return Err(format!("{option} is only for {}", owners.join(", ")));
            }
        }
        Ok(())
    }

    /// The formats for a name: one for each part size.
    fn formats(&self, name: Name, machine: &Machine, to: &mut Vec<Format>) -> Result<(), String> {
        let chosen = self.algorithm.unwrap_or(Algorithm::Sha256);
        match name {
            S3Etag => self.s3(engine(machine, Algorithm::Md5)?, to)?,
            S3Sha1 => self.s3(engine(machine, Algorithm::Sha1)?, to)?,
            S3Sha256 => self.s3(engine(machine, Algorithm::Sha256)?, to)?,
            S3Crc32 => self.crcs(Crc::Crc32, to)?,
            S3Crc32c => self.crcs(Crc::Crc32c, to)?,
            S3Crc64Nvme => self.crcs(Crc::Crc64Nvme, to)?,
            Glacier => to.push(Format::Glacier(engine(machine, Algorithm::Sha256)?)),
            Merkle => {
                let leaf = self.leaf_size.map_or(4096, Size::bytes);
                if leaf == 0 {
                    return Err("a leaf must have at least one byte".into());
                }
                let domain = if self.rfc6962 { Domain::Rfc6962 } else { Domain::Plain };
                to.push(Format::Merkle(Tree { engine: engine(machine, chosen)?, leaf, domain }));
            }
            FsVerityName => {
                let engine = engine(machine, chosen)?;
                let block = block(self.block_size);
                let verity = FsVerity::new(engine, block, &self.salt(32)?);
                to.push(Format::FsVerity(verity.map_err(|why| why.to_string())?));
            }
            DmVerity => to.push(Format::DmVerity(self.dm_verity(engine(machine, chosen)?)?)),
        }
        Ok(())
    }

    /// The ETags or checksums of S3, one for each part size.
    fn s3(&self, engine: hashlanes::Engine, to: &mut Vec<Format>) -> Result<(), String> {
        for part in self.part_sizes()? {
            let threshold = self.threshold.map_or(part, Size::bytes);
            to.push(Format::S3 { engine, part, threshold });
        }
        Ok(())
    }

    /// The checksum of the full object, or the composite ones, one for each part size.
    fn crcs(&self, crc: Crc, to: &mut Vec<Format>) -> Result<(), String> {
        if self.full_object || !crc.is_composite() {
            to.push(Format::S3Crc { crc, part: None, threshold: 0 });
            return Ok(());
        }
        for part in self.part_sizes()? {
            let threshold = self.threshold.map_or(part, Size::bytes);
            to.push(Format::S3Crc { crc, part: Some(part), threshold });
        }
        Ok(())
    }

    fn part_sizes(&self) -> Result<Vec<u64>, String> {
        if self.part_size.iter().any(|size| size.bytes() == 0) {
            return Err("a part must have at least one byte".into());
        }
        if self.part_size.is_empty() {
            return Ok(vec![s3::USUAL_PARTS[0].0]);
        }
        let mut sizes: Vec<u64> = self.part_size.iter().map(|size| size.bytes()).collect();
        sizes.dedup();
        Ok(sizes)
    }

    fn dm_verity(&self, engine: hashlanes::Engine) -> Result<dmverity::Parameters, String> {
        let number = self.hash_type.unwrap_or(1);
        let hash_type = dmverity::Type::from_number(number)
            .ok_or_else(|| format!("the hash type of dm-verity is 0 or 1, not {number}"))?;
        let parameters = dmverity::Parameters {
            engine,
            hash_type,
            data_block: block(self.data_block_size),
            hash_block: block(self.hash_block_size),
            salt: self.salt(32)?,
            uuid: self.uuid()?,
        };
        // A single block of data shows whether the parameters are valid.
        Verity::new(parameters.clone(), parameters.data_block.into())
            .map_err(|why| why.to_string())?;
        Ok(parameters)
    }

    /// The salt. A random one has this length.
    fn salt(&self, length: usize) -> Result<Vec<u8>, String> {
        match self.salt.as_str() {
            "-" | "" => Ok(Vec::new()),
            "random" => {
                let mut salt = vec![0; length];
                random(&mut salt)?;
                Ok(salt)
            }
            hex => base16ct::mixed::decode_vec(hex)
                .map_err(|_| format!("{hex:?} is not a salt: give pairs of hexadecimal digits")),
        }
    }

    fn uuid(&self) -> Result<[u8; 16], String> {
        let Some(text) = &self.uuid else {
            let mut uuid = [0; 16];
            random(&mut uuid)?;
            // RFC 9562 section 5.4: version 4 and its variant.
            uuid[6] = uuid[6] & 0x0f | 0x40;
            uuid[8] = uuid[8] & 0x3f | 0x80;
            return Ok(uuid);
        };
        let bytes = base16ct::mixed::decode_vec(text.replace('-', "")).ok();
        bytes
            .and_then(|bytes| bytes.try_into().ok())
            .ok_or_else(|| format!("{text:?} is not a UUID: give 32 hexadecimal digits"))
    }

    fn find_part(&self, etag: &str, names: &[Name], machine: &Machine) -> Result<FindPart, String> {
        if names != [S3Etag] {
            return Err("--match works only with a single format, s3-etag".into());
        }
        let wrong = || {
            format!(
                "{etag:?} is not an ETag: give 32 hexadecimal digits, and - and a number for parts"
            )
        };
        // S3 puts it in quotes.
        let plain = etag.trim_matches('"');
        let (digest, parts) = match plain.split_once('-') {
            Some((digest, parts)) => {
                let parts = parts.parse::<u64>().ok().filter(|&parts| parts > 0);
                (digest, Some(parts.ok_or_else(wrong)?))
            }
            None => (plain, None),
        };
        let digest: AnyDigest = digest.parse().map_err(|_| wrong())?;
        if digest.as_bytes().len() != 16 {
            return Err(wrong());
        }
        let first = if self.part_size.is_empty() { Vec::new() } else { self.part_sizes()? };
        let engine = engine(machine, Algorithm::Md5)?;
        Ok(FindPart { engine, digest, parts, first, most: self.candidates.get() })
    }
}

/// The name as it is written on the command line.
fn name_of(name: Name) -> String {
    name.to_possible_value().map_or(String::new(), |value| value.get_name().to_owned())
}

/// Size of a block. A size that is too large becomes one that is not a power of two either.
fn block(size: Option<Size>) -> u32 {
    size.map_or(4096, |size| u32::try_from(size.bytes()).unwrap_or(u32::MAX))
}

fn engine(machine: &Machine, algorithm: Algorithm) -> Result<hashlanes::Engine, String> {
    let engines = machine.engines(&[algorithm.into()]).map_err(|why| why.to_string())?;
    match engines.first() {
        Some(Engine::Lanes(engine)) => Ok(*engine),
        _ => Err(format!("{algorithm} has no kernel that hashes many messages at once")),
    }
}

/// Fills a salt or a UUID, which are published.
fn random(bytes: &mut [u8]) -> Result<(), String> {
    let filled = Provider::of_grade(Grade::Nonce).fill(bytes);
    filled.map(drop).map_err(|error| format!("no random bytes: {error}"))
}
