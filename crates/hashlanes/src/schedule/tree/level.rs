//! The values of one level of trees.

use core::mem::{MaybeUninit, swap};
use core::slice;

use super::nodes::{Mode, Run, Value, hash_runs};
use crate::family::blake3::CHUNK;
use crate::schedule::list::List;
#[cfg(feature = "zeroize")]
use crate::wipe;

/// The most chunks that are hashed at once. Messages of more chunks fill the lanes alone.
pub(super) const SUBTREE: usize = 128;

/// The most values of a level: those of as many chunks, and one from before them.
pub(super) const VALUES: usize = SUBTREE + 1;

/// Memory for the values of two levels. It would take a while to clear it.
pub(super) struct LevelMemory(pub(super) [[MaybeUninit<Value>; VALUES]; 2]);

impl LevelMemory {
    pub(super) fn new() -> Self {
        Self([const { [const { MaybeUninit::uninit() }; VALUES] }; 2])
    }
}

#[cfg(feature = "zeroize")]
impl Drop for LevelMemory {
    fn drop(&mut self) {
        wipe::memory(self.0.as_flattened_mut());
    }
}

/// Values as what they are.
///
/// # Safety
/// They are initialised.
pub(super) unsafe fn initialised(values: &[MaybeUninit<Value>]) -> &[Value] {
    // SAFETY: as the caller promises. The type is the same otherwise.
    unsafe { slice::from_raw_parts(values.as_ptr().cast(), values.len()) }
}

/// The values of one level of a message, from number `start` of that level on.
pub(super) struct Level<'v> {
    /// Those from number `first` on, 0 or 1, up to `end` are initialised.
    values: &'v mut [MaybeUninit<Value>; VALUES],
    first: usize,
    end: usize,
    pub(super) start: u64,
    /// Memory for those of the next level.
    next: &'v mut [MaybeUninit<Value>; VALUES],
}

impl<'v> Level<'v> {
    /// The values of chunks from number `counter` on, of which there are more in the message.
    pub(super) fn of_chunks(
        memory: &'v mut LevelMemory,
        mode: Mode<'_>,
        bytes: &[u8],
        counter: u64,
    ) -> Self {
        let [values, next] = &mut memory.0;
        let mut runs = List::<Run<'_>, 2>::new();
        Run::chunks(bytes, counter, false, 1).for_each(|run| runs.push(run));
        hash_runs(&mode.chunks(), runs.as_slice(), values);
        Self { values, first: 1, end: 1 + bytes.len().div_ceil(CHUNK), start: counter, next }
    }

    pub(super) fn count(&self) -> usize {
        self.end - self.first
    }

    /// Puts the sibling before the first value, whose number is odd.
    pub(super) fn push_front(&mut self, value: Value) {
        assert!(self.first == 1 && self.start % 2 == 1);
        self.values[0].write(value);
        self.first = 0;
        self.start -= 1;
    }

    /// Replaces pairs of values, at least one pair, by those of their parents. A last one without a
    /// sibling stays.
    pub(super) fn ascend(&mut self, mode: Mode<'_>, is_root: bool) {
        // SAFETY: those from `first` up to `end` are initialised (see the field).
        let values = unsafe { initialised(&self.values[self.first..self.end]) };
        let (pairs, rest) = values.as_chunks();
        hash_runs(&mode.parents(), &[Run::parents(pairs, is_root, 1)], self.next);
        if let [value] = rest {
            self.next[1 + pairs.len()].write(*value);
        }
        (self.first, self.end) = (1, 1 + pairs.len() + rest.len());
        self.start /= 2;
        swap(&mut self.values, &mut self.next);
    }

    /// Takes the last value out.
    pub(super) fn pop(&mut self) -> Value {
        self.end -= 1;
        // SAFETY: this was the last of the initialised values, from `first` up to the old `end`.
        unsafe { self.values[self.end].assume_init() }
    }
}
