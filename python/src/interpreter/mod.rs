//! Interaction with the interpreter: subinterpreters, forks, threads and signals.

pub(crate) mod only_one;
pub(crate) mod process;
pub(crate) mod steps;
pub(crate) mod turn;
pub(crate) mod turns;
pub(crate) mod types;
