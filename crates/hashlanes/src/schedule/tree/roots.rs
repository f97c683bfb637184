//! Output of any length of BLAKE3: each block is another compression of the root, so the blocks of
//! one output, or of many, are computed side by side.

use core::mem::MaybeUninit;
use core::ops::Range;
use core::slice;

use super::lanes::{GROUPS, Lanes, MOST, next_nodes};
use crate::family::State;
use crate::family::blake::LANE_WORDS;
use crate::family::blake3::{
    BEFORE, BLOCK, Blake3Family, Blake3Output, COUNTER, FLAGS, KEY, LAST, LENGTH, NODE, STACK,
    VALUE,
};
use crate::kernel::{Choices, Kernel, Kernels, Table};
use crate::schedule::choose::policy::SOME;
use crate::schedule::list::List;
use crate::schedule::stream::squeeze::Outputs;
use crate::wipe::{self, Wiped};

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
    pub(in crate::schedule) fn of(state: &State<Blake3Family>) -> Self {
        let (mut node, mut block) = (Wiped([0; NODE]), Wiped([0; BLOCK]));
        node[..VALUE].copy_from_slice(&state[BEFORE..][..VALUE]);
        node[LENGTH..].copy_from_slice(&state[LENGTH..KEY]);
        for (bytes, word) in block.as_chunks_mut().0.iter_mut().zip(&state[LAST..STACK]) {
            *bytes = word.to_le_bytes();
        }
        Self { node, block, position: 0 }
    }
}

/// The kernels that compute output.
static OUTPUT_TABLE: Table<u32> = Table::new(Blake3Output::TABLE, Choices::Blake3Output);

/// Consecutive blocks of an output.
#[derive(Clone, Copy)]
struct Run {
    /// The words of a lane before the compression, and what is compressed.
    node: [u32; NODE],
    block: [u8; BLOCK],
    /// The number of the first block, and how many of its bytes precede the output.
    counter: u64,
    skip: usize,
    /// The number of the output, and where in it the run begins.
    id: usize,
    at: usize,
    bytes: usize,
    /// The place of the first block among those that are computed together.
    first: usize,
    blocks: usize,
}

/// The most lanes of a kernel for output.
const LANES: usize = SOME;

/// A block of output, in one cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line {
    _words: [u32; LANE_WORDS],
}

/// Runs that are computed together. Callers wipe the stack below them.
type Runs = List<Run, LANES>;

/// Fills all outputs, in the lanes of row `forced`, which the CPU can run, or of the best kernel
/// for the number of blocks. An output that is alone, or fills the lanes of each kernel, is written
/// in place, and the rest of all outputs together.
pub(in crate::schedule) fn squeeze(outputs: &mut dyn Outputs<Blake3Family>, forced: Option<usize>) {
    // Rows after the last one compute no output. It has the same code in fewer lanes.
    let forced = forced.map(|row| row.min(OUTPUT_TABLE.rows.len() - 1));
    let (mut runs, mut count) = (Runs::new(), 0);
    let is_alone = outputs.count() == 1;
    for id in 0..outputs.count() {
        let (mut at, mut length) = (0, usize::MAX);
        while at < length {
            let (root, output) = outputs.at(id);
            // A caller's `AsMut` may return another slice each time.
            length = length.min(output.len());
            let output = &mut output[at.min(length)..length];
            if output.is_empty() {
                break;
            }
            let (counter, skip) = (root.position / BLOCK as u64, root.position as usize % BLOCK);
            let filling = if is_alone { output.len() } else { output.len() & !(LANES * BLOCK - 1) };
            if skip == 0 && filling > 0 {
                let blocks = filling.div_ceil(BLOCK);
                let (kernel, now) = next_nodes(&OUTPUT_TABLE, blocks, usize::MAX, forced);
                let bytes = filling.min(BLOCK * now);
                fill(kernel, root, counter, &mut output[..bytes]);
                root.position = root.position.wrapping_add(bytes as u64);
                at += bytes;
                continue;
            }
            let blocks = (skip + output.len()).div_ceil(BLOCK).min(MOST - count);
            let bytes = (BLOCK * blocks - skip).min(output.len());
            let (node, block) = (*root.node, *root.block);
            root.position = root.position.wrapping_add(bytes as u64);
            runs.push(Run { node, block, counter, skip, id, at, bytes, first: count, blocks });
            (at, count) = (at + bytes, count + blocks);
            if count == MOST || runs.as_slice().len() == LANES {
                compute(outputs, runs.as_slice(), count, forced);
                (runs, count) = (Runs::new(), 0);
            }
        }
    }
    compute(outputs, runs.as_slice(), count, forced);
}

/// Computes blocks of output, in the best kernels for their number.
fn compute(
    outputs: &mut dyn Outputs<Blake3Family>,
    runs: &[Run],
    count: usize,
    forced: Option<usize>,
) {
    // Idle lanes have blocks as well. It would take a while to clear them.
    let mut memory = [const { MaybeUninit::<Line>::uninit() }; MOST + LANES];
    let mut done = 0;
    while done < count {
        let (kernel, now) = next_nodes(&OUTPUT_TABLE, count - done, GROUPS, forced);
        compute_in(kernel, runs, done..done + now, &mut memory[done..]);
        done += now;
    }
    for run in runs {
        let blocks = &memory[run.first..][..run.blocks];
        // SAFETY: `compute_in` wrote `count` blocks, which are those of all runs.
        let bytes = unsafe { bytes_of(blocks) };
        let (_, output) = outputs.at(run.id);
        // A caller's `AsMut` may have returned a longer slice before.
        let output = output.get_mut(run.at..).unwrap_or_default();
        let length = output.len().min(run.bytes);
        output[..length].copy_from_slice(&bytes[run.skip..][..length]);
    }
    wipe::memory(&mut memory);
}

/// The bytes of lines.
///
/// # Safety
/// They are initialised.
unsafe fn bytes_of(lines: &[MaybeUninit<Line>]) -> &[u8] {
    // SAFETY: as the caller promises.
    unsafe { slice::from_raw_parts(lines.as_ptr().cast(), size_of_val(lines)) }
}

impl Lanes {
    /// Sets the numbers of the blocks in lanes of group `g`.
    #[inline(always)]
    fn count(&mut self, g: usize, lanes: Range<usize>, first: u64) {
        for (i, lane) in lanes.enumerate() {
            // The output repeats after 2^64 bytes.
            let counter = first.wrapping_add(i as u64) & (u64::MAX / BLOCK as u64);
            self.words(g, COUNTER)[lane] = counter as u32;
            self.words(g, COUNTER + 1)[lane] = (counter >> 32) as u32;
        }
    }

    /// Writes the blocks of the first `groups` groups.
    ///
    /// # Panics
    /// If the kernel has other lanes.
    ///
    /// # Safety
    /// The CPU can run the kernel. The blocks of all lanes are readable, and there is room for
    /// them at `to`.
    unsafe fn write(&mut self, kernel: &Kernel<u32>, groups: usize, to: *mut u8) {
        // SAFETY: as the caller promises.
        unsafe { self.run(kernel, groups, 1, Some(to.cast())) };
        // SAFETY: the kernel has just written these blocks.
        let bytes = unsafe { slice::from_raw_parts_mut(to, groups * kernel.lanes * BLOCK) };
        for word in bytes.as_chunks_mut::<4>().0 {
            *word = u32::from_ne_bytes(*word).to_le_bytes();
        }
    }
}

/// Computes some of the blocks of `runs`, those with these numbers. Idle lanes write as well.
///
/// # Panics
/// If there are more than in `GROUPS` groups, there is no room for a block of each lane, or the CPU
/// cannot run the kernel.
#[inline(never)]
fn compute_in(
    kernel: &Kernel<u32>,
    runs: &[Run],
    blocks: Range<usize>,
    to: &mut [MaybeUninit<Line>],
) {
    let size = kernel.lanes;
    assert!(kernel.available());
    assert!(blocks.len().next_multiple_of(size) <= to.len());
    let mut lanes = Lanes::new(size);
    for group in blocks.clone().step_by(size) {
        let end = blocks.end.min(group + size);
        let in_group = |run: &&Run| run.first < end && group < run.first + run.blocks;
        for run in runs.iter().filter(in_group) {
            let own = run.first.max(group)..end.min(run.first + run.blocks);
            let (first, own) = (own.start - run.first, own.start - group..own.end - group);
            if own.start == 0 {
                lanes.add(&run.node);
            }
            let g = lanes.groups() - 1;
            if own.start > 0 {
                for (w, &word) in run.node.iter().enumerate() {
                    lanes.words(g, w)[own.clone()].fill(word);
                }
            }
            lanes.data()[size * g..][own.start..size].fill(run.block.as_ptr());
            lanes.count(g, own, run.counter.wrapping_add(first as u64));
        }
    }
    // SAFETY: the CPU can run the kernel, as asserted. All lanes have a block of `runs`. There is
    // room for their groups, as asserted.
    unsafe { lanes.write(kernel, lanes.groups(), to.as_mut_ptr().cast()) };
}

/// Computes blocks of one output from number `counter` on. The last one may be shorter.
///
/// # Panics
/// If the CPU cannot run the kernel.
#[inline(never)]
fn fill(kernel: &Kernel<u32>, root: &Root, counter: u64, output: &mut [u8]) {
    let size = kernel.lanes;
    assert!(kernel.available());
    let mut lanes = Lanes::new(size);
    for _ in 0..output.len().div_ceil(size * BLOCK).min(GROUPS) {
        lanes.add(&root.node);
    }
    lanes.data().fill(root.block.as_ptr());
    let mut counter = counter;
    for output in output.chunks_mut(GROUPS * size * BLOCK) {
        let groups = output.len() / (size * BLOCK);
        for g in 0..groups {
            lanes.count(g, 0..size, counter);
            counter = counter.wrapping_add(size as u64);
        }
        // SAFETY: the CPU can run the kernel, as asserted. All blocks are that of the root. These
        // groups are not longer than the output.
        unsafe { lanes.write(kernel, groups, output.as_mut_ptr()) };
        let rest = &mut output[size * BLOCK * groups..];
        if !rest.is_empty() {
            lanes.count(0, 0..size, counter);
            let mut lines = [const { MaybeUninit::<Line>::uninit() }; LANES];
            let lines = &mut lines[..size];
            // SAFETY: as above. There is a line for each lane, which is written.
            let bytes = unsafe {
                lanes.write(kernel, 1, lines.as_mut_ptr().cast());
                bytes_of(lines)
            };
            rest.copy_from_slice(&bytes[..rest.len()]);
            wipe::memory(lines);
        }
    }
}
