//! The values of one level of trees.

use core::mem::{MaybeUninit, swap};
use core::slice;

use super::nodes::{Mode, Run, Value, hash_runs};
use crate::family::blake3::CHUNK;
use crate::schedule::list::List;
#[cfg(feature = "zeroize")]
use crate::wipe;

/// The most chunks of a subtree that is hashed at once. Messages of more chunks fill the lanes
/// alone.
pub(super) const SUBTREE: usize = 128;

/// Memory for the values of two levels, `N` each. It would take a while to clear it.
pub(super) struct LevelMemory<const N: usize>(pub(super) [[MaybeUninit<Value>; N]; 2]);

impl<const N: usize> LevelMemory<N> {
    pub(super) fn new() -> Self {
        Self([const { [const { MaybeUninit::uninit() }; N] }; 2])
    }
}

#[cfg(feature = "zeroize")]
impl<const N: usize> Drop for LevelMemory<N> {
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

/// The values of one level of a subtree.
pub(super) struct Level<'v> {
    /// The first `count` ones are initialised.
    values: &'v mut [MaybeUninit<Value>; SUBTREE],
    pub(super) count: usize,
    /// Memory for those of the next level.
    next: &'v mut [MaybeUninit<Value>; SUBTREE],
}

impl<'v> Level<'v> {
    /// The values of chunks from number `counter` on, of which there are more in the message.
    pub(super) fn of_chunks(
        memory: &'v mut LevelMemory<SUBTREE>,
        mode: Mode<'_>,
        bytes: &[u8],
        counter: u64,
    ) -> Self {
        let [values, next] = &mut memory.0;
        let mut runs = List::<Run<'_>, 2>::new();
        Run::chunks(bytes, counter, false, 0).for_each(|run| runs.push(run));
        hash_runs(&mode.chunks(), runs.as_slice(), values);
        Self { values, count: bytes.len().div_ceil(CHUNK), next }
    }

    /// Replaces pairs of values, at least one pair, by those of their parents. A last one without a
    /// sibling stays.
    pub(super) fn ascend(&mut self, mode: Mode<'_>, is_root: bool) {
        // SAFETY: the first `count` values are initialised.
        let values = unsafe { initialised(&self.values[..self.count]) };
        let (pairs, rest) = values.as_chunks();
        hash_runs(&mode.parents(), &[Run::parents(pairs, is_root, 0)], self.next);
        if let [value] = rest {
            self.next[pairs.len()].write(*value);
        }
        self.count = pairs.len() + rest.len();
        swap(&mut self.values, &mut self.next);
    }

    /// Takes the last value out.
    pub(super) fn pop(&mut self) -> Value {
        self.count -= 1;
        // SAFETY: there were `count + 1` initialised values.
        unsafe { self.values[self.count].assume_init() }
    }
}
