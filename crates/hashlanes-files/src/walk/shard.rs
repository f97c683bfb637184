//! Divides a tree among machines that share the work.

use std::fmt;
use std::num::NonZeroU32;
use std::path::Path;
use std::str::FromStr;

use hashlanes::Sha256;
use serde::{Deserialize, Serialize};

use crate::system;

/// Shard `K` of `N`, as `K/N`.
///
/// The path of a file below the root, with `/` between its parts, determines its shard: the first 8
/// bytes of the path's SHA-256, as a big-endian number, modulo `N`, are `K - 1`. So each file is in
/// exactly one shard, whatever other files exist and wherever the root is mounted. A root that is
/// itself a file is assigned by its name.
///
/// ```
/// use std::path::Path;
///
/// use hashlanes_files::walk::Shard;
///
/// // SHA-256 of `a/b` begins with c14cddc033f64b9d, which is 1 modulo 4.
/// let shard: Shard = "2/4".parse()?;
/// assert!(shard.has(Path::new("a/b")));
/// assert!("5/4".parse::<Shard>().is_err());
/// # Ok::<(), hashlanes_files::walk::ShardError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Shard {
    /// Starting at 1.
    number: NonZeroU32,
    count: NonZeroU32,
}

/// The error for text that is not a shard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShardError;

impl fmt::Display for ShardError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a shard is written K/N, with K from 1 to N, such as 3/50")
    }
}

impl std::error::Error for ShardError {}

impl Shard {
    /// Whether a file with this path below the root is in the shard.
    pub fn has(self, below: &Path) -> bool {
        let digest = Sha256::digest(system::name(below));
        let first = digest.first_chunk().expect("SHA-256 has 32 bytes");
        let place = u64::from_be_bytes(*first) % u64::from(self.count.get());
        place == u64::from(self.number.get()) - 1
    }
}

impl FromStr for Shard {
    type Err = ShardError;

    fn from_str(text: &str) -> Result<Self, ShardError> {
        let (number, count) = text.split_once('/').ok_or(ShardError)?;
        let parse = |text: &str| text.parse::<NonZeroU32>().map_err(|_| ShardError);
        let (number, count) = (parse(number)?, parse(count)?);
        if number <= count { Ok(Self { number, count }) } else { Err(ShardError) }
    }
}

impl TryFrom<String> for Shard {
    type Error = ShardError;

    fn try_from(text: String) -> Result<Self, ShardError> {
        text.parse()
    }
}

impl From<Shard> for String {
    fn from(shard: Shard) -> Self {
        shard.to_string()
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.count)
    }
}
