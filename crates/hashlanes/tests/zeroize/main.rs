//! With the feature `zeroize` no freed memory holds a key or a message.
#![cfg(all(feature = "std", feature = "zeroize"))]

mod hmac;
mod searching;
mod server;
