//! Any bytes as a manifest: nothing panics, memory is bounded, and an entry that was read can be
//! written and read back.

#![no_main]

use std::io::Cursor;

use hashlanes_files::manifest::{
    Digits, Entry, FORMATS, Format, HashName, MAX_RECORD, Read, Reader, ReaderOptions, Records,
    Text, Writer, Written,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| {
    let [choice, function, manifest @ ..] = input else { return };
    let functions = ["md5", "sha256", "blake2b", "crc32", "sha512-256"];
    let options = ReaderOptions {
        format: FORMATS.get(usize::from(choice % 32)).map(|about| about.format),
        function: functions.get(usize::from(*function)).and_then(|name| HashName::named(name)),
        zero: choice & 32 != 0,
        manifest: ["a", "a.sfv", "a.sha256", ".md5"][usize::from(choice >> 6)].into(),
    };
    let mut text = Text::new(Box::new(Cursor::new(manifest.to_vec())), options.zero);
    let is_all = !text.more();
    let format = Format::of_sample(text.held(), &options, is_all);
    let options = ReaderOptions { format, ..options };
    let mut reader = Reader::new(options.clone());
    let mut records = Records::new(text, options.zero);
    let mut line = Vec::new();
    while records.next(&mut line).expect("a slice has no errors").is_some() {
        assert!(line.len() <= MAX_RECORD);
        if let Read::Entry(entry) = reader.read(&line) {
            judge(&entry, &options);
        }
    }
    if let Read::Entry(entry) = reader.end() {
        judge(&entry, &options);
    }
});

fn judge(entry: &Entry, options: &ReaderOptions) {
    assert!(!entry.name.is_empty() || options.format.is_none_or(|format| !format.is_strict()));
    assert!(!entry.digests.is_empty());
    for (i, expected) in entry.digests.iter().enumerate() {
        assert_eq!(expected.digest.len(), expected.function.digest_len());
        assert!(entry.digests[..i].iter().all(|other| other.function != expected.function));
    }
    // CSV, JSON and others have no entries without a name.
    if entry.name.is_empty() {
        return;
    }
    for format in FORMATS.iter().map(|about| about.format) {
        let functions: Vec<HashName> = entry.digests.iter().map(|d| d.function).collect();
        if format.refuses(&functions).is_some() {
            continue;
        }
        write_and_read(entry, format, &functions, Digits::Hex);
        if !entry.digests.iter().any(|expected| base64_looks_hexadecimal(&expected.digest)) {
            write_and_read(entry, format, &functions, Digits::Base64);
        }
    }
}

/// A reader takes such digits for a hexadecimal digest that was truncated or, on a plain line, for
/// one of another length of the same function. Nothing tells them apart.
fn base64_looks_hexadecimal(digest: &[u8]) -> bool {
    let mut digits = Vec::new();
    Digits::Base64.write(digest, &mut digits);
    digits.iter().all(u8::is_ascii_hexdigit)
}

fn write_and_read(entry: &Entry, format: Format, functions: &[HashName], digits: Digits) {
    let all = functions.to_vec();
    let writer = Writer { format, functions: all, digits, zero: false, binary: false };
    let digests: Vec<&[u8]> = entry.digests.iter().map(|d| d.digest.as_slice()).collect();
    let file = Written {
        name: &entry.name,
        size: Some(1),
        modified: None,
        version: None,
        digests: &digests,
    };
    let mut manifest = Vec::new();
    writer.header(&mut manifest);
    if writer.file(&file, &mut manifest).is_err() {
        return;
    }
    // Plain lines do not name the function.
    let plain = matches!(format, Format::Text | Format::BagIt);
    let mut reader = Reader::new(ReaderOptions {
        format: Some(format),
        function: plain.then_some(functions[0]),
        ..ReaderOptions::default()
    });
    let mut records = Records::new(&*manifest, false);
    let (mut line, mut found) = (Vec::new(), Vec::new());
    while records.next(&mut line).expect("a slice has no errors").is_some() {
        match reader.read(&line) {
            Read::Entry(again) => {
                assert_eq!(again.name, entry.name, "{format:?}");
                found.extend(again.digests);
            }
            Read::Nothing | Read::More => {}
            // Lines of the other functions.
            Read::Malformed(_) if plain => {}
            other => panic!("{other:?}: {}", manifest.escape_ascii()),
        }
    }
    let expected = entry.digests.iter().take(if plain { 1 } else { usize::MAX });
    let expected: Vec<_> = expected.map(|d| (d.function, &d.digest)).collect();
    let found: Vec<_> = found.iter().map(|d| (d.function, &d.digest)).collect();
    assert_eq!(found, expected, "{format:?}");
}
