//! The functions that C calls. The headers document them.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ptr::{NonNull, null_mut};

use crate::codes::{code, code_of, flag, refused};
use crate::context::{Context, Lent};
use crate::function::{Function, Md5, Sha1, Sha256, Sha512, Sm3};
use crate::manager::Manager;

/// # Safety
/// `manager` must be null, or point to memory for a manager, aligned to 8 bytes and without another
/// user during the call.
unsafe fn init<F: Function>(manager: *mut Manager<F>) -> c_int {
    if manager.is_null() {
        return code::NULL_MGR;
    }
    // SAFETY: `manager` is not null, so `# Safety` above asks the caller for aligned memory for a
    // manager that nothing else uses.
    unsafe { Manager::init(manager) };
    code::NONE
}

/// # Safety
/// `manager`, `context`, `out` and `buffer` must each be null or meet the requirements of
/// [`Manager::submit`]; `out` must be valid for writing a pointer.
unsafe fn submit<F: Function>(
    manager: *mut Manager<F>,
    context: *mut Context<F>,
    out: *mut *mut Context<F>,
    buffer: *const c_void,
    len: u32,
    flags: c_int,
) -> c_int {
    // SAFETY: `# Safety` above asks the caller for a manager that is null, or readable and writable
    // without another user during the call.
    let Some(manager) = (unsafe { sound(manager) }) else { return code::NULL_MGR };
    let Some(context) = NonNull::new(context).filter(|_| !out.is_null()) else {
        return code::NULL_CTX;
    };
    let needs_one = F::ALWAYS_A_BUFFER && matches!(flags, flag::UPDATE | flag::ENTIRE);
    if buffer.is_null() && (len > 0 || needs_one) {
        return code::NULL_SRC;
    }
    // SAFETY: the manager is sound and `context` is not null, as checked. `# Safety` above asks the
    // caller that the context has no other user until it is returned, that `len` bytes at `buffer`
    // are readable as long, and that `out`, which is not null, is writable. The context that comes
    // back was submitted under the same conditions.
    unsafe {
        let back = manager.submit(context, buffer.cast(), len, flags);
        *out = back.map_or(null_mut(), NonNull::as_ptr);
        back.map_or(code::NONE, |context| code_of(Lent::new(context).error()))
    }
}

/// # Safety
/// `manager` must be null or meet the requirements of [`Manager::flush`]. `out` must be null or
/// valid for writing a pointer.
unsafe fn flush<F: Function>(manager: *mut Manager<F>, out: *mut *mut Context<F>) -> c_int {
    // SAFETY: `# Safety` above asks the caller for a manager that is null, or readable and writable
    // without another user during the call.
    let Some(manager) = (unsafe { sound(manager) }) else { return code::NULL_MGR };
    if out.is_null() {
        return code::NULL_CTX;
    }
    // SAFETY: the manager is sound, as checked. All contexts that it holds were submitted, and
    // `Manager::submit` asks the caller that they and their buffers stay valid until they are
    // returned. `out` is not null, so `# Safety` above asks that it is writable.
    unsafe { *out = manager.flush().map_or(null_mut(), NonNull::as_ptr) };
    code::NONE
}

/// Like [`submit`], for the deprecated functions, which return the context instead of a code.
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
    // SAFETY: `# Safety` of `submit` asks the caller for a manager that is null, or readable and
    // writable without another user during the call.
    let (manager, context) = unsafe { (sound(manager), NonNull::new(context)) };
    let Some(context) = context else { return null_mut() };
    let Some(manager) = manager else {
        // SAFETY: the context is not null, so `# Safety` of `submit` asks the caller that it is
        // writable and has no other user.
        unsafe { (*context.as_ptr()).error = refused::INVALID_FLAGS };
        return context.as_ptr();
    };
    // SAFETY: the manager is sound and `context` is not null, as checked. `# Safety` of `submit`
    // asks the caller that the context has no other user until it is returned, and that `len` bytes
    // at `buffer` are readable as long.
    let back = unsafe { manager.submit(context, buffer.cast(), len, flags) };
    back.map_or(null_mut(), NonNull::as_ptr)
}

/// Like [`flush`], for the deprecated functions.
///
/// # Safety
/// As for [`flush`].
unsafe fn old_flush<F: Function>(manager: *mut Manager<F>) -> *mut Context<F> {
    // SAFETY: `# Safety` of `flush` asks the caller for a manager that is null, or readable and
    // writable without another user. All contexts that it holds were submitted, and
    // `Manager::submit` asks that they and their buffers stay valid until they are returned.
    let back = unsafe { sound(manager).and_then(|manager| manager.flush()) };
    back.map_or(null_mut(), NonNull::as_ptr)
}

/// The manager, if it appears to have been initialised.
///
/// # Safety
/// A non-null manager must be aligned to 8 bytes, and readable and writable during `'a`, with no
/// other user.
unsafe fn sound<'a, F: Function>(manager: *mut Manager<F>) -> Option<&'a mut Manager<F>> {
    // SAFETY: `# Safety` above asks the caller for an aligned pointer that nobody else uses during
    // `'a`, unless it is null. Any bytes are a valid `Manager`, whose members are pointers and
    // integers.
    unsafe { manager.as_mut() }.filter(|manager| manager.is_sound())
}

macro_rules! exports {
    ($($function:ident: $init:ident $submit:ident $flush:ident,
        $old_init:ident $old_submit:ident $old_flush:ident;)*) => {$(
        #[doc = concat!("See `", stringify!($init), "` in the header.")]
        ///
        /// # Safety
        /// As documented in the header.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $init(manager: *mut Manager<$function>) -> c_int {
            // SAFETY: the header requires of C programs what `init` requires.
            unsafe { init(manager) }
        }

        #[doc = concat!("See `", stringify!($submit), "` in the header.")]
        ///
        /// # Safety
        /// As documented in the header.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $submit(
            manager: *mut Manager<$function>,
            context: *mut Context<$function>,
            out: *mut *mut Context<$function>,
            buffer: *const c_void,
            len: u32,
            flags: c_int,
        ) -> c_int {
            // SAFETY: the header requires of C programs what `submit` requires.
            unsafe { submit(manager, context, out, buffer, len, flags) }
        }

        #[doc = concat!("See `", stringify!($flush), "` in the header.")]
        ///
        /// # Safety
        /// As documented in the header.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $flush(
            manager: *mut Manager<$function>,
            out: *mut *mut Context<$function>,
        ) -> c_int {
            // SAFETY: the header requires of C programs what `flush` requires.
            unsafe { flush(manager, out) }
        }

        #[doc = concat!("As [`", stringify!($init), "`], without a code.")]
        ///
        /// # Safety
        /// As documented in the header.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $old_init(manager: *mut Manager<$function>) {
            // SAFETY: the header requires of C programs what `init` requires.
            unsafe { init(manager) };
        }

        #[doc = concat!("As [`", stringify!($submit), "`], without a code.")]
        ///
        /// # Safety
        /// As documented in the header.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $old_submit(
            manager: *mut Manager<$function>,
            context: *mut Context<$function>,
            buffer: *const c_void,
            len: u32,
            flags: c_int,
        ) -> *mut Context<$function> {
            // SAFETY: the header requires of C programs what `old_submit` requires.
            unsafe { old_submit(manager, context, buffer, len, flags) }
        }

        #[doc = concat!("As [`", stringify!($flush), "`], without a code.")]
        ///
        /// # Safety
        /// As documented in the header.
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $old_flush(
            manager: *mut Manager<$function>,
        ) -> *mut Context<$function> {
            // SAFETY: the header requires of C programs what `old_flush` requires.
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

/// Tests known answers in every kernel that this CPU has: 0, or `ISAL_CRYPTO_ERR_SELF_TEST`. ISA-L
/// has them in its FIPS mode only.
#[unsafe(no_mangle)]
pub extern "C" fn isal_self_tests() -> c_int {
    hashlanes::kernels::self_test().map_or(code::SELF_TEST, |()| code::NONE)
}
