//! CBC encryption of many independent buffers side by side.
//!
//! CBC is serial inside one buffer: each block waits for the ciphertext of the one before. So one
//! buffer leaves most of a core idle, and different buffers fill it.
//!
//! `encrypt.rs` takes the buffers and puts those together that have keys of one size. `run.rs` puts
//! them into the lanes of a kernel of `table.rs`, which `choice.rs` chooses. `rounds.rs` is CBC in
//! lanes, written once over the vectors of `vector.rs`; `aes_ni.rs`, `vaes256.rs` and `vaes512.rs`
//! are these vectors. `portable.rs` is for CPUs that have none of them.

#[cfg(target_arch = "x86_64")]
mod aes_ni;
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
mod rounds;
mod run;
#[forbid(unsafe_code)]
mod stagger;
mod table;
#[cfg(target_arch = "x86_64")]
mod vaes256;
#[cfg(target_arch = "x86_64")]
mod vaes512;
#[cfg(target_arch = "x86_64")]
mod vector;

pub use encrypt::{CbcBuffer, CbcEngine, CbcLengthError, cbc_encrypt_many};
pub use kernel_name::{CbcKernelError, CbcKernelInfo, cbc_kernels};
