//! With the feature `zeroize`, no freed memory contains a key or a message.
#![cfg(all(feature = "all", feature = "std", feature = "zeroize"))]

mod functions;
mod hmac;
mod searching;
mod server;
mod stack;
mod states;
