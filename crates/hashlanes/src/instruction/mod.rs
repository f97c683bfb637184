//! Instructions that hash a single message faster than plain code: the CPU's SHA instructions, and
//! vectors beside the integer registers.
//!
//! A SHA instruction has a latency of several cycles, but the next one can start sooner. So two
//! interleaved, independent messages run nearly twice as fast as one. The files are written once
//! for any number of interleaved streams.

#[cfg(all(target_arch = "aarch64", target_feature = "neon"))]
pub(crate) mod arm_sha;
#[cfg(target_arch = "x86_64")]
pub(crate) mod blake3_rows;
#[cfg(all(test, feature = "all", feature = "std", target_arch = "x86_64", not(miri)))]
mod emulated;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha1_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha256;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sha512_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod sm3_ni;
#[cfg(target_arch = "x86_64")]
pub(crate) mod vector_schedule;
