//! Hardware that hashes a single message: the CPU's own SHA instructions.
//!
//! Such an instruction has a latency of several cycles but can start more often than that, so two independent messages
//! interleaved run nearly twice as fast as one. Each file is written once for any number of interleaved streams.

#[cfg(target_arch = "x86_64")]
pub(crate) mod sha_ni;
