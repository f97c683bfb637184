//! The content to hash: bytes of a known length that can be read at any offset.

mod device;
mod joined;
mod slice;

pub use device::BlockDevice;
pub use hashlanes_files::{Content, Medium, ReadError};
pub use joined::{Joined, Part};
pub use slice::Slice;
