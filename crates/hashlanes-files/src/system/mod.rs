//! The differences between operating systems. Everything else in this crate is the same on all.
//!
//! Each system's module has the same functions:
//!
//! | function | Unix | Windows |
//! |---|---|---|
//! | `name` | the bytes of a path | UTF-8 with `/` between the parts |
//! | `path` | any bytes are a path | only results of `name` are |
//! | `stdin` | the descriptor | the handle |
//! | `Stdout`, `stdout` | the descriptor | the handle, or Unicode for a console |
//! | `outputs` | the standard output and error, if they are regular files | none |
//! | `metadata`, `open` | the standard library's | a file of a device's name is not the device |
//! | `folder_id` | device and number | the path without links |
//! | `is_device` | never: the metadata tell | `\\.\..`, which must not be opened to be examined |
//! | `open_regular` | does not wait for the writer of a FIFO | like `open`: folders contain no
//! FIFOs |
//! | `await_writer`, `let_reads_wait` | undo the effect of `open_regular` | nothing to undo |
//! | `read_at` | does not move the file's offset | moves it, which nothing observes |
//! | `is_missing` | the file does not exist | the same, or the name is impossible |
//! | `free_descriptors` | from the process's limit | unlimited |
//! | `raise_descriptor_limit` | to the hard limit | there is none |
//!
//! A [`Stamp`] shows whether a file has changed.
//!
//! `keep_attributes` needs Linux, Android or an Apple system. Three need Linux: elsewhere,
//! `ahead::read` gives `Unknown`, `BusyTime` gives `None`, and no file has `holes`.

pub(crate) mod ahead;
mod attributes;
mod busy;
#[cfg(unix)]
mod descriptors;
pub(crate) mod directory;
mod disk;
pub(crate) mod holes;
mod lasting;
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

pub(crate) use attributes::keep_attributes;
pub(crate) use busy::BusyTime;
#[cfg(unix)]
pub use descriptors::{free_descriptors, raise_descriptor_limit};
pub(crate) use disk::is_rotational;
pub use lasting::LastingNumbers;
pub use stamp::Stamp;
pub(crate) use stamp::stamp;
#[cfg(unix)]
pub use unix::*;
#[cfg(windows)]
pub use windows::*;
