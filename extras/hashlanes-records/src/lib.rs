//! TLS records with CBC suites, and AES-CBC of many buffers, side by side on one core.
//!
//! ```
//! use hashlanes_records::{
//!     CipherSuite, ContentType, MacOrder, RecordSealer, Version, WriteState,
//! };
//!
//! // The keys come from the handshake, which a TLS library does.
//! let (key, mac_key) = ([1; 16], [2; 32]);
//! let (suite, order) = (CipherSuite::Aes128Sha256, MacOrder::EncryptThenMac);
//! let mut state = WriteState::new(suite, Version::Tls12, order, &key, &mac_key)?;
//!
//! let page = vec![b'x'; 1_000_000];
//! let mut wire = Vec::new();
//! let report =
//!     RecordSealer::new().seal_one(&mut state, ContentType::ApplicationData, &page, &mut wire)?;
//! assert_eq!(report.records, 62);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! AES-CBC and the hash in an HMAC are serial within a record: each block waits for the previous
//! one, and most of a core is idle. Different records are independent. So all records of a write,
//! and those of many connections, are processed side by side: the lanes of [`hashlanes`] compute
//! their MACs, and kernels of 4 to 32 lanes encrypt them.
//!
//! | you have | use |
//! |---|---|
//! | what connections write | [`RecordSealer::seal`] |
//! | what one connection writes | [`RecordSealer::seal_one`] |
//! | buffers to encrypt by AES-CBC | [`cbc_encrypt_many`] |
//! | a question: did they go side by side? | [`SealReport`], [`LaneUse`] |
//!
//! # Records are not opened here
//!
//! In a record that was MACed and then encrypted, the padding or the MAC can be wrong. An attacker
//! who learns which, by an error or by timing, can decrypt it (Vaudenay 2002; Lucky Thirteen, Al
//! Fardan and Paterson 2013). TLS libraries have code for this that has proved itself for years:
//! open records with theirs. Sealing has no such trap: what a sealer does depends on lengths, and
//! never on keys or plaintext.
//!
//! # When not to use it
//!
//! Prefer AES-GCM where both sides have it. It needs no second pass and no padding, and one record
//! is as fast as many. This crate is for connections that have agreed on a CBC suite, with old
//! clients or by policy. If both orders are possible, take [`MacOrder::EncryptThenMac`], which
//! gives an attacker no padding oracle.

#![deny(missing_docs)]

mod aes;
mod cbc;
#[forbid(unsafe_code)]
mod lane_use;
mod record;
mod wipe;

// The example of the README is a test too.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

pub use aes::{AesKey, KeyLengthError};
pub use cbc::{
    CbcBuffer, CbcEngine, CbcKernelError, CbcKernelInfo, CbcLengthError, cbc_encrypt_many,
    cbc_kernels,
};
pub use lane_use::{KernelUse, LaneUse};
pub use record::{
    CipherSuite, ContentType, IvError, IvSource, MacOrder, NonceIvs, RecordSealer, SealError,
    SealReport, Version, Write, WriteState, WriteStateError,
};
