//! Lists in XML: ASC MHL 2.0 and MHL 1.1, Metalink, DFXML of `hashdeep -d`, FCIV of Windows, and
//! `repomd.xml` of RPM. [`Text`](super::super::Text) gives a line for each element about a file.
//!
//! ```xml
//! <hash><path size="3">Clips/a.mov</path><xxh64 action="original">44bc2cf5ad770999</xxh64></hash>
//! <hash><file>Clips/a.mov</file><size>3</size><md5>900150983cd24fb0...</md5></hash>
//! <file name="a.iso"><size>3</size><hash type="sha-256">ba7816bf8f01cfea...</hash></file>
//! <fileobject><filename>a</filename><hashdigest type='MD5'>9001..</hashdigest></fileobject>
//! <FILE_ENTRY><name>a.iso</name><MD5>kAFQmDzST7DWlj99KOF/cg==</MD5></FILE_ENTRY>
//! <data type="primary"><checksum type="sha256">ba78..</checksum><location href="a"/></data>
//! ```
//!
//! Document types, which could define entities, are refused. Hashes of folders are not compared.

use std::borrow::Cow;
use std::time::SystemTime;

use quick_xml::escape::{escape, unescape};
use quick_xml::events::{BytesStart, Event};

use super::super::{Digits, HashName, Read, Reason, Unwritable, Written, digits, time};
use super::column::{Column, File};
use super::{Format, Given, LineReader};

/// What a kind of list calls its elements.
pub(in super::super) struct List {
    pub(in super::super) root: &'static [u8],
    /// The element about a file.
    pub(in super::super) record: &'static [u8],
    /// The elements that have a name.
    names: &'static [&'static [u8]],
    /// The attribute that is a name, of the record or of an element in it.
    attribute: &'static [u8],
    /// The element of any digest, with a `type`. Without it, elements are named for functions.
    digest: &'static [u8],
}

impl PartialEq for List {
    fn eq(&self, other: &Self) -> bool {
        self.root == other.root
    }
}

const fn list(
    root: &'static [u8],
    record: &'static [u8],
    names: &'static [&'static [u8]],
    attribute: &'static [u8],
    digest: &'static [u8],
) -> List {
    List { root, record, names, attribute, digest }
}

static LISTS: [List; 6] = [
    list(b"hashlist", b"hash", &[b"path", b"file"], b"", b""),
    list(b"metalink", b"file", &[], b"name", b"hash"),
    list(b"dfxml", b"fileobject", &[b"filename"], b"", b"hashdigest"),
    list(b"FCIV", b"FILE_ENTRY", &[b"name"], b"", b""),
    list(b"repomd", b"data", &[], b"href", b"checksum"),
    list(b"metadata", b"package", &[], b"href", b"checksum"),
];

impl List {
    /// The kind of list that begins with an element of this name.
    pub(in super::super) fn of_root(root: &[u8]) -> Option<&'static Self> {
        LISTS.iter().find(|list| list.root == root)
    }
}

/// A version of media hash lists that is written.
pub(in super::super) struct Version {
    before: &'static str,
    /// What follows all files.
    pub(in super::super) after: &'static str,
    /// Functions, and the elements of their digests.
    elements: &'static [(&'static str, &'static str)],
    /// Whether the size and the time are attributes of the path. The list then tells its time.
    is_asc: bool,
    holds: &'static str,
}

const TOOL: &str = env!("CARGO_PKG_VERSION");

static MHL_1: Version = Version {
    before: "<hashlist version=\"1.1\">\n<creatorinfo><tool>hashlanes ",
    after: "</hashlist>\n",
    elements: &[("md5", "md5"), ("sha1", "sha1"), ("xxh64", "xxhash64be")],
    is_asc: false,
    holds: "media hash lists (MHL 1.1) hold md5, sha1 and xxh64",
};

/// A packing list, which `ascmhl` reads without a history.
static ASC_MHL_2: Version = Version {
    before: "<hashlist version=\"2.0\" xmlns=\"urn:ASC:MHL:v2.0\">\n<creatorinfo><creationdate>",
    after: "</hashes>\n</hashlist>\n",
    elements: &[
        ("md5", "md5"),
        ("sha1", "sha1"),
        ("sha512", "c4"),
        ("xxh64", "xxh64"),
        ("xxh3", "xxh3"),
        ("xxh128", "xxh128"),
    ],
    is_asc: true,
    holds: "media hash lists of ASC hold md5, sha1, sha512 (as C4), xxh64, xxh3 and xxh128",
};

impl Version {
    /// The version that a format writes.
    pub(in super::super) fn of(format: Format) -> Option<&'static Self> {
        match format {
            Format::Mhl => Some(&MHL_1),
            Format::AscMhl => Some(&ASC_MHL_2),
            _ => None,
        }
    }

    /// Appends what comes before the files.
    pub(in super::super) fn write_header(&self, to: &mut Vec<u8>) {
        to.extend(b"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
        to.extend(self.before.bytes());
        if !self.is_asc {
            return to.extend(format!("{TOOL}</tool></creatorinfo>\n").bytes());
        }
        let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        time::write((now.as_secs().cast_signed(), 0), to);
        let tool = format!("<tool version=\"{TOOL}\">hashlanes</tool>");
        let creator = format!("</creationdate><hostname/>{tool}</creatorinfo>\n");
        to.extend(creator.bytes());
        to.extend(b"<processinfo><process>flatten</process></processinfo>\n<hashes>\n");
    }

    /// Appends an element in one line, without a newline.
    pub(in super::super) fn write<D: AsRef<[u8]>>(
        &self,
        to: &mut Vec<u8>,
        file: &Written<'_, D>,
        functions: &[HashName],
    ) -> Result<(), Unwritable> {
        // XML has neither control characters nor the last two.
        let is_none = |it: char| it.is_control() || matches!(it, '\u{fffe}' | '\u{ffff}');
        let name = str::from_utf8(file.name).ok();
        let name = name.filter(|name| name.trim() == *name && !name.contains(is_none));
        let Some(name) = name else {
            let why = "names in media hash lists are UTF-8, without control characters, and \
                       without blanks at their ends";
            return Err(Unwritable(why));
        };
        let name = escape(name);
        let mut modified = Vec::new();
        // Whole seconds.
        file.modified.iter().for_each(|at| time::write((at.0, 0), &mut modified));
        let modified = String::from_utf8_lossy(&modified);
        let known = |text: String| file.modified.map(|_| text).unwrap_or_default();
        let action = if self.is_asc {
            let size = file.size.map(|size| format!(" size=\"{size}\"")).unwrap_or_default();
            let modified = known(format!(" lastmodificationdate=\"{modified}\""));
            to.extend(format!("<hash><path{size}{modified}>{name}</path>").bytes());
            " action=\"original\""
        } else {
            let size = file.size.unwrap_or(0);
            let modified =
                known(format!("<lastmodificationdate>{modified}</lastmodificationdate>"));
            to.extend(format!("<hash><file>{name}</file><size>{size}</size>{modified}").bytes());
            ""
        };
        for (function, digest) in functions.iter().zip(file.digests) {
            let name = self.element_of(*function).unwrap_or_default();
            to.extend(format!("<{name}{action}>").bytes());
            match name {
                "c4" => digits::write_c4(digest.as_ref(), to),
                _ => Digits::Hex.write(digest.as_ref(), to),
            }
            to.extend(format!("</{name}>").bytes());
        }
        to.extend(b"</hash>");
        Ok(())
    }

    /// The element for digests of a function, if there is one.
    fn element_of(&self, function: HashName) -> Option<&'static str> {
        let found = self.elements.iter().find(|(name, _)| *name == function.name());
        found.map(|(_, element)| *element)
    }

    pub(super) fn refuses(&self, functions: &[HashName]) -> Option<String> {
        let other = functions.iter().find(|function| self.element_of(**function).is_none())?;
        Some(format!("{}, not {other}", self.holds))
    }
}

/// Reads media hash lists, or all others.
#[derive(Default)]
pub(super) struct Reader {
    is_media: bool,
    list: Option<&'static List>,
}

/// Opens media hash lists.
pub(super) fn open_media() -> Box<dyn LineReader> {
    Box::new(Reader { is_media: true, list: None })
}

impl Reader {
    /// What a tag says of the file, and the function of a digest in its element.
    fn tag(&self, list: &List, tag: &BytesStart<'_>, file: &mut File) -> Option<Option<Vec<u8>>> {
        let mut function = None;
        for attribute in tag.attributes() {
            let attribute = attribute.ok()?;
            let value =
                || Some(unescape(str::from_utf8(&attribute.value).ok()?).ok()?.into_owned());
            match attribute.key.local_name().as_ref() {
                b"action" if &*attribute.value == b"failed" => {
                    file.found.wrong("a digest is one that did not match");
                }
                // Other elements have names too, such as the publisher of a file.
                key if key == list.attribute
                    && (key == b"href" || tag.local_name().as_ref() == list.record) =>
                {
                    file.take(&Column::Path, value()?.as_bytes());
                }
                b"size" => file.take(&Column::Size, &attribute.value),
                b"type" => function = Some(attribute.value.to_vec()),
                _ => {}
            }
        }
        Some(function)
    }

    /// What a record says. `None` if it is not complete, or is not read.
    fn read_record(&mut self, given: &Given, record: &[u8]) -> Option<Result<Read, Reason>> {
        let mut reader = quick_xml::Reader::from_reader(record);
        // What is around the files begins in the first record and ends in the last.
        reader.config_mut().allow_unmatched_ends = true;
        let mut file: Option<File> = None;
        // The text of the innermost element, and its type. `None` where that has elements too.
        let mut text: Option<(Vec<u8>, Option<Vec<u8>>)> = None;
        loop {
            let event = reader.read_event().ok()?;
            let more: Cow<'_, [u8]> = match event {
                Event::Start(tag) | Event::Empty(tag) if self.list.is_none() => {
                    let list = List::of_root(tag.local_name().as_ref());
                    self.list = list.filter(|list| (**list == LISTS[0]) == self.is_media);
                    continue;
                }
                Event::Start(tag) => {
                    let list = self.list?;
                    if file.is_none() && tag.local_name().as_ref() == list.record {
                        file = Some(File::new(given.function));
                    }
                    let kind = file.as_mut().map_or(Some(None), |it| self.tag(list, &tag, it))?;
                    text = Some((Vec::new(), kind));
                    continue;
                }
                Event::Empty(tag) => {
                    let list = self.list?;
                    file.as_mut().map_or(Some(None), |it| self.tag(list, &tag, it))?;
                    text = None;
                    continue;
                }
                Event::End(tag) => {
                    let list = self.list?;
                    match (tag.local_name().as_ref(), &mut file, text.take()) {
                        (name, ..) if name == list.record => return file.map(File::read),
                        (name, Some(file), Some((text, kind))) => {
                            list.take(file, name, &text, kind.as_deref());
                        }
                        _ => {}
                    }
                    continue;
                }
                Event::Text(more) => more.into_inner(),
                Event::CData(more) => more.into_inner(),
                Event::GeneralRef(name) => {
                    let reference = format!("&{};", name.decode().ok()?);
                    unescape(&reference).ok()?.into_owned().into_bytes().into()
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::DocType(_) => return None,
                Event::Eof => return file.is_none().then_some(Ok(Read::Nothing)),
            };
            text.iter_mut().for_each(|(text, _)| text.extend(&*more));
        }
    }
}

impl LineReader for Reader {
    fn read(&mut self, given: &mut Given, record: &[u8]) -> Result<Read, Reason> {
        if record.trim_ascii().is_empty() {
            return Ok(Read::Nothing);
        }
        if !record.contains(&b'<') {
            return Err(Reason::Words("expected an element of XML"));
        }
        let why = "an element of XML is not complete, or is not read";
        let read = self.read_record(given, record).unwrap_or(Err(Reason::Words(why)));
        given.is_shown |= self.list.is_some();
        read
    }
}

impl List {
    /// Takes an element of this name, with its text and its type.
    fn take(&self, file: &mut File, element: &[u8], text: &[u8], kind: Option<&[u8]>) {
        let text = text.trim_ascii();
        match (Column::named(element), kind) {
            _ if self.names.contains(&element) => file.take(&Column::Path, text),
            // Digests without a type are those of pieces.
            (_, Some(kind)) if element == self.digest => {
                file.found.named(&String::from_utf8_lossy(kind), text);
            }
            (column @ (Column::Size | Column::Modified), _) => file.take(&column, text),
            _ if !self.digest.is_empty() => {}
            (column @ Column::Digest(_), _) => file.take(&column, text),
            _ if matches!(element, b"hashdate" | b"null" | b"previousPath" | b"creationdate") => {}
            _ => file.found.unknown(&String::from_utf8_lossy(element)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Entry;
    use super::*;

    /// A reader of media hash lists, whose first tags have been read.
    const BEGUN: Reader = Reader { is_media: true, list: Some(&LISTS[0]) };

    const MD5: &str = "<md5>900150983cd24fb0d6963f7d28e17f72</md5>";

    fn read(record: &str) -> Read {
        let mut given = Given::new(None, false, b"");
        let read = { BEGUN }.read(&mut given, record.replace("{M}", MD5).as_bytes());
        read.unwrap_or_else(Read::Malformed)
    }

    #[test]
    fn names_are_what_xml_says() {
        for (file, name) in [
            ("<file> a b </file>{M}", "a b"),
            ("<x:path\n size = '3' >a&amp;&#98;&#x63;&lt;</x:path >{M}", "a&bc<"),
            ("<path>a<![CDATA[<&amp;>]]><!-- </path> -->b<?x > ?></path>{M}", "a<&amp;>b"),
            ("{M}<creator a='>'><path>x</path></creator>", "x"),
            ("<file>a</file>{M}<null/><x><y>1</y></x>", "a"),
        ] {
            match read(&format!("</hashes><hash>{file}</hash>")) {
                Read::Entry(Entry { name: found, .. }) => assert_eq!(found, name.as_bytes()),
                other => panic!("{file}: {other:?}"),
            }
        }
    }

    #[test]
    fn a_digest_that_did_not_match_is_not_used() {
        let hash = |action: &str| {
            let md5 = MD5.replace("<md5", &format!("<md5 action=\"{action}\""));
            read(&format!("<hash><path>a</path>{md5}</hash>"))
        };
        assert!(matches!(hash("failed"), Read::Malformed(_)));
        assert!(matches!(hash("verified"), Read::Entry(_)));
    }

    #[test]
    fn a_record_that_is_no_xml_is_malformed() {
        for record in [
            "text",
            "<hash><file>a</file>{M}",
            "<hash><file>a</file>{M}</hash",
            "<hash><file>a{M}</hash>",
            "<hash><file>a & b</file>{M}</hash>",
            "<hash><file>&other;</file>{M}</hash>",
            "<hash><file>&#xd800;</file>{M}</hash>",
            "<hash><file><![CDATA[a]]</file>{M}</hash>",
            "<hash><path size=3>a</path>{M}</hash>",
            "<!DOCTYPE x [<!ENTITY y 'z'>]><hash><file>a</file>{M}</hash>",
            "<hash><file>a</file><file>b</file>{M}</hash>",
            "<hash><file>a<b/>c</file>{M}</hash>",
            "<hash>{M}</hash>",
            "<file>a</file>{M}</hash>",
            "<hash/><file>a</file>{M}</hash>",
        ] {
            assert!(matches!(read(record), Read::Malformed(_)), "{record}: {:?}", read(record));
        }
    }
}
