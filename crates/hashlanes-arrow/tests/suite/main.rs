//! Columns and rows beside RustCrypto.

mod arrays;
mod common;
mod rows;
