//! The boundary to C: checks pointers, lengths and names, creates and destroys objects, and stops
//! panics.

use std::alloc::{Layout, alloc};
use std::ffi::{CStr, c_char, c_void};
use std::mem::MaybeUninit;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use hashlanes::hazmat::wipe;

use crate::error::{Error, HASHLANES_OK, hashlanes_error};

/// Bytes of stack that the functions of this crate use for what they move: hashers, keys, jobs. The
/// library wipes what it uses below them.
const FRAMES: usize = 32 << 10;

/// Runs a call from C and returns its code. With the feature `zeroize`, what it leaves on the stack
/// is wiped.
///
/// If panics unwind in this build, they stop here. A panic would be a bug, but memory stays sound.
pub(crate) fn guard(call: impl FnOnce() -> Result<(), Error>) -> hashlanes_error {
    wipe::call::<FRAMES, _>(|| match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => HASHLANES_OK,
        Ok(Err(error)) => error.code(),
        Err(panic) => {
            // The payload's destructor may itself panic.
            std::mem::forget(panic);
            Error::Internal.code()
        }
    })
}

fn check<T>(pointer: *const T) -> Result<(), Error> {
    if pointer.is_null() {
        Err(Error::Null)
    } else if pointer.is_aligned() {
        Ok(())
    } else {
        Err(Error::Misaligned)
    }
}

/// Borrows a value from C for reading.
///
/// # Safety
/// A non-null pointer points to a `T` that nobody changes during `'a`.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T) -> Result<&'a T, Error> {
    check(pointer)?;
    // SAFETY: neither null nor misaligned, as checked. The caller promises that it then points to a
    // `T` that nobody changes during `'a`.
    Ok(unsafe { &*pointer })
}

/// Borrows a value from C for writing.
///
/// # Safety
/// A non-null pointer points to a `T` that nobody else uses during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T) -> Result<&'a mut T, Error> {
    check(pointer)?;
    // SAFETY: neither null nor misaligned, as checked. The caller promises that it then points to a
    // `T` that nobody else uses during `'a`.
    Ok(unsafe { &mut *pointer })
}

/// Writes a value to memory of C. The old contents are not read.
///
/// # Safety
/// A non-null pointer points to writable memory for a `T`.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), Error> {
    check(place)?;
    // SAFETY: neither null nor misaligned, as checked. The caller promises that it then points to
    // writable memory for a `T`.
    unsafe { place.write(value) };
    Ok(())
}

/// Borrows an array from C. An empty array may be null.
///
/// # Safety
/// If `count` is not 0, a non-null pointer points to `count` values of `T`, which nobody changes
/// during `'a`. An array larger than the address space is an error, so it need not exist.
pub(crate) unsafe fn array<'a, T>(pointer: *const T, count: usize) -> Result<&'a [T], Error> {
    if count == 0 {
        return Ok(&[]);
    }
    check(pointer)?;
    in_address_space(pointer.cast(), count, size_of::<T>())?;
    // SAFETY: neither null nor misaligned, and not larger than a slice may be, as checked. The
    // caller promises `count` values there that nobody changes during `'a`.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// The bytes of a message.
///
/// # Safety
/// If `length` is not 0, a non-null pointer points to `length` bytes, which nobody changes during
/// `'a`.
#[inline(always)]
pub(crate) unsafe fn bytes<'a>(data: *const c_void, length: usize) -> Result<&'a [u8], Error> {
    // SAFETY: `# Safety` of `array` and of this function is the same: `length` bytes that nobody
    // changes during `'a`. Bytes have any alignment.
    unsafe { array(data.cast::<u8>(), length) }
}

/// The size of an array in bytes, if the address space can hold it there.
#[inline(always)]
pub(crate) fn in_address_space(
    start: *const u8,
    count: usize,
    size: usize,
) -> Result<usize, Error> {
    let bytes = count.checked_mul(size).filter(|&bytes| bytes <= isize::MAX as usize);
    let bytes = bytes.ok_or(Error::Overflow)?;
    start.addr().checked_add(bytes).ok_or(Error::Overflow)?;
    Ok(bytes)
}

/// Borrows a zero-terminated string from C. `None` if it is not UTF-8.
///
/// # Safety
/// A non-null pointer points to a zero-terminated string, which nobody changes during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<Option<&'a str>, Error> {
    check(text)?;
    // SAFETY: not null, as checked. The caller promises that the string is zero-terminated, and
    // that nobody changes it during `'a`.
    Ok(unsafe { CStr::from_ptr(text) }.to_str().ok())
}

/// Copies a text to an array for C, padded with zeros. What does not fit is cut off.
pub(crate) fn copy_text<const N: usize>(text: &str) -> [c_char; N] {
    copy_list(std::iter::once(text))
}

/// Copies texts to an array for C as [`copy_text`] does, separated by commas and spaces.
pub(crate) fn copy_list<'a, const N: usize>(texts: impl Iterator<Item = &'a str>) -> [c_char; N] {
    let mut copy = [0; N];
    let texts = texts.enumerate().flat_map(|(i, text)| [if i > 0 { ", " } else { "" }, text]);
    for (place, byte) in copy[..N - 1].iter_mut().zip(texts.flat_map(str::bytes)) {
        *place = byte as c_char;
    }
    copy
}

/// [`Box::new`] with an error where the original would abort the process.
pub(crate) fn boxed<T>(value: T) -> Result<Box<T>, Error> {
    let layout = Layout::new::<T>();
    assert!(layout.size() > 0, "there is nothing to allocate");
    // SAFETY: the size is not 0.
    let place = unsafe { alloc(layout) }.cast::<T>();
    if place.is_null() {
        return Err(Error::Memory);
    }
    // SAFETY: the memory was just allocated for a `T`, by the allocator that boxes use and with
    // their layout.
    unsafe {
        place.write(value);
        Ok(Box::from_raw(place))
    }
}

/// Hands a new object to C, which gives it back to [`destroy`].
///
/// # Safety
/// A non-null `place` points to writable memory for a pointer.
pub(crate) unsafe fn hand_over<T>(
    place: *mut *mut T,
    make: impl FnOnce() -> Result<T, Error>,
) -> Result<(), Error> {
    // After an error, C must not find the old value there.
    // SAFETY: `# Safety` above asks the caller that `place`, if it is not null, is writable for a
    // pointer, as `put` requires.
    unsafe { put(place, std::ptr::null_mut()) }?;
    let object = boxed(make()?)?;
    // SAFETY: `place` is not null, since the call above succeeded, and so is still writable.
    unsafe { put(place, Box::into_raw(object)) }
}

/// Destroys an object. Null does nothing.
///
/// # Safety
/// A non-null pointer came from [`hand_over`], has not been destroyed, and is not in use.
pub(crate) unsafe fn destroy<T>(object: *mut T) {
    if object.is_null() {
        return;
    }
    let code = guard(|| {
        // SAFETY: it came from `hand_over`, and thus from `Box::into_raw`; the layout is the same.
        // The caller promises that it has not been destroyed and is not in use.
        let mut object = unsafe { Box::from_raw(object.cast::<MaybeUninit<T>>()) };
        // SAFETY: `hand_over` has written the object, and nobody drops it again.
        unsafe { object.assume_init_drop() };
        // Moves have copied what was on the stack to the places between and behind its members.
        wipe::memory(slice::from_mut(&mut *object));
        Ok(())
    });
    debug_assert_eq!(code, HASHLANES_OK, "a destructor panicked");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_becomes_an_error() {
        let code = guard(|| panic!("on purpose"));
        assert_eq!(code, Error::Internal.code());
    }

    #[test]
    fn texts_are_cut_to_fit() {
        assert_eq!(copy_text::<4>("abcde").map(|c| c as u8), *b"abc\0");
        assert_eq!(copy_text::<4>("a").map(|c| c as u8), *b"a\0\0\0");
        assert_eq!(copy_list::<6>(["a", "bcd"].into_iter()).map(|c| c as u8), *b"a, bc\0");
    }
}
