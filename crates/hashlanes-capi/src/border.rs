//! The border to C: pointers, lengths and names are checked, objects are boxed, panics are caught.

use std::alloc::{Layout, alloc};
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use crate::error::{Error, HASHLANES_OK, hashlanes_error};

/// Runs a call from C and returns its code.
///
/// If panics unwind, they end here. A panic would be a bug, but memory stays consistent.
pub(crate) fn guard(call: impl FnOnce() -> Result<(), Error>) -> hashlanes_error {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(())) => HASHLANES_OK,
        Ok(Err(error)) => error.code(),
        Err(panic) => {
            // Its destructor is foreign code, which may panic again.
            std::mem::forget(panic);
            Error::Internal.code()
        }
    }
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

/// A value that C points to, to be read.
///
/// # Safety
/// A pointer that is not null points to a `T` that nobody changes during `'a`.
pub(crate) unsafe fn shared<'a, T>(pointer: *const T) -> Result<&'a T, Error> {
    check(pointer)?;
    // SAFETY: neither null nor misaligned, as checked. The caller promises that it then points to a
    // `T` that nobody changes during `'a`.
    Ok(unsafe { &*pointer })
}

/// A value that C points to, to be changed.
///
/// # Safety
/// A pointer that is not null points to a `T` that nobody else uses during `'a`.
pub(crate) unsafe fn exclusive<'a, T>(pointer: *mut T) -> Result<&'a mut T, Error> {
    check(pointer)?;
    // SAFETY: neither null nor misaligned, as checked. The caller promises that it then points to a
    // `T` that nobody else uses during `'a`.
    Ok(unsafe { &mut *pointer })
}

/// Writes a value to memory of C, which is not read before.
///
/// # Safety
/// A pointer that is not null points to memory for a `T` that may be written.
pub(crate) unsafe fn put<T>(place: *mut T, value: T) -> Result<(), Error> {
    check(place)?;
    // SAFETY: neither null nor misaligned, as checked. The caller promises that it then points to
    // memory for a `T` that may be written.
    unsafe { place.write(value) };
    Ok(())
}

/// An array of C. Any pointer will do if the array is empty, even null.
///
/// # Safety
/// If `count` is not 0, a pointer that is not null points to `count` values of `T`, which nobody
/// changes during `'a`. More than fit the address space are an error.
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
/// As [`array`].
#[inline(always)]
pub(crate) unsafe fn bytes<'a>(data: *const c_void, length: usize) -> Result<&'a [u8], Error> {
    // SAFETY: the caller promises what `array` asks for; bytes have any alignment.
    unsafe { array(data.cast::<u8>(), length) }
}

/// The size of an array in bytes, if it fits the address space.
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

/// A text of C that ends with a zero byte, or `None` if it is not UTF-8.
///
/// # Safety
/// A pointer that is not null points to a text with a zero byte at its end, which nobody changes
/// during `'a`.
pub(crate) unsafe fn text<'a>(text: *const c_char) -> Result<Option<&'a str>, Error> {
    check(text)?;
    // SAFETY: not null, as checked. The caller promises a zero byte at the end, and that nobody
    // changes the text during `'a`.
    Ok(unsafe { CStr::from_ptr(text) }.to_str().ok())
}

/// Copies a text to an array of C, truncated if it does not fit and padded with zeros.
pub(crate) fn copy_text<const N: usize>(text: &str) -> [c_char; N] {
    copy_list(std::iter::once(text))
}

/// Copies texts to an array of C, separated by commas and spaces, as [`copy_text`] does.
pub(crate) fn copy_list<'a, const N: usize>(texts: impl Iterator<Item = &'a str>) -> [c_char; N] {
    let mut copy = [0; N];
    let texts = texts.enumerate().flat_map(|(i, text)| [if i > 0 { ", " } else { "" }, text]);
    for (place, byte) in copy[..N - 1].iter_mut().zip(texts.flat_map(str::bytes)) {
        *place = byte as c_char;
    }
    copy
}

/// Boxes a value, with an error where [`Box::new`] would end the process.
pub(crate) fn boxed<T>(value: T) -> Result<Box<T>, Error> {
    let layout = Layout::new::<T>();
    assert!(layout.size() > 0, "there is nothing to allocate");
    // SAFETY: the size is not 0.
    let place = unsafe { alloc(layout) }.cast::<T>();
    if place.is_null() {
        return Err(Error::Memory);
    }
    // SAFETY: the memory was just allocated for a `T`, by the allocator of boxes and with the
    // layout that they have.
    unsafe {
        place.write(value);
        Ok(Box::from_raw(place))
    }
}

/// Hands a new object to C, which gives it back to [`destroy`].
///
/// # Safety
/// As [`put`].
pub(crate) unsafe fn hand_over<T>(
    place: *mut *mut T,
    make: impl FnOnce() -> Result<T, Error>,
) -> Result<(), Error> {
    // After an error, C finds null instead of what was there before.
    // SAFETY: the caller promises memory for a pointer that may be written.
    unsafe { put(place, std::ptr::null_mut()) }?;
    let object = boxed(make()?)?;
    // SAFETY: the same memory as above.
    unsafe { put(place, Box::into_raw(object)) }
}

/// Destroys an object. Null is none.
///
/// # Safety
/// A pointer that is not null came from [`hand_over`], was not destroyed before, and nobody uses
/// it.
pub(crate) unsafe fn destroy<T>(object: *mut T) {
    if object.is_null() {
        return;
    }
    let code = guard(|| {
        // SAFETY: `hand_over` made it of a box. The caller promises that it was not destroyed
        // before, and that nobody uses it.
        drop(unsafe { Box::from_raw(object) });
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
