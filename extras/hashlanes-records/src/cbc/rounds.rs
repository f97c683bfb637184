//! CBC in lanes, written once over vectors.
//!
//! A round of AES takes 3 to 5 cycles, and one or two vectors can begin one in every cycle. So the
//! vectors of several registers go through the rounds side by side.

use super::contract::{BLOCK, LaneMemory};
use super::vector::Vector;
use crate::aes::{Block, MAX_ROUND_KEYS};

/// Encrypts `blocks` blocks in each of `REGISTERS * V::LANES` lanes.
///
/// # Safety
/// As [`Encrypt`](super::contract::Encrypt), with the instruction set of `V`.
#[inline(always)]
pub(super) unsafe fn encrypt<
    V: Vector,
    const REGISTERS: usize,
    const ROUNDS: usize,
    const ONE_KEY: bool,
>(
    lanes: &mut LaneMemory,
    blocks: usize,
) {
    let keys: *const Block = lanes.keys.as_ptr().cast();
    let next: *const *mut u8 = lanes.next.as_ptr();
    // SAFETY: the caller promises the instruction set. `chain` has a block for each of `MAX_LANES`
    // lanes, which no kernel exceeds.
    let mut chain = [unsafe { V::load(lanes.chain.as_ptr()) }; REGISTERS];
    for r in 0..REGISTERS {
        // SAFETY: as above, `chain` has a block for each lane of register `r`.
        chain[r] = unsafe { V::load(lanes.chain.as_ptr().add(r * V::LANES)) };
    }
    // SAFETY: `keys` are those of the lane memory, and no size of key has more than
    // `MAX_ROUND_KEYS` rounds.
    let one_key: [V; MAX_ROUND_KEYS] = unsafe { first_keys::<V, ROUNDS, ONE_KEY>(keys) };
    let mut offset = 0;
    while offset < BLOCK * blocks {
        // A shared key stays in registers. Keys of single lanes come from the first-level cache.
        macro_rules! key {
            ($round:expr, $register:expr) => {
                if ONE_KEY {
                    one_key[$round]
                } else {
                    // SAFETY: the lane memory has keys for this round and this register.
                    unsafe { V::load(key_of::<V>(keys, $round, $register)) }
                }
            };
        }
        // Unrolled, since a variable index would keep the keys in memory.
        macro_rules! rounds {
            ($($round:literal)*) => {$(
                for r in 0..REGISTERS {
                    chain[r] = chain[r].round(key!($round, r));
                }
            )*};
        }
        for r in 0..REGISTERS {
            // SAFETY: the caller promises lanes that are readable for `blocks` blocks, and
            // `offset` is below their end.
            let data = unsafe { V::gather(next.add(r * V::LANES), offset) };
            chain[r] = chain[r].xor(data).xor(key!(0, r));
        }
        rounds!(1 2 3 4 5 6 7 8 9);
        if ROUNDS > 10 {
            rounds!(10 11);
        }
        if ROUNDS > 12 {
            rounds!(12 13);
        }
        for r in 0..REGISTERS {
            chain[r] = chain[r].last_round(key!(ROUNDS, r));
        }
        for r in 0..REGISTERS {
            // SAFETY: the caller promises lanes that are writable for `blocks` blocks, and
            // `offset` is below their end.
            unsafe { chain[r].scatter(next.add(r * V::LANES), offset) };
        }
        offset += BLOCK;
    }
    for r in 0..REGISTERS {
        // SAFETY: `chain` has a block for each lane of register `r`, and is borrowed for writing.
        unsafe { chain[r].store(lanes.chain.as_mut_ptr().add(r * V::LANES)) };
    }
    for next in &mut lanes.next[..REGISTERS * V::LANES] {
        *next = next.wrapping_add(offset);
    }
}

/// The round keys of the first lanes, which are those of all lanes if there is one key.
///
/// # Safety
/// The CPU has the instruction set. `keys` points to the keys of a [`LaneMemory`].
#[inline(always)]
unsafe fn first_keys<V: Vector, const ROUNDS: usize, const ONE_KEY: bool>(
    keys: *const Block,
) -> [V; MAX_ROUND_KEYS] {
    // SAFETY: the caller promises the instruction set, and keys of `MAX_LANES` lanes per round.
    let mut first = [unsafe { V::load(keys) }; MAX_ROUND_KEYS];
    if ONE_KEY {
        for round in 1..=ROUNDS {
            // SAFETY: as above; no size of key has more than `MAX_ROUND_KEYS` rounds.
            first[round] = unsafe { V::load(key_of::<V>(keys, round, 0)) };
        }
    }
    first
}

/// Where the keys of a round and a register are.
///
/// # Safety
/// `keys` points to the keys of a [`LaneMemory`] with this round and this register.
#[inline(always)]
unsafe fn key_of<V: Vector>(keys: *const Block, round: usize, register: usize) -> *const Block {
    // SAFETY: the caller promises that the lane memory has this round and this register, so the
    // sum stays inside its keys.
    unsafe { keys.add(round * super::contract::MAX_LANES + register * V::LANES) }
}
