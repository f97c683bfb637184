//! Messages whose tail is one block.

use super::calls::call;
use super::prefixed::Prefixed;
use super::queue::Queue;
use crate::family::OneBlockTail;
use crate::schedule::batch::Batch;
use crate::schedule::lockstep::Lockstep;
use crate::schedule::output::Output;
use crate::schedule::policy::Before;
use crate::schedule::rules::Tabled;

/// [`InStep`](super::in_step::InStep) for families whose messages end in one block.
pub(super) fn in_step<R: Tabled + OneBlockTail>(
    batch: &Batch<'_, '_, R>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    match batch.kind_of_before() {
        Before::Blocks => whole(batch, queue, output),
        Before::Bytes => prefixed(batch, queue, output),
        Before::Much => {}
    }
}

#[inline(never)]
fn whole<R: Tabled + OneBlockTail>(
    batch: &Batch<'_, '_, R>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    call(batch, &mut Lockstep::new(&batch.before), queue, output);
}

#[inline(never)]
fn prefixed<R: Tabled + OneBlockTail>(
    batch: &Batch<'_, '_, R>,
    queue: &mut Queue<'_>,
    output: &mut Output<'_>,
) {
    let lockstep = Lockstep::new(&batch.before.without_carry());
    call(batch, &mut Prefixed::new(batch.before.carry, lockstep), queue, output);
}
