#![doc = include_str!("../README.md")]
#![deny(missing_docs)]

mod api;
mod column;
mod digest;
mod function;
mod rows;

use std::ffi::CString;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr::null_mut;

use crate::api::{Access, Handle};

/// DuckDB calls this when it has loaded the file, whose name has to be
/// `hashlanes.duckdb_extension`.
///
/// # Safety
/// Only DuckDB calls it, with the arguments that `duckdb_extension.h` describes.
#[unsafe(no_mangle)]
unsafe extern "C" fn hashlanes_init_c_api(info: Handle, access: *const Access) -> bool {
    // SAFETY: `# Safety` above: DuckDB passes a pointer to its table of access functions, which is
    // valid during the call.
    let Err(error) = guarded(|| unsafe { load(info, &*access) }) else { return true };
    let error = message(format!("hashlanes cannot be used here: {error}"));
    // SAFETY: the table is valid during the call, as above, and `info` is the one that DuckDB has
    // passed with it. DuckDB copies the error.
    unsafe { ((*access).set_error)(info, error.as_ptr()) };
    false
}

/// # Safety
/// Both arguments are those that DuckDB passed to [`hashlanes_init_c_api`].
unsafe fn load(info: Handle, access: &Access) -> Result<(), String> {
    // SAFETY: `info` and `access` are those that DuckDB passed to `hashlanes_init_c_api`. The table
    // is kept before another function is called. The connection is to the database that loads the
    // extension, and is closed.
    unsafe {
        let table = (access.get_api)(info, api::VERSION.as_ptr());
        if table.is_null() {
            return Err("DuckDB has no C API of version 1.2.0".to_owned());
        }
        api::keep(table)?;
        let database = (access.get_database)(info);
        let mut connection = null_mut();
        if database.is_null() || api::connect(*database, &mut connection) != api::SUCCESS {
            return Err("DuckDB refused a connection".to_owned());
        }
        let registered = function::register(connection);
        api::disconnect(&mut connection);
        registered
    }
}

/// Runs what DuckDB called. A panic, which would be a bug, becomes an error: it must not unwind
/// into C++.
fn guarded(run: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
    catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| Err("hashlanes panicked".to_owned()))
}

/// A text for C.
fn message(text: String) -> CString {
    CString::new(text.replace('\0', " ")).expect("zeros have been replaced")
}
