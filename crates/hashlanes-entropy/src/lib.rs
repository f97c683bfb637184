//! Random bytes, by what they are good for.
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
//! | bytes of one source and no other | [`Provider::of_source`] |
//! | a key that no single source decides | [`mix`] |
//! | a generator for other crates (`rand_core`) | [`Provider`], which is one |
//! | words of 8, 16, 32 or 64 bits from an instruction | [`RDRAND`], [`RDSEED`] |
//! | to know what works on this machine | [`Source::check`] |
//!
//! # Never weaker than asked for
//!
//! A [`Grade`] is a promise, and a [`Source`] serves only the grades whose promise it keeps. If
//! none of them works, the request fails, and the [`Error`] names each one that was tried and what
//! it lacked. The source that served is returned, so that it can be logged. A buffer that could
//! not be filled is all zeros.
//!
//! # Faulty CPUs
//!
//! Several AMD CPUs returned constants while the carry flag said that all was well, some only after
//! the machine had slept. So the carry flag is not believed alone:
//!
//! * AMD's families 15h and 16h are refused.
//! * The first request draws 1,024 words. They must differ, and each bit must be one about half of
//!   the time (NIST SP 800-90B section 4.3).
//! * Each request tests its words for repetitions (section 4.4), and one word more than it
//!   returns. A source that has become constant is found before anything of it is returned.
//!
//! A source that failed is not used again by the process. These tests find constants, cycles and
//! stuck bits. No test can tell that a source is unpredictable.
//!
//! # Can the instructions be trusted?
//!
//! Nobody outside of the CPU's maker can see what RDRAND and RDSEED do. A generator with a secret
//! key of somebody else would pass every test there is. A hypervisor can also intercept the
//! instructions, and return what it likes.
//!
//! * Linux and the BSDs therefore mix the instructions with other sources of entropy, and rely on
//!   none alone. **For keys, take the operating system, [`Source::Os`], unless you have a reason
//!   not to.**
//! * For keys that live long, [`mix`] both: the key is good if one of them is.
//! * The instructions serve where the operating system is too slow or not there, and where its
//!   state must not matter: nonces and initialisation vectors in large numbers, seeds with entropy
//!   of their own, the first minutes of a machine, a copy of a virtual machine.
//!
//! # Threads and processes
//!
//! Nothing is kept between two requests but counters and what the tests found. So any number of
//! threads may ask at once, and a process that was forked, or a virtual machine that was copied,
//! shares no bytes with the other.
//!
//! Samples that are conditioned or mixed are wiped, and so are buffers that could not be filled.
//! With the feature `zeroize`, what the hash function makes of samples in [`mix`] is wiped too. The
//! bytes that are returned are the caller's to wipe.
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

/// The examples of the README, as tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
