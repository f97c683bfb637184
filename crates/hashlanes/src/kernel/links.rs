//! Links of hash chains in lanes: a digest goes from the words of a state to those of the next
//! block, and is neither stored as bytes nor loaded as a message. The rest of a block stays as it
//! is.
//!
//! HMAC under a key hashes twice, each time from a state of the key.

use core::ptr::null;

use super::block::{Block, Words};
use super::compress::{Ahead, Compression, load_state};
use crate::family::MerkleDamgard;
use crate::input::{Links, MOST_TOUCHED};
use crate::vector::{BLOCK_WORDS, Vector, Word};

/// Computes links in the lanes of a vector.
///
/// Loops are over pointers and few, because this is compiled for many vectors.
///
/// # Safety
/// As for [`LinkLanes`](crate::input::LinkLanes), with `V::LANES` lanes.
#[inline(always)]
pub(super) unsafe fn link_lanes<
    F: MerkleDamgard,
    V: Vector<Word = F::Word>,
    C: Compression<F, V>,
>(
    links: &Links<'_, F::Word>,
) {
    let (blocks, place) = (links.blocks, links.place);
    let mut nothing = Block::<V>::new();
    // SAFETY: the caller promises the CPU's features, 16 words of each lane at `blocks`, and those
    // of states at the other pointers that are not null. No block is loaded ahead. A place is in
    // the 16 words of a block. It touches at most MOST_TOUCHED of them, one more than a state has.
    unsafe {
        let mut block = [V::load(blocks); BLOCK_WORDS];
        let words = block.as_mut_ptr();
        let mut w = 1;
        while w < BLOCK_WORDS {
            *words.add(w) = V::load(blocks.add(w * V::LANES));
            w += 1;
        }
        let zero = block[0].xor(&block[0]);
        let mut masks = [[zero; 2]; MOST_TOUCHED];
        let mut k = 0;
        while k < MOST_TOUCHED {
            masks[k] = [zero.add_word(place.masks[0][k]), zero.add_word(place.masks[1][k])];
            k += 1;
        }
        let count = zero.add_word(place.count);
        let mut left = links.count;
        while left > 0 {
            left -= 1;
            let mut hash = 0;
            loop {
                let mut state = load_state::<F, V, 8>(links.before[hash]);
                // A copy, of which a compression may leave nothing.
                let mut copy = block;
                let copy = Words { words: &mut copy, arranged: false };
                C::compress(&mut state, copy, &mut Ahead::<F, V>::new(&mut nothing, null(), 0));
                let to = words.add(place.first);
                let mut k = 0;
                if place.is_whole {
                    while k < F::STATE_WORDS {
                        if k < place.touched {
                            *to.add(k) = state[k];
                        }
                        k += 1;
                    }
                } else {
                    let mut before = zero;
                    while k < place.touched {
                        let mut now = state[k & 7];
                        if place.skew & 8 != 0 {
                            now = later::<F, V, 8>(&now);
                        }
                        if place.skew & 16 != 0 {
                            now = later::<F, V, 16>(&now);
                        }
                        if const { F::Word::BYTES == 8 } && place.skew & 32 != 0 {
                            now = later::<F, V, 32>(&now);
                        }
                        let [same, previous] = &masks[k];
                        let word = same.choose(&now, &*to.add(k));
                        *to.add(k) = previous.choose(&before, &word);
                        before = now;
                        k += 1;
                    }
                }
                hash += 1;
                if hash < 2 && !links.before[hash & 1].is_null() {
                    continue;
                }
                if !links.sums.is_null() {
                    let mut w = 0;
                    while w < F::STATE_WORDS {
                        let sum = links.sums.add(w * V::LANES);
                        V::load(sum).xor(&state[w]).store(sum);
                        w += 1;
                    }
                }
                break;
            }
            if place.is_counted {
                let word = words.add(place.counter);
                *word = count.choose(&(*word).add_word(place.one), &*word);
            }
        }
        let mut w = 0;
        while w < BLOCK_WORDS {
            block[w].store(blocks.add(w * V::LANES));
            w += 1;
        }
    }
}

/// The words with their bytes `N` bits later in a block, and those behind the last in front.
#[inline(always)]
fn later<F: MerkleDamgard, V: Vector<Word = F::Word>, const N: i32>(words: &V) -> V {
    if F::BIG_ENDIAN { words.rotate_right::<N>() } else { words.rotate_left::<N>() }
}
