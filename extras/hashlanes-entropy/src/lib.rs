//! Random bytes, graded by purpose.
//!
//! ```
//! use hashlanes_entropy::{Grade, Provider};
//!
//! # fn main() -> Result<(), hashlanes_entropy::Error> {
//! let mut iv = [0; 16];
//! let source = Provider::of_grade(Grade::Nonce).fill(&mut iv)?;
//! println!("{iv:02x?} from {source}");
//! # Ok(())
//! # }
//! ```
//!
//! | you need | use |
//! |---|---|
//! | bytes of a grade: for nonces, keys or seeds | [`Provider::of_grade`] |
//! | bytes from one particular source | [`Provider::of_source`] |
//! | a key that depends on two sources | [`mix`] |
//! | a generator for other crates (`rand_core`) | [`Provider`], which implements its traits |
//! | words of 8, 16, 32 or 64 bits from an instruction | [`RDRAND`], [`RDSEED`] |
//! | to know what works on this machine | [`Source::check`] |
//!
//! # Never weaker than requested
//!
//! A [`Grade`] is a guarantee, and a [`Source`] is used only for grades whose guarantee it meets.
//! If no such source works, the request fails, and the [`Error`] lists the sources that were tried
//! and why each failed. The source that was used is returned, so that it can be logged. After an
//! error the buffer is all zeros.
//!
//! # Faulty CPUs
//!
//! Several AMD CPUs returned constants while the carry flag reported success, some only after the
//! machine had slept. The carry flag is therefore not sufficient:
//!
//! * The instructions of AMD's families 15h and 16h are not used.
//! * The first request draws 1,024 words. They must differ, and each bit must be one about half of
//!   the time (NIST SP 800-90B section 4.3).
//! * Each request tests its words for repetitions (section 4.4), and one word more than it returns.
//!   A source that has become constant is detected before the constant gets out.
//!
//! A source that failed is not used by the process again. These tests detect constants, cycles and
//! stuck bits. No test can prove that a source is unpredictable.
//!
//! # Can the instructions be trusted?
//!
//! Only the CPU's vendor can see what RDRAND and RDSEED do. A generator whose secret key somebody
//! else knows would pass every test. A hypervisor can also intercept the instructions, and return
//! anything it likes.
//!
//! * Linux and the BSDs therefore mix the instructions with other sources of entropy, and do not
//!   rely on any single one. **For keys, use the operating system, [`Source::Os`], unless you have
//!   a reason not to.**
//! * For long-lived keys, [`mix`] both: the key is good if one of them is.
//! * The instructions are useful where the operating system is too slow or absent, or where its
//!   state must not matter: large numbers of nonces and initialisation vectors, seeds with fresh
//!   entropy, the first minutes after a boot, a copied virtual machine.
//!
//! # Threads and processes
//!
//! Nothing is kept between requests except counters and the results of the tests. Any number of
//! threads may make requests concurrently, and a forked process or a copied virtual machine shares
//! no bytes with the original.
//!
//! Samples are wiped after conditioning or mixing, and so are buffers that could not be filled.
//! With the feature `zeroize`, the hash states of [`mix`] are wiped too. The caller must wipe the
//! returned bytes.
//!
//! # Sources
//!
//! * Intel, *Digital Random Number Generator (DRNG) Software Implementation Guide*, revision 2.1:
//!   sections 5.2.1 (retries of RDRAND), 5.2.5 and 5.2.6 (reseeding, the 512:1 reduction) and 5.3.1
//!   (retries of RDSEED)
//! * AMD, *AMD Random Number Generator*, 2017, and the bulletin AMD-SB-7055
//! * NIST SP 800-90A (CTR_DRBG), SP 800-90B (entropy sources, health tests, conditioning) and
//!   SP 800-90C (constructions)

#![deny(missing_docs, unsafe_code)]

#[allow(unsafe_code, reason = "instructions that not every CPU has")]
mod cpu;
mod errata;
mod error;
mod failure;
#[cfg(test)]
mod fake;
#[cfg(test)]
mod fault_tests;
mod grade;
mod health;
mod instruction;
mod machine;
mod mix;
mod provider;
mod reduction;
mod request;
mod rng;
mod source;
mod step;
mod system;
mod unknown_name;
mod verdict;
mod word;

pub use error::Error;
pub use failure::{Failure, Fault};
pub use grade::Grade;
pub use instruction::{Counts, Instruction, RDRAND, RDSEED};
pub use mix::mix;
pub use provider::Provider;
pub use source::{Reseeded, Source};
pub use unknown_name::UnknownName;
pub use word::Word;

/// Runs the examples of the README as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
