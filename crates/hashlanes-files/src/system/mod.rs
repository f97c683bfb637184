//! What differs between operating systems. All else in this crate is the same everywhere.
//!
//! Each system's module has the same functions:
//!
//! | function | Unix | Windows |
//! |---|---|---|
//! | `name` | the bytes of a path | UTF-8 with `/` between the parts |
//! | `path` | any bytes are a path | only what `name` can give is |
//! | `stdin` | the descriptor | the handle |
//! | `Stdout`, `stdout` | the descriptor | the handle, or Unicode for a console |
//! | `metadata`, `open` | the standard library's | a file of a device's name is not the device |
//! | `is_device` | never: the metadata tell | `\\.\..`, which must not be opened to be looked at |
//! | `open_regular` | does not wait for the writer of a FIFO | as `open`: folders hold no FIFOs |
//! | `await_writer`, `let_reads_wait` | undo what `open_regular` asked for | nothing to undo |
//! | `read_at` | does not move the file's offset | moves it, which nobody sees |
//! | `is_missing` | the file does not exist | the same, or no file could have this name |
//! | `free_descriptors` | the process's limit tells | any number |
//! | `raise_descriptor_limit` | to the hard limit | there is none |
//!
//! [`Stamp`] tells whether a file has changed.
//!
//! Two need Linux: `ahead::read` gives `Unknown` elsewhere, and `BusyTime` nothing.

pub(crate) mod ahead;
mod busy;
#[cfg(unix)]
mod descriptors;
pub(crate) mod directory;
mod disk;
#[cfg(unix)]
mod long;
mod stamp;
#[cfg(unix)]
mod unix;
#[cfg(windows)]
mod windows;
// Pure functions of bytes: tested on every system.
#[cfg(any(windows, test))]
mod wtf8;

pub(crate) use busy::BusyTime;
#[cfg(unix)]
pub use descriptors::{free_descriptors, raise_descriptor_limit};
pub(crate) use disk::turns;
pub use stamp::Stamp;
pub(crate) use stamp::stamp;
#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
