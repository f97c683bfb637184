//! The manager: what is held, what is finished, and when to hash.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use hashlanes::Engine;
use hashlanes::hazmat::{Piece, Pieces, State, Until};

use crate::context::{Context, Lent, Submitted};
use crate::function::Function;

/// The contexts that a program has submitted and not got back. It is the caller's memory.
///
/// It is full with as many as the widest kernel has lanes: the limit that programs know by
/// `ISAL_*_MAX_LANES`, and for which some have just as many contexts. When it is full, there is a
/// run, until a quarter of the lanes is idle.
///
/// Contexts that a run has finished come back in the order in which they were submitted. There are
/// programs, some of ISA-L's tests among them, that submit the wrong one otherwise.
#[repr(C)]
pub struct Manager<F: Function> {
    /// The first ones wait, in the order in which they were submitted. The next ones are finished,
    /// the first of them at the end. The rest is unused.
    pub(crate) slots: F::Slots,
    /// Contexts that are held.
    pub(crate) held: u32,
    /// Those of them that are finished.
    pub(crate) finished: u32,
}

/// As many contexts as any manager holds.
const MAX_HELD: usize = 32;

/// Messages whose numbers of blocks differ by no more than this go in step.
const EVEN: u32 = 1;

impl<F: Function> Manager<F> {
    /// A manager that holds nothing.
    ///
    /// # Safety
    /// There is memory for a manager at `at`, its address is a multiple of 8, and nobody else uses
    /// it during the call.
    pub(crate) unsafe fn init(at: *mut Self) {
        // SAFETY: it may be written. All bytes zero are a manager: null pointers and zeros.
        unsafe { ptr::write_bytes(at, 0, 1) };
    }

    /// Whether it was initialised, as far as that can be seen.
    pub(crate) fn is_sound(&self) -> bool {
        self.held < F::LANES as u32 && self.finished <= self.held
    }

    /// Submits a context with a piece of its message: `len` bytes at `buffer`. Returns one that is
    /// finished or refused, if there is one.
    ///
    /// # Safety
    /// * The manager is sound.
    /// * `context` may be read and written until it comes back, and nobody else uses it meanwhile.
    ///   Its address is a multiple of 8.
    /// * `len` bytes at `buffer` may be read until the context comes back.
    /// * Both still hold for all contexts that are held.
    pub(crate) unsafe fn submit(
        &mut self,
        context: NonNull<Context<F>>,
        buffer: *const u8,
        len: u32,
        flags: c_int,
    ) -> Option<NonNull<Context<F>>> {
        // SAFETY: as the caller promises.
        let submitted = unsafe { Lent::new(context).submit(buffer, len, flags) };
        if submitted == Submitted::Back {
            return Some(context);
        }
        let (waiting, held) = ((self.held - self.finished) as usize, self.held as usize);
        let slots = self.slots.as_mut();
        slots.copy_within(waiting..held, waiting + 1);
        slots[waiting] = context.as_ptr();
        self.held += 1;
        if self.held == F::LANES as u32 && self.finished == 0 {
            // SAFETY: as the caller promises.
            unsafe { self.run(Until::LanesIdle) };
        }
        self.hand_out()
    }

    /// Hashes what waits, and returns a context that is finished. `None` says that none is held.
    ///
    /// # Safety
    /// As for [`submit`](Self::submit).
    pub(crate) unsafe fn flush(&mut self) -> Option<NonNull<Context<F>>> {
        if self.finished == 0 && self.held > 0 {
            // SAFETY: as the caller promises.
            unsafe { self.run(Until::AllDone) };
        }
        self.hand_out()
    }

    fn hand_out(&mut self) -> Option<NonNull<Context<F>>> {
        if self.finished == 0 {
            return None;
        }
        self.finished -= 1;
        self.held -= 1;
        NonNull::new(self.slots.as_mut()[self.held as usize])
    }

    /// Hashes at least one context to its end. Some wait, and none is finished.
    ///
    /// # Safety
    /// As for [`submit`](Self::submit).
    unsafe fn run(&mut self, until: Until) {
        let slots = &mut self.slots.as_mut()[..self.held as usize];
        // SAFETY: what waits was given to `submit`, and is not null.
        let lent = |at: *mut Context<F>| unsafe { Lent::new(NonNull::new_unchecked(at)) };
        let mut contexts = [lent(slots[0]); MAX_HELD];
        for (context, &mut at) in contexts.iter_mut().zip(&mut *slots) {
            *context = lent(at);
        }
        let contexts = &contexts[..slots.len()];
        hash(contexts, until);
        // Back in their order, those that still wait in front, the finished ones reversed.
        let (mut waiting, mut end) = (0, slots.len());
        for context in contexts {
            if context.is_finished() {
                end -= 1;
                slots[end] = context.as_ptr();
            } else {
                slots[waiting] = context.as_ptr();
                waiting += 1;
            }
        }
        self.finished = (slots.len() - waiting) as u32;
    }
}

/// Hashes pieces until all are done, or until lanes are idle and one is done at least.
fn hash<F: Function>(contexts: &[Lent<'_, F>], until: Until) {
    if all_at_once(contexts, until) {
        return hash_messages(contexts);
    }
    let mut longest_last = [contexts[0]; MAX_HELD];
    let longest_last = &mut longest_last[..contexts.len()];
    longest_last.copy_from_slice(contexts);
    longest_last.sort_unstable_by_key(|context| context.blocks_to_come());
    let mut source = Waiting { left: contexts.len(), contexts: longest_last };
    Engine::<F::Hash>::new().run_pieces(&mut source, until);
}

/// Whether the pieces are whole messages that might as well end together. This is faster, most of
/// all if they are short, but has nothing to refill lanes with.
fn all_at_once<F: Function>(contexts: &[Lent<'_, F>], until: Until) -> bool {
    let blocks = contexts.iter().map(|context| context.blocks_to_come());
    let (longest, shortest) = (blocks.clone().max(), blocks.min());
    let even = longest <= shortest.map(|blocks| blocks + EVEN);
    (even || until == Until::AllDone) && contexts.iter().all(|context| context.is_fresh_message())
}

/// Hashes whole messages.
fn hash_messages<F: Function>(contexts: &[Lent<'_, F>]) {
    let mut messages = [&[][..]; MAX_HELD];
    let mut digests = [F::ZERO; MAX_HELD];
    let (messages, digests) = (&mut messages[..contexts.len()], &mut digests[..contexts.len()]);
    for (message, context) in messages.iter_mut().zip(contexts) {
        *message = context.bytes();
    }
    Engine::<F::Hash>::new().digest_many_into(messages, digests);
    for (context, digest) in contexts.iter().zip(digests) {
        context.finish(&F::state_of(digest));
    }
}

/// Pieces that wait for a lane, the longest at the end.
struct Waiting<'c, 'a, F: Function> {
    contexts: &'c [Lent<'a, F>],
    /// Those of them that have not been handed out.
    left: usize,
}

impl<'a, F: Function> Pieces<'a, F::Hash> for Waiting<'_, 'a, F> {
    fn waiting(&self) -> usize {
        self.left
    }

    fn next(&mut self) -> Option<Piece<'a, '_, F::Hash>> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: the piece borrows this source, whose methods alone finish contexts meanwhile.
        Some(unsafe { self.contexts[self.left].piece(self.left) })
    }

    fn done(&mut self, id: usize, state: State<F::Hash>) {
        self.contexts[id].finish(&state);
    }

    fn suspended(&mut self, id: usize, state: State<F::Hash>, blocks: usize) {
        self.contexts[id].suspend(&state, blocks);
    }
}
