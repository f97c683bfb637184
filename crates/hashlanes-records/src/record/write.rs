//! A write: plaintext of one connection on its way into records.

use super::state::WriteState;
use super::suite::ContentType;

/// A write to seal.
#[derive(Debug)]
pub struct Write<'a> {
    /// The connection. Its sequence number moves on.
    pub state: &'a mut WriteState,
    /// What the bytes are.
    pub content: ContentType,
    /// The bytes. If there are none, one empty record is sealed, which only application data may
    /// be.
    pub data: &'a [u8],
    /// The records are appended to this.
    pub wire: &'a mut Vec<u8>,
}
