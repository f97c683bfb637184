//! The functions that C calls. The headers say what each one does.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null_mut};

use crate::codes::{code, code_of, flag, refused};
use crate::context::{Context, Lent};
use crate::function::{Function, Md5, Sha1, Sha256, Sha512, Sm3};
use crate::manager::Manager;

/// # Safety
/// A manager that is not null is memory for one, at a multiple of 8, and nobody else uses it
/// during the call.
unsafe fn init<F: Function>(manager: *mut Manager<F>) -> c_int {
    if manager.is_null() {
        return code::NULL_MGR;
    }
    // SAFETY: as the caller promises.
    unsafe { Manager::init(manager) };
    code::NONE
}

/// # Safety
/// What is not null leads to a manager, a context, a place for a pointer, and a buffer of `len`
/// bytes, as [`Manager::submit`] asks for them.
unsafe fn submit<F: Function>(
    manager: *mut Manager<F>,
    context: *mut Context<F>,
    out: *mut *mut Context<F>,
    buffer: *const c_void,
    len: u32,
    flags: c_int,
) -> c_int {
    // SAFETY: as the caller promises.
    let Some(manager) = (unsafe { sound(manager) }) else { return code::NULL_MGR };
    let Some(context) = NonNull::new(context).filter(|_| !out.is_null()) else {
        return code::NULL_CTX;
    };
    let needs_one = F::ALWAYS_A_BUFFER && matches!(flags, flag::UPDATE | flag::ENTIRE);
    if buffer.is_null() && (len > 0 || needs_one) {
        return code::NULL_SRC;
    }
    // SAFETY: as the caller promises. The context that came back was lent like this one.
    unsafe {
        let back = manager.submit(context, buffer.cast(), len, flags);
        *out = back.map_or(null_mut(), NonNull::as_ptr);
        back.map_or(code::NONE, |context| code_of(Lent::new(context).error()))
    }
}

/// # Safety
/// What is not null leads to a manager, as [`Manager::flush`] asks for it, and to a place for a
/// pointer.
unsafe fn flush<F: Function>(manager: *mut Manager<F>, out: *mut *mut Context<F>) -> c_int {
    // SAFETY: as the caller promises.
    let Some(manager) = (unsafe { sound(manager) }) else { return code::NULL_MGR };
    if out.is_null() {
        return code::NULL_CTX;
    }
    // SAFETY: as the caller promises.
    unsafe { *out = manager.flush().map_or(null_mut(), NonNull::as_ptr) };
    code::NONE
}

/// As [`submit`], for the functions of old, which return the context and no code.
///
/// # Safety
/// As for [`submit`].
unsafe fn old_submit<F: Function>(
    manager: *mut Manager<F>,
    context: *mut Context<F>,
    buffer: *const c_void,
    len: u32,
    flags: c_int,
) -> *mut Context<F> {
    // SAFETY: as the caller promises.
    let (manager, context) = unsafe { (sound(manager), NonNull::new(context)) };
    let Some(context) = context else { return null_mut() };
    let Some(manager) = manager else {
        // SAFETY: as the caller promises.
        unsafe { (*context.as_ptr()).error = refused::INVALID_FLAGS };
        return context.as_ptr();
    };
    // SAFETY: as the caller promises.
    let back = unsafe { manager.submit(context, buffer.cast(), len, flags) };
    back.map_or(null_mut(), NonNull::as_ptr)
}

/// As [`flush`], for the functions of old.
///
/// # Safety
/// As for [`flush`].
unsafe fn old_flush<F: Function>(manager: *mut Manager<F>) -> *mut Context<F> {
    // SAFETY: as the caller promises.
    let back = unsafe { sound(manager).and_then(|manager| manager.flush()) };
    back.map_or(null_mut(), NonNull::as_ptr)
}

/// A manager that was initialised, as far as that can be seen.
///
/// # Safety
/// A manager that is not null may be read and written during `'a`, and nobody else uses it. Its
/// address is a multiple of 8.
unsafe fn sound<'a, F: Function>(manager: *mut Manager<F>) -> Option<&'a mut Manager<F>> {
    // SAFETY: as the caller promises. Any bytes are a manager: it is made of pointers and integers.
    unsafe { manager.as_mut() }.filter(|manager| manager.is_sound())
}

macro_rules! exports {
    ($($function:ident: $init:ident $submit:ident $flush:ident,
        $old_init:ident $old_submit:ident $old_flush:ident;)*) => {$(
        #[doc = concat!("See `", stringify!($init), "` in the header.")]
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $init(manager: *mut Manager<$function>) -> c_int {
            // SAFETY: as the header asks.
            unsafe { init(manager) }
        }

        #[doc = concat!("See `", stringify!($submit), "` in the header.")]
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $submit(
            manager: *mut Manager<$function>,
            context: *mut Context<$function>,
            out: *mut *mut Context<$function>,
            buffer: *const c_void,
            len: u32,
            flags: c_int,
        ) -> c_int {
            // SAFETY: as the header asks.
            unsafe { submit(manager, context, out, buffer, len, flags) }
        }

        #[doc = concat!("See `", stringify!($flush), "` in the header.")]
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $flush(
            manager: *mut Manager<$function>,
            out: *mut *mut Context<$function>,
        ) -> c_int {
            // SAFETY: as the header asks.
            unsafe { flush(manager, out) }
        }

        #[doc = concat!("As [`", stringify!($init), "`], without a code.")]
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $old_init(manager: *mut Manager<$function>) {
            // SAFETY: as the header asks.
            unsafe { init(manager) };
        }

        #[doc = concat!("As [`", stringify!($submit), "`], without a code.")]
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $old_submit(
            manager: *mut Manager<$function>,
            context: *mut Context<$function>,
            buffer: *const c_void,
            len: u32,
            flags: c_int,
        ) -> *mut Context<$function> {
            // SAFETY: as the header asks.
            unsafe { old_submit(manager, context, buffer, len, flags) }
        }

        #[doc = concat!("As [`", stringify!($flush), "`], without a code.")]
        ///
        /// # Safety
        /// As the header says.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $old_flush(
            manager: *mut Manager<$function>,
        ) -> *mut Context<$function> {
            // SAFETY: as the header asks.
            unsafe { old_flush(manager) }
        }
    )*};
}

exports! {
    Md5: isal_md5_ctx_mgr_init isal_md5_ctx_mgr_submit isal_md5_ctx_mgr_flush,
        md5_ctx_mgr_init md5_ctx_mgr_submit md5_ctx_mgr_flush;
    Sha1: isal_sha1_ctx_mgr_init isal_sha1_ctx_mgr_submit isal_sha1_ctx_mgr_flush,
        sha1_ctx_mgr_init sha1_ctx_mgr_submit sha1_ctx_mgr_flush;
    Sha256: isal_sha256_ctx_mgr_init isal_sha256_ctx_mgr_submit isal_sha256_ctx_mgr_flush,
        sha256_ctx_mgr_init sha256_ctx_mgr_submit sha256_ctx_mgr_flush;
    Sha512: isal_sha512_ctx_mgr_init isal_sha512_ctx_mgr_submit isal_sha512_ctx_mgr_flush,
        sha512_ctx_mgr_init sha512_ctx_mgr_submit sha512_ctx_mgr_flush;
    Sm3: isal_sm3_ctx_mgr_init isal_sm3_ctx_mgr_submit isal_sm3_ctx_mgr_flush,
        sm3_ctx_mgr_init sm3_ctx_mgr_submit sm3_ctx_mgr_flush;
}

/// The version of the interface as a number: 2.26.0.
#[unsafe(no_mangle)]
pub extern "C" fn isal_crypto_get_version() -> c_uint {
    2 * 0x10000 + 26 * 0x100
}

/// The version of the interface as text.
#[unsafe(no_mangle)]
pub extern "C" fn isal_crypto_get_version_str() -> *const c_char {
    c"2.26.0".as_ptr()
}

/// Tests for FIPS mode, which this library does not have: always `ISAL_CRYPTO_ERR_FIPS_DISABLED`,
/// as ISA-L built without it.
#[unsafe(no_mangle)]
pub extern "C" fn isal_self_tests() -> c_int {
    code::FIPS_DISABLED
}
