//! The examples of the workspace's documents, as tests. (Those of the library's own README are
//! tests of the library, in which it is packaged.)

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
