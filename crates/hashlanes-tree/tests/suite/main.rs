//! Trees, torrents and chunks beside simpler ways to make them.

mod dedup;
mod machinery;
mod torrent;
