//! The entries of a .torrent file that do not change the infohash.

/// What a .torrent file says beside the info dictionary. It does not change the infohash.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// The URLs of trackers, the best first.
    pub trackers: Vec<String>,
    /// The URLs of servers that have the files (BEP 19).
    pub web_seeds: Vec<String>,
    /// What people read.
    pub comment: Option<String>,
    /// When it was made, in seconds since 1970.
    pub date: Option<u64>,
}
