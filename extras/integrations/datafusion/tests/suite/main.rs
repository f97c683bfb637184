//! Every function beside the engine's own, which decides what is right.

mod call;
mod engine;
mod foreign;
mod random;
mod rows;
mod sizes;
mod sql;
mod sqllogic;
mod types;
