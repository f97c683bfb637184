//! The Rust examples of the README and of the guide, as tests. (Those of the library's own README
//! are tests of the library, in which it is packaged.)

#![forbid(unsafe_code)]

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(doctest)]
#[doc = include_str!("guide/rust.md")]
struct Rust;

#[cfg(doctest)]
#[doc = include_str!("guide/server.md")]
struct Server;

#[cfg(doctest)]
#[doc = include_str!("guide/object-server.md")]
struct ObjectServer;

#[cfg(doctest)]
#[doc = include_str!("guide/slh-dsa.md")]
struct SlhDsa;

#[cfg(doctest)]
#[doc = include_str!("guide/records.md")]
struct Records;

#[cfg(doctest)]
#[doc = include_str!("guide/recipes.md")]
struct Recipes;
