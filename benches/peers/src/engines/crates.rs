//! Engines that are Rust crates. RustCrypto, the crate `blake3` and aws-lc-rs get one message after
//! another, the others all at once.

use anyhow::{Result, anyhow, bail};
use blake2b_simd::many as blake2b;
use blake2s_simd::many as blake2s;
use hashlanes::{Algorithm, Md5, Prefix, Sha1, Sha256, Sha512, digest_many_into};
use sha2::Digest as _;

use crate::engine::{ALGORITHMS, Engine, Found, USUAL};

/// The version of a crate in this program, from `Cargo.lock`.
fn locked(name: &str) -> &'static str {
    let lock = include_str!("../../../../Cargo.lock");
    let versions =
        lock.split("[[package]]").filter(|package| package.contains(&format!("name = \"{name}\"")));
    versions
        .filter_map(|package| package.split("version = \"").nth(1)?.split('"').next())
        .last()
        .unwrap_or("unknown")
}

pub(crate) struct Hashlanes;

impl Engine for Hashlanes {
    fn name(&self) -> &str {
        "hashlanes"
    }

    fn version(&self) -> &str {
        "of this repository"
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        ALGORITHMS.contains(&algorithm)
    }

    fn hash(&mut self, algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        match algorithm {
            Algorithm::Md5 => digest_many_into::<Md5>(messages, digests.as_chunks_mut().0),
            Algorithm::Sha1 => digest_many_into::<Sha1>(messages, digests.as_chunks_mut().0),
            Algorithm::Sha256 => digest_many_into::<Sha256>(messages, digests.as_chunks_mut().0),
            Algorithm::Sha512 => digest_many_into::<Sha512>(messages, digests.as_chunks_mut().0),
            other => hashlanes::Engine::of(other).digest_many_into(messages, digests),
        }
        Ok(())
    }

    fn has_chains(&self, algorithm: Algorithm) -> bool {
        USUAL.contains(&algorithm)
    }

    fn chain(&mut self, algorithm: Algorithm, digests: &mut [u8], links: u64) -> Result<()> {
        let lengths = vec![links; digests.len() / algorithm.digest_len()];
        match algorithm {
            Algorithm::Md5 => {
                Prefix::<Md5>::new([]).digest_chains(digests.as_chunks_mut().0, &lengths)
            }
            Algorithm::Sha1 => {
                Prefix::<Sha1>::new([]).digest_chains(digests.as_chunks_mut().0, &lengths)
            }
            Algorithm::Sha256 => {
                Prefix::<Sha256>::new([]).digest_chains(digests.as_chunks_mut().0, &lengths)
            }
            Algorithm::Sha512 => {
                Prefix::<Sha512>::new([]).digest_chains(digests.as_chunks_mut().0, &lengths)
            }
            other => bail!("{other} is not supported"),
        }
        Ok(())
    }
}

/// Those that are always here.
pub(crate) fn all() -> Vec<Found> {
    vec![
        Found::Engine(Box::new(RustCrypto::new())),
        Found::Engine(Box::new(Blake2Simd::new())),
        Found::Engine(Box::new(Blake3)),
        Found::Engine(Box::new(RustBitcoin)),
    ]
}

struct RustCrypto {
    version: String,
}

impl RustCrypto {
    fn new() -> Self {
        let version = ["md-5", "sha1", "sha2", "sha3", "blake2"]
            .map(|name| format!("{name} {}", locked(name)))
            .join(", ");
        Self { version }
    }
}

impl Engine for RustCrypto {
    fn name(&self) -> &str {
        "RustCrypto"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        ALGORITHMS.contains(&algorithm) && algorithm != Algorithm::Blake3
    }

    fn hash(&mut self, algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        for (message, digest) in
            messages.iter().zip(digests.chunks_exact_mut(algorithm.digest_len()))
        {
            match algorithm {
                Algorithm::Md5 => digest.copy_from_slice(&md5::Md5::digest(message)),
                Algorithm::Sha1 => digest.copy_from_slice(&sha1::Sha1::digest(message)),
                Algorithm::Sha256 => digest.copy_from_slice(&sha2::Sha256::digest(message)),
                Algorithm::Sha512 => digest.copy_from_slice(&sha2::Sha512::digest(message)),
                Algorithm::Sha3_256 => digest.copy_from_slice(&sha3::Sha3_256::digest(message)),
                Algorithm::Keccak256 => digest.copy_from_slice(&sha3::Keccak256::digest(message)),
                Algorithm::Blake2b512 => {
                    digest.copy_from_slice(&blake2::Blake2b512::digest(message));
                }
                Algorithm::Blake2s256 => {
                    digest.copy_from_slice(&blake2::Blake2s256::digest(message));
                }
                Algorithm::Sha256d => {
                    digest.copy_from_slice(&sha2::Sha256::digest(sha2::Sha256::digest(message)));
                }
                other => bail!("{other} is not supported"),
            }
        }
        Ok(())
    }
}

/// `blake2b_simd::many` and `blake2s_simd::many`.
struct Blake2Simd {
    version: String,
}

impl Blake2Simd {
    fn new() -> Self {
        let version = ["blake2b_simd", "blake2s_simd"]
            .map(|name| format!("{name} {}", locked(name)))
            .join(", ");
        Self { version }
    }
}

impl Engine for Blake2Simd {
    fn name(&self) -> &str {
        "blake2_simd"
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        matches!(algorithm, Algorithm::Blake2b512 | Algorithm::Blake2s256)
    }

    fn hash(&mut self, algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        if algorithm == Algorithm::Blake2b512 {
            let params = blake2b_simd::Params::new();
            let jobs = messages.iter().map(|message| blake2b::HashManyJob::new(&params, message));
            let mut jobs: Vec<_> = jobs.collect();
            blake2b::hash_many(&mut jobs);
            for (digest, job) in digests.as_chunks_mut::<64>().0.iter_mut().zip(&jobs) {
                *digest = *job.to_hash().as_array();
            }
        } else {
            let params = blake2s_simd::Params::new();
            let jobs = messages.iter().map(|message| blake2s::HashManyJob::new(&params, message));
            let mut jobs: Vec<_> = jobs.collect();
            blake2s::hash_many(&mut jobs);
            for (digest, job) in digests.as_chunks_mut::<32>().0.iter_mut().zip(&jobs) {
                *digest = *job.to_hash().as_array();
            }
        }
        Ok(())
    }
}

/// The crate of BLAKE3's authors, with its assembly.
struct Blake3;

impl Engine for Blake3 {
    fn name(&self) -> &str {
        "blake3"
    }

    fn version(&self) -> &str {
        locked("blake3")
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Blake3
    }

    fn hash(&mut self, _: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        for (message, digest) in messages.iter().zip(digests.as_chunks_mut().0) {
            *digest = *blake3::hash(message).as_bytes();
        }
        Ok(())
    }
}

/// SHA-256d of nodes of Bitcoin's Merkle trees: 64 bytes each.
struct RustBitcoin;

impl Engine for RustBitcoin {
    fn name(&self) -> &str {
        "rust-bitcoin"
    }

    fn version(&self) -> &str {
        locked("bitcoin_hashes")
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        algorithm == Algorithm::Sha256d
    }

    fn hash(&mut self, _: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        // It takes nodes one after the other in memory, as a tree has them.
        let nodes: Vec<[u8; 64]> = messages
            .iter()
            .map(|&message| message.try_into())
            .collect::<Result<_, _>>()
            .map_err(|_| anyhow!("it takes messages of 64 bytes only"))?;
        bitcoin_hashes::sha256d::Hash::hash_64_many(digests.as_chunks_mut().0, &nodes);
        Ok(())
    }
}

/// Engines that take long to compile, or a C compiler.
#[cfg(not(feature = "crates"))]
pub(crate) fn optional() -> Vec<Found> {
    ["aws-lc-rs", "StringZilla", "tape-sha256"]
        .map(|name| {
            Found::Missing(crate::engine::Missing {
                name,
                reason: "this program was built without the feature `crates`".to_owned(),
                remedy: "install a C compiler and cmake, and do not ask for --without-crates",
            })
        })
        .into()
}

#[cfg(feature = "crates")]
pub(crate) fn optional() -> Vec<Found> {
    vec![
        Found::Engine(Box::new(optional::AwsLcRs)),
        Found::Engine(Box::new(optional::StringZilla::default())),
        Found::Engine(Box::new(optional::TapeSha256)),
    ]
}

#[cfg(feature = "crates")]
mod optional {
    use anyhow::{Result, anyhow, bail};
    use aws_lc_rs::digest;
    use hashlanes::Algorithm;
    use stringzilla::sz;

    use super::locked;
    use crate::engine::Engine;

    pub(super) struct AwsLcRs;

    impl AwsLcRs {
        /// It does not support MD5.
        fn algorithm(algorithm: Algorithm) -> Option<&'static digest::Algorithm> {
            match algorithm {
                Algorithm::Sha1 => Some(&digest::SHA1_FOR_LEGACY_USE_ONLY),
                Algorithm::Sha256 => Some(&digest::SHA256),
                Algorithm::Sha512 => Some(&digest::SHA512),
                _ => None,
            }
        }
    }

    impl Engine for AwsLcRs {
        fn name(&self) -> &str {
            "aws-lc-rs"
        }

        fn version(&self) -> &str {
            locked("aws-lc-rs")
        }

        fn supports(&self, algorithm: Algorithm) -> bool {
            Self::algorithm(algorithm).is_some()
        }

        fn hash(
            &mut self,
            algorithm: Algorithm,
            messages: &[&[u8]],
            digests: &mut [u8],
        ) -> Result<()> {
            let Some(function) = Self::algorithm(algorithm) else {
                bail!("{algorithm} is not supported")
            };
            for (message, out) in
                messages.iter().zip(digests.chunks_exact_mut(algorithm.digest_len()))
            {
                out.copy_from_slice(digest::digest(function, message).as_ref());
            }
            Ok(())
        }
    }

    /// Many states are updated at once.
    #[derive(Default)]
    pub(super) struct StringZilla {
        /// Kept to reuse its memory.
        states: Vec<sz::Sha256>,
    }

    impl Engine for StringZilla {
        fn name(&self) -> &str {
            "StringZilla"
        }

        fn version(&self) -> &str {
            locked("stringzilla")
        }

        fn supports(&self, algorithm: Algorithm) -> bool {
            algorithm == Algorithm::Sha256
        }

        fn hash(&mut self, _: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
            self.states.clear();
            self.states.resize(messages.len(), sz::Sha256::new());
            sz::sha256_multistate_update(&mut self.states, messages)
                .and_then(|()| {
                    sz::sha256_multistate_digest(&self.states, digests.as_chunks_mut().0)
                })
                .map_err(|status| anyhow!("{status:?}"))
        }
    }

    /// `hash_many`, which takes all messages.
    pub(super) struct TapeSha256;

    impl Engine for TapeSha256 {
        fn name(&self) -> &str {
            "tape-sha256"
        }

        fn version(&self) -> &str {
            locked("tape-sha256")
        }

        fn supports(&self, algorithm: Algorithm) -> bool {
            algorithm == Algorithm::Sha256
        }

        fn hash(&mut self, _: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
            tape_sha256::hash_many(messages, digests.as_chunks_mut().0);
            Ok(())
        }

        fn has_chains(&self, algorithm: Algorithm) -> bool {
            self.supports(algorithm)
        }

        fn chain(&mut self, _: Algorithm, digests: &mut [u8], links: u64) -> Result<()> {
            let seeds = digests.as_chunks().0.to_vec();
            let lengths = vec![links; seeds.len()];
            tape_sha256::hash_chains(&seeds, &lengths, digests.as_chunks_mut().0);
            Ok(())
        }
    }
}
