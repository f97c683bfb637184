//! Hash chains, for kernels that continue them.

/// Hash chains to continue side by side.
///
/// A chain has an *input*, which ends with a *value*. The digest of the input replaces the value,
/// and so on.
pub struct Chains<'c> {
    /// The inputs, one after another. They become those of the hashes that would follow.
    pub(crate) inputs: &'c mut [u8],
    /// Bytes of an input.
    pub(crate) input_len: usize,
    /// Bytes of a value, at most those of a digest.
    pub(crate) value_len: usize,
    /// Whether the byte before a value counts the hashes.
    pub(crate) counted: bool,
    /// The number of hashes of each chain.
    pub(crate) lengths: &'c [u64],
}

impl Chains<'_> {
    /// The input of chain `id`.
    #[inline(always)]
    pub(crate) fn input(&mut self, id: usize) -> &mut [u8] {
        &mut self.inputs[id * self.input_len..][..self.input_len]
    }

    /// Where values begin within inputs.
    #[inline(always)]
    pub(crate) fn value_start(&self) -> usize {
        self.input_len - self.value_len
    }

    /// Replaces the value of chain `id` by the first bytes of the digest of its input.
    pub(crate) fn replace(&mut self, id: usize, digest: &[u8]) {
        let (start, counted) = (self.value_start(), self.counted);
        let (others, value) = self.input(id).split_at_mut(start);
        value.copy_from_slice(&digest[..value.len()]);
        if let (true, Some(count)) = (counted, others.last_mut()) {
            *count = count.wrapping_add(1);
        }
    }

    /// The first chain from number `id` on that has hashes left to compute.
    #[inline(always)]
    pub(crate) fn waiting(&self, id: usize) -> Option<usize> {
        (id..self.lengths.len()).find(|&id| self.lengths[id] > 0)
    }
}

/// The block in which an input is hashed.
#[cfg_attr(not(target_arch = "x86_64"), allow(dead_code, reason = "no kernel has chains there"))]
pub(crate) struct Frame<'f, W> {
    /// The state before the block.
    pub(crate) state: &'f [W; 8],
    /// The block with zeros in place of the input.
    pub(crate) block: &'f [u8],
    /// Where the input begins in it.
    pub(crate) start: usize,
}

/// Continues chains whose inputs are hashed in one block, which [`Frame`] is.
///
/// # Safety
/// The CPU has the kernel's features.
pub(crate) type ContinueChains<W> = unsafe fn(&Frame<'_, W>, &mut Chains<'_>);
