//! SLH-DSA (FIPS 205), the standard of SPHINCS+, computed in the SIMD lanes of one core.
//!
//! The security of a signature rests on a hash function alone, so it is expected to withstand
//! quantum computers. Its price is time: a signature takes up to millions of hashes. But almost all
//! of them are independent: chains, leaves and trees. Here they are hashed side by side, by
//! [`hashlanes`]. The keys and signatures are those of every other implementation.
//!
//! | you have | use |
//! |---|---|
//! | a random generator or seeds | [`SigningKey::generate`], [`SigningKey::from_seeds`] |
//! | messages to sign | [`SigningKey::sign`], [`SigningKey::sign_many`] |
//! | signatures to verify | [`VerifyingKey::is_valid`], [`VerifyingKey::verify_many`] |
//! | a context, or a function that messages are hashed with first | [`Domain`] |
//! | code for the traits of the crate `signature` | `Signer`, `Verifier`, `Keypair` |
//! | keys in PEM or DER | `from_pem`, the traits of the crate `pkcs8`, with the feature `pkcs8` |
//!
//! # Secrets
//!
//! No branch and no address depends on a private key. Which leaves and positions of chains are
//! used depends on the randomizer and the message, which a signature reveals. Keys, secrets of
//! leaves and inputs of hashes are wiped. Copies on the stack are wiped with the feature `zeroize`
//! of [`hashlanes`].
//!
//! # Faults
//!
//! Whoever disturbs a computation and gets two signatures that differ in a tree of the hypertree
//! can forge signatures (Castelnovi, Martinelli and Prest 2018). A fault in the highest tree is
//! found, because its root is known: see [`Error::Fault`]. A fault in a lower tree leads to a valid
//! signature, so verifying it does not help. Where faults are a threat, let
//! [`SigningKey::with_check`] sign twice and compare ([`Check::Twice`]), and use random bytes.

#![no_std]
#![cfg_attr(not(memcheck), forbid(unsafe_code))]
#![deny(missing_docs)]

extern crate alloc;

mod address;
mod check;
#[cfg(feature = "pkcs8")]
mod encoding;
mod error;
mod fors;
mod hypertree;
mod message;
mod parameters;
mod secrecy;
mod signature;
mod signing;
mod tree;
mod tweak;
mod verifying;
mod wots;

#[cfg(feature = "pkcs8")]
pub use pkcs8;

pub use crate::check::Check;
pub use crate::error::Error;
pub use crate::message::Domain;
pub use crate::parameters::ParameterSet;
#[cfg(memcheck)]
pub use crate::secrecy::memcheck;
pub use crate::signature::Signature;
pub use crate::signing::SigningKey;
pub use crate::verifying::VerifyingKey;

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
