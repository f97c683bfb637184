//! What a store knows of an object's content without a download, and what that proves.
//!
//! Everything here is pure, except [`KeepHeaders`], which lets callers of `object_store` see the
//! headers of responses, and [`first_part`], a request for the part size of an object.
//!
//! 1. The store is built with [`KeepHeaders`] as its connector and, for S3, with
//!    [`default_headers`].
//! 2. `get_opts` with `head: true` gives the [`headers`] of an object, and
//!    [`Known::from_headers`] what they say. [`Known::from_listing`] needs no request for each
//!    object, but its ETag can prove equality only.
//! 3. If the object has parts of unknown size, [`first_part`] asks for it and
//!    [`Known::set_part`] notes it.
//! 4. The lines of a manifest are facts: [`Fact::from_manifest`], [`Fact::from_tag`]. Local data
//!    are hashed as [`Known::wanted`] of the object says, by [`facts_of`].
//! 5. [`judge`] compares the two sides, and [`Download::is_needed`] says whether the object must be
//!    read all the same.
//!
//! A side's knowledge is a list of [`Fact`]s. Two stores are compared in the same way as a store
//! and a manifest.

mod connector;
mod fact;
mod headers;
#[cfg(test)]
mod known_values;
mod local;
mod part;
mod verdict;

pub use connector::{KeepHeaders, headers};
pub use fact::{By, Fact, Known, Of, Strength};
pub use headers::{default_headers, metadata_key};
pub use local::{Wanted, facts_of};
pub use part::{FirstPart, first_part};
pub use verdict::{Download, Proof, Verdict, Why, judge};
