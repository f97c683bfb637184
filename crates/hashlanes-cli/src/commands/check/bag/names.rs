//! Names of the files of a bag.

use std::path::Path;

use hashlanes::Sha256;
use hashlanes_files::system;

/// A hash that stands for a name, wherever the name comes from.
pub(in super::super) type Key = [u8; 16];

/// A path as a manifest of the bag writes it.
pub(super) fn name_in(folder: &Path, path: &Path) -> Vec<u8> {
    let below = path.strip_prefix(folder).unwrap_or(path);
    let parts: Vec<_> = below.iter().map(|part| system::name(Path::new(part))).collect();
    parts.join(&b'/')
}

/// The name without `.` parts and repeated slashes.
pub(super) fn plain(name: &[u8]) -> Vec<u8> {
    let parts = name.split(|&byte| byte == b'/').filter(|part| !matches!(part, [] | [b'.']));
    parts.collect::<Vec<_>>().join(&b'/')
}

/// The key of a name. Names that differ only in `.` parts and slashes have the same key.
pub(in super::super) fn key(name: &[u8]) -> Key {
    let digest = Sha256::digest(plain(name));
    let half = digest.as_ref().first_chunk().expect("a digest has 32 bytes");
    *half
}
