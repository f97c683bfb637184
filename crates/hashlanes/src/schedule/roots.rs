//! Output of any length of BLAKE3: each block is another compression of the root, so the blocks of
//! one output, or of many, are computed side by side.

use super::list::List;
use super::squeeze::Outputs;
use crate::family::blake3::{
    BEFORE, BLOCK, Blake3Family, Blake3Output, COUNTER, FLAGS, KEY, LAST, LENGTH, NODE, STACK,
    VALUE,
};
use crate::family::{Family, State};
use crate::kernel::{Kernel, Kernels, MAX_LANES, row};
use crate::wipe::{Wipe, Wiped};

/// The root of a message, and the place in its output.
#[derive(Clone)]
pub struct Root {
    /// The words of a lane before the compression. The number of the block is 0.
    node: Wiped<[u32; NODE]>,
    block: Wiped<[u8; BLOCK]>,
    /// In bytes, modulo 2^64.
    pub(crate) position: u64,
}

impl Root {
    /// The root that compresses a block after this chaining value. The block has at most 64 bytes.
    pub(super) fn new(before: &[u32], block: &[u8], flags: u32) -> Self {
        let (mut node, mut copy) = (Wiped([0; NODE]), Wiped([0; BLOCK]));
        node[..VALUE].copy_from_slice(before);
        (node[LENGTH], node[FLAGS]) = (block.len() as u32, flags);
        copy[..block.len()].copy_from_slice(block);
        Self { node, block: copy, position: 0 }
    }

    /// The root that a final state remembers.
    pub(super) fn of(state: &State<Blake3Family>) -> Self {
        let (mut node, mut block) = (Wiped([0; NODE]), Wiped([0; BLOCK]));
        node[..VALUE].copy_from_slice(&state[BEFORE..][..VALUE]);
        node[LENGTH..].copy_from_slice(&state[LENGTH..KEY]);
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(&state[LAST..STACK]) {
            *bytes = word.to_le_bytes();
        }
        Self { node, block, position: 0 }
    }
}

/// A block of output.
#[derive(Clone, Copy)]
struct Job {
    /// The number of the output, and where in it the block begins.
    id: usize,
    at: usize,
    /// The number of the block, and how many of its bytes precede the output.
    counter: u64,
    skip: usize,
}

/// The most lanes of a kernel.
const LANES: usize = 16;

/// Fills all outputs, in the lanes of row `forced`, which the CPU can run, or of the best kernel
/// for the number of blocks.
pub(super) fn squeeze(outputs: &mut dyn Outputs<Blake3Family>, forced: Option<usize>) {
    let mut jobs = List::<Job, LANES>::new();
    for id in 0..outputs.count() {
        let (root, output) = outputs.at(id);
        let (position, length) = (root.position, output.len());
        let (first, skip) = (position / BLOCK as u64, position as usize % BLOCK);
        for block in 0..(skip + length).div_ceil(BLOCK) {
            let counter = first.wrapping_add(block as u64);
            let (at, skip) =
                ((block * BLOCK).saturating_sub(skip), if block == 0 { skip } else { 0 });
            jobs.push(Job { id, at, counter, skip });
            if jobs.as_slice().len() == LANES {
                compute(outputs, jobs.as_slice(), forced);
                jobs = List::new();
            }
        }
        outputs.at(id).0.position = position.wrapping_add(length as u64);
    }
    compute(outputs, jobs.as_slice(), forced);
}

/// Computes blocks of output, in the best kernels for their number.
fn compute(outputs: &mut dyn Outputs<Blake3Family>, mut jobs: &[Job], forced: Option<usize>) {
    while !jobs.is_empty() {
        let kernel = &Blake3Output::TABLE[row::<Blake3Output>(jobs.len(), forced)];
        let (now, later) = jobs.split_at(jobs.len().min(kernel.lanes));
        compute_in(kernel, outputs, now);
        jobs = later;
    }
}

/// Computes blocks of output, at most one for each lane.
fn compute_in(kernel: &Kernel<u32>, outputs: &mut dyn Outputs<Blake3Family>, jobs: &[Job]) {
    assert!(kernel.available() && jobs.len() <= kernel.lanes && kernel.lanes <= LANES);
    let lanes = kernel.lanes;
    let mut states = Wiped(<Blake3Output as Family>::LaneStates::ZERO);
    let mut blocks = Wiped([[0; BLOCK]; LANES]);
    for (l, job) in jobs.iter().enumerate() {
        let (root, _) = outputs.at(job.id);
        blocks[l] = *root.block;
        for (w, &word) in root.node.iter().enumerate() {
            states[w * lanes + l] = word;
        }
        states[COUNTER * lanes + l] = job.counter as u32;
        states[(COUNTER + 1) * lanes + l] = (job.counter >> 32) as u32;
    }
    let mut data = [blocks[0].as_ptr(); MAX_LANES];
    for (data, block) in data.iter_mut().zip(&*blocks) {
        *data = block.as_ptr();
    }
    // SAFETY: the kernel is available, as asserted. Each pointer is to one of the blocks.
    unsafe { kernel.run::<Blake3Output>(&mut *states, &data, 1, None) };
    for (l, job) in jobs.iter().enumerate() {
        let (_, output) = outputs.at(job.id);
        let mut block = Wiped([0; BLOCK]);
        let words = states.iter().skip(l).step_by(lanes);
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(words) {
            *bytes = word.to_le_bytes();
        }
        // A caller's `AsMut` may have returned a longer slice before.
        let output = output.get_mut(job.at..).unwrap_or_default();
        for (to, &byte) in output.iter_mut().zip(&block[job.skip..]) {
            *to = byte;
        }
    }
}
