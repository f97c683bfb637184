//! What a store knows about an object's content without a download, and what that proves.
//!
//! Nothing here sends requests: everything works on headers that the caller has received.
//!
//! 1. A `HEAD` request for an object, for S3 with `x-amz-checksum-mode: ENABLED`, has headers;
//!    [`Known::from_headers`] reads them. [`Known::from_listing`] needs no request for each
//!    object, but its ETag can prove equality only.
//! 2. If [`Known::needs_part`], another `HEAD` request with the query [`FIRST_PART`] has the size
//!    of the object's parts, which [`Known::set_first_part`] reads.
//! 3. The lines of a manifest are facts: [`Fact::from_manifest`], [`Fact::from_tag`]. Local data
//!    are hashed as [`Known::wanted`] of the object says, by [`facts_of`].
//! 4. [`judge`] compares the two sides, and [`Download::is_needed`] says whether the object must be
//!    read all the same.
//!
//! What a side knows is a list of [`Fact`]s. Two stores are compared in the same way as a store and
//! a manifest.

mod fact;
mod headers;
#[cfg(test)]
mod known_values;
mod local;
mod part;
mod verdict;

pub use fact::{By, Fact, Known, Of, Strength};
pub use headers::metadata_key;
pub use local::{Wanted, facts_of};
pub use part::FIRST_PART;
pub use verdict::{Download, Proof, Verdict, Why, judge};
