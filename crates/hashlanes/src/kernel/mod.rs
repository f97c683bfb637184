//! Kernels: algorithms compiled for instruction sets, and the choice between them.
//!
//! | file | what |
//! |---|---|
//! | `contract.rs` | a kernel: its row in the table, and the one place that calls it |
//! | `block.rs` | a block of every lane, on its way into registers |
//! | `compress.rs` | what every kernel of lanes runs |
//! | `links.rs` | links of hash chains in lanes |
//! | `keccak.rs` | what every kernel of Keccak runs |
//! | `whole.rs` | whole messages in one call, where vectors load under masks |
//! | `prefetch.rs` | messages into the caches before they are read |
//! | `table/`, `cycles.rs` | the kernels of each family, and their cycles |
//! | `choice.rs` | which kernel for how many messages |
//! | `name.rs` | a kernel by the name in the environment |
//! | `cpu.rs` | what this CPU can run |
//! | `export.rs` | kernels for the Go module, as functions of C |
//! | `info.rs` | what users see of kernels |

#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "see `input`"))]
#[allow(dead_code)]
mod blake;
#[cfg_attr(
    not(target_arch = "x86_64"),
    allow(dead_code, reason = "only kernels for x86-64 load parts of words, or are assembly")
)]
mod block;
mod choice;
mod compress;
mod contract;
mod cores;
mod cpu;
mod cycles;
#[cfg(all(feature = "export", any(target_arch = "x86_64", target_arch = "aarch64")))]
mod export;
mod info;
mod keccak;
#[cfg(target_arch = "x86_64")]
mod links;
mod name;
mod prefetch;
mod table;
#[cfg(target_arch = "x86_64")]
mod whole;

#[cfg(feature = "std")]
pub(crate) use choice::cycles;
pub(crate) use choice::row;
#[cfg(feature = "std")]
pub(crate) use contract::MAX_ROWS;
pub(crate) use contract::{Choices, Kernel, Kernels, Table};
#[cfg(all(test, target_arch = "x86_64"))]
pub(crate) use cpu::Features;
pub use info::{KernelInfo, cpu_features};
pub(crate) use name::from_environment;
#[cfg(feature = "std")]
pub use name::kernel_from_environment;
pub(crate) use prefetch::{Origin, prefetch};

pub(crate) use crate::vector::MAX_LANES;
