//! Messages of similar length, which run in step.

use super::policy::{self, Before};
use crate::family::OneBlockTail;
use crate::schedule::batch::Batch;
use crate::schedule::batch::driver::{hash, hash_prefixed};
use crate::schedule::batch::groups::{GROUPS, Groups};
use crate::schedule::batch::one_block::OneBlock;
use crate::schedule::batch::output::Output;
use crate::schedule::batch::queue::Queue;
use crate::schedule::batch::tails::Tails;
use crate::schedule::batch::whole::{Take, Wholes};
use crate::schedule::rules::{Md, MdWord, Tabled};

/// Hashes the messages of a queue that are about as long as their neighbours. In a window, the
/// others are set aside.
pub(crate) type InStep<R> = fn(&Batch<'_, '_, R>, &mut Queue<'_>, &mut Output<'_>);

/// Hashes the messages of a queue, at least two, which probably have equal lengths. Leaves those
/// that differ, and those at the end that are faster in a kernel that does not take whole messages.
pub(crate) fn equal<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    if Wholes::<W>::suits(batch.kernel(queue.left()))
        && policy::may_be_equal(batch.kind_of_before(), batch.messages.samples())
    {
        whole(batch, Take::Equal, queue, output);
    }
}

/// With kernels that take whole messages.
fn whole<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    take: Take,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    hash(batch, |before| Wholes::new(before, take), queue, output);
}

/// [`InStep`] for families of the MD4 kind.
pub(crate) fn in_step<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    let left = queue.left();
    if left == 0 {
        return;
    }
    let takes_whole = Wholes::<W>::suits(batch.kernel(left));
    match batch.kind_of_before() {
        Before::Blocks => {
            if takes_whole {
                whole(batch, Take::Similar, queue, output);
            }
            match queue.left() {
                0 => return,
                left if policy::one_group(left, batch.kernel(left).lanes) => {
                    hash(batch, Groups::<W, 1>::new, queue, output);
                }
                _ => hash(batch, Groups::<W, GROUPS>::new, queue, output),
            }
        }
        Before::Bytes => {
            if takes_whole {
                hash_prefixed(batch, |before| Wholes::new(before, Take::Similar), queue, output);
            }
            if queue.left() > 0 {
                // The prefixed messages take the stack space of a group, which is wiped.
                hash_prefixed(batch, Groups::<W, { GROUPS - 1 }>::new, queue, output);
            }
        }
        Before::Much => {}
    }
    while queue.left() > 0 && batch.kernel(queue.left()).lanes == 1 {
        let i = queue.pop();
        output.put(batch.rules(), i, &batch.hash_alone(i));
    }
}

/// [`InStep`] for families whose messages end in one block.
pub(crate) fn in_step_to_one_block<R: Tabled + OneBlockTail>(
    batch: &Batch<'_, '_, R>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    match batch.kind_of_before() {
        Before::Blocks => hash(batch, OneBlock::new, queue, output),
        Before::Bytes => hash_prefixed(batch, OneBlock::new, queue, output),
        Before::Much => {}
    }
}
