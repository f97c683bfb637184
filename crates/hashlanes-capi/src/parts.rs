//! Many messages, each in parts.

use std::ffi::c_void;
use std::ptr::without_provenance_mut;

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{array, bytes, guard};
use crate::error::{Error, hashlanes_error};
use crate::manager::{Buffer, HASHLANES_MESSAGE, HASHLANES_NOTHING, Handed, Managed, managed};
use crate::output::Output;

/// A part of a message. POSIX's `struct iovec` has the same members in the same order.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_part {
    /// The first byte. NULL if there is none.
    pub data: *const c_void,
    /// The number of bytes.
    pub length: usize,
}

/// Like `hashlanes_digest_many`, but each message is given in parts, such as a header and a body.
/// Its digest is that of its parts joined together. Nothing is copied.
///
/// `counts[i]` is the number of parts of message `i`, and may be 0. `parts` has those of the first
/// message, after them those of the second, and so on. Parts may overlap each other.
///
/// The call allocates 16 bytes for each message and some 100 KiB, and frees them before it returns.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_SIZE`, `HASHLANES_ERROR_OVERLAP`,
/// `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_digest_many_parts(
    algorithm: hashlanes_algorithm,
    parts: *const hashlanes_part,
    counts: *const usize,
    count: usize,
    digests: *mut u8,
    size: usize,
) -> hashlanes_error {
    guard(|| {
        let engine = engine(algorithm)?;
        let output = Output::new(digests, size, count, engine.algorithm().digest_len())?;
        // SAFETY: *Memory* and *Threads* hold for `count` numbers of parts.
        let counts = unsafe { array(counts, count) }?;
        output.is_apart_from(counts)?;
        let all = counts.iter().try_fold(0_usize, |all, &count| all.checked_add(count));
        // SAFETY: *Memory* and *Threads* hold for as many parts.
        let parts = unsafe { array(parts, all.ok_or(Error::Overflow)?) }?;
        output.is_apart_from(parts)?;
        for part in parts {
            // SAFETY: *Memory* and *Threads* hold for the bytes of each part.
            output.is_apart_from(unsafe { bytes(part.data, part.length) }?)?;
        }
        let mut left = Vec::new();
        left.try_reserve_exact(count).map_err(|_| Error::Memory)?;
        let mut rest = parts;
        for &count in counts {
            let (own, others) = rest.split_at(count);
            left.push(own);
            rest = others;
        }
        // SAFETY: *Memory* and *Threads* hold for the `size` bytes of `digests`, which overlap no
        // input.
        let digests = unsafe { output.bytes() };
        Joined { manager: managed(engine, 0)?, left, digests }.hash(engine.algorithm().digest_len())
    })
}

/// Messages whose parts go to a manager, one after the other.
struct Joined<'a> {
    manager: Box<dyn Managed>,
    /// The parts of each message that have not been submitted.
    left: Vec<&'a [hashlanes_part]>,
    digests: &'a mut [u8],
}

impl Joined<'_> {
    fn hash(mut self, size: usize) -> Result<(), Error> {
        for number in 0..self.left.len() {
            let (buffer, is_last) = self.next(number)?;
            let user = without_provenance_mut(number);
            let done = if is_last {
                self.manager.whole(buffer, user, None)
            } else {
                self.manager.first(buffer, user, None)
            };
            self.go_on(done?, size)?;
        }
        loop {
            let done = self.manager.flush();
            if done.kind == HASHLANES_NOTHING {
                return Ok(());
            }
            self.go_on(done, size)?;
        }
    }

    /// The next part of a message, and whether it is the last one.
    fn next(&mut self, number: usize) -> Result<(Buffer, bool), Error> {
        let Some((part, left)) = self.left[number].split_first() else {
            return Ok((Buffer::EMPTY, true));
        };
        self.left[number] = left;
        // SAFETY: the parts were checked. They stay valid during the call, and the manager does not
        // outlive it.
        Ok((unsafe { Buffer::new(part.data, part.length) }?, left.is_empty()))
    }

    /// Keeps a digest, or continues a message.
    fn go_on(&mut self, mut done: Handed, size: usize) -> Result<(), Error> {
        while done.kind != HASHLANES_NOTHING {
            let number = done.user.addr();
            if done.kind == HASHLANES_MESSAGE {
                self.digests[number * size..][..size].copy_from_slice(&done.digest[..size]);
                break;
            }
            let (buffer, is_last) = self.next(number)?;
            done = self.manager.further(done.job, buffer, is_last)?;
        }
        Ok(())
    }
}
