//! Compares trees, torrents and chunks with simpler implementations.

mod dedup;
mod machinery;
mod torrent;
