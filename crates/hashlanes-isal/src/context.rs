//! A context: a message, its state, and the submitted piece.

use std::ffi::{c_int, c_void};
use std::marker::PhantomData;
use std::ptr::{self, NonNull};
use std::slice;

use hashlanes::hazmat::{Piece, State, Word, blocks, initial};

use crate::codes::{flag, job, refused, status};
use crate::function::Function;

/// The first member of a context: its job.
#[repr(C)]
pub struct Job<F: Function> {
    /// The submitted piece.
    pub buffer: *mut u8,
    /// Blocks of the piece left to compress, including those of the padding.
    pub len: F::Blocks,
    /// The state after the blocks hashed so far, and finally the digest.
    pub result_digest: F::Digest,
    /// Its status: `ISAL_JOB_STS` in C.
    pub status: c_int,
    /// For the program's use.
    pub user_data: *mut c_void,
}

/// A message in the caller's memory, with the layout in the header.
#[repr(C)]
pub struct Context<F: Function> {
    /// The piece and the state.
    pub job: Job<F>,
    /// Its status: `ISAL_HASH_CTX_STS` in C.
    pub status: c_int,
    /// The reason why it was rejected: `ISAL_HASH_CTX_ERROR` in C.
    pub error: c_int,
    /// Bytes of the message so far, including the submitted piece.
    pub total_length: u64,
    /// The submitted piece.
    pub incoming_buffer: *const c_void,
    /// Bytes in the piece.
    pub incoming_buffer_length: u32,
    /// The bytes after the last complete block.
    pub partial_block_buffer: F::Partial,
    /// Written only for programs that read it. Where the value matters, it is computed from
    /// `total_length`.
    pub partial_block_buffer_length: u32,
    /// For the program's use.
    pub user_data: *mut c_void,
}

/// A context lent by C, together with the submitted buffer.
///
/// A program that changes the status of a context while the manager holds it can make the manager
/// hold it twice. Two values of this type may then refer to the same context. Members are therefore
/// read and written one at a time through the pointer. The only reference into a context is the
/// carry of [`piece`](Lent::piece).
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

/// The outcome of submitting a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Submitted {
    /// It is returned at once: it was rejected, or its piece completes no block.
    Back,
    /// It waits for `blocks` blocks to be compressed.
    Waits {
        blocks: u32,
        /// The piece is an entire message.
        entire: bool,
    },
}

// Any value that C writes to a member is valid for its type: integers, arrays of integers, and
// pointers.
impl<'a, F: Function> Lent<'a, F> {
    /// # Safety
    /// `at` must be a multiple of 8 and point to a context that may be read and written during
    /// `'a`, with no other user. If the context is being processed, the buffer of its piece must be
    /// readable during `'a`.
    pub(crate) unsafe fn new(at: NonNull<Context<F>>) -> Self {
        Self { at, lent: PhantomData }
    }

    pub(crate) fn as_ptr(self) -> *mut Context<F> {
        self.at.as_ptr()
    }

    /// Takes a piece of `len` bytes at `buffer`. If the piece is rejected, only the context's error
    /// changes.
    ///
    /// # Safety
    /// `len` bytes at `buffer` must be readable: until the context is finished if it waits,
    /// otherwise during the call.
    pub(crate) unsafe fn submit(self, buffer: *const u8, len: u32, flags: c_int) -> Submitted {
        let error = self.reason_to_refuse(buffer, len, flags);
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (*self.as_ptr()).error = error };
        if error != refused::NONE {
            return Submitted::Back;
        }
        let (first, is_last) = (flags & flag::FIRST != 0, flags & flag::LAST != 0);
        if first {
            self.set_state(&initial::<F::Hash>());
        }
        let context = self.as_ptr();
        // SAFETY: `new` promises that the context may be read and written.
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
        self.set_blocks_left(blocks);
        if blocks == 0 {
            self.keep_the_rest();
            self.give_back();
            return Submitted::Back;
        }
        Submitted::Waits { blocks, entire: first && is_last }
    }

    fn reason_to_refuse(self, buffer: *const u8, len: u32, flags: c_int) -> c_int {
        // SAFETY: `new` promises that the context may be read and written.
        let status = unsafe { (*self.as_ptr()).status };
        if flags & !flag::ENTIRE != 0 {
            refused::INVALID_FLAGS
        } else if status & status::PROCESSING != 0 {
            refused::ALREADY_PROCESSING
        } else if status & status::COMPLETE != 0 && flags & flag::FIRST == 0 {
            refused::ALREADY_COMPLETED
        } else if buffer.is_null() && len > 0 {
            // There is no error code for this case. ISA-L would dereference the null pointer.
            refused::INVALID_FLAGS
        } else {
            refused::NONE
        }
    }

    pub(crate) fn error(self) -> c_int {
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (*self.as_ptr()).error }
    }

    /// Whether the piece is the last of its message.
    fn is_last(self) -> bool {
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (*self.as_ptr()).status & (status::LAST | status::COMPLETE) != 0 }
    }

    /// Whether the piece has been processed completely.
    pub(crate) fn is_finished(self) -> bool {
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (*self.as_ptr()).job.status == job::COMPLETED }
    }

    /// The bytes of the piece.
    pub(crate) fn bytes(self) -> &'a [u8] {
        // SAFETY: `new` promises that the context may be read and written.
        let (at, len) = unsafe {
            ((*self.as_ptr()).incoming_buffer.cast::<u8>(), (*self.as_ptr()).incoming_buffer_length)
        };
        if len == 0 {
            return &[];
        }
        // SAFETY: `at` is not null, because `reason_to_refuse` rejects null with a length. `new`
        // and `submit` promise that the bytes are readable during `'a`. A 32-bit length does not
        // exceed the limit of a slice, except on a 32-bit machine, where no buffer is larger than
        // half of the address space.
        unsafe { slice::from_raw_parts(at, len as usize) }
    }

    /// Bytes of the message before the piece.
    fn length_before(self) -> u64 {
        // SAFETY: `new` promises that the context may be read and written.
        unsafe {
            let len = (*self.as_ptr()).incoming_buffer_length;
            (*self.as_ptr()).total_length.wrapping_sub(len.into())
        }
    }

    /// Bytes carried over to the piece: less than a block.
    fn carried(self) -> usize {
        (self.length_before() % F::BLOCK as u64) as usize
    }

    /// Blocks that the piece completes, including those of the padding.
    fn blocks(self) -> u32 {
        // SAFETY: `new` promises that the context may be read and written.
        let len = unsafe { (*self.as_ptr()).incoming_buffer_length };
        blocks::<F::Hash>(self.carried(), len as usize, self.is_last()) as u32
    }

    /// Blocks of the piece left to compress.
    pub(crate) fn blocks_left(self) -> u32 {
        // SAFETY: `new` promises that the context may be read and written.
        let blocks: u64 = unsafe { (*self.as_ptr()).job.len }.into();
        // Clamped, because the program may have overwritten the member.
        (blocks as u32).clamp(1, self.blocks().max(1))
    }

    /// Also updates the status. As in ISA-L, it says whether at most the padding of a last piece is
    /// left.
    fn set_blocks_left(self, blocks: u32) {
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (*self.as_ptr()).job.len = blocks.into() };
        if self.is_last() && blocks <= self.blocks_of_padding() {
            // SAFETY: `new` promises that the context may be read and written.
            unsafe { (*self.as_ptr()).status = status::PROCESSING | status::COMPLETE };
        }
    }

    /// Blocks of the last piece that contain padding.
    fn blocks_of_padding(self) -> u32 {
        // SAFETY: `new` promises that the context may be read and written.
        let len = unsafe { (*self.as_ptr()).incoming_buffer_length };
        self.blocks() - ((self.carried() + len as usize) / F::BLOCK) as u32
    }

    fn state(self) -> State<F::Hash> {
        let mut state = initial::<F::Hash>();
        // SAFETY: `new` promises that the context may be read and written.
        unsafe {
            let words = (&raw const (*self.as_ptr()).job.result_digest).cast();
            ptr::copy_nonoverlapping::<Word<F::Hash>>(words, state.as_mut_ptr(), F::WORDS);
        }
        state
    }

    fn set_state(self, state: &State<F::Hash>) {
        // SAFETY: `new` promises that the context may be read and written.
        unsafe {
            let words = (&raw mut (*self.as_ptr()).job.result_digest).cast();
            ptr::copy_nonoverlapping::<Word<F::Hash>>(state.as_ptr(), words, F::WORDS);
        }
    }

    fn partial(self) -> *mut u8 {
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (&raw mut (*self.as_ptr()).partial_block_buffer).cast() }
    }

    /// The piece, in the form that the library takes.
    ///
    /// # Safety
    /// The context must not be submitted or finished while the carry is in use.
    pub(crate) unsafe fn piece<'m>(self, id: usize) -> Piece<'a, 'm, F::Hash> {
        Piece {
            id,
            state: self.state(),
            // SAFETY: the partial buffer has room for two blocks, and `carried` is less than one.
            // The caller promises that nothing writes to it while the carry is in use.
            carry: unsafe { slice::from_raw_parts(self.partial(), self.carried()) },
            length: self.length_before(),
            bytes: self.bytes(),
            last: self.is_last(),
            compressed: (self.blocks() - self.blocks_left()) as usize,
        }
    }

    /// Records that `blocks` more blocks of the piece have been compressed, with the result
    /// `state`.
    pub(crate) fn suspend(self, state: &State<F::Hash>, blocks: usize) {
        self.set_state(state);
        self.set_blocks_left(self.blocks_left() - blocks as u32);
    }

    /// Records that all blocks of the piece have been compressed, with the result `state`.
    pub(crate) fn finish(self, state: &State<F::Hash>) {
        self.set_blocks_left(0);
        if !self.is_last() {
            self.set_state(state);
            return self.keep_the_rest();
        }
        self.set_state(&F::stored(*state));
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (*self.as_ptr()).job.status = job::COMPLETED };
    }

    /// Returns the finished context to the program. Its status changes only now, because a program
    /// may use it to tell whether the manager still has the context.
    pub(crate) fn give_back(self) {
        let status = if self.is_last() { status::COMPLETE } else { status::IDLE };
        // SAFETY: `new` promises that the context may be read and written.
        unsafe { (*self.as_ptr()).status = status };
    }

    /// Stores the bytes after the last complete block, and finishes the piece.
    fn keep_the_rest(self) {
        let bytes = self.bytes();
        let carry = (self.carried() + bytes.len()) % F::BLOCK;
        // If the piece completed no block, the carried bytes are already in place.
        let rest = &bytes[bytes.len() - carry.min(bytes.len())..];
        // SAFETY: `new` promises that the context may be read and written.
        unsafe {
            // The buffer is the program's and may overlap the context, so `copy` is used.
            let place = self.partial().add(carry - rest.len());
            ptr::copy(rest.as_ptr(), place, rest.len());
            (*self.as_ptr()).partial_block_buffer_length = carry as u32;
            (*self.as_ptr()).job.status = job::COMPLETED;
        }
    }
}
