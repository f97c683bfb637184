//! Hash chains: the digest of a digest, many times, of many chains side by side.

use super::prefix::Prefix;
use crate::function::HashFunction;
use crate::wipe;

/// How many chains are continued side by side: enough to fill the lanes of every kernel twice.
const ACTIVE: usize = 64;

impl<A: HashFunction> Prefix<A> {
    /// Continues hash chains side by side: replaces `values[i]` by the digest of the prefix
    /// followed by `values[i]`, `lengths[i]` times. Allocates nothing.
    ///
    /// A chain is serial, but different chains are independent. A chain that ends leaves its lane
    /// to the next one. For the values in between, continue the chains in several calls.
    ///
    /// ```
    /// use hashlanes::{Prefix, Sha256};
    ///
    /// let tag = Prefix::<Sha256>::new("tag");
    /// let mut values = [[1; 32], [2; 32]];
    /// tag.digest_chains(&mut values, &[2, 1000]);
    /// assert_eq!(values[0], tag.digest(tag.digest([1; 32])));
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn digest_chains(&self, values: &mut [A::Digest], lengths: &[u64]) {
        assert_eq!(
            values.len(),
            lengths.len(),
            "every chain has a length: the slices must have the same length"
        );
        self.continue_chains(values, lengths);
        wipe::stack::<{ wipe::MANY }>();
    }

    /// Not inlined, so that its stack frame is below that of its caller, which wipes it.
    #[inline(never)]
    fn continue_chains(&self, values: &mut [A::Digest], lengths: &[u64]) {
        let mut waiting = (0..lengths.len()).filter(|&i| lengths[i] > 0);
        let mut chains = [Chain { id: 0, left: 0 }; ACTIVE];
        let mut current = [A::ZERO; ACTIVE];
        let mut next = [A::ZERO; ACTIVE];
        let mut active = 0;
        loop {
            for id in waiting.by_ref().take(ACTIVE - active) {
                chains[active] = Chain { id, left: lengths[id] };
                current[active] = values[id];
                active += 1;
            }
            let Some(steps) = chains[..active].iter().map(|chain| chain.left).min() else { return };
            for _ in 0..steps {
                let bytes = A::bytes_of(&current[..active]);
                self.digest_chunks_into(bytes, size_of::<A::Digest>(), &mut next[..active]);
                core::mem::swap(&mut current, &mut next);
            }
            for lane in (0..active).rev() {
                chains[lane].left -= steps;
                if chains[lane].left == 0 {
                    values[chains[lane].id] = current[lane];
                    active -= 1;
                    (chains[lane], current[lane]) = (chains[active], current[active]);
                }
            }
        }
    }
}

/// A chain that is being continued.
#[derive(Clone, Copy)]
struct Chain {
    /// The number of its value.
    id: usize,
    /// The hashes until its end.
    left: u64,
}
