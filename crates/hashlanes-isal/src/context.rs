//! A context: a message, its state, and the piece of it that was submitted.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

use hashlanes::hazmat::{Piece, State, Word, blocks, initial};

use crate::codes::{flag, job, refused, status};
use crate::function::Function;

/// What a context begins with: its job.
#[repr(C)]
pub struct Job<F: Function> {
    /// The piece.
    pub buffer: *mut u8,
    /// Blocks of the piece that are still to be compressed, those of the padding included.
    pub len: F::Blocks,
    /// The state after the whole blocks, and in the end the digest.
    pub result_digest: F::Digest,
    /// What it is doing: `ISAL_JOB_STS` in C.
    pub status: c_int,
    /// The program's.
    pub user_data: *mut c_void,
}

/// A message in the caller's memory, as the header declares it.
#[repr(C)]
pub struct Context<F: Function> {
    /// The piece, and the state.
    pub job: Job<F>,
    /// What it is doing: `ISAL_HASH_CTX_STS` in C.
    pub status: c_int,
    /// Why it was refused: `ISAL_HASH_CTX_ERROR` in C.
    pub error: c_int,
    /// Bytes of the message so far, those of the submitted piece included.
    pub total_length: u64,
    /// The piece.
    pub incoming_buffer: *const c_void,
    /// Bytes of the piece.
    pub incoming_buffer_length: u32,
    /// The bytes after the whole blocks.
    pub partial_block_buffer: F::Partial,
    /// For those who look, as long as the message goes on. It is computed from `total_length` where
    /// it matters.
    pub partial_block_buffer_length: u32,
    /// The program's.
    pub user_data: *mut c_void,
}

/// A context that C has lent, with the buffer that was submitted.
///
/// A program that changes the status of a context meanwhile can make the manager hold it twice. So
/// two of these may lead to one context. Its members are read and written one by one, through the
/// pointer; there are no references to it beside the carry of [`piece`](Lent::piece).
pub(crate) struct Lent<'a, F: Function> {
    at: NonNull<Context<F>>,
    lent: PhantomData<&'a [u8]>,
}

impl<F: Function> Clone for Lent<'_, F> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<F: Function> Copy for Lent<'_, F> {}

/// What becomes of a context that is submitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Submitted {
    /// It goes back at once: it was refused, or its piece completes no block.
    Back,
    /// It has so many blocks to be compressed.
    Waits {
        blocks: u32,
        /// The piece is a whole message.
        entire: bool,
    },
}

// All values that C can write to a member are values of its type: they are integers, arrays of
// them, and pointers.
impl<'a, F: Function> Lent<'a, F> {
    /// # Safety
    /// `at` leads to a context that may be read and written during `'a`, while nobody else uses it,
    /// and its address is a multiple of 8. If it is being processed, the buffer of its piece may be
    /// read during `'a`.
    pub(crate) unsafe fn new(at: NonNull<Context<F>>) -> Self {
        Self { at, lent: PhantomData }
    }

    pub(crate) fn as_ptr(self) -> *mut Context<F> {
        self.at.as_ptr()
    }

    /// Takes a piece of `len` bytes at `buffer`. If there is a reason to refuse it, the context
    /// gets the error and is what it was otherwise.
    ///
    /// # Safety
    /// If it waits afterwards, `len` bytes at `buffer` may be read until it is finished. If not,
    /// during the call.
    pub(crate) unsafe fn submit(self, buffer: *const u8, len: u32, flags: c_int) -> Submitted {
        let error = self.reason_to_refuse(buffer, len, flags);
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (*self.as_ptr()).error = error };
        if error != refused::NONE {
            return Submitted::Back;
        }
        let (first, is_last) = (flags & flag::FIRST != 0, flags & flag::LAST != 0);
        if first {
            self.set_state(&initial::<F::Hash>());
        }
        let context = self.as_ptr();
        // SAFETY: the context may be read and written, as promised in `new`.
        let blocks = unsafe {
            let before = if first { 0 } else { (*context).total_length };
            (*context).status = status::PROCESSING | if is_last { status::LAST } else { 0 };
            (*context).total_length = before.wrapping_add(len.into());
            (*context).incoming_buffer = buffer.cast();
            (*context).incoming_buffer_length = len;
            (*context).job.buffer = buffer.cast_mut();
            (*context).job.status = job::BEING_PROCESSED;
            let carried = (before % F::BLOCK as u64) as usize;
            blocks::<F::Hash>(carried, len as usize, is_last) as u32
        };
        self.set_blocks_to_come(blocks);
        if blocks == 0 {
            self.keep_the_rest();
            self.give_back();
            return Submitted::Back;
        }
        Submitted::Waits { blocks, entire: first && is_last }
    }

    fn reason_to_refuse(self, buffer: *const u8, len: u32, flags: c_int) -> c_int {
        // SAFETY: the context may be read and written, as promised in `new`.
        let status = unsafe { (*self.as_ptr()).status };
        if flags & !flag::ENTIRE != 0 {
            refused::INVALID_FLAGS
        } else if status & status::PROCESSING != 0 {
            refused::ALREADY_PROCESSING
        } else if status & status::COMPLETE != 0 && flags & flag::FIRST == 0 {
            refused::ALREADY_COMPLETED
        } else if buffer.is_null() && len > 0 {
            // There is no error for it, and ISA-L would read there.
            refused::INVALID_FLAGS
        } else {
            refused::NONE
        }
    }

    pub(crate) fn error(self) -> c_int {
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (*self.as_ptr()).error }
    }

    /// Whether the piece is the last one of its message.
    fn is_last(self) -> bool {
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (*self.as_ptr()).status & (status::LAST | status::COMPLETE) != 0 }
    }

    /// Whether all is done with the piece.
    pub(crate) fn is_finished(self) -> bool {
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (*self.as_ptr()).job.status == job::COMPLETED }
    }

    /// The piece.
    pub(crate) fn bytes(self) -> &'a [u8] {
        // SAFETY: the context may be read and written, as promised in `new`.
        let (at, len) = unsafe {
            ((*self.as_ptr()).incoming_buffer.cast::<u8>(), (*self.as_ptr()).incoming_buffer_length)
        };
        if len == 0 {
            return &[];
        }
        // SAFETY: it is not null, as `reason_to_refuse` has seen to, and may be read, as promised
        // in `new` and `submit`. A length of 32 bits is shorter than a slice may be, but on a
        // machine of 32 bits, where no program has a buffer of more than half of the memory.
        unsafe { slice::from_raw_parts(at, len as usize) }
    }

    /// Bytes of the message before the piece.
    fn length_before(self) -> u64 {
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe {
            let len = (*self.as_ptr()).incoming_buffer_length;
            (*self.as_ptr()).total_length.wrapping_sub(len.into())
        }
    }

    /// Bytes in the carry before the piece: fewer than a block.
    fn carried(self) -> usize {
        (self.length_before() % F::BLOCK as u64) as usize
    }

    /// Blocks that the piece makes, those of the padding included.
    fn blocks(self) -> u32 {
        // SAFETY: the context may be read and written, as promised in `new`.
        let len = unsafe { (*self.as_ptr()).incoming_buffer_length };
        blocks::<F::Hash>(self.carried(), len as usize, self.is_last()) as u32
    }

    /// Blocks of the piece that are still to be compressed.
    pub(crate) fn blocks_to_come(self) -> u32 {
        // SAFETY: the context may be read and written, as promised in `new`.
        let blocks: u64 = unsafe { (*self.as_ptr()).job.len }.into();
        // The program may have written there.
        (blocks as u32).clamp(1, self.blocks().max(1))
    }

    /// Its status tells, as in ISA-L, whether at most the padding of a last piece is to come.
    fn set_blocks_to_come(self, blocks: u32) {
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (*self.as_ptr()).job.len = blocks.into() };
        if self.is_last() && blocks <= self.blocks_of_padding() {
            // SAFETY: as above.
            unsafe { (*self.as_ptr()).status = status::PROCESSING | status::COMPLETE };
        }
    }

    /// Blocks of the last piece that its padding fills, alone or with the last bytes.
    fn blocks_of_padding(self) -> u32 {
        // SAFETY: the context may be read and written, as promised in `new`.
        let len = unsafe { (*self.as_ptr()).incoming_buffer_length };
        self.blocks() - ((self.carried() + len as usize) / F::BLOCK) as u32
    }

    fn state(self) -> State<F::Hash> {
        let mut state = initial::<F::Hash>();
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe {
            let words = (&raw const (*self.as_ptr()).job.result_digest).cast();
            ptr::copy_nonoverlapping::<Word<F::Hash>>(words, state.as_mut_ptr(), F::WORDS);
        }
        state
    }

    fn set_state(self, state: &State<F::Hash>) {
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe {
            let words = (&raw mut (*self.as_ptr()).job.result_digest).cast();
            ptr::copy_nonoverlapping::<Word<F::Hash>>(state.as_ptr(), words, F::WORDS);
        }
    }

    fn partial(self) -> *mut u8 {
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (&raw mut (*self.as_ptr()).partial_block_buffer).cast() }
    }

    /// The piece, as the library takes it.
    ///
    /// # Safety
    /// The context is neither submitted nor finished as long as the carry is in use.
    pub(crate) unsafe fn piece<'m>(self, id: usize) -> Piece<'a, 'm, F::Hash> {
        Piece {
            id,
            state: self.state(),
            // SAFETY: it has two blocks of bytes, and nobody writes there (caller).
            carry: unsafe { slice::from_raw_parts(self.partial(), self.carried()) },
            length: self.length_before(),
            bytes: self.bytes(),
            last: self.is_last(),
            compressed: (self.blocks() - self.blocks_to_come()) as usize,
        }
    }

    /// Takes note that `blocks` more blocks of the piece are compressed, which led to `state`.
    pub(crate) fn suspend(self, state: &State<F::Hash>, blocks: usize) {
        self.set_state(state);
        self.set_blocks_to_come(self.blocks_to_come() - blocks as u32);
    }

    /// Takes note that all blocks of the piece are compressed, which led to `state`.
    pub(crate) fn finish(self, state: &State<F::Hash>) {
        self.set_blocks_to_come(0);
        if !self.is_last() {
            self.set_state(state);
            return self.keep_the_rest();
        }
        self.set_state(&F::stored(*state));
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (*self.as_ptr()).job.status = job::COMPLETED };
    }

    /// Gives the finished context back. Not before does its status say what it is: a program that
    /// looks there knows that the manager does not have it any more.
    pub(crate) fn give_back(self) {
        let status = if self.is_last() { status::COMPLETE } else { status::IDLE };
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe { (*self.as_ptr()).status = status };
    }

    /// Keeps the bytes of the piece that do not fill a block, and finishes it.
    fn keep_the_rest(self) {
        let bytes = self.bytes();
        let carry = (self.carried() + bytes.len()) % F::BLOCK;
        // Those before are in their place: then the piece has completed no block.
        let rest = &bytes[bytes.len() - carry.min(bytes.len())..];
        // SAFETY: the context may be read and written, as promised in `new`.
        unsafe {
            // It is the program's buffer, which may be anything. So they may overlap.
            let place = self.partial().add(carry - rest.len());
            ptr::copy(rest.as_ptr(), place, rest.len());
            (*self.as_ptr()).partial_block_buffer_length = carry as u32;
            (*self.as_ptr()).job.status = job::COMPLETED;
        }
    }
}
