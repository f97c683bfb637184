//! AES-CBC of many buffers side by side.

mod aes;
mod cbc;
mod lane_use;

pub use aes::{AesKey, KeyLengthError};
pub use cbc::{
    CbcBuffer, CbcEngine, CbcKernelError, CbcKernelInfo, CbcLengthError, cbc_encrypt_many,
    cbc_kernels,
};
pub use lane_use::{KernelUse, LaneUse};
