//! Every function beside the engine's own, which decides what is right.

mod call;
mod random;
mod rows;
mod sizes;
mod types;
