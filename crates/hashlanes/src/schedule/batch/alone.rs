//! One message, in the fastest code for a single one.

use crate::family::State;
use crate::schedule::batch::narrow::hash_one_of_blocks;
use crate::schedule::batch::output::Output;
use crate::schedule::rules::{Md, MdWord, Tabled};
use crate::schedule::stream::Stream;
use crate::schedule::stream::compress::{compress_alone, compress_with};
use crate::schedule::stream::midstate::Midstate;
use crate::wipe::{Wipe, Wiped};

/// Writes the digest of the message that consists of the bytes of `before` followed by `message`.
#[inline(always)]
pub(crate) fn digest_alone<R: Tabled>(
    before: &Midstate<'_, R>,
    message: &[u8],
    forced: Option<usize>,
    digest: &mut [u8],
) {
    let size = digest.len();
    Output::new(digest, size, 1).put(before.rules, 0, &hash_alone(before, message, forced));
}

/// [`digest_alone`], in a kernel that takes complete messages if that is the best one.
#[inline(always)]
pub(crate) fn digest_whole<W: MdWord>(
    before: &Midstate<'_, Md<W>>,
    message: &[u8],
    forced: Option<usize>,
    digest: &mut [u8],
) {
    if !hash_one_of_blocks(before, message, forced, digest) {
        digest_alone(before, message, forced, digest);
    }
}

/// The final state of the message that consists of the bytes of `before` followed by `message`.
#[inline(always)]
pub(crate) fn hash_alone<R: Tabled>(
    before: &Midstate<'_, R>,
    message: &[u8],
    forced: Option<usize>,
) -> State<R> {
    if !before.carry.is_empty() {
        return hash_after(before, message, forced);
    }
    let rules = before.rules;
    let (body, rest) = message.split_at(message.len() - rules.held(message.len()));
    let length = before.length + message.len() as u128;
    if !body.is_empty()
        && let Some(sums) =
            u64::try_from(length).ok().and_then(|length| rules.known_padding(length))
    {
        let mut state = *before.state;
        compress_with(rules, &mut state, body, Some(sums), forced);
        return state;
    }
    let mut tail = Wiped(R::Tail::ZERO);
    let blocks = rules.pad(before.state, tail.as_mut(), rest, length);
    let mut state = *before.state;
    if !body.is_empty() {
        compress_alone(rules, &mut state, body, forced);
    }
    rules.enter_tail(&mut state, length as u64);
    compress_alone(rules, &mut state, &tail.as_ref()[..blocks * rules.block()], forced);
    state
}

/// Messages of up to this many bytes, including the carried ones, are copied behind the carry and
/// hashed as one message.
const COPIED: usize = 256;

/// [`hash_alone`] with a carry.
#[inline(never)]
fn hash_after<R: Tabled>(
    before: &Midstate<'_, R>,
    message: &[u8],
    forced: Option<usize>,
) -> State<R> {
    let whole = before.without_carry();
    let mut copy = Wiped([0; COPIED]);
    if let Some(bytes) = copy.get_mut(..before.carry.len() + message.len()) {
        let (first, rest) = bytes.split_at_mut(before.carry.len());
        first.copy_from_slice(before.carry);
        rest.copy_from_slice(message);
        return hash_alone(&whole, bytes, forced);
    }
    let mut stream = Stream::resume(whole.rules, *whole.state, whole.length);
    stream.keep(before.carry);
    stream.update_alone(message, forced);
    stream.finish_alone(forced)
}
