//! The manager: which contexts it holds, which are finished, and when it hashes.

use std::ffi::c_int;
use std::ptr::{self, NonNull};

use hashlanes::Engine;
use hashlanes::hazmat::{Piece, Pieces, State, Until};

use crate::context::{Context, Lent, Submitted};
use crate::function::Function;

/// The contexts that a program has submitted and not yet got back, in a ring in the caller's
/// memory.
///
/// A manager is full with 64 contexts, twice the lanes of the widest kernel. Programs know this
/// limit as `ISAL_*_MAX_LANES`. A full manager runs: short messages are hashed completely, longer
/// ones until a quarter of the lanes is idle.
///
/// Finished contexts are returned in the order in which they were submitted. Some programs, among
/// them some of ISA-L's tests, would otherwise submit the wrong context.
#[repr(C)]
pub struct Manager<F: Function> {
    /// The finished contexts from `first` on, followed by the waiting ones, each in order of
    /// submission. Other slots are unused.
    pub(crate) slots: [*mut Context<F>; FULL],
    /// The number of contexts held.
    pub(crate) held: u32,
    /// The number of those that are finished.
    pub(crate) finished: u32,
    /// The slot of the first context.
    pub(crate) first: u32,
    /// Blocks of the longest waiting piece. It may be larger after other pieces have been finished.
    pub(crate) longest: u32,
    /// Whether a waiting piece is not an entire message or has been started.
    pub(crate) in_parts: u32,
}

/// The number of contexts in a full manager.
pub(crate) const FULL: usize = 64;

/// Messages of up to this many blocks are hashed completely in one run, whatever their lengths.
const SHORT: u32 = 32;

impl<F: Function> Manager<F> {
    /// Initialises an empty manager.
    ///
    /// # Safety
    /// `at` must be a multiple of 8 and point to memory for a manager, with no other user during
    /// the call.
    pub(crate) unsafe fn init(at: *mut Self) {
        // SAFETY: `# Safety` above asks the caller for memory for a manager that nobody else uses.
        // Zero bytes are a valid manager, made of null pointers and zeros.
        unsafe { ptr::write_bytes(at, 0, 1) };
    }

    /// Whether the manager appears to have been initialised.
    pub(crate) fn is_sound(&self) -> bool {
        let full = FULL as u32;
        self.held < full && self.finished <= self.held && self.first < full
    }

    /// Submits a context with a piece of its message, `len` bytes at `buffer`. Returns a finished
    /// or rejected context, if there is one.
    ///
    /// # Safety
    /// * The manager is sound.
    /// * `context` may be read and written until it is returned, and has no other user. Its address
    ///   is a multiple of 8.
    /// * `len` bytes at `buffer` may be read until the context is returned.
    /// * These promises still hold for all contexts that are held.
    pub(crate) unsafe fn submit(
        &mut self,
        context: NonNull<Context<F>>,
        buffer: *const u8,
        len: u32,
        flags: c_int,
    ) -> Option<NonNull<Context<F>>> {
        // SAFETY: `# Safety` above asks the caller that the context has no other user, and that
        // `len` bytes at `buffer` are readable, until the context is returned.
        let submitted = unsafe { Lent::new(context).submit(buffer, len, flags) };
        let Submitted::Waits { blocks, entire } = submitted else { return Some(context) };
        self.slots[self.slot(self.held)] = context.as_ptr();
        self.held += 1;
        self.longest = self.longest.max(blocks);
        self.in_parts |= u32::from(!entire);
        if self.held == FULL as u32 && self.finished == 0 {
            let short = self.in_parts == 0 && self.longest <= SHORT;
            let until = if short { Until::AllDone } else { Until::LanesIdle };
            // SAFETY: `# Safety` above asks the caller that all held contexts and their buffers are
            // still valid.
            unsafe { self.run(until) };
        }
        // SAFETY: `submit` asks the caller that all held contexts stay valid until they are
        // returned.
        unsafe { self.hand_out() }
    }

    /// Hashes the waiting pieces, and returns a finished context. `None` if no context is held.
    ///
    /// # Safety
    /// As for [`submit`](Self::submit).
    pub(crate) unsafe fn flush(&mut self) -> Option<NonNull<Context<F>>> {
        if self.finished == 0 && self.held > 0 {
            // SAFETY: `submit` asks the caller that all held contexts and their buffers stay valid
            // until they are returned.
            unsafe { self.run(Until::AllDone) };
        }
        // SAFETY: `submit` asks the caller that all held contexts stay valid until they are
        // returned.
        unsafe { self.hand_out() }
    }

    /// The slot of the `i`th held context.
    fn slot(&self, i: u32) -> usize {
        (self.first + i) as usize % FULL
    }

    /// Returns the first finished context to the program.
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
        // SAFETY: the context is held, so `submit` asks the caller that it is valid and has no
        // other user.
        unsafe { Lent::new(context).give_back() };
        Some(context)
    }

    /// Hashes at least one context to its end. Requires that some contexts wait and none is
    /// finished.
    ///
    /// # Safety
    /// As for [`submit`](Self::submit).
    unsafe fn run(&mut self, until: Until) {
        // SAFETY: the first `held` slots contain contexts that were passed to `submit`. They are
        // not null, and `submit` asks the caller that they and their buffers stay valid.
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

    /// Reorders the contexts after a run that may have left some unfinished.
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

/// Hashes entire messages.
fn hash_messages<F: Function>(contexts: &[Lent<'_, F>]) {
    /// Hashes at most `N` messages. The two values of `N` avoid large arrays for few messages.
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

/// Hashes pieces until all are done, or until some lanes are idle and at least one piece is done.
fn hash_pieces<F: Function>(contexts: &[Lent<'_, F>], until: Until) {
    let mut longest_last = [contexts[0]; FULL];
    let longest_last = &mut longest_last[..contexts.len()];
    longest_last.copy_from_slice(contexts);
    longest_last.sort_unstable_by_key(|context| context.blocks_left());
    let mut source = Waiting { left: contexts.len(), contexts: longest_last };
    Engine::<F::Hash>::new().run_pieces(&mut source, until);
}

/// Pieces that wait for a lane, in ascending order of length.
struct Waiting<'c, 'a, F: Function> {
    contexts: &'c [Lent<'a, F>],
    /// The number of pieces that have not been handed out.
    left: usize,
}

impl<'a, F: Function> Pieces<'a, F::Hash> for Waiting<'_, 'a, F> {
    fn waiting(&self) -> usize {
        self.left
    }

    fn next(&mut self) -> Option<Piece<'a, '_, F::Hash>> {
        self.left = self.left.checked_sub(1)?;
        // SAFETY: the piece borrows this source, and only its methods finish contexts during the
        // run. None of them can be called while the carry is in use.
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

    /// A calling program, with all memory that it lends.
    struct Caller<F: Function> {
        manager: Manager<F>,
        /// The first context. All pointers to contexts are derived from this one.
        contexts: *mut Context<F>,
        messages: Vec<Vec<u8>>,
        done: Vec<usize>,
    }

    impl<F: Function> Drop for Caller<F> {
        fn drop(&mut self) {
            let contexts = ptr::slice_from_raw_parts_mut(self.contexts, self.messages.len());
            // SAFETY: `new` obtained the pointer from a box of this many contexts.
            drop(unsafe { Box::from_raw(contexts) });
        }
    }

    impl<F: Function> Caller<F> {
        fn new(messages: Vec<Vec<u8>>) -> Self {
            let context = |_: &Vec<u8>| MaybeUninit::<Context<F>>::zeroed();
            let contexts: Box<[_]> = messages.iter().map(context).collect();
            let contexts = Box::into_raw(contexts).cast();
            let done = vec![0; messages.len()];
            // SAFETY: zero bytes are a valid manager, made of integers and null pointers.
            let manager = unsafe { MaybeUninit::zeroed().assume_init() };
            Self { manager, contexts, messages, done }
        }

        fn context(&self, i: usize) -> *mut Context<F> {
            assert!(i < self.messages.len());
            self.contexts.wrapping_add(i)
        }

        /// Submits a piece of message `i`. Returns the index of the context that comes back.
        fn submit(&mut self, i: usize, len: usize, last: bool) -> Option<usize> {
            let first = if self.done[i] == 0 { flag::FIRST } else { flag::UPDATE };
            let flags = first | if last { flag::LAST } else { 0 };
            let context = NonNull::new(self.context(i)).expect("it is in a box");
            let at = self.messages[i][self.done[i]..][..len].as_ptr();
            self.done[i] += len;
            // SAFETY: the messages and contexts live as long as `self`, and nothing writes to the
            // messages. Contexts are accessed only after they have come back.
            let back = unsafe { self.manager.submit(context, at, len as u32, flags) };
            self.number(back)
        }

        fn flush(&mut self) -> Option<usize> {
            // SAFETY: as in `submit`: all held contexts and messages live as long as `self`.
            let back = unsafe { self.manager.flush() };
            self.number(back)
        }

        fn number(&self, context: Option<NonNull<Context<F>>>) -> Option<usize> {
            let at = context?.as_ptr().addr();
            Some((at - self.contexts.addr()) / size_of::<Context<F>>())
        }

        fn check(&self, i: usize) {
            let right = F::stored(F::state_of(&F::Hash::digest(&self.messages[i])));
            // SAFETY: a digest has this many words, and the context has come back.
            let words = unsafe {
                let words = (&raw const (*self.context(i)).job.result_digest).cast();
                std::slice::from_raw_parts(words, F::WORDS)
            };
            assert!(right[..F::WORDS] == *words, "message {i} of {} bytes", self.messages[i].len());
        }
    }

    /// Hashes more messages than a manager holds, of mixed lengths, in pieces of up to `most`
    /// bytes.
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
                // SAFETY: the context has come back or has never been submitted, so only this test
                // uses it.
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
    fn messages_at_once_and_in_pieces() {
        // More than a manager holds. Miri is too slow for more.
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

    /// A program marks a context as idle while the manager has it, and submits it again. The
    /// digests may be wrong, but no other memory is accessed.
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
            // SAFETY: the context is in a box, and no reference to it exists.
            unsafe {
                (*caller.context(i)).job.len = u64::MAX;
                (*caller.context(i)).total_length = u64::MAX;
            }
        }
    }

    #[test]
    fn an_uninitialised_manager_is_detected() {
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
        // SAFETY: the context is in a box, and the manager does not hold it.
        unsafe { (*caller.context(0)).status = status::PROCESSING };
        assert_eq!(caller.submit(0, 10, true), Some(0));
        // SAFETY: the context has come back, so only this test uses it.
        assert_eq!(unsafe { (*caller.context(0)).error }, refused::ALREADY_PROCESSING);
        assert_eq!((caller.manager.held, caller.flush()), (0, None));
    }
}
