//! Options as `getopt_long` of the GNU C library reads them.
//!
//! Long names may be abbreviated as long as they are unambiguous. Options and operands may be
//! mixed, unless the environment sets POSIXLY_CORRECT: then the first operand ends the options.
//! `--` always ends them.

use std::collections::VecDeque;
use std::ffi::OsString;

/// An option of a tool.
#[derive(Debug)]
pub(super) struct Known<O> {
    pub(super) option: O,
    pub(super) long: &'static str,
    pub(super) short: Option<u8>,
    pub(super) has_argument: bool,
}

/// The arguments of a program, without its name.
pub(super) struct Arguments<'k, O> {
    known: &'k [Known<O>],
    /// Whether the first operand ends the options.
    in_order: bool,
    left: VecDeque<OsString>,
    /// The rest of an argument such as `-bct`.
    letters: Vec<u8>,
    operands: Vec<OsString>,
}

/// An option as given, with its argument.
pub(super) type Given<O> = (O, Vec<u8>);

impl<'k, O: Copy> Arguments<'k, O> {
    pub(super) fn new(
        arguments: impl Iterator<Item = OsString>,
        known: &'k [Known<O>],
        in_order: bool,
    ) -> Self {
        let left = arguments.collect();
        Self { known, in_order, left, letters: Vec::new(), operands: Vec::new() }
    }

    /// The next option, or `None` at the end.
    ///
    /// # Errors
    /// What is wrong with the next argument.
    pub(super) fn next(&mut self) -> Result<Option<Given<O>>, Vec<u8>> {
        if !self.letters.is_empty() {
            return self.letter().map(Some);
        }
        while let Some(argument) = self.left.pop_front() {
            match argument.as_encoded_bytes() {
                b"--" => break,
                [b'-', b'-', long @ ..] => return self.long(long).map(Some),
                [b'-', letters @ ..] if !letters.is_empty() => {
                    self.letters = letters.to_vec();
                    return self.letter().map(Some);
                }
                _ => self.operands.push(argument),
            }
            if self.in_order {
                break;
            }
        }
        Ok(None)
    }

    /// The operands. Call this after `next` has returned `None`.
    pub(super) fn operands(self) -> Vec<OsString> {
        self.operands.into_iter().chain(self.left).collect()
    }

    fn letter(&mut self) -> Result<Given<O>, Vec<u8>> {
        let letter = self.letters.remove(0);
        let Some(known) = self.known.iter().find(|known| known.short == Some(letter)) else {
            return Err([b"invalid option -- '", &[letter][..], b"'"].concat());
        };
        if !known.has_argument {
            return Ok((known.option, Vec::new()));
        }
        // The argument is the rest of the word, or else the next word.
        let rest = std::mem::take(&mut self.letters);
        let argument = if rest.is_empty() { self.take_argument() } else { Some(rest) };
        let missing = || [b"option requires an argument -- '", &[letter][..], b"'"].concat();
        Ok((known.option, argument.ok_or_else(missing)?))
    }

    /// `text` is the argument without the two dashes.
    fn long(&mut self, text: &[u8]) -> Result<Given<O>, Vec<u8>> {
        let mut parts = text.splitn(2, |&byte| byte == b'=');
        let name = parts.next().unwrap_or_default();
        let given = parts.next().map(<[u8]>::to_vec);
        let known = self.find(name, text)?;
        let wrong = |what: &str| format!("option '--{}' {what}", known.long).into_bytes();
        let argument = match (known.has_argument, given) {
            (true, Some(argument)) => argument,
            (true, None) => self.take_argument().ok_or_else(|| wrong("requires an argument"))?,
            (false, None) => Vec::new(),
            (false, Some(_)) => return Err(wrong("doesn't allow an argument")),
        };
        Ok((known.option, argument))
    }

    /// The option with this name, or the only one whose name begins with it.
    fn find(&self, name: &[u8], text: &[u8]) -> Result<&'k Known<O>, Vec<u8>> {
        let begins = |known: &&Known<O>| known.long.as_bytes().starts_with(name);
        let found: Vec<_> = self.known.iter().filter(begins).collect();
        let exact = found.iter().find(|known| known.long.len() == name.len());
        match (exact, found.as_slice()) {
            (Some(known), _) | (None, [known]) => Ok(known),
            (None, []) => Err([b"unrecognized option '--", text, b"'"].concat()),
            (None, several) => {
                let mut message = [b"option '--", text, b"' is ambiguous; possibilities:"].concat();
                for known in several {
                    message.extend(format!(" '--{}'", known.long).into_bytes());
                }
                Err(message)
            }
        }
    }

    fn take_argument(&mut self) -> Option<Vec<u8>> {
        self.left.pop_front().map(OsString::into_encoded_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [Known<char>; 4] = [
        Known { option: 's', long: "status", short: None, has_argument: false },
        Known { option: 'S', long: "strict", short: None, has_argument: false },
        Known { option: 'l', long: "length", short: Some(b'l'), has_argument: true },
        Known { option: 'b', long: "binary", short: Some(b'b'), has_argument: false },
    ];

    /// The options, then the operands: `b l=8 | file`, or the message.
    fn read(arguments: &str, in_order: bool) -> String {
        let split = arguments.split(' ').filter(|argument| !argument.is_empty());
        let mut arguments = Arguments::new(split.map(OsString::from), &KNOWN, in_order);
        let mut read = String::new();
        loop {
            match arguments.next() {
                Ok(Some((option, argument))) if argument.is_empty() => {
                    read += &format!("{option} ");
                }
                Ok(Some((option, argument))) => {
                    read += &format!("{option}={} ", String::from_utf8(argument).unwrap());
                }
                Ok(None) => break,
                Err(message) => return String::from_utf8(message).unwrap(),
            }
        }
        let operands: Vec<_> =
            arguments.operands().into_iter().map(|name| name.into_string().unwrap()).collect();
        read + "| " + &operands.join(" ")
    }

    #[test]
    fn options_and_operands_mix() {
        assert_eq!(read("a -b c --status d", false), "b s | a c d");
        assert_eq!(read("a -b c -- --status -b", false), "b | a c --status -b");
        assert_eq!(read("-b a -b", true), "b | a -b");
        assert_eq!(read("-b -- -b", true), "b | -b");
        assert_eq!(read("- -b", false), "b | -");
    }

    #[test]
    fn arguments_come_with_the_option_or_after_it() {
        for arguments in ["-bl8 a", "-bl 8 a", "-b --length=8 a", "-b --length 8 a", "-b a --l 8"] {
            assert_eq!(read(arguments, false), "b l=8 | a", "{arguments}");
        }
        assert_eq!(read("-l -b", false), "l=-b | ");
        assert_eq!(read("--length --", false), "l=-- | ");
        assert_eq!(read("--length= a", false), "l | a");
    }

    #[test]
    fn names_may_be_abbreviated() {
        assert_eq!(read("--stat --str --b", false), "s S b | ");
        assert_eq!(
            read("--st=x", false),
            "option '--st=x' is ambiguous; possibilities: '--status' '--strict'"
        );
    }

    #[test]
    fn what_is_wrong_is_told() {
        assert_eq!(read("-bx", false), "invalid option -- 'x'");
        assert_eq!(read("--binarys", false), "unrecognized option '--binarys'");
        assert_eq!(read("--no=1", false), "unrecognized option '--no=1'");
        assert_eq!(read("--bin=1", false), "option '--binary' doesn't allow an argument");
        assert_eq!(read("--len", false), "option '--length' requires an argument");
        assert_eq!(read("-bl", false), "option requires an argument -- 'l'");
    }
}
