//! A write: plaintext of one connection on its way into records.

use super::state::WriteState;
use super::suite::ContentType;

/// A write to seal.
#[derive(Debug)]
pub struct Write<'a> {
    /// The connection, whose sequence number advances.
    pub state: &'a mut WriteState,
    /// The type of the records.
    pub content: ContentType,
    /// The plaintext. If it is empty, one empty record is sealed, which must be application data.
    pub data: &'a [u8],
    /// The records are appended to this.
    pub wire: &'a mut Vec<u8>,
}
