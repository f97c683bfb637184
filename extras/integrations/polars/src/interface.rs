//! The interface between Polars and a plug-in, as its engine calls it (`polars-plan`, in
//! `dsl/function_expr/plugin.rs`). The crate `pyo3-polars` implements it by compiling Polars twice:
//! for the plug-in, and for its macro.

use std::cell::RefCell;
use std::error::Error;
use std::ffi::{CString, c_char};
use std::panic::{AssertUnwindSafe, catch_unwind};

use arrow_array::ffi::FFI_ArrowSchema;

use crate::function::Function;
use crate::series::{self, SeriesExport};

/// The version of the interface: 0 in the upper half, 1 in the lower.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_version() -> u32 {
    1
}

thread_local! {
    static LAST_ERROR: RefCell<CString> = RefCell::default();
}

/// The error of this thread's last call. The caller copies it at once.
#[unsafe(no_mangle)]
extern "C" fn _polars_plugin_get_last_error_message() -> *const c_char {
    LAST_ERROR.with_borrow(|message| message.as_ptr())
}

/// Evaluates a function, and writes the digests to `result`; nothing after an error.
///
/// # Safety
/// `inputs` points to `count` Series that Polars has made for this call and does not drop, and
/// `result` to memory for one.
pub(crate) unsafe fn evaluate(
    function: Function,
    inputs: *const SeriesExport,
    count: usize,
    result: *mut SeriesExport,
) {
    keep_error(|| {
        // SAFETY: `# Safety` above asks the caller for `count` Series that nobody else drops. All
        // are moved out here, so that each is dropped once.
        let inputs: Vec<_> = unsafe { (0..count).map(|index| inputs.add(index).read()) }.collect();
        let [input] = <[SeriesExport; 1]>::try_from(inputs).map_err(|_| ONE_COLUMN)?;
        // SAFETY: `# Safety` above: Polars has made the Series for this call.
        let (field, chunks) = unsafe { input.import() }?;
        let digests = function.digest_chunks(&chunks)?;
        let series = SeriesExport::new(&function.field(&field)?, &digests)?;
        // SAFETY: `# Safety` above asks the caller for writable memory. What Polars left there is
        // empty and needs no drop.
        unsafe { result.write(series) }
        Ok(())
    });
}

/// Writes the field of a function's digests to `result`; nothing after an error.
///
/// # Safety
/// `inputs` points to `count` fields, and `result` to memory for one.
pub(crate) unsafe fn plan(
    function: Function,
    inputs: *const FFI_ArrowSchema,
    count: usize,
    result: *mut FFI_ArrowSchema,
) {
    keep_error(|| {
        if count != 1 {
            return Err(ONE_COLUMN.into());
        }
        // SAFETY: `count` is 1, as checked, and `# Safety` above asks the caller for as many
        // fields.
        let field = series::field(unsafe { &*inputs })?;
        let field = FFI_ArrowSchema::try_from(&function.field(&field)?)?;
        // SAFETY: `# Safety` above asks the caller for writable memory. What Polars left there is
        // empty and needs no drop.
        unsafe { result.write(field) }
        Ok(())
    });
}

const ONE_COLUMN: &str = "the function takes one column";

/// Keeps an error's message for Polars. It knows what `PANIC` means.
fn keep_error(run: impl FnOnce() -> Result<(), Box<dyn Error>>) {
    let message = match catch_unwind(AssertUnwindSafe(run)) {
        Ok(Ok(())) => return,
        Ok(Err(error)) => error.to_string().replace('\0', ""),
        Err(_) => "PANIC".to_owned(),
    };
    LAST_ERROR.set(CString::new(message).unwrap_or_default());
}
