//! Magnet links (BEP 9, BEP 53).

use hashlanes_files::manifest::Digits;

use super::extras::Extras;
use super::merkle::Node;
use super::metainfo::Sha1Digest;

/// A link that identifies a torrent by its infohashes.
///
/// # Examples
/// ```
/// use hashlanes_tree::torrent::{Extras, magnet};
///
/// let extras = Extras { trackers: vec!["http://t/a?b".into()], ..Extras::default() };
/// assert_eq!(
///     magnet::link(Some([171; 20]), None, "a b", &extras),
///     "magnet:?xt=urn:btih:abababababababababababababababababababab&dn=a%20b\
///      &tr=http%3A%2F%2Ft%2Fa%3Fb"
/// );
/// ```
pub fn link(
    infohash_v1: Option<Sha1Digest>,
    infohash_v2: Option<Node>,
    name: &str,
    extras: &Extras,
) -> String {
    let mut link = String::from("magnet:?");
    if let Some(hash) = infohash_v1 {
        link.push_str(&format!("xt=urn:btih:{}&", Digits::Hex.text(&hash)));
    }
    if let Some(hash) = infohash_v2 {
        // A multihash, which begins with the number of the function, 0x12, and the digest length.
        link.push_str(&format!("xt=urn:btmh:1220{}&", Digits::Hex.text(&hash)));
    }
    link.push_str(&format!("dn={}", encode(name)));
    for tracker in &extras.trackers {
        link.push_str(&format!("&tr={}", encode(tracker)));
    }
    for seed in &extras.web_seeds {
        link.push_str(&format!("&ws={}", encode(seed)));
    }
    link
}

/// Encodes all but the unreserved characters of RFC 3986 as `%XX`.
fn encode(text: &str) -> String {
    let encoded = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(encoded).collect()
}
