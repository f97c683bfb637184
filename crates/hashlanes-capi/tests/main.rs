//! Tests of the libraries for C, as their users see them: a file per subject.

mod documents;
mod header;
mod isal;
mod library;
mod programs;
