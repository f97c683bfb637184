//! File names as bytes: in checksum lines, and quoted in messages.

use std::borrow::Cow;
use std::path::Path;

use unicode_normalization::UnicodeNormalization;

use crate::system;

/// Whether a name must be escaped to fit on one line and to differ from every escaped name.
pub fn needs_escape(name: &[u8]) -> bool {
    name.iter().any(|byte| matches!(byte, b'\\' | b'\n' | b'\r'))
}

/// Appends the name with `\` as `\\`, newline as `\n` and carriage return as `\r`.
pub fn escape(name: &[u8], to: &mut Vec<u8>) {
    for &byte in name {
        match byte {
            b'\\' => to.extend(br"\\"),
            b'\n' => to.extend(br"\n"),
            b'\r' => to.extend(br"\r"),
            _ => to.push(byte),
        }
    }
}

/// Undoes [`escape`]. `None` if `escaped` is not an escaped name.
pub fn unescape(escaped: &[u8]) -> Option<Vec<u8>> {
    let mut name = Vec::with_capacity(escaped.len());
    let mut bytes = escaped.iter();
    while let Some(&byte) = bytes.next() {
        name.push(match byte {
            b'\\' => match bytes.next()? {
                b'\\' => b'\\',
                b'n' => b'\n',
                b'r' => b'\r',
                _ => return None,
            },
            _ => byte,
        });
    }
    Some(name)
}

/// A name for comparing: in Unicode normal form C, and in lower case if case does not matter. A
/// name that is not UTF-8 stays.
pub fn fold(name: &[u8], ignores_case: bool) -> Vec<u8> {
    let Ok(text) = str::from_utf8(name) else { return name.to_vec() };
    let text: String = text.nfc().collect();
    if ignores_case { text.to_lowercase().into() } else { text.into() }
}

/// The name as messages show it: quoted if a shell would otherwise change it, as the GNU tools do.
pub fn quote(path: &Path) -> String {
    quote_name(&system::name(path)).into_owned()
}

/// Like [`quote`], for a name in bytes.
pub fn quote_name(name: &[u8]) -> Cow<'_, str> {
    quote_in(name, Charset::Utf8)
}

/// Makes lines safe to print on a terminal. A control character in a name could move the cursor and
/// overwrite other text, so it becomes a code such as `\r` or `\033`. So do bytes that are not
/// UTF-8. Newlines and NUL stay.
pub fn for_terminal(lines: &[u8]) -> Cow<'_, [u8]> {
    let is_shown = |c: char| !c.is_control() || matches!(c, '\n' | '\0');
    if str::from_utf8(lines).is_ok_and(|lines| lines.chars().all(is_shown)) {
        return lines.into();
    }
    let mut shown = String::with_capacity(lines.len() + 16);
    for chunk in lines.utf8_chunks() {
        for c in chunk.valid().chars() {
            if is_shown(c) {
                shown.push(c);
            } else {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_code(byte, &mut shown));
            }
        }
        chunk.invalid().iter().for_each(|&byte| push_code(byte, &mut shown));
    }
    shown.into_bytes().into()
}

/// The character set of a locale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Charset {
    /// All of Unicode, as UTF-8.
    Utf8,
    /// Only ASCII, as in the locale `C`.
    Ascii,
}

impl Charset {
    /// Whether the character is shown unquoted.
    pub fn can_print(self, c: char) -> bool {
        match self {
            Self::Utf8 => !c.is_control(),
            Self::Ascii => matches!(c, ' '..='~'),
        }
    }
}

/// Like [`quote_name`], as the GNU tools write it in a locale with this character set.
pub fn quote_in(name: &[u8], charset: Charset) -> Cow<'_, str> {
    match str::from_utf8(name) {
        Ok(text) if !text.chars().all(|c| charset.can_print(c)) => {}
        Ok(text) if is_plain(text) => return Cow::Borrowed(text),
        Ok(text) if text.contains('\'') && !text.contains(['"', '$', '`', '\\', '!']) => {
            return Cow::Owned(format!("\"{text}\""));
        }
        _ => {}
    }
    Cow::Owned(quote_parts(name, charset))
}

/// Whether no character of the text is special to a shell.
fn is_plain(text: &str) -> bool {
    !text.is_empty()
        && !text.starts_with(['#', '~'])
        && !matches!(text, "{" | "}")
        && !text.contains([
            ' ', '!', '"', '$', '&', '\'', '(', ')', '*', ':', ';', '<', '=', '>', '?', '[', '\\',
            '^', '`', '|',
        ])
}

/// `'..'`, in which bytes that cannot be printed become `$'\n'` or `$'\377'`.
fn quote_parts(name: &[u8], charset: Charset) -> String {
    let mut quoted = String::from("'");
    // Whether the current part began with `$'`.
    let mut coded = false;
    let open = |code: bool, coded: &mut bool, quoted: &mut String| {
        if code != *coded {
            quoted.push_str(if code { "'$'" } else { "''" });
            *coded = code;
        }
    };
    for chunk in name.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\'' {
                // This ends either kind of part and begins a plain one.
                quoted.push_str(r"'\''");
                coded = false;
                continue;
            }
            let code = !charset.can_print(c);
            open(code, &mut coded, &mut quoted);
            if code {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_code(byte, &mut quoted));
            } else {
                quoted.push(c);
            }
        }
        for &byte in chunk.invalid() {
            open(true, &mut coded, &mut quoted);
            push_code(byte, &mut quoted);
        }
    }
    quoted.push('\'');
    quoted
}

/// Appends a byte as in a C string literal.
pub fn push_code(byte: u8, quoted: &mut String) {
    match byte {
        7 => quoted.push_str(r"\a"),
        8 => quoted.push_str(r"\b"),
        b'\t' => quoted.push_str(r"\t"),
        b'\n' => quoted.push_str(r"\n"),
        11 => quoted.push_str(r"\v"),
        12 => quoted.push_str(r"\f"),
        b'\r' => quoted.push_str(r"\r"),
        _ => quoted.push_str(&format!("\\{byte:03o}")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unescape_undoes_escape() {
        for name in [&b"plain"[..], b"", b"a\nb\rc\\d", b"\\n", b"\xff\n"] {
            let mut escaped = Vec::new();
            escape(name, &mut escaped);
            assert_eq!(unescape(&escaped).as_deref(), Some(name));
            assert_eq!(needs_escape(name), escaped != name);
        }
        assert_eq!(unescape(br"a\x"), None);
        assert_eq!(unescape(br"a\"), None);
    }

    #[test]
    fn a_terminal_gets_no_control_characters() {
        let shown = |text| String::from_utf8(for_terminal(text).into_owned()).unwrap();
        assert_eq!(shown("é: OK\nb\0".as_bytes()), "é: OK\nb\0");
        assert_eq!(shown(b"a\ra: OK\x1b[K\n"), "a\\ra: OK\\033[K\n");
        assert_eq!(shown("\u{9b}2K\t".as_bytes()), "\\302\\2332K\\t");
        assert_eq!(shown(b"\xffx\x9b\x7f"), "\\377x\\233\\177");
    }

    #[test]
    fn a_locale_without_a_character_codes_it() {
        let shown = |name: &'static str| quote_in(name.as_bytes(), Charset::Ascii);
        assert_eq!(shown("plain"), "plain");
        assert_eq!(shown("it's"), "\"it's\"");
        assert_eq!(shown("é"), r"''$'\303\251'");
        assert_eq!(shown("é'x"), r"''$'\303\251'\''x'");
    }

    #[test]
    fn messages_quote_what_a_shell_would_change() {
        let shown = quote_name;
        assert_eq!(shown(b"plain-1.txt"), "plain-1.txt");
        assert_eq!(shown("é".as_bytes()), "é");
        assert_eq!(shown(b""), "''");
        assert_eq!(shown(b"a b"), "'a b'");
        assert_eq!(shown(b"it's"), "\"it's\"");
        assert_eq!(shown(b"a'\"b"), r#"'a'\''"b'"#);
        assert_eq!(shown(b"a\nb"), r"'a'$'\n''b'");
        assert_eq!(shown(b"x\xff"), r"'x'$'\377'");
        assert_eq!(shown(b"\n"), r"''$'\n'");
        assert_eq!(shown(b"\xff'a"), r"''$'\377'\''a'");
        assert_eq!(shown(b"a'\nb"), r"'a'\'''$'\n''b'");
        assert_eq!(shown(b"\xff\xfe\n1\t"), r"''$'\377\376\n''1'$'\t'");
    }
}
