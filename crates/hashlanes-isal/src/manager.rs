//! The manager: what is held, what is finished, and when to hash.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use hashlanes::Engine;
use hashlanes::hazmat::{Piece, Pieces, State, Until};

use crate::context::{Context, Lent, Submitted};
use crate::function::Function;

/// The contexts that a program has submitted and not got back, in a ring in the caller's memory.
///
/// A manager is full with 64, twice as many as the widest kernel has lanes. It is the limit that
/// programs know by `ISAL_*_MAX_LANES`. Then there is a run. Short messages are hashed to their
/// ends, longer ones until a quarter of the lanes is idle.
///
/// Contexts that a run has finished come back in the order in which they were submitted. There are
/// programs, some of ISA-L's tests among them, that submit the wrong one otherwise.
#[repr(C)]
pub struct Manager<F: Function> {
    /// The finished ones, from `first` on, and those that wait, each in the order in which they
    /// were submitted. The rest is unused.
    pub(crate) slots: [*mut Context<F>; FULL],
    /// Contexts that are held.
    pub(crate) held: u32,
    /// Those of them that are finished.
    pub(crate) finished: u32,
    /// The slot of the first one.
    pub(crate) first: u32,
    /// Blocks of the longest piece that waits; at least as many, when others have been finished.
    pub(crate) longest: u32,
    /// Whether a piece waits that is not a whole message, or that was begun.
    pub(crate) in_parts: u32,
}

/// Contexts with which a manager is full.
pub(crate) const FULL: usize = 64;

/// Messages of up to so many blocks are hashed to their ends together. They end soon, whatever
/// their lengths are.
const SHORT: u32 = 32;

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
        let full = FULL as u32;
        self.held < full && self.finished <= self.held && self.first < full
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
        let Submitted::Waits { blocks, entire } = submitted else { return Some(context) };
        self.slots[self.slot(self.held)] = context.as_ptr();
        self.held += 1;
        self.longest = self.longest.max(blocks);
        self.in_parts |= u32::from(!entire);
        if self.held == FULL as u32 && self.finished == 0 {
            let short = self.in_parts == 0 && self.longest <= SHORT;
            let until = if short { Until::AllDone } else { Until::LanesIdle };
            // SAFETY: as the caller promises.
            unsafe { self.run(until) };
        }
        // SAFETY: as the caller promises.
        unsafe { self.hand_out() }
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
        // SAFETY: as the caller promises.
        unsafe { self.hand_out() }
    }

    /// The place of the `i`th context that is held.
    fn slot(&self, i: u32) -> usize {
        (self.first + i) as usize % FULL
    }

    /// Gives the first of the finished contexts back.
    ///
    /// # Safety
    /// As for [`submit`](Self::submit).
    unsafe fn hand_out(&mut self) -> Option<NonNull<Context<F>>> {
        if self.finished == 0 {
            return None;
        }
        let context = NonNull::new(self.slots[self.slot(0)])?;
        self.first = self.slot(1) as u32;
        self.finished -= 1;
        self.held -= 1;
        // SAFETY: as the caller promises.
        unsafe { Lent::new(context).give_back() };
        Some(context)
    }

    /// Hashes at least one context to its end. Some wait, and none is finished.
    ///
    /// # Safety
    /// As for [`submit`](Self::submit).
    unsafe fn run(&mut self, until: Until) {
        // SAFETY: what waits was given to `submit`, and is not null.
        let lent = |at: *mut Context<F>| unsafe { Lent::new(NonNull::new_unchecked(at)) };
        let mut contexts = [lent(self.slots[self.slot(0)]); FULL];
        for i in 0..self.held {
            contexts[i as usize] = lent(self.slots[self.slot(i)]);
        }
        let contexts = &contexts[..self.held as usize];
        self.finished = self.held;
        if until == Until::AllDone && self.in_parts == 0 {
            hash_messages(contexts);
        } else {
            hash_pieces(contexts, until);
        }
        (self.longest, self.in_parts) = (0, 0);
        if until == Until::LanesIdle {
            self.put_finished_first(contexts);
        }
    }

    /// Sorts the contexts after a run that may have left some unfinished.
    fn put_finished_first(&mut self, contexts: &[Lent<'_, F>]) {
        let (finished, waiting) = (
            contexts.iter().filter(|context| context.is_finished()),
            contexts.iter().filter(|context| !context.is_finished()),
        );
        self.finished = finished.clone().count() as u32;
        for (context, i) in finished.chain(waiting).zip(0..) {
            self.slots[self.slot(i)] = context.as_ptr();
        }
        self.in_parts = u32::from(self.finished < self.held);
    }
}

/// Hashes whole messages.
fn hash_messages<F: Function>(contexts: &[Lent<'_, F>]) {
    /// At most `N` of them. There is an array for each number that is worth one.
    fn up_to<F: Function, const N: usize>(contexts: &[Lent<'_, F>]) {
        let (mut messages, mut digests) = ([&[][..]; N], [F::ZERO; N]);
        for (message, context) in messages.iter_mut().zip(contexts) {
            *message = context.bytes();
        }
        let (messages, digests) = (&messages[..contexts.len()], &mut digests[..contexts.len()]);
        Engine::<F::Hash>::new().digest_many_into(messages, digests);
        for (context, digest) in contexts.iter().zip(digests) {
            context.finish(&F::state_of(digest));
        }
    }
    match contexts.len() {
        0..=4 => up_to::<F, 4>(contexts),
        _ => up_to::<F, FULL>(contexts),
    }
}

/// Hashes pieces until all are done, or until lanes are idle and one is done at least.
fn hash_pieces<F: Function>(contexts: &[Lent<'_, F>], until: Until) {
    let mut longest_last = [contexts[0]; FULL];
    let longest_last = &mut longest_last[..contexts.len()];
    longest_last.copy_from_slice(contexts);
    longest_last.sort_unstable_by_key(|context| context.blocks_to_come());
    let mut source = Waiting { left: contexts.len(), contexts: longest_last };
    Engine::<F::Hash>::new().run_pieces(&mut source, until);
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

#[cfg(test)]
mod tests {
    use std::mem::MaybeUninit;

    use hashlanes::HashFunction;

    use super::*;
    use crate::codes::{flag, refused, status};
    use crate::function::{Md5, Sha1, Sha256, Sha512, Sm3};

    /// A caller, with all memory that it lends.
    struct Caller<F: Function> {
        manager: Manager<F>,
        /// The first context. All pointers to contexts are made from this one.
        contexts: *mut Context<F>,
        messages: Vec<Vec<u8>>,
        done: Vec<usize>,
    }

    impl<F: Function> Drop for Caller<F> {
        fn drop(&mut self) {
            let contexts = ptr::slice_from_raw_parts_mut(self.contexts, self.messages.len());
            // SAFETY: it was a box of so many.
            drop(unsafe { Box::from_raw(contexts) });
        }
    }

    impl<F: Function> Caller<F> {
        fn new(messages: Vec<Vec<u8>>) -> Self {
            let context = |_: &Vec<u8>| MaybeUninit::<Context<F>>::zeroed();
            let contexts: Box<[_]> = messages.iter().map(context).collect();
            let contexts = Box::into_raw(contexts).cast();
            let done = vec![0; messages.len()];
            // SAFETY: all bytes zero are a manager: integers and null pointers.
            let manager = unsafe { MaybeUninit::zeroed().assume_init() };
            Self { manager, contexts, messages, done }
        }

        fn context(&self, i: usize) -> *mut Context<F> {
            assert!(i < self.messages.len());
            self.contexts.wrapping_add(i)
        }

        /// Submits a piece of message `i`. Returns the number of the context that comes back.
        fn submit(&mut self, i: usize, len: usize, last: bool) -> Option<usize> {
            let first = if self.done[i] == 0 { flag::FIRST } else { flag::UPDATE };
            let flags = first | if last { flag::LAST } else { 0 };
            let context = NonNull::new(self.context(i)).expect("it is in a box");
            let at = self.messages[i][self.done[i]..][..len].as_ptr();
            self.done[i] += len;
            // SAFETY: messages are not touched as long as this value lives. Contexts are read only
            // when they are back.
            let back = unsafe { self.manager.submit(context, at, len as u32, flags) };
            self.number(back)
        }

        fn flush(&mut self) -> Option<usize> {
            // SAFETY: as in `submit`.
            let back = unsafe { self.manager.flush() };
            self.number(back)
        }

        fn number(&self, context: Option<NonNull<Context<F>>>) -> Option<usize> {
            let at = context?.as_ptr().addr();
            Some((at - self.contexts.addr()) / size_of::<Context<F>>())
        }

        fn check(&self, i: usize) {
            let right = F::stored(F::state_of(&F::Hash::digest(&self.messages[i])));
            // SAFETY: a digest has so many words, and the context is back.
            let words = unsafe {
                let words = (&raw const (*self.context(i)).job.result_digest).cast();
                std::slice::from_raw_parts(words, F::WORDS)
            };
            assert!(right[..F::WORDS] == *words, "message {i} of {} bytes", self.messages[i].len());
        }
    }

    /// Messages of mixed lengths in pieces of up to `most` bytes, more of them than are held.
    fn in_pieces<F: Function>(count: usize, most: usize) {
        let length = |i: usize| i * 37 % (if cfg!(miri) { 2 } else { 5 } * F::BLOCK);
        let message = |i: usize| (0..length(i)).map(|k| (k * 7 + i) as u8).collect();
        let mut caller = Caller::<F>::new((0..count).map(message).collect());
        let (mut next, mut complete) = (0, 0);
        while complete < count {
            let mut back = if next < count {
                next += 1;
                Some(next - 1)
            } else {
                Some(caller.flush().expect("not all are complete"))
            };
            while let Some(i) = back {
                // SAFETY: the context is back, or has never been submitted.
                if unsafe { (*caller.context(i)).status == status::COMPLETE } {
                    caller.check(i);
                    complete += 1;
                    break;
                }
                let left = caller.messages[i].len() - caller.done[i];
                let len = left.min(1 + i * 31 % most);
                back = caller.submit(i, len, len == left);
            }
            assert!(caller.manager.held < FULL as u32);
        }
        assert_eq!(caller.flush(), None);
    }

    #[test]
    fn messages_whole_and_in_pieces() {
        // More than are held. Miri has time for no more.
        in_pieces::<Sha256>(66, 100);
        if cfg!(miri) {
            return;
        }
        for most in [1000, 100, 10] {
            in_pieces::<Md5>(300, most);
            in_pieces::<Sha1>(300, most);
            in_pieces::<Sha256>(300, most);
            in_pieces::<Sha512>(300, most);
            in_pieces::<Sm3>(300, most);
        }
    }

    /// A program that calls a context idle while the manager has it, and submits it again: digests
    /// may be wrong, but no memory is touched that is not its own.
    #[test]
    fn a_context_that_is_held_twice() {
        let mut caller = Caller::<Sha256>::new(vec![vec![1; 300]; 3]);
        for _ in 0..40 {
            for i in 0..3 {
                // SAFETY: the context is in a box, and no reference to it exists.
                unsafe { (*caller.context(i)).status = status::IDLE };
                caller.done[i] = 0;
                caller.submit(i, 70 + i * 100, i == 0);
            }
        }
        while let Some(i) = caller.flush() {
            // SAFETY: as above.
            unsafe {
                (*caller.context(i)).job.len = u64::MAX;
                (*caller.context(i)).total_length = u64::MAX;
            }
        }
    }

    #[test]
    fn a_manager_that_was_not_initialised_is_seen() {
        let mut caller = Caller::<Md5>::new(vec![vec![]]);
        assert!(caller.manager.is_sound());
        caller.manager.held = FULL as u32;
        assert!(!caller.manager.is_sound());
        (caller.manager.held, caller.manager.finished) = (3, 4);
        assert!(!caller.manager.is_sound());
        (caller.manager.finished, caller.manager.first) = (3, FULL as u32);
        assert!(!caller.manager.is_sound());
    }

    #[test]
    fn a_refused_context_is_not_held() {
        let mut caller = Caller::<Sm3>::new(vec![vec![0; 10]]);
        // SAFETY: the context is in a box, and nobody holds it.
        unsafe { (*caller.context(0)).status = status::PROCESSING };
        assert_eq!(caller.submit(0, 10, true), Some(0));
        // SAFETY: as above.
        assert_eq!(unsafe { (*caller.context(0)).error }, refused::ALREADY_PROCESSING);
        assert_eq!((caller.manager.held, caller.flush()), (0, None));
    }
}
