//! Any bytes as a torrent: nothing panics, memory is bounded, and the paths of an accepted torrent
//! stay in its folder. Every second input is put into an info dictionary, so that more of them get
//! that far.

#![no_main]

use hashlanes_tree::torrent::bencode::{Document, Value, Writer};
use hashlanes_tree::torrent::metainfo::{FileKind, Metainfo};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [choice, text @ ..] = input else { return };
    judge(text);
    if choice & 1 != 0 {
        judge(&framed(text));
    }
});

fn judge(text: &[u8]) {
    if let Ok(document) = Document::parse(text) {
        let mut writer = Writer::new();
        write(&document.root(), &mut writer);
        // Negative integers are not written back. Everything else is unchanged.
        assert!(has_negative(text) || writer.into_text() == text);
        assert_eq!(document.root().raw(), text);
    }
    let Ok(torrent) = Metainfo::parse(text) else { return };
    assert!(!torrent.files.is_empty());
    assert!(torrent.pieces.is_some() == torrent.infohash_v1.is_some());
    let pieces = torrent.total().div_ceil(torrent.piece_length);
    assert!(torrent.pieces.as_ref().is_none_or(|hashes| hashes.len() as u64 == pieces));
    for file in torrent.files.iter().filter(|file| file.kind != FileKind::Pad) {
        stays(&torrent.path_of(file));
        if let FileKind::Link(target) = &file.kind {
            stays(target);
        }
    }
    let layers = || {
        let hashed = torrent.files.iter().filter_map(|file| Some((file, file.hashes.as_ref()?)));
        hashed.map(|(file, it)| (file.length.div_ceil(torrent.piece_length), it.layer.len() as u64))
    };
    // A torrent made of a magnet link has no layers at all.
    let is_whole = |(pieces, nodes)| nodes == if pieces > 1 { pieces } else { 0 };
    assert!(layers().all(is_whole) || layers().all(|(_, nodes)| nodes == 0));
}

/// A path consists of names that stay in their folders.
fn stays(path: &[u8]) {
    for name in path.split(|&byte| byte == b'/') {
        assert!(!name.is_empty() && name != b"." && name != b"..");
        assert!(!name.contains(&0) && !name.contains(&b'\\'));
    }
}

fn write(value: &Value<'_>, writer: &mut Writer) {
    if let Some(integer) = value.integer() {
        writer.integer(integer.unsigned_abs());
    } else if let Some(string) = value.string() {
        writer.string(string);
    } else if let Some(values) = value.list() {
        writer.list(|writer| values.for_each(|value| write(&value, writer)));
    } else if let Some(dictionary) = value.dictionary() {
        writer.dictionary(|writer| {
            for (key, value) in dictionary.entries() {
                assert_eq!(dictionary.get(key).map(|found| found.raw()), Some(value.raw()));
                writer.string(key);
                write(&value, writer);
            }
        });
    }
}

fn has_negative(text: &[u8]) -> bool {
    text.windows(2).any(|pair| pair == b"i-")
}

/// A torrent with this as its list of files or its file tree, if it is bencoded.
fn framed(text: &[u8]) -> Vec<u8> {
    let is_list = text.first() == Some(&b'l');
    let mut info = Writer::new();
    info.dictionary(|root| {
        root.string("info").dictionary(|info| {
            if is_list {
                info.string("files").raw(text);
            } else {
                info.string("file tree").raw(text).string("meta version").integer(2);
            }
            info.string("name").string("n").string("piece length").integer(1 << 20);
            if is_list {
                info.string("pieces").string("");
            }
        });
    });
    info.into_text()
}
