//! Torrents: .torrent files made, read, and compared with files.

pub mod bencode;
pub mod merkle;
pub mod metainfo;
pub mod name;
