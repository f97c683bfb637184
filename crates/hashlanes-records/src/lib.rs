//! AES-CBC of many buffers, and TLS records, side by side.

mod aes;
mod cbc;
mod lane_use;
mod record;

pub use aes::{AesKey, KeyLengthError};
pub use cbc::{
    CbcBuffer, CbcEngine, CbcKernelError, CbcKernelInfo, CbcLengthError, cbc_encrypt_many,
    cbc_kernels,
};
pub use lane_use::{KernelUse, LaneUse};
pub use record::{
    CipherSuite, ContentType, IvError, IvSource, MacOrder, RecordSealer, SealError, SealReport,
    SystemIvs, Version, Write, WriteState, WriteStateError,
};
