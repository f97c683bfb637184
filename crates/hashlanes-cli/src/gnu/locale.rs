//! What the locale changes in messages: which characters are printable, and how arguments are
//! quoted.

use std::env;
use std::ffi::OsString;

pub(super) use hashlanes_files::name::Charset;
use hashlanes_files::name::push_code;

/// The character set of the environment's locale: UTF-8 if the locale's name says so, whether or
/// not the system has that locale.
pub(crate) fn charset() -> Charset {
    let set = |name| env::var_os(name).filter(|value: &OsString| !value.is_empty());
    let locale = set("LC_ALL").or_else(|| set("LC_CTYPE")).or_else(|| set("LANG"));
    let locale = locale.unwrap_or_default().to_string_lossy().to_ascii_lowercase();
    let codeset = locale.split('@').next().unwrap_or_default();
    if cfg!(windows) || codeset.ends_with(".utf-8") || codeset.ends_with(".utf8") {
        Charset::Utf8
    } else {
        Charset::Ascii
    }
}

/// An argument in a message, between the quotes of the locale.
pub(super) fn quote(argument: &[u8], charset: Charset) -> String {
    let (open, close) = match charset {
        Charset::Utf8 => ("\u{2018}", "\u{2019}"),
        Charset::Ascii => ("'", "'"),
    };
    let mut quoted = open.to_owned();
    for chunk in argument.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' || close.contains(c) {
                quoted.push('\\');
            }
            if charset.can_print(c) {
                quoted.push(c);
            } else {
                c.encode_utf8(&mut [0; 4]).bytes().for_each(|byte| push_code(byte, &mut quoted));
            }
        }
        chunk.invalid().iter().for_each(|&byte| push_code(byte, &mut quoted));
    }
    quoted + close
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_as_the_locale_does() {
        for (argument, utf8, ascii) in [
            (&b"a\"b"[..], "‘a\"b’", "'a\"b'"),
            (b"a\nb\x01\x7f", r"‘a\nb\001\177’", r"'a\nb\001\177'"),
            (b"it's", "‘it's’", r"'it\'s'"),
            (br"a\", r"‘a\\’", r"'a\\'"),
            ("é’".as_bytes(), r"‘é\’’", r"'\303\251\342\200\231'"),
            (b"\xff", r"‘\377’", r"'\377'"),
        ] {
            assert_eq!(quote(argument, Charset::Utf8), utf8);
            assert_eq!(quote(argument, Charset::Ascii), ascii);
        }
    }
}
