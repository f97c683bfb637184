//! Columns and rows, compared with RustCrypto.

mod arrays;
mod common;
mod rows;
