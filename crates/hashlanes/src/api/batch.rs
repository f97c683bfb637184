//! Many messages that are all in memory.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::engine::Engine;
use crate::function::HashFunction;
use crate::schedule::{Batch, Messages, Midstate, Output, Scheduled, Slices, States};
use crate::wipe;

impl<A: HashFunction> Engine<A> {
    /// The digest of one message.
    #[inline]
    pub fn digest(&self, message: impl AsRef<[u8]>) -> A::Digest {
        let digest = self.digest_after(A::BEGINNING, message.as_ref());
        wipe::stack::<{ wipe::ALONE }>();
        digest
    }

    /// The digests of many independent messages, in the same order. See
    /// [`digest_many`](crate::digest_many).
    #[cfg(feature = "alloc")]
    pub fn digest_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<A::Digest> {
        let mut digests = alloc::vec![A::ZERO; messages.len()];
        self.digest_many_into(messages, &mut digests);
        digests
    }

    /// Writes the digests of many independent messages to `digests`, in the same order. Allocates
    /// nothing.
    ///
    /// # Panics
    /// If the slices have different lengths.
    #[inline]
    pub fn digest_many_into(&self, messages: &[impl AsRef<[u8]>], digests: &mut [A::Digest]) {
        match (messages, &mut *digests) {
            ([message], [digest]) => *digest = self.digest(message),
            _ => self.digest_all_after(A::BEGINNING, &Slices(messages), digests),
        }
    }

    /// The digest of one message that continues `before`. The caller must wipe the stack.
    #[inline]
    pub(super) fn digest_after(&self, before: Midstate<'_, A::Rules>, message: &[u8]) -> A::Digest {
        let mut digest = A::ZERO;
        A::RULES.digest(&before, message, self.forced(), digest.as_mut());
        digest
    }

    /// Writes the digests of messages that continue `before`.
    ///
    /// # Panics
    /// If the number of digests is not that of the messages.
    #[inline]
    pub(super) fn digest_all_after(
        &self,
        before: Midstate<'_, A::Rules>,
        messages: &dyn Messages<'_>,
        digests: &mut [A::Digest],
    ) {
        let count = digests.len();
        self.digest_all(before, None, messages, digests);
        if count > 0 {
            wipe::stack::<{ wipe::MANY }>();
        }
    }

    /// Writes the digests of messages that continue `before`, or each its own state after the same
    /// number of bytes. The caller must wipe the stack.
    ///
    /// # Panics
    /// If the number of digests is not that of the messages.
    #[inline]
    pub(super) fn digest_all<'s>(
        &self,
        before: Midstate<'s, A::Rules>,
        states: Option<&'s dyn States<'s, A::Rules>>,
        messages: &'s dyn Messages<'_>,
        digests: &mut [A::Digest],
    ) {
        self.put_all(before, states, messages, &mut output_of::<A>(digests));
    }

    /// [`digest_all`](Self::digest_all), to memory that is prepared for the digests.
    #[inline]
    pub(super) fn put_all<'s>(
        &self,
        before: Midstate<'s, A::Rules>,
        states: Option<&'s dyn States<'s, A::Rules>>,
        messages: &'s dyn Messages<'_>,
        output: &mut Output<'_>,
    ) {
        let (forced, uncached) = (self.forced(), self.is_uncached());
        A::RULES.hash_many(&Batch { messages, before, states, forced, uncached }, output);
    }
}

/// The memory of digests.
#[inline]
pub(super) fn output_of<A: HashFunction>(digests: &mut [A::Digest]) -> Output<'_> {
    let count = digests.len();
    Output::new(A::bytes_of_mut(digests), size_of::<A::Digest>(), count)
}
