//! Kernels: algorithms compiled for instruction sets, and the choice between them.
//!
//! | file | what |
//! |---|---|
//! | `contract.rs` | what a kernel is given and promises: spans of blocks for its lanes |
//! | `compress.rs` | what every kernel of lanes runs |
//! | `table.rs` | the kernels of each family, and their cycles |
//! | `choice.rs` | which kernel for how many messages |
//! | `name.rs` | a kernel by its name, from code or the environment |
//! | `cpu.rs` | what this CPU can run |

mod choice;
mod compress;
mod contract;
mod cpu;
mod name;
mod table;

#[cfg(feature = "std")]
pub(crate) use choice::cycles;
pub(crate) use choice::row;
pub(crate) use contract::{Kernel, Kernels, MAX_LANES, Span};
pub(crate) use cpu::Features;
#[cfg(feature = "std")]
pub use name::kernel_from_environment;
pub(crate) use name::{from_environment, named};
