//! Messages of similar length, which run in step.

use super::calls::call;
use super::prefixed::Prefixed;
use super::queue::Queue;
use crate::schedule::batch::Batch;
use crate::schedule::caller::Caller;
use crate::schedule::groups::{GROUPS, Groups};
use crate::schedule::output::Output;
use crate::schedule::policy::{self, Before};
use crate::schedule::rules::{Md, MdWord};
use crate::schedule::whole::{Take, Wholes};

/// Hashes the messages of a queue that are about as long as their neighbours. In a window, the
/// others are set aside.
pub(super) type InStep<R> = fn(&Batch<'_, '_, R>, &mut Queue<'_>, &mut Output<'_>);

/// Hashes the messages of a queue, at least two, which probably have equal lengths. Leaves those
/// that differ, and those at the end that are faster in a kernel that does not take whole messages.
pub(super) fn equal<W: MdWord>(
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

/// [`InStep`] for families of the MD4 kind.
pub(super) fn in_step<W: MdWord>(
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
                    groups::<W, 1>(batch, queue, output);
                }
                _ => groups::<W, GROUPS>(batch, queue, output),
            }
        }
        Before::Bytes => {
            if takes_whole {
                prefixed_whole(batch, queue, output);
            }
            if queue.left() > 0 {
                prefixed_groups(batch, queue, output);
            }
        }
        Before::Much => {}
    }
    while queue.left() > 0 && batch.kernel(queue.left()).lanes == 1 {
        let i = queue.pop();
        output.put(batch.rules(), i, &batch.hash_alone(i));
    }
}

/// With kernels that take whole messages.
#[inline(never)]
fn whole<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    take: Take,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    call(batch, &mut Wholes::new(&batch.before, take), queue, output);
}

/// In groups, up to `G` of them in a call.
#[inline(never)]
fn groups<W: MdWord, const G: usize>(
    batch: &Batch<'_, '_, Md<W>>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    call(batch, &mut Groups::<W, G>::new(&batch.before), queue, output);
}

#[inline(never)]
fn prefixed_whole<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    let wholes = Wholes::new(&batch.before.without_carry(), Take::Similar);
    call(batch, &mut Prefixed::new(batch.before.carry, wholes), queue, output);
}

#[inline(never)]
fn prefixed_groups<W: MdWord>(
    batch: &Batch<'_, '_, Md<W>>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    // The prefixed messages take the stack space of a group.
    let groups = Groups::<W, { GROUPS - 1 }>::new(&batch.before.without_carry());
    call(batch, &mut Prefixed::new(batch.before.carry, groups), queue, output);
}
