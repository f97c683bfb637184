//! Engines that are Rust crates. hashlanes, StringZilla and tape-sha256 get all messages at once,
//! the others one after another.

use anyhow::{Result, bail};
use hashlanes::{Algorithm, Md5, Sha1, Sha256, Sha512, digest_chains, digest_many_into};
use sha2::Digest as _;

use crate::engine::{ALGORITHMS, Engine, Found};

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
            other => bail!("{other} is not supported"),
        }
        Ok(())
    }

    fn has_chains(&self, algorithm: Algorithm) -> bool {
        self.supports(algorithm)
    }

    fn chain(&mut self, algorithm: Algorithm, digests: &mut [u8], links: u64) -> Result<()> {
        let lengths = vec![links; digests.len() / algorithm.digest_len()];
        match algorithm {
            Algorithm::Md5 => digest_chains::<Md5>(digests.as_chunks_mut().0, &lengths),
            Algorithm::Sha1 => digest_chains::<Sha1>(digests.as_chunks_mut().0, &lengths),
            Algorithm::Sha256 => digest_chains::<Sha256>(digests.as_chunks_mut().0, &lengths),
            Algorithm::Sha512 => digest_chains::<Sha512>(digests.as_chunks_mut().0, &lengths),
            other => bail!("{other} is not supported"),
        }
        Ok(())
    }
}

pub(crate) struct RustCrypto {
    version: String,
}

impl RustCrypto {
    pub(crate) fn new() -> Self {
        let version =
            ["md-5", "sha1", "sha2"].map(|name| format!("{name} {}", locked(name))).join(", ");
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
        ALGORITHMS.contains(&algorithm)
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
                other => bail!("{other} is not supported"),
            }
        }
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
                remedy: "install a C compiler and cmake; cargo xtask peers then builds it in",
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
            let (digests, lengths) = (digests.as_chunks_mut().0, vec![links; digests.len() / 32]);
            tape_sha256::hash_chains(&digests.to_vec(), &lengths, digests);
            Ok(())
        }
    }
}
