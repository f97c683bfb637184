//! Digests of S3 and of compatible stores, for objects that are uploaded in parts.
//!
//! The *ETag* of an object that was uploaded in parts is the MD5 of the MD5s of all parts, followed
//! by the number of parts: `9b2cf535f27731c974343645a3985328-3`. The *composite checksums* are the
//! same with SHA-1 or SHA-256, in base64: `p8wOqBL..=-3`. An object that was uploaded in one piece
//! has its plain digest.
//!
//! If a store encrypts objects with keys of its key management or of the customer, their ETags are
//! not MD5s, and cannot be computed.
//!
//! ```
//! use hashlanes::{Algorithm, Engine, Md5};
//! use hashlanes_tree::{Job, Settings, hash_content, s3::Parts};
//!
//! let mut parts = Parts::new(Engine::of(Algorithm::Md5), 5 << 20);
//! let object = vec![7; 11 << 20];
//! let plan = parts.plan();
//! hash_content(object.as_slice(), &mut [Job::new(&plan, &mut parts)], &Settings::default())?;
//! let digests = parts.finish();
//! let md5s: Vec<_> = object.chunks(5 << 20).flat_map(Md5::digest).collect();
//! assert_eq!((digests.composite, digests.count), (Algorithm::Md5.digest(md5s), 3));
//! # Ok::<(), hashlanes_tree::Error>(())
//! ```

use std::io;

use hashlanes::{AnyDigest, Engine, Hasher};

use crate::{Plan, Sink};

/// The smallest part that Amazon S3 accepts, except for the last of an object.
pub const LEAST_PART: u64 = 5 << 20;

/// The largest part that Amazon S3 accepts.
pub const LARGEST_PART: u64 = 5 << 30;

/// The maximum number of parts of an object.
pub const MOST_PARTS: u64 = 10_000;

/// Default part sizes of clients, with the clients' names.
pub const USUAL_PARTS: &[(u64, &str)] = &[
    (8 << 20, "aws cli, boto3"),
    (5 << 20, "rclone, SDKs for Go and JavaScript"),
    (15 << 20, "s3cmd"),
    (16 << 20, "MinIO"),
    (10 << 20, "other clients"),
    (32 << 20, "other clients"),
    (64 << 20, "other clients"),
    (100 << 20, "other clients"),
    (128 << 20, "other clients"),
    (17_179_870, "AWS console"),
];

/// Collects the digests of the parts of one object.
#[derive(Debug)]
pub struct Parts {
    engine: Engine,
    part: u64,
    all: Hasher,
    count: u64,
    first: Option<AnyDigest>,
}

/// The digests of an object in parts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectDigests {
    /// The digest of the digests of all parts.
    pub composite: AnyDigest,
    /// The number of parts. An empty object has one empty part.
    pub count: u64,
    /// The plain digest of the object, if there is only one part.
    pub whole: Option<AnyDigest>,
}

impl Parts {
    /// Parts of `part` bytes. Does not check the limits of S3: see [`limit`].
    ///
    /// # Panics
    /// If `part` is 0.
    pub fn new(engine: Engine, part: u64) -> Self {
        assert!(part > 0, "a part must have at least one byte");
        Self { engine, part, all: Hasher::with_engine(engine), count: 0, first: None }
    }

    /// The plan whose digests this sink takes.
    pub fn plan(&self) -> Plan {
        Plan::with_engine(self.engine, self.part)
    }

    /// The digests of the object.
    pub fn finish(mut self) -> ObjectDigests {
        if self.count == 0 {
            let empty = self.engine.digest(b"".as_slice());
            self.all.update(empty);
            (self.count, self.first) = (1, Some(empty));
        }
        let whole = self.first.filter(|_| self.count == 1);
        ObjectDigests { composite: self.all.finalize(), count: self.count, whole }
    }
}

impl Sink for Parts {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        let length = self.engine.algorithm().digest_len();
        if self.first.is_none() {
            self.first = AnyDigest::try_from(&digests[..length]).ok();
        }
        self.all.update(digests);
        self.count += (digests.len() / length) as u64;
        Ok(())
    }
}

/// Why Amazon S3 would refuse an object of this length in such parts. Other stores have other
/// limits.
///
/// ```
/// use hashlanes_tree::s3;
///
/// assert_eq!(s3::limit(8 << 20, 100 << 20), None);
/// assert!(s3::limit(1 << 20, 100 << 20).unwrap().contains("5 MiB"));
/// ```
pub fn limit(part: u64, length: u64) -> Option<&'static str> {
    if part > LARGEST_PART {
        Some("Amazon S3 accepts no part of more than 5 GiB")
    } else if length.div_ceil(part) > MOST_PARTS {
        Some("Amazon S3 accepts at most 10,000 parts")
    } else if part < LEAST_PART && length > part {
        Some("Amazon S3 accepts no part of less than 5 MiB, except for the last")
    } else {
        None
    }
}

/// Part sizes that divide an object of this length into this number of parts: first the defaults of
/// clients, then multiples of 1 MiB in ascending order. At most `most`.
///
/// ```
/// use hashlanes_tree::s3;
///
/// // 100 MiB in 13 parts: 8 MiB and no other size in MiB.
/// assert_eq!(s3::candidates(100 << 20, 13, 32), [8 << 20]);
/// assert_eq!(s3::candidates(100 << 20, 3, 4), [34 << 20, 35 << 20, 36 << 20, 37 << 20]);
/// ```
pub fn candidates(length: u64, parts: u64, most: usize) -> Vec<u64> {
    const MIB: u64 = 1 << 20;
    let fits = |part: &u64| length.max(1).div_ceil(*part) == parts;
    let usual = USUAL_PARTS.iter().map(|&(part, _)| part);
    let first = length.div_ceil(parts.max(1)).div_ceil(MIB).max(1) * MIB;
    // With one part, all sizes give the same ETag.
    let steps = if parts == 1 { 1 } else { most as u64 + USUAL_PARTS.len() as u64 };
    let even = (0..steps).map_while(|i| i.checked_mul(MIB)?.checked_add(first));
    let mut sizes: Vec<u64> = Vec::new();
    for size in usual.filter(fits).chain(even.take_while(fits)) {
        if sizes.len() < most && !sizes.contains(&size) {
            sizes.push(size);
        }
        if parts == 1 && !sizes.is_empty() {
            break;
        }
    }
    sizes
}
