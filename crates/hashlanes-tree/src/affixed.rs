//! Hashes messages that have a prefix and a suffix in common.

use hashlanes::{Engine, Prefix};

/// Hashes `prefix, message, suffix` for many messages of one length.
pub(crate) struct Affixed {
    prefix: Prefix,
    suffix: Vec<u8>,
    /// Copies of messages with their suffixes.
    copies: Vec<u8>,
}

impl Affixed {
    pub(crate) fn new(engine: Engine, prefix: &[u8], suffix: &[u8]) -> Self {
        let prefix = Prefix::with_engine(engine, prefix);
        Self { prefix, suffix: suffix.to_vec(), copies: Vec::new() }
    }

    /// Bytes of a digest.
    pub(crate) fn digest_len(&self) -> usize {
        self.prefix.algorithm().digest_len()
    }

    /// The concatenated digests of messages that all have the same length, of at least 1 byte.
    pub(crate) fn digest_many(&mut self, messages: &[&[u8]]) -> Vec<u8> {
        let mut digests = vec![0; messages.len() * self.digest_len()];
        let Some(first) = messages.first() else { return digests };
        if self.suffix.is_empty() {
            self.prefix.digest_many_into(messages, &mut digests);
        } else {
            self.copies.clear();
            for message in messages {
                self.copies.extend_from_slice(message);
                self.copies.extend_from_slice(&self.suffix);
            }
            let length = first.len() + self.suffix.len();
            self.prefix.digest_chunks_into(&self.copies, length, &mut digests);
        }
        digests
    }
}
