//! What hashes a single message better than plain code does: the CPU's own SHA instructions, and
//! vectors beside the integer registers.
//!
//! A SHA instruction has a latency of several cycles, but the next one can start sooner. So two
//! independent messages, interleaved, run nearly twice as fast as one. `sha_ni` is written once for
//! any number of interleaved streams.

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) mod arm_sha;
#[cfg(all(test, feature = "std", target_arch = "x86_64", not(miri)))]
mod emulated;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256_ahead;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256_whole;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha512_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sm3_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vector_schedule;
