//! Short messages, a group at a time: one in each lane, begun together and run in step.
//!
//! For a message of a few blocks the scheduler's care (which lane ends when, what comes next) costs more than the hashing. A
//! group has nothing to decide: all blocks that every message has in full, then the others one by one. It suits messages
//! of about the same number of blocks.

use crate::kernel::{Kernel, Kernels};
use crate::padding::pad;
use crate::schedule::State;
use crate::stage::Stages;

/// What a lane reads: the message's whole blocks, then the tail.
#[derive(Clone, Copy)]
struct Lane {
    body: *const u8,
    body_blocks: usize,
    tail: *const u8,
    /// Blocks of body and tail.
    blocks: usize,
}

/// The memory of a group, to be used again and again, for kernels of at most `L` lanes: to clear more memory than the lanes
/// need takes longer than to hash two short messages.
pub(crate) struct Groups<F: Kernels, const L: usize> {
    stages: Stages<F>,
    lanes: [Lane; L],
    data: [*const u8; L],
    state: [[F::Word; L]; 8],
}

impl<F: Kernels, const L: usize> Groups<F, L> {
    pub(crate) fn new() -> Self {
        let null = core::ptr::null();
        Self {
            stages: Stages::new(),
            lanes: [Lane { body: null, body_blocks: 0, tail: null, blocks: 0 }; L],
            data: [null; L],
            state: [[F::Word::default(); L]; 8],
        }
    }

    /// Hashes at least one and at most `kernel.lanes` messages; calls `done` with each one's place in the group and its
    /// state.
    ///
    /// # Panics
    /// If there are more messages than lanes, or none, or the kernel has more than `L`, or the CPU cannot run it.
    pub(crate) fn hash(
        &mut self,
        kernel: &Kernel<F::Word>,
        initial: &State<F>,
        messages: &[&[u8]],
        mut done: impl FnMut(usize, &State<F>),
    ) {
        assert!(kernel.available() && !messages.is_empty() && messages.len() <= kernel.lanes && kernel.lanes <= L);
        let (mut common, mut longest_body, mut fewest, mut most) = (usize::MAX, 0, usize::MAX, 0);
        for (l, (message, lane)) in messages.iter().zip(&mut self.lanes).enumerate() {
            let tail = self.stages.of(l).wrapping_add(F::BLOCK);
            let body_blocks = message.len() / F::BLOCK;
            // SAFETY: after a stage's first block come two more, initialised. Of the references to this stage, the one of the
            // last group is gone, and kernels run after this one is.
            let stage = unsafe { core::slice::from_raw_parts_mut(tail, 2 * F::BLOCK) };
            let blocks = body_blocks + pad::<F>(stage, &message[body_blocks * F::BLOCK..], message.len() as u128);
            *lane = Lane { body: message.as_ptr(), body_blocks, tail, blocks };
            common = common.min(body_blocks);
            longest_body = longest_body.max(body_blocks);
            fewest = fewest.min(blocks);
            most = most.max(blocks);
        }
        for w in 0..F::STATE_WORDS {
            self.state.as_flattened_mut()[w * kernel.lanes..][..kernel.lanes].fill(initial[w]);
        }

        let lanes = messages.len();
        if common > 0 {
            // SAFETY: the kernel is available; every message has `common` whole blocks.
            unsafe { self.run(kernel, lanes, common, |lane| lane.body) };
        }
        if longest_body == common && fewest == most {
            // SAFETY: the kernel is available; every tail has `most - common` blocks.
            unsafe { self.run(kernel, lanes, most - common, |lane| lane.tail) };
            for l in 0..lanes {
                done(l, &self.state_of(kernel, l));
            }
            return;
        }
        for block in common..most {
            let next = |lane: &Lane| {
                if block < lane.body_blocks {
                    lane.body.wrapping_add(block * F::BLOCK)
                } else if block < lane.blocks {
                    lane.tail.wrapping_add((block - lane.body_blocks) * F::BLOCK)
                } else {
                    lane.tail // This message is done: its lane computes something that nobody looks at.
                }
            };
            // SAFETY: the kernel is available. Block number `block` of a message is in its body or in its tail, as chosen;
            // every tail has at least one block.
            unsafe { self.run(kernel, lanes, 1, next) };
            for l in 0..lanes {
                if self.lanes[l].blocks == block + 1 {
                    done(l, &self.state_of(kernel, l));
                }
            }
        }
    }

    /// Advances all lanes by `blocks` blocks, read where `from` says. Lanes without a message read what the first one reads.
    ///
    /// # Safety
    /// The CPU can run the kernel. The first `lanes >= 1` lanes are set, and what `from` returns for them is readable for
    /// `blocks` blocks.
    #[inline(always)]
    unsafe fn run(&mut self, kernel: &Kernel<F::Word>, lanes: usize, blocks: usize, from: impl Fn(&Lane) -> *const u8) {
        for (data, lane) in self.data.iter_mut().zip(&self.lanes[..lanes]) {
            *data = from(lane);
        }
        let first = self.data[0];
        self.data[lanes..kernel.lanes].fill(first);
        // SAFETY: the caller's promise, and all other lanes read what the first one reads.
        unsafe { kernel.run::<F>(self.state.as_flattened_mut(), &self.data, blocks) };
    }

    fn state_of(&self, kernel: &Kernel<F::Word>, l: usize) -> State<F> {
        let mut words = [F::Word::default(); 8];
        for w in 0..F::STATE_WORDS {
            words[w] = self.state.as_flattened()[w * kernel.lanes + l];
        }
        words
    }
}
