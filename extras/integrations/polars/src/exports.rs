//! The names by which Polars finds the functions. Plans show them.

use std::ffi::c_void;

use arrow_array::ffi::FFI_ArrowSchema;
use hashlanes_arrow::{Algorithm, Output};

use crate::function::{Function, Of};
use crate::interface;
use crate::series::SeriesExport;

/// Exports a function, whose name is the literals together, and the function that plans it.
macro_rules! export {
    ($of:ident, $algorithm:ident, $output:ident: $($name:literal)+) => {
        const _: () = {
            fn function() -> Function {
                Function::new(Of::$of, Algorithm::$algorithm, Output::$output)
            }

            #[unsafe(export_name = concat!("_polars_plugin_", $($name),+))]
            unsafe extern "C" fn evaluate(
                inputs: *const SeriesExport,
                count: usize,
                _options: *const u8,
                _length: usize,
                result: *mut SeriesExport,
                _context: *const c_void,
            ) {
                // SAFETY: Polars calls it with what `evaluate` asks for.
                unsafe { interface::evaluate(function(), inputs, count, result) }
            }

            #[unsafe(export_name = concat!("_polars_plugin_field_", $($name),+))]
            unsafe extern "C" fn plan(
                inputs: *const FFI_ArrowSchema,
                count: usize,
                result: *mut FFI_ArrowSchema,
                _options: *const u8,
                _length: usize,
            ) {
                // SAFETY: Polars calls it with what `plan` asks for.
                unsafe { interface::plan(function(), inputs, count, result) }
            }
        };
    };
}

/// Exports the functions of each algorithm. Polars panics if one is missing.
macro_rules! export_all {
    ($($name:literal: $algorithm:ident;)+) => {
        const _: () = assert!([$(Algorithm::$algorithm),+].len() == Algorithm::ALL.len());
        $(
            export!(Values, $algorithm, Binary: $name);
            export!(Values, $algorithm, Hex: $name "_hex");
            export!(Rows, $algorithm, Binary: "digest_rows_" $name);
            export!(Rows, $algorithm, Hex: "digest_rows_" $name "_hex");
        )+
    };
}

export_all! {
    "md5": Md5;
    "sha1": Sha1;
    "sha224": Sha224;
    "sha256": Sha256;
    "sha384": Sha384;
    "sha512": Sha512;
    "sha512_256": Sha512_256;
    "sm3": Sm3;
    "sha3_224": Sha3_224;
    "sha3_256": Sha3_256;
    "sha3_384": Sha3_384;
    "sha3_512": Sha3_512;
    "keccak256": Keccak256;
    "keccak512": Keccak512;
    "shake128": Shake128;
    "shake256": Shake256;
    "blake2b": Blake2b512;
    "blake2s": Blake2s256;
    "blake3": Blake3;
    "sha256d": Sha256d;
}
