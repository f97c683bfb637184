//! A message in pieces, or in parts.

use hashlanes::xof::InParts;

use super::Digest;

/// Appends pieces of a message, then gives its digest.
pub(crate) trait Hasher: Send + Sync {
    fn update(&mut self, piece: &[u8]);

    /// The state of the message so far, if the function has saved states.
    fn save(&self) -> Option<Vec<u8>> {
        None
    }

    fn finish(self: Box<Self>) -> Digest;
}

/// A hasher of a message whose parts may be hashed apart.
pub(crate) trait Joined: Hasher + InParts {}

impl<T: Hasher + InParts> Joined for T {}
