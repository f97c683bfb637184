//! Tests of the public interface of the sources.

mod examples;
mod instructions;
