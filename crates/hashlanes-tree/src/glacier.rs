//! The tree hash of Amazon Glacier: SHA-256 over leaves of 1 MiB.
//!
//! ```
//! use hashlanes::{Algorithm, Engine, Sha256};
//! use hashlanes_tree::{Job, Settings, glacier, hash_content};
//!
//! let mut fold = glacier::fold(None);
//! let plan = glacier::plan(None);
//! let archive = vec![7; (1 << 20) + 1];
//! hash_content(archive.as_slice(), &mut [Job::new(&plan, &mut fold)], &Settings::default())?;
//! let leaves = [Sha256::digest(&archive[1..]), Sha256::digest([7])].concat();
//! assert_eq!(glacier::root(fold), Algorithm::Sha256.digest(leaves));
//! # Ok::<(), hashlanes_tree::Error>(())
//! ```

use hashlanes::{Algorithm, AnyDigest, Engine};

use crate::{MerkleFold, Plan};

/// Bytes of a leaf.
pub const LEAF: u64 = 1 << 20;

fn or_default(engine: Option<Engine>) -> Engine {
    engine.unwrap_or_else(|| Engine::of(Algorithm::Sha256))
}

/// The plan of the leaves. The engine, if given, must be for SHA-256.
pub fn plan(engine: Option<Engine>) -> Plan {
    Plan::with_engine(or_default(engine), LEAF)
}

/// The sink of the leaves.
pub fn fold(engine: Option<Engine>) -> MerkleFold {
    MerkleFold::new(or_default(engine))
}

/// The tree hash. For an empty archive, it is the digest of the empty message.
pub fn root(fold: MerkleFold) -> AnyDigest {
    fold.finish().map_or_else(|| Algorithm::Sha256.digest([]), |root| root.digest)
}
