//! Media hash lists: ASC MHL 2.0 and MHL 1.1. [`Text`](super::super::Text) gives an element `hash`
//! per line.
//!
//! ```xml
//! <hash><path size="3">Clips/a.mov</path><xxh64 action="original">44bc2cf5ad770999</xxh64></hash>
//! <hash><file>Clips/a.mov</file><size>3</size><md5>900150983cd24fb0...</md5></hash>
//! ```
//!
//! Document types, which could define entities, are refused. Hashes of folders are not compared.

use std::borrow::Cow;

use quick_xml::escape::unescape;
use quick_xml::events::Event;

use super::super::{HashName, Read, Reason, time};
use super::found::Found;
use super::{Given, LineReader};

pub(super) struct Reader {
    only: Option<HashName>,
    is_sure: bool,
}

impl Reader {
    pub(super) fn new(given: &Given) -> Self {
        Self { only: given.function, is_sure: false }
    }

    fn read_record(&mut self, record: &[u8]) -> Option<Read> {
        let mut reader = quick_xml::Reader::from_reader(record);
        // What is around the files begins in the first record and ends in the last.
        reader.config_mut().allow_unmatched_ends = true;
        let mut file: Option<File> = None;
        // The text of the innermost element. `None` where that has elements too.
        let mut text: Option<Vec<u8>> = None;
        loop {
            let more: Cow<'_, [u8]> = match reader.read_event().ok()? {
                Event::Start(tag) => {
                    self.is_sure |= tag.local_name().as_ref() == b"hashlist";
                    let action = tag.try_get_attribute("action").ok()?;
                    match (tag.local_name().as_ref(), &mut file) {
                        (_, Some(file)) if action.is_some_and(|it| &*it.value == b"failed") => {
                            file.found.wrong("a digest is one that did not match");
                        }
                        (b"hash", None) => file = Some(File::new(self.only)),
                        (b"path", Some(file)) => {
                            let size = tag.try_get_attribute("size").ok()?;
                            size.into_iter().for_each(|size| file.take(b"size", &size.value));
                        }
                        _ => {}
                    }
                    text = Some(Vec::new());
                    continue;
                }
                Event::End(tag) => {
                    match (tag.local_name().as_ref(), &mut file, text.take()) {
                        (b"hash", ..) => return file.map(File::read),
                        (name, Some(file), Some(text)) => file.take(name, &text),
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
                Event::Empty(_) => {
                    text = None;
                    continue;
                }
                Event::Comment(_) | Event::Decl(_) | Event::PI(_) => continue,
                Event::DocType(_) => return None,
                Event::Eof => return file.is_none().then_some(Read::Nothing),
            };
            text.iter_mut().for_each(|text| text.extend(&*more));
        }
    }
}

impl LineReader for Reader {
    fn read(&mut self, record: &[u8]) -> Read {
        if record.trim_ascii().is_empty() {
            return Read::Nothing;
        }
        if !record.contains(&b'<') {
            return Read::Malformed(Reason::Words("expected an element of a media hash list"));
        }
        let why = "an element of XML is not complete, or is not read";
        self.read_record(record).unwrap_or(Read::Malformed(Reason::Words(why)))
    }

    fn is_sure(&self) -> bool {
        self.is_sure
    }
}

/// What an element `hash` says.
struct File {
    name: Vec<u8>,
    size: Option<u64>,
    modified: Option<super::super::Time>,
    found: Found,
}

impl File {
    fn new(only: Option<HashName>) -> Self {
        Self { name: Vec::new(), size: None, modified: None, found: Found::new(only) }
    }

    fn take(&mut self, element: &[u8], text: &[u8]) {
        let text = text.trim_ascii();
        match element {
            b"path" | b"file" if self.name.is_empty() => self.name = text.to_vec(),
            b"path" | b"file" => self.found.wrong("there are two names"),
            b"size" => self.size = str::from_utf8(text).ok().and_then(|size| size.parse().ok()),
            b"lastmodificationdate" => self.modified = time::read(text),
            b"hashdate" | b"null" | b"previousPath" | b"creationdate" => {}
            function => self.found.named(&String::from_utf8_lossy(function), text),
        }
    }

    fn read(self) -> Read {
        self.found.entry(self.name).with(self.size, self.modified)
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::Entry;
    use super::*;

    const MD5: &str = "<md5>900150983cd24fb0d6963f7d28e17f72</md5>";

    fn read(record: &str) -> Read {
        let given = Given::new(None, false, b"");
        Reader::new(&given).read(record.replace("{M}", MD5).as_bytes())
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
