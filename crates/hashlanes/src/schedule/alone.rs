//! One message, in the fastest code for a single one.

use super::compress::{compress_alone, compress_with};
use super::midstate::Midstate;
use super::output::Output;
use super::stream::Stream;
use super::whole_blocks::one;
use crate::family::{MerkleDamgard, State};
use crate::kernel::Kernels;
use crate::wipe::{Wipe, Wiped};

/// Writes the digest of the message that consists of the bytes of `before` followed by `message`.
#[inline(always)]
pub(super) fn digest_alone<F: Kernels>(
    before: &Midstate<'_, F>,
    message: &[u8],
    forced: Option<usize>,
    digest: &mut [u8],
) {
    let size = digest.len();
    Output::new(digest, size, 1).put::<F>(0, &hash_alone(before, message, forced));
}

/// [`digest_alone`], in a kernel that takes complete messages if that is the best one.
#[inline(always)]
pub(super) fn digest_whole<F: Kernels + MerkleDamgard>(
    before: &Midstate<'_, F>,
    message: &[u8],
    forced: Option<usize>,
    digest: &mut [u8],
) {
    if !one(before, message, forced, digest) {
        digest_alone(before, message, forced, digest);
    }
}

/// The final state of the message that consists of the bytes of `before` followed by `message`.
#[inline]
pub(super) fn hash_alone<F: Kernels>(
    before: &Midstate<'_, F>,
    message: &[u8],
    forced: Option<usize>,
) -> State<F> {
    if !before.carry.is_empty() {
        return hash_after::<F>(before, message, forced);
    }
    let (body, rest) = message.split_at(message.len() - F::held(message.len()));
    let length = before.length + message.len() as u128;
    if !body.is_empty()
        && let Some(sums) = u64::try_from(length).ok().and_then(F::known_padding)
    {
        let mut state = *before.state;
        compress_with::<F>(&mut state, body, Some(sums), forced);
        return state;
    }
    let mut tail = Wiped(F::Tail::ZERO);
    let blocks = F::pad(before.state, tail.as_mut(), rest, length);
    let mut state = *before.state;
    if !body.is_empty() {
        compress_alone::<F>(&mut state, body, forced);
    }
    F::enter_tail(&mut state, length as u64);
    compress_alone::<F>(&mut state, &tail.as_ref()[..blocks * F::BLOCK], forced);
    state
}

/// Messages of up to this many bytes, including the carried ones, are copied behind the carry and
/// hashed as one message.
const COPIED: usize = 256;

/// [`hash_alone`] with a carry.
#[inline(never)]
fn hash_after<F: Kernels>(
    before: &Midstate<'_, F>,
    message: &[u8],
    forced: Option<usize>,
) -> State<F> {
    let whole = before.without_carry();
    let mut copy = Wiped([0; COPIED]);
    if let Some(bytes) = copy.get_mut(..before.carry.len() + message.len()) {
        let (first, rest) = bytes.split_at_mut(before.carry.len());
        first.copy_from_slice(before.carry);
        rest.copy_from_slice(message);
        return hash_alone::<F>(&whole, bytes, forced);
    }
    let mut stream = Stream::<F>::resume(*whole.state, whole.length);
    stream.keep(before.carry);
    stream.update_alone(message, forced);
    stream.finish_alone(forced)
}
