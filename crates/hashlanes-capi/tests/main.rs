//! The libraries for C as their users see them: one file of tests per subject.

mod documents;
mod header;
mod isal;
mod library;
mod programs;
