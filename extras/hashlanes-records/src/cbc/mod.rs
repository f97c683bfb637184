//! CBC encryption of many independent buffers side by side.
//!
//! CBC is serial within a buffer: each block waits for the ciphertext of the previous one. So a
//! single buffer leaves most of a core idle, and several buffers fill it.
//!
//! `encrypt.rs` groups the buffers by the size of their keys. `run.rs` schedules them into the
//! lanes of a kernel of `table.rs`, which `choice.rs` chooses. `rounds.rs` is CBC in lanes, written
//! once over the trait of `vector.rs`, which `registers.rs` implements. `portable.rs` is for CPUs
//! without any of its instruction sets.

mod choice;
mod contract;
#[forbid(unsafe_code)]
mod encrypt;
#[forbid(unsafe_code)]
mod job;
#[forbid(unsafe_code)]
mod kernel_name;
#[forbid(unsafe_code)]
mod portable;
#[cfg(target_arch = "x86_64")]
mod registers;
#[cfg(target_arch = "x86_64")]
mod rounds;
mod run;
#[forbid(unsafe_code)]
mod stagger;
mod table;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use encrypt::{CbcBuffer, CbcEngine, CbcLengthError, cbc_encrypt_many};
pub use kernel_name::{CbcKernelError, CbcKernelInfo, cbc_kernels};
