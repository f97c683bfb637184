//! Reads lines that `hashlanes tree --tag` prints.

use hashlanes_files::name::unescape;
use hashlanes_tree::Format;

/// The maximum length of a tag: that of dm-verity with the longest salt has 600 bytes.
const MAX_TAG: usize = 1024;

/// A line about a file.
pub(crate) struct Line {
    pub(crate) name: Vec<u8>,
    pub(crate) format: Format,
    /// The digest as the format writes it.
    pub(crate) digest: String,
}

/// The result of reading a line.
pub(crate) enum Read {
    /// It does not begin with the tag of a tree.
    Other,
    /// It does, but the rest is invalid for this reason.
    Malformed(&'static str),
    Line(Line),
}

/// Reads a line without its terminator. If `literal`, the name has no escapes.
pub(crate) fn read(line: &[u8], literal: bool) -> Read {
    let (line, escaped) = match line.strip_prefix(b"\\") {
        Some(rest) if !literal => (rest, true),
        _ => (line, false),
    };
    let begin = &line[..line.len().min(MAX_TAG)];
    let Some(open) = begin.windows(2).position(|pair| pair == b" (") else { return Read::Other };
    let tag = str::from_utf8(&line[..open]).ok();
    let Some(format) = tag.and_then(Format::from_tag) else { return Read::Other };
    let rest = line[open + 2..].trim_ascii_end();
    let Some(close) = rest.windows(4).rposition(|end| end == b") = ") else {
        return Read::Malformed("expected \") = DIGEST\" after the name");
    };
    let (name, digest) = (&rest[..close], &rest[close + 4..]);
    let name = if escaped { unescape(name) } else { Some(name.to_vec()) };
    let digest = str::from_utf8(digest).ok().and_then(|digest| as_written(&format, digest));
    match (name, digest) {
        (Some(name), Some(digest)) => Read::Line(Line { name, format, digest }),
        (None, _) => Read::Malformed("the name has an invalid escape"),
        (_, None) => Read::Malformed("the digest does not fit the tag"),
    }
}

/// The digest as the format writes it. `None` if it does not fit the format.
fn as_written(format: &Format, digest: &str) -> Option<String> {
    let is_hex = |digits: &str, bytes: usize| {
        digits.len() == 2 * bytes && digits.bytes().all(|digit| digit.is_ascii_hexdigit())
    };
    let (digits, parts) = match format {
        Format::S3 { .. } | Format::S3Crc { part: Some(_), .. } => match digest.split_once('-') {
            Some((digits, parts)) => (digits, Some(parts)),
            None => (digest, None),
        },
        _ => (digest, None),
    };
    if let Some(parts) = parts {
        parts.parse::<u64>().ok().filter(|count| count.to_string() == parts && *count > 0)?;
    }
    let plan = format.begin(Some(1 << 19)).ok()?.plan();
    let length = plan.digest_len();
    if format.name().starts_with("s3-") && format.name() != "s3-etag" {
        let all = |digit: u8| digit.is_ascii_alphanumeric() || matches!(digit, b'+' | b'/' | b'=');
        let fits = digits.len() == length.div_ceil(3) * 4 && digits.bytes().all(all);
        return fits.then(|| digest.to_owned());
    }
    is_hex(digits, length).then(|| digest.to_ascii_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(text: &str) -> Option<(String, String, String)> {
        match read(text.as_bytes(), false) {
            Read::Line(Line { name, format, digest }) => {
                Some((format.tag(), String::from_utf8(name).unwrap(), digest))
            }
            _ => None,
        }
    }

    #[test]
    fn lines_are_read_as_they_are_written() {
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        let read = line(&format!("S3-ETAG-8388608 (a) = b) = {md5}-12")).unwrap();
        assert_eq!(read, ("S3-ETAG-8388608".into(), "a) = b".into(), format!("{md5}-12")));
        let upper = line(&format!("S3-ETAG-5 (a) = {}", md5.to_uppercase())).unwrap();
        assert_eq!(upper.2, md5);
        let escaped = line(&format!("\\S3-ETAG-5 (a\\nb\\\\) = {md5}")).unwrap();
        assert_eq!(escaped.1, "a\nb\\");
        assert_eq!(line("S3-CRC32 (a) = NSRBwg==").unwrap().2, "NSRBwg==");
        let sha1 = "qZk+NkcGgWq6PiVxeFDCbJzQ2J0=-3";
        assert_eq!(line(&format!("S3-SHA1-5 (a) = {sha1}")).unwrap().2, sha1);
    }

    #[test]
    fn other_lines_differ_from_malformed_ones() {
        let md5 = "900150983cd24fb0d6963f7d28e17f72";
        for other in [
            "".to_owned(),
            "GLACIER".into(),
            format!("MD5 (a) = {md5}"),
            format!("{md5}  S3-ETAG-5 (a)"),
            format!("S3-ETAG-0 (a) = {md5}"),
        ] {
            assert!(matches!(read(other.as_bytes(), false), Read::Other), "{other}");
        }
        for malformed in [
            "S3-ETAG-5 (a".to_owned(),
            format!("S3-ETAG-5 (a) {md5}"),
            format!("S3-ETAG-5 (a) = {md5}0"),
            format!("S3-ETAG-5 (a) = {md5}-"),
            format!("S3-ETAG-5 (a) = {md5}-0"),
            format!("S3-ETAG-5 (a) = {md5}-+1"),
            "S3-CRC32 (a) = NSRBwg==-1".into(),
            format!("GLACIER (a) = {md5}"),
            format!("GLACIER (a) = {md5}{md5}-1"),
            format!("\\S3-ETAG-5 (a\\x) = {md5}"),
        ] {
            let read = read(malformed.as_bytes(), false);
            assert!(matches!(read, Read::Malformed(_)), "{malformed}");
        }
    }
}
