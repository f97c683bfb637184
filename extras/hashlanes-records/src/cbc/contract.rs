//! The contract of a kernel: its input and what it promises.
//!
//! A *lane* is a buffer in progress. A kernel has a fixed number of lanes, and encrypts the same
//! number of blocks in each. An idle lane is a copy of a live one: it computes the same ciphertext
//! and writes it to the same place.

use std::ptr;

use zeroize::Zeroize;

use crate::aes::{Block, KeySize, MAX_ROUND_KEYS, Schedule};

/// The most lanes that a kernel has.
pub(super) const MAX_LANES: usize = 32;

/// Bytes of a block.
pub(super) const BLOCK: usize = size_of::<Block>();

/// The memory of all lanes. Round keys are stored by round and then by lane, as vectors load them.
/// Keys and chaining values are wiped on drop.
#[repr(C, align(64))]
pub(super) struct LaneMemory {
    pub(super) keys: [[Block; MAX_LANES]; MAX_ROUND_KEYS],
    /// The last block of ciphertext, or the IV.
    pub(super) chain: [Block; MAX_LANES],
    /// The next block to encrypt.
    pub(super) next: [*mut u8; MAX_LANES],
    /// All lanes share one key. Then it is stored for the first lanes only, where kernels load it.
    one_key: bool,
    /// How many lanes have ever been used.
    used: usize,
}

/// The most lanes of a vector.
const WIDEST: usize = 4;

impl LaneMemory {
    pub(super) fn new(one_key: bool) -> Self {
        Self {
            keys: [[0; MAX_LANES]; MAX_ROUND_KEYS],
            chain: [0; MAX_LANES],
            next: [ptr::null_mut(); MAX_LANES],
            one_key,
            used: 0,
        }
    }

    /// Gives a lane its round keys, its chaining value and its data.
    pub(super) fn set(&mut self, lane: usize, schedule: &Schedule, chain: Block, next: *mut u8) {
        if self.has_keys(lane) {
            for (keys, key) in self.keys.iter_mut().zip(schedule) {
                keys[lane] = *key;
            }
        }
        (self.chain[lane], self.next[lane]) = (chain, next);
        self.used = self.used.max(lane + 1);
    }

    /// Makes lane `to` a copy of lane `from`.
    pub(super) fn copy(&mut self, from: usize, to: usize) {
        if self.has_keys(to) && self.has_keys(from) {
            for keys in &mut self.keys {
                keys[to] = keys[from];
            }
        }
        (self.chain[to], self.next[to]) = (self.chain[from], self.next[from]);
        self.used = self.used.max(to + 1);
    }

    /// Whether all lanes share one key.
    pub(super) fn one_key(&self) -> bool {
        self.one_key
    }

    fn has_keys(&self, lane: usize) -> bool {
        !self.one_key || lane < WIDEST
    }
}

impl Drop for LaneMemory {
    fn drop(&mut self) {
        self.keys.iter_mut().for_each(|keys| keys[..self.used].zeroize());
        self.chain[..self.used].zeroize();
    }
}

/// Encrypts `blocks` blocks in each lane, and moves `chain` and `next` on. Loads a block of every
/// lane before it stores any.
///
/// # Safety
/// The CPU has the kernel's features. `next` of each of the kernel's lanes is readable and writable
/// for `blocks` blocks at any alignment, and nobody else uses these bytes meanwhile. The bytes of
/// two lanes do not overlap, unless one lane is a [copy](LaneMemory::copy) of the other.
pub(super) type Encrypt = unsafe fn(lanes: &mut LaneMemory, blocks: usize);

/// One row of the table.
pub(super) struct Kernel {
    pub(super) name: &'static str,
    pub(super) lanes: usize,
    pub(super) available: fn() -> bool,
    /// Cycles for one block of AES-128 in all lanes, each with its own key, on a core of (Intel,
    /// AMD). Only ratios matter.
    pub(super) cycles: (u16, u16),
    /// By size of the keys: every lane has its own.
    pub(super) own_keys: [Encrypt; 3],
    /// By size of the keys: all lanes have the same.
    pub(super) one_key: [Encrypt; 3],
}

impl Kernel {
    pub(super) fn available(&self) -> bool {
        (self.available)()
    }

    /// [`Encrypt::encrypt`] of this kernel: the one place where it is called.
    ///
    /// # Safety
    /// The kernel is [`available`](Kernel::available). The rest is as [`Encrypt`] asks for.
    pub(super) unsafe fn encrypt(&self, lanes: &mut LaneMemory, blocks: usize, size: KeySize) {
        debug_assert!(self.available());
        let functions = if lanes.one_key() { &self.one_key } else { &self.own_keys };
        // SAFETY: the caller promises an available kernel, and lanes as `Encrypt` asks for them.
        // The function is the one for this size of keys.
        unsafe { functions[size as usize](lanes, blocks) }
    }
}
