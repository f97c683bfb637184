//! Each format's reader reads what its writer writes, and refuses malformed lines.

use hashlanes::Algorithm;

use super::*;
use crate::Function;

const MD5: &str = "d41d8cd98f00b204e9800998ecf8427e";
const SHA256: &str = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

/// Names that some formats must escape, quote or refuse.
const NAMES: [&[u8]; 25] = [
    b"a\x0c",
    b"a",
    b"a b",
    b" a ",
    b"a,b",
    b"\"a\"",
    b"a\nb",
    b"\n",
    b"a\r",
    b"a\r\nb",
    b"\\",
    b"a\\nb",
    b"*a",
    b"a) = b",
    b"%",
    b"%0A%25",
    b"data/100%",
    b"#a",
    b";a",
    b"{a",
    b"-",
    b"\xff\xfe",
    "é\u{1f600}".as_bytes(),
    b"path",
    b"a 352441C2",
];

fn function(name: &str) -> HashName {
    HashName::named(name).unwrap()
}

fn writer(format: Format, functions: &[&str]) -> Writer {
    Writer {
        format,
        functions: functions.iter().map(|name| function(name)).collect(),
        digits: Digits::Hex,
        zero: false,
        binary: false,
    }
}

/// The entries of a manifest, in which no line may be malformed.
#[track_caller]
fn entries(manifest: &[u8], options: ReaderOptions) -> Vec<Entry> {
    let zero = options.zero;
    let mut reader = Reader::new(options);
    let mut records = Records::new(manifest, zero);
    let (mut line, mut entries) = (Vec::new(), Vec::new());
    while let Some(record) = records.next(&mut line).unwrap() {
        assert_eq!(record, Record::Whole);
        match reader.read(&line) {
            Read::Nothing | Read::More => {}
            Read::Entry(entry) => entries.push(entry),
            other => panic!("{other:?}: {}", String::from_utf8_lossy(&line)),
        }
    }
    assert!(!reader.is_within_record());
    entries
}

/// Writes a file of each name and reads it back. Returns the number of names that fit the format.
#[track_caller]
fn round_trip(writer: &Writer, options: &ReaderOptions) -> usize {
    let digests: Vec<Vec<u8>> = writer
        .functions
        .iter()
        .map(|f| (0..f.digest_len()).map(|i| i as u8 ^ 0xa5).collect())
        .collect();
    let mut manifest = Vec::new();
    writer.header(&mut manifest);
    let mut held = Vec::new();
    for name in NAMES {
        let modified = Some((1_700_000_000, 5));
        let file = Written { name, size: Some(7), modified, version: None, digests: &digests };
        let before = manifest.len();
        match writer.file(&file, &mut manifest) {
            Ok(()) => held.push(name),
            Err(_) => assert_eq!(manifest.len(), before),
        }
    }
    let mut expected = Vec::new();
    for name in &held {
        let all = writer.functions.iter().zip(&digests);
        let all = all.map(|(&f, digest)| (f, digest.clone()));
        match writer.format {
            Format::Text | Format::Tagged => expected.extend(all.map(|one| (*name, vec![one]))),
            _ => expected.push((*name, all.collect())),
        }
    }
    let read = entries(&manifest, options.clone());
    let read: Vec<(&[u8], Vec<_>)> = read
        .iter()
        .map(|e| {
            let digests = e.digests.iter().map(|d| (d.function, d.digest.clone()));
            (&*e.name, digests.collect())
        })
        .collect();
    assert_eq!(read, expected, "{writer:?}");
    held.len()
}

#[test]
fn what_is_written_is_read() {
    let any = ReaderOptions::default();
    let zero = ReaderOptions { zero: true, ..any.clone() };
    let all = NAMES.len();
    for digits in [Digits::Hex, Digits::Base64] {
        for binary in [false, true] {
            let text = Writer { digits, binary, ..writer(Format::Text, &["md5", "sha256"]) };
            assert_eq!(round_trip(&text, &any), all);
            assert_eq!(round_trip(&Writer { zero: true, ..text }, &zero), all);
        }
        for functions in [&["sha512-256"][..], &["sha1", "sm3", "blake2b-256", "sha3-256"]] {
            for format in [Format::Tagged, Format::Json, Format::Csv] {
                let writer = Writer { digits, ..writer(format, functions) };
                assert_eq!(round_trip(&writer, &any), all, "{format:?}");
            }
            let tagged = Writer { digits, zero: true, ..writer(Format::Tagged, functions) };
            assert_eq!(round_trip(&tagged, &zero), all);
        }
    }
    assert_eq!(round_trip(&writer(Format::Hashdeep, &["md5", "sha256"]), &any), all - 4);

    assert_eq!(round_trip(&writer(Format::Sfv, &["crc32"]), &any), all - 6);
    let list = ReaderOptions { format: Some(Format::Mhl), ..any.clone() };
    assert_eq!(round_trip(&writer(Format::Mhl, &["md5", "sha1", "xxh64"]), &list), all - 7);
    let bag = ReaderOptions { format: Some(Format::BagIt), ..any };
    assert_eq!(round_trip(&writer(Format::BagIt, &["sha512"]), &bag), all - 3);
}

#[track_caller]
fn read(line: &str) -> Read {
    Reader::new(ReaderOptions::default()).read(line.as_bytes())
}

fn of(name: &str, found: &str) -> Option<(String, String)> {
    Some((name.to_owned(), found.to_owned()))
}

/// The function and the name that one line gives.
#[track_caller]
fn parse(line: &str) -> Option<(String, String)> {
    match read(line) {
        Read::Entry(entry) => {
            let [expected] = &entry.digests[..] else { panic!("{entry:?}") };
            assert_eq!(expected.digest.len(), expected.function.digest_len());
            Some((expected.function.to_string(), String::from_utf8(entry.name).unwrap()))
        }
        _ => None,
    }
}

#[test]
fn every_kind_of_text_line_is_read() {
    let md5 = |name: &str| of("md5", name);
    assert_eq!(parse(&format!("{MD5}  a b ")), md5("a b "));
    assert_eq!(parse(&format!("{MD5} *a")), md5("a"));
    assert_eq!(parse(&format!("{MD5} a")), md5("a"));
    assert_eq!(parse(&format!(" \t{}  a", MD5.to_uppercase())), md5("a"));
    assert_eq!(parse(&format!("\\{MD5}  a\\n\\\\n")), md5("a\n\\n"));
    assert_eq!(parse(&format!("MD5 (a) = {MD5}")), md5("a"));
    assert_eq!(parse(&format!("MD5   (a) = {MD5}")), md5("a"));
    assert_eq!(parse(&format!("MD5(a)= {MD5}")), md5("a"));
    assert_eq!(parse(&format!("\\MD5 (a\\rb) = b) = {MD5}")), md5("a\rb) = b"));
    assert_eq!(parse(&format!("SHA2-512/256(a)= {MD5}{MD5}")), of("sha512-256", "a"));
    assert_eq!(parse(&format!("RIPEMD-160(a)= {MD5}00000000")), of("ripemd160", "a"));
    assert_eq!(parse(&format!("BLAKE2B-512(a)= {SHA256}{SHA256}")), of("blake2b", "a"));
    assert_eq!(parse("1B2M2Y8AsgTpgAmY7PhCfg==  a"), md5("a"));
    for &algorithm in Algorithm::ALL {
        let line = format!("{} (x) = {}", algorithm.tag(), algorithm.digest(b""));
        assert_eq!(parse(&line), of(algorithm.name(), "x"));
    }
}

#[test]
fn openssl_names_the_standard_input() {
    assert_eq!(parse(&format!("SHA256(stdin)= {SHA256}")), of("sha256", "-"));
    assert_eq!(parse(&format!("SHA2-256(stdin)= {SHA256}")), of("sha256", "-"));
    assert_eq!(parse(&format!("(stdin)= {SHA256}")), of("sha256", "-"));
    assert_eq!(parse(&format!("SHA256 (stdin) = {SHA256}")), of("sha256", "stdin"));
    assert_eq!(parse(&format!("(a)= {SHA256}")), None);
}

#[test]
fn what_is_cut_or_garbled_is_refused() {
    let whole = format!("\\{MD5}  a\\nb");
    for end in 0..=MD5.len() + 2 {
        assert_eq!(parse(&whole[..end]), None, "{}", &whole[..end]);
    }
    let whole = format!("MD5 (a) = {MD5}");
    for end in 0..whole.len() {
        assert_eq!(parse(&whole[..end]), None, "{}", &whole[..end]);
    }
    assert_eq!(parse(&format!("{MD5}0  a")), None);
    assert_eq!(parse(&format!("x{}  a", &MD5[1..])), None);
    assert_eq!(parse(&format!("\\{MD5}  a\\x")), None);
    assert_eq!(parse(&format!("SHA1 (a) = {MD5}")), None);
    // No system has such a file name.
    assert_eq!(parse(&format!("{MD5}  a\0b")), None);
    assert_eq!(parse(&format!("MD5 (a\0b) = {MD5}")), None);
    // Not a digest of SHA-384 in base64.
    assert_eq!(parse(&format!("x{}  a", &SHA256[1..])), None);
    // A heading with a date, and one with a tag in the wrong spelling.
    assert!(matches!(read("Released 20261122"), Read::Malformed(_)));
    assert!(matches!(read(&format!("Sha256 (a) = {SHA256}")), Read::Malformed(_)));
}

#[test]
fn functions_that_nobody_knows_are_named() {
    let unknown = |tag: &str| Read::Unknown(tag.to_owned());
    assert_eq!(read(&format!("MD6 (a) = {MD5}")), unknown("MD6"));
    assert_eq!(read(&format!("HMAC-SHA2-256(a)= {SHA256}")), unknown("HMAC-SHA2-256"));
    assert_eq!(read("TTH   (a) = asd4ujseh5m47pdyb46kbtsqtsgdklbhyxomuia"), unknown("TTH"));
    assert!(matches!(read("MD6 (a) = garbled"), Read::Malformed(_)));
    assert_eq!(read(r#"{"path":"a","digests":{"md6":"00"}}"#), unknown("md6"));
    let mut reader = Reader::new(ReaderOptions::default());
    assert_eq!(reader.read(b"%%%% HASHDEEP-1.0"), Read::Nothing);
    assert_eq!(reader.read(b"%%%% size,md6,filename"), Read::Nothing);
    assert_eq!(reader.read(b"1,00,a"), unknown("md6"));
}

#[test]
fn a_given_function_refuses_others() {
    let given = |name: &str| {
        Reader::new(ReaderOptions { function: Some(function(name)), ..ReaderOptions::default() })
    };
    let mut reader = given("sha512-256");
    assert!(matches!(reader.read(format!("{MD5}  a").as_bytes()), Read::Malformed(_)));
    assert!(matches!(reader.read(format!("SHA256 (a) = {SHA256}").as_bytes()), Read::Malformed(_)));
    assert!(matches!(reader.read(format!("MD6 (a) = {SHA256}").as_bytes()), Read::Malformed(_)));
    assert!(matches!(reader.read(format!("{SHA256}  a").as_bytes()), Read::Entry(_)));
    // Digests of BLAKE2b may be shorter, which the line shows.
    let mut reader = given("blake2b");
    let Read::Entry(entry) = reader.read(format!("{SHA256}  a").as_bytes()) else { panic!() };
    assert_eq!(entry.digests[0].function.name(), "blake2b-256");
    // Columns of other functions are ignored.
    let mut reader = given("md5");
    assert_eq!(reader.read(b"name,md5,sha256"), Read::Nothing);
    let Read::Entry(entry) = reader.read(format!("a,{MD5},{SHA256}").as_bytes()) else { panic!() };
    assert_eq!(entry.digests.len(), 1);
}

#[test]
fn reversed_and_usual_lines_do_not_mix() {
    let mut reader = Reader::new(ReaderOptions::default());
    assert!(matches!(reader.read(format!("{MD5}  a").as_bytes()), Read::Entry(_)));
    assert!(matches!(reader.read(format!("{MD5} a").as_bytes()), Read::Malformed(_)));
    let mut reader = Reader::new(ReaderOptions::default());
    assert!(matches!(reader.read(format!("{MD5} a").as_bytes()), Read::Entry(_)));
    let Read::Entry(entry) = reader.read(format!("{MD5}  a").as_bytes()) else { panic!() };
    assert_eq!(entry.name, b" a");
}

#[test]
fn objects_with_two_digests_or_none_are_refused() {
    let refused = |object: &str| assert!(matches!(read(object), Read::Malformed(_)), "{object}");
    refused("{");
    refused("{}");
    refused(r#"{"path":"a","digests":{}}"#);
    refused(&format!(r#"{{"path":"a","digests":{{"md5":"{MD5}0"}}}}"#));
    refused(&format!(r#"{{"digests":{{"md5":"{MD5}"}}}}"#));
    refused(&format!(r#"{{"path":"","digests":{{"md5":"{MD5}"}}}}"#));
    refused(&format!(r#"{{"path":"a","path":"b","digests":{{"md5":"{MD5}"}}}}"#));
    refused(&format!(r#"{{"path":"a","path_base64":"YQ==","digests":{{"md5":"{MD5}"}}}}"#));
    refused(&format!(r#"{{"path":"a","digests":{{"md5":"{MD5}","MD-5":"{MD5}"}}}}"#));
    refused(&format!(r#"{{"path":"a","digests":{{"md5":"{MD5}"}}}} x"#));
    refused(&format!(r#"{{"path":"a","md5":"{MD5}","sha256":123}}"#));
    refused(&format!(r#"{{"path":"a","md5":"{MD5}","hash":{{}}}}"#));
    assert_eq!(parse(&format!(r#"{{"path":"a","md5":"{MD5}","sha256":null}}"#)), of("md5", "a"));
    assert_eq!(
        parse(&format!(r#"{{"digests":{{"md5":"{MD5}"}},"x":1,"path":"a"}}"#)),
        of("md5", "a")
    );
}

#[test]
fn rows_that_do_not_fit_their_header_are_refused() {
    let mut reader = Reader::new(ReaderOptions::default());
    assert_eq!(reader.read(b"\xef\xbb\xbfSHA-256,Size,\"File\",note\r"), Read::Nothing);
    assert_eq!(reader.format(), Some(Format::Csv));
    for row in [
        format!("{SHA256},1,a"),
        format!("{SHA256},1,a,b,c"),
        format!("{SHA256}0,1,a,b"),
        format!("{SHA256},1,\"a\"x,b"),
        format!("{SHA256},1,a\"\"x,b"),
        ",1,a,b".into(),
        format!("{SHA256},1,,b"),
    ] {
        assert!(matches!(reader.read(row.as_bytes()), Read::Malformed(_)), "{row}");
    }
    assert_eq!(reader.read(format!("{SHA256},1,\"a").as_bytes()), Read::More);
    assert!(reader.is_within_record());
    let Read::Entry(entry) = reader.read(b"b\",\r") else { panic!() };
    assert_eq!(entry.name, b"a\nb");
    // An unclosed quote does not take unbounded memory.
    assert_eq!(reader.read(b"\"x"), Read::More);
    let line = vec![b'y'; MAX_RECORD / 2];
    assert_eq!(reader.read(&line), Read::More);
    assert!(matches!(reader.read(&line), Read::Malformed(_)));
    assert!(!reader.is_within_record());
}

#[test]
fn sfv_is_told_by_its_comments_its_name_or_its_digits() {
    let sfv = Some(Format::Sfv);
    let mut reader = Reader::new(ReaderOptions::default());
    assert_eq!(reader.read(b"; Generated by RHash"), Read::Nothing);
    assert!(matches!(reader.read(b"a b 35244162"), Read::Entry(_)));
    assert_eq!(reader.format(), sfv);
    let mut reader =
        Reader::new(ReaderOptions { manifest: b"a.sfv".to_vec(), ..ReaderOptions::default() });
    assert!(matches!(reader.read(b"a         35244162 "), Read::Entry(_)));
    let mut reader = Reader::new(ReaderOptions::default());
    assert!(matches!(reader.read(b"a 35244162"), Read::Malformed(_)));
    assert!(matches!(reader.read(b"a 352441c2"), Read::Entry(_)));
    assert!(matches!(reader.read(format!("{MD5}  a").as_bytes()), Read::Malformed(_)));
}

#[test]
fn bags_hold_nothing_outside_their_folder() {
    let options = ReaderOptions { format: Some(Format::BagIt), ..ReaderOptions::default() };
    let mut reader = Reader::new(options);
    let mut name = |name: &str| match reader.read(format!("{MD5}  {name}").as_bytes()) {
        Read::Entry(entry) => Some(String::from_utf8(entry.name).unwrap()),
        _ => None,
    };
    assert_eq!(name("data/a%0ab%0D%25%zz%").as_deref(), Some("data/a\nb\r%%zz%"));
    assert_eq!(name("   data/a").as_deref(), Some("data/a"));
    for outside in ["/etc/passwd", "../a", "data/../../a", "data/..", "~/a"] {
        assert_eq!(name(outside), None, "{outside}");
    }
}

#[test]
fn columns_and_values_that_go_on_and_on_are_refused() {
    let mut reader = Reader::new(ReaderOptions::default());
    assert_eq!(reader.read(b"%%%% HASHDEEP-1.0"), Read::Nothing);
    let names: String = (0..100_000).map(|i| format!("x{i},")).collect();
    let header = format!("%%%% size,{names}filename");
    assert!(matches!(reader.read(header.as_bytes()), Read::Malformed(_)));
    let mut reader = Reader::new(ReaderOptions::default());
    let item = format!("Algorithm : MD5\nHash : {MD5}\nPath : a");
    let mut all = |text: &str| text.lines().map(|it| reader.read(it.as_bytes())).last().unwrap();
    assert_eq!(all(&item), Read::Nothing);
    let more = format!("  {}", "x".repeat(MAX_RECORD / 2));
    (0..3).for_each(|_| assert_eq!(all(&more), Read::Nothing));
    assert!(matches!(all("Algorithm : MD5"), Read::Malformed(_)));
    assert_eq!(all(item.split_once('\n').unwrap().1), Read::Nothing);
    assert!(matches!(all("Algorithm : MD5"), Read::Entry(_)));
}

#[test]
fn a_file_of_debian_may_say_much_before_it_lists_files() {
    let begin = format!("Format: 1.8\nChanges:\n{}", " * x\n .\n".repeat(100));
    let text = format!("{begin}Checksums-Sha256:\n {SHA256} 3 a.deb\n");
    let of =
        |text: &str, is_all| Format::of_sample(text.as_bytes(), &ReaderOptions::default(), is_all);
    assert_eq!(of(&text, true), Some(Format::Debian));
    assert_eq!(of(&text, false), Some(Format::Debian));
    assert_eq!(of(&begin, false), None);
    let signed = format!("-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA512\n\n{text}");
    assert_eq!(of(&signed, true), Some(Format::Debian));
}

/// All functions in pairs, in every format: a reader that knows nothing else finds the digests of
/// both, or the format refuses the pair.
#[test]
fn what_is_written_of_two_functions_is_read_back() {
    let functions: Vec<HashName> =
        Function::every().map(|function| HashName::named(&function.name()).unwrap()).collect();
    let formats =
        [Format::Text, Format::Tagged, Format::Json, Format::Csv, Format::Hashdeep, Format::Sfv];
    let (mut written, mut refused) = (0, 0);
    for format in formats {
        for (&a, &b) in functions.iter().flat_map(|a| functions.iter().map(move |b| (a, b))) {
            let functions = vec![a, b];
            if let Some(why) = format.refuses(&functions) {
                refused += 1;
                let is_told = why.ends_with("use --tag") || format != Format::Text || a == b;
                assert!(is_told, "{a}, {b}: {why}");
                continue;
            }
            for digits in [Digits::Hex, Digits::Base64] {
                if format == Format::Hashdeep && digits == Digits::Base64 {
                    continue;
                }
                let functions = functions.clone();
                let writer = Writer { format, functions, digits, zero: false, binary: false };
                // Digests in base64 have letters beyond `f` nearly always.
                let digests = [a, b].map(|function| vec![0xa9_u8; function.digest_len()]);
                let (name, size) = (&b"name"[..], Some(1));
                let file = Written { name, size, modified: None, version: None, digests: &digests };
                let mut text = Vec::new();
                writer.header(&mut text);
                writer.file(&file, &mut text).unwrap();
                let mut reader = Reader::new(ReaderOptions::default());
                let mut found = Vec::new();
                for line in text.split(|&byte| byte == b'\n') {
                    match reader.read(line) {
                        Read::Entry(entry) => found.extend(
                            entry.digests.into_iter().map(|found| (found.function, found.digest)),
                        ),
                        Read::Nothing => {}
                        other => panic!("{format:?} of {a} and {b}: {other:?}"),
                    }
                }
                let [first, second] = digests;
                assert_eq!(found, [(a, first), (b, second)], "{format:?} of {a} and {b}");
                written += 1;
            }
        }
    }
    // Not only one or the other.
    assert!(written > 2000 && refused > 1000, "{written} written, {refused} refused");
}

#[test]
fn a_manifest_is_told_from_other_files_by_its_beginning() {
    for manifest in [
        format!("{SHA256}  a\n"),
        format!("Digests of today:\n\n# comment\n{MD5} *a\n"),
        format!("{SHA256}  a\0{SHA256}  b\0"),
        format!("MD5 (a) = {MD5}\n"),
        "%%%% HASHDEEP-1.0\n%%%% size,md5,filename\n".into(),
        "path,size,mtime,md5\n".into(),
        format!("{{\"path\":\"a\",\"digests\":{{\"md5\":\"{MD5}\"}}}}\n"),
        "; SFV\na 0000000A\n".into(),
        "<?xml version=\"1.0\"?>\n<hashlist version=\"1.1\">\n".into(),
        // The beginning may end anywhere in a line.
        format!("{SHA256}  a\n{SHA256}  b\n{}", &SHA256[..20]),
    ] {
        assert!(is_manifest(manifest.as_bytes()), "{manifest}");
    }
    let other = ["", "precious\n", "a,b\n1,2\n", "[1]\n", "\x7fELF\0\0", "fn main() {}\n"];
    for other in other {
        assert!(!is_manifest(other.as_bytes()), "{other}");
    }
}

/// Lines that readers of all formats understand, with random changes: nothing panics, and what is
/// read has digests of the right lengths.
#[test]
fn damaged_lines_of_all_formats_are_read_or_refused() {
    let seeds = [
        format!("\\{MD5} *a\\nb\nSHA256 (a) = {SHA256}\nsha256:{SHA256}  a\n"),
        format!("{{\"Path\":\"a\",\"Hashes\":{{\"md5\":\"{MD5}\"}},\"x\":[{{\"\\u00e9\":1}}]}}\n"),
        format!("\"Algorithm\";\"Hash\";\"Path\"\n\"MD5\";\"{MD5}\";\"a\"\"b\"\n"),
        format!("%%%% HASHDEEP-1.0\n%%%% size,md5,x,filename\n1,{MD5},0,a,b\n"),
        "; SFV\n\"a b\" 352441C2\n".to_owned(),
        format!("a:    MD5 = {}\n  {}\nb: {SHA256}\n", &MD5[..16], &MD5[16..]),
        format!("SHA256 hash of a:\n{SHA256}\nCertUtil: done\n"),
        format!("Algorithm : MD5\nHash : {MD5}\nPath : a\n\nAlgorithm Hash Path\nMD5 {MD5} a\n"),
        format!("Files:\n {MD5} 3 x y a\nSHA256:\n {SHA256} 3 a\n"),
        format!("\"b\",\"a%20b\",\"3\",\"{MD5}\"\n\"b\",\"c\",\"3\",\"{MD5}-2\"\n"),
        format!(
            "<hashlist><!-- > --><hash a=\">\">\
             <path size=\"3\">a&#x62;</path><md5>{MD5}</md5></hash>\n"
        ),
        format!(
            "<repomd><data t=\"x\"><checksum type=\"md5\">{MD5}</checksum>\
             <location href='a'/></data>"
        ),
        format!(
            "#mtree\n/set type=file\nd type=dir\n  a\\040b size=3 \\\n md5={MD5}\n..\n\
             ./c/d md5={MD5}\n"
        ),
        format!(
            "Filename: a\nMD5sum: {MD5}\n\n- url: 'b'\n  md5: {MD5}\nfilename=c\ncrc32=352441C2\n"
        ),
        format!(
            "Hash   Path\n------ ----\n{MD5} a\n\nPath Hash\n---- ----\na    {MD5}\n---- ----\nx\n"
        ),
        format!("a 352441C2 {MD5} {SHA256}\nSHA256 b: {SHA256}\n  3  {MD5}  c\na,3,352441c2,\n"),
    ];
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 33) as usize % below
    };
    let pieces: [&[u8]; 8] = [b"\n", b" ", b":", b"<", b"\"", b"\\", b"\xff", b"-----"];
    let mut entries = 0;
    for about in &FORMATS {
        for seed in &seeds {
            for _ in 0..40 {
                let mut text = seed.clone().into_bytes();
                for _ in 0..next(4) {
                    let at = next(text.len());
                    let end = (at + next(3)).min(text.len());
                    text.splice(at..end, pieces[next(8)].iter().copied());
                }
                let format = Some(about.format);
                let manifest = b"a.md5".to_vec();
                let mut reader =
                    Reader::new(ReaderOptions { format, manifest, ..ReaderOptions::default() });
                let mut judge = |read| {
                    if let Read::Entry(entry) = read {
                        let fits = |it: &Expected| it.digest.len() == it.function.digest_len();
                        assert!(!entry.digests.is_empty() && entry.digests.iter().all(fits));
                        entries += 1;
                    }
                };
                for line in text.split(|byte| *byte == b'\n') {
                    judge(reader.read(line));
                    reader.style(line);
                }
                judge(reader.end());
                Format::of_sample(&text, &ReaderOptions::default(), next(2) == 0);
            }
        }
    }
    assert!(entries > 300, "{entries}");
}
