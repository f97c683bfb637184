//! The sources of random bytes as their users see them.

mod examples;
mod instructions;
