//! Columns: `digest_array` and `digest_rows`, for objects with the Arrow PyCapsule interface and
//! for NumPy arrays.
//!
//! `import` takes arrays out of capsules, the crate `hashlanes-arrow` hashes them in place, and the
//! classes in `array` export the digests as capsules. This imports no Python package, as both sides
//! use Arrow's C data interface.

#[forbid(unsafe_code)]
pub(crate) mod array;
mod checked;
#[forbid(unsafe_code)]
pub(crate) mod digest;
#[forbid(unsafe_code)]
mod error;
mod export;
mod import;
#[forbid(unsafe_code)]
mod numpy;
#[forbid(unsafe_code)]
mod pandas;
#[forbid(unsafe_code)]
pub(crate) mod rows;
#[forbid(unsafe_code)]
mod value;
