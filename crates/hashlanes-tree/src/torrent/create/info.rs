//! Writes the info dictionary, whose hash identifies the torrent.

use super::{Options, zeros};
use crate::torrent::bencode::Writer;
use crate::torrent::list::{ListedFile, Listing};
use crate::torrent::metainfo::FileHashes;

/// The computed hashes.
pub(super) struct Hashes {
    /// The concatenated digests of the pieces, for version 1.
    pub(super) pieces: Option<Vec<u8>>,
    /// The roots of all files, for version 2.
    pub(super) trees: Option<Vec<Option<FileHashes>>>,
}

/// The info dictionary, with its keys in order.
pub(super) fn write(
    listing: &Listing,
    piece_length: u64,
    hashes: &Hashes,
    options: &Options,
) -> Vec<u8> {
    let mut info = Writer::new();
    info.begin_dictionary();
    if let Some(trees) = &hashes.trees {
        info.string("file tree");
        write_tree(&mut info, &listing.files, trees);
    }
    if hashes.pieces.is_some() {
        // In a hybrid torrent, each file begins at a piece. As in libtorrent, there are zeros after
        // the last file, too, but not after the only one.
        let is_padded = hashes.trees.is_some() && listing.files.len() > 1;
        let align = if is_padded { piece_length } else { 1 };
        if listing.is_folder {
            info.string("files").list(|info| write_files(info, &listing.files, align));
        } else {
            info.string("length").integer(listing.total());
        }
    }
    if hashes.trees.is_some() {
        info.string("meta version").integer(2);
    }
    info.string("name").string(&listing.name);
    info.string("piece length").integer(piece_length);
    if let Some(pieces) = &hashes.pieces {
        info.string("pieces").string(pieces);
    }
    if options.private {
        info.string("private").integer(1);
    }
    if let Some(source) = &options.source {
        info.string("source").string(source);
    }
    info.end();
    info.into_text()
}

/// The files of version 1, with a pad file after each that does not end at a multiple of `align`.
fn write_files(info: &mut Writer, files: &[ListedFile], align: u64) {
    for file in files {
        info.dictionary(|info| {
            info.string("length").integer(file.length).string("path").list(|info| {
                file.path.split('/').for_each(|name| {
                    info.string(name);
                });
            });
        });
        let zeros = zeros(file.length, align);
        if zeros > 0 {
            info.dictionary(|info| {
                info.string("attr").string("p").string("length").integer(zeros);
                info.string("path").list(|info| {
                    info.string(".pad").string(zeros.to_string());
                });
            });
        }
    }
}

/// The file tree of version 2. The files must be in its order.
fn write_tree(info: &mut Writer, files: &[ListedFile], trees: &[Option<FileHashes>]) {
    info.begin_dictionary();
    let mut above: Vec<&str> = Vec::new();
    for (file, hashes) in files.iter().zip(trees) {
        let mut names: Vec<&str> = file.path.split('/').collect();
        let name = names.pop().expect("splitting gives at least one part");
        let same = above.iter().zip(&names).take_while(|(a, b)| a == b).count();
        (same..above.len()).for_each(|_| {
            info.end();
        });
        for folder in &names[same..] {
            info.string(folder).begin_dictionary();
        }
        above = names;
        info.string(name).dictionary(|info| {
            info.string("").dictionary(|info| {
                info.string("length").integer(file.length);
                if let Some(hashes) = hashes {
                    info.string("pieces root").string(hashes.root);
                }
            });
        });
    }
    above.iter().for_each(|_| {
        info.end();
    });
    info.end();
}
