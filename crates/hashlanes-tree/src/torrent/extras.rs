//! The entries of a .torrent file that do not change the infohash.

/// The content of a .torrent file besides the info dictionary. It does not affect the infohash.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// The URLs of trackers, the best first.
    pub trackers: Vec<String>,
    /// The URLs of servers that provide the files (BEP 19).
    pub web_seeds: Vec<String>,
    /// A comment for people.
    pub comment: Option<String>,
    /// The time of creation in seconds since 1970.
    pub date: Option<u64>,
}
