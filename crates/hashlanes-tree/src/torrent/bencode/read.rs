//! Checks a text, and finds values in it.

use std::fmt;

/// The maximum length of a text: 128 MiB. In a hybrid torrent, the hashes of 2,097,152 pieces take
/// 104 MiB.
pub const MAX_LENGTH: usize = 128 << 20;

/// The maximum number of values of a text, including keys: 16 Mi. A file takes up to 20 of them.
pub const MAX_VALUES: usize = 16 << 20;

/// The maximum depth of nested lists and dictionaries.
pub const MAX_DEPTH: usize = 100;

/// Why a text is not bencode, or is not accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// It ends within a value.
    Truncated,
    /// A byte does not begin a value.
    NoValue,
    /// An integer is not a decimal number, or has a leading zero, or is `-0`.
    BadInteger,
    /// An integer has more than 64 bits.
    LargeInteger,
    /// The length of a string is not a decimal number, or has a leading zero.
    BadLength,
    /// A key is not a string.
    KeyIsNoString,
    /// A dictionary contains a key twice.
    RepeatedKey,
    /// A key has no value.
    KeyWithoutValue,
    /// There are bytes after the value.
    TrailingBytes,
    /// More than [`MAX_DEPTH`] lists and dictionaries are nested.
    TooDeep,
    /// There are more than [`MAX_VALUES`] values.
    TooMany,
    /// There are more than [`MAX_LENGTH`] bytes.
    TooLong,
}

/// An error in a text, with its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The error.
    pub fault: Fault,
    /// The offset of the byte at which the error was detected.
    pub offset: usize,
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.fault {
            Fault::Truncated => "the text ends within a value",
            Fault::NoValue => "no bencoded value begins here",
            Fault::BadInteger => "an integer is not a plain decimal number",
            Fault::LargeInteger => "an integer has more than 64 bits",
            Fault::BadLength => "the length of a string is not a plain decimal number",
            Fault::KeyIsNoString => "a dictionary key is not a string",
            Fault::RepeatedKey => "a dictionary contains a key twice",
            Fault::KeyWithoutValue => "a key has no value",
            Fault::TrailingBytes => "there are bytes after the end",
            Fault::TooDeep => {
                return write!(f, "lists and dictionaries nested more than {MAX_DEPTH} deep");
            }
            Fault::TooMany => return write!(f, "more than {MAX_VALUES} values"),
            Fault::TooLong => return write!(f, "larger than {} MiB", MAX_LENGTH >> 20),
        };
        write!(f, "byte {}: {what}", self.offset)
    }
}

impl std::error::Error for SyntaxError {}

/// The position of a value in the text.
#[derive(Clone, Copy)]
struct Mark {
    /// The offset of its first byte, and of the first byte after it.
    offset: u32,
    end: u32,
    /// The index of the mark of the next value that is not inside this one.
    next: u32,
}

/// A bencoded text.
///
/// # Examples
/// ```
/// use hashlanes_tree::torrent::bencode::Document;
///
/// let document = Document::parse(b"d4:name3:abc4:sizei5ee")?;
/// let root = document.root().dictionary().unwrap();
/// assert_eq!(root.get(b"name").unwrap().string(), Some(&b"abc"[..]));
/// assert_eq!(root.get(b"size").unwrap().integer(), Some(5));
/// assert!(Document::parse(b"i05e").is_err());
/// # Ok::<(), hashlanes_tree::torrent::bencode::SyntaxError>(())
/// ```
pub struct Document<'t> {
    text: &'t [u8],
    /// In the order of the text.
    marks: Vec<Mark>,
    is_sorted: bool,
}

/// A list or dictionary that has not ended yet.
struct Open {
    mark: usize,
    is_dictionary: bool,
    /// A dictionary expects a key next.
    expects_key: bool,
    /// The mark of the latest key.
    key: Option<usize>,
    is_sorted: bool,
}

impl<'t> Document<'t> {
    /// Checks a text.
    ///
    /// # Errors
    /// If it is not bencode, or exceeds one of the bounds.
    pub fn parse(text: &'t [u8]) -> Result<Self, SyntaxError> {
        match Self::parse_beginning(text)? {
            (document, 0) => Ok(document),
            (_, rest) => {
                let offset = text.len() - rest;
                Err(SyntaxError { fault: Fault::TrailingBytes, offset })
            }
        }
    }

    /// Checks the value at the beginning of a text, and counts the bytes after it.
    ///
    /// # Errors
    /// If it is not bencode, or the text exceeds one of the bounds.
    pub fn parse_beginning(text: &'t [u8]) -> Result<(Self, usize), SyntaxError> {
        if text.len() > MAX_LENGTH {
            return Err(SyntaxError { fault: Fault::TooLong, offset: MAX_LENGTH });
        }
        let mut parser = Parser { text, at: 0, marks: Vec::new(), open: Vec::new(), sorted: true };
        parser.run().map_err(|fault| SyntaxError { fault, offset: parser.at })?;
        let (marks, is_sorted, rest) = (parser.marks, parser.sorted, text.len() - parser.at);
        Ok((Self { text, marks, is_sorted }, rest))
    }

    /// The value of the entire text.
    pub fn root(&self) -> Value<'_> {
        Value { document: self, mark: 0 }
    }

    /// Whether the keys of all dictionaries are sorted, as they should be.
    pub fn is_sorted(&self) -> bool {
        self.is_sorted
    }
}

struct Parser<'t> {
    text: &'t [u8],
    at: usize,
    marks: Vec<Mark>,
    open: Vec<Open>,
    sorted: bool,
}

impl Parser<'_> {
    fn run(&mut self) -> Result<(), Fault> {
        loop {
            let byte = self.peek()?;
            if byte == b'e' && !self.open.is_empty() {
                self.close()?;
            } else {
                self.value(byte)?;
            }
            if self.open.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn peek(&self) -> Result<u8, Fault> {
        self.text.get(self.at).copied().ok_or(Fault::Truncated)
    }

    /// Begins a value. Integers and strings are also ended.
    fn value(&mut self, byte: u8) -> Result<(), Fault> {
        if self.marks.len() == MAX_VALUES {
            return Err(Fault::TooMany);
        }
        let is_key = match self.open.last_mut() {
            Some(open) if open.is_dictionary => {
                open.expects_key = !open.expects_key;
                !open.expects_key
            }
            _ => false,
        };
        if is_key && !byte.is_ascii_digit() {
            return Err(Fault::KeyIsNoString);
        }
        let mark = self.marks.len();
        let offset = self.at as u32;
        self.marks.push(Mark { offset, end: 0, next: mark as u32 + 1 });
        match byte {
            b'i' => {
                let (_, length) = integer(&self.text[self.at..])?;
                self.at += length;
            }
            b'l' | b'd' => self.open(mark, byte == b'd')?,
            b'0'..=b'9' => {
                let (string, length) = string(&self.text[self.at..])?;
                if is_key {
                    self.compare_key(mark, string)?;
                }
                self.at += length;
            }
            _ => return Err(Fault::NoValue),
        }
        self.marks[mark].end = self.at as u32;
        Ok(())
    }

    fn open(&mut self, mark: usize, is_dictionary: bool) -> Result<(), Fault> {
        if self.open.len() == MAX_DEPTH {
            return Err(Fault::TooDeep);
        }
        self.at += 1;
        let (expects_key, key, is_sorted) = (is_dictionary, None, true);
        self.open.push(Open { mark, is_dictionary, expects_key, key, is_sorted });
        Ok(())
    }

    fn close(&mut self) -> Result<(), Fault> {
        let open = self.open.pop().expect("the caller has seen that one is open");
        if open.is_dictionary && !open.expects_key {
            return Err(Fault::KeyWithoutValue);
        }
        self.at += 1;
        let next = self.marks.len() as u32;
        let mark = &mut self.marks[open.mark];
        (mark.next, mark.end) = (next, self.at as u32);
        if !open.is_sorted {
            self.sorted = false;
            return self.find_repeated_key(open.mark);
        }
        Ok(())
    }

    /// Compares a key with the previous one.
    fn compare_key(&mut self, mark: usize, key: &[u8]) -> Result<(), Fault> {
        let open = self.open.last_mut().expect("a key is in a dictionary");
        if let Some(before) = open.key.replace(mark) {
            let before = &self.text[self.marks[before].offset as usize..];
            let (before, _) = string(before).expect("it was read before");
            if before == key {
                return Err(Fault::RepeatedKey);
            }
            open.is_sorted &= before < key;
        }
        Ok(())
    }

    /// Looks for a repeated key in a dictionary whose keys are not sorted.
    fn find_repeated_key(&self, dictionary: usize) -> Result<(), Fault> {
        let end = self.marks[dictionary].next as usize;
        let (mut keys, mut mark) = (Vec::new(), dictionary + 1);
        while mark < end {
            let (key, _) = string(&self.text[self.marks[mark].offset as usize..])
                .expect("keys are strings that were read before");
            keys.push(key);
            mark = self.marks[mark + 1].next as usize;
        }
        keys.sort_unstable();
        let repeated = keys.windows(2).any(|pair| pair[0] == pair[1]);
        if repeated { Err(Fault::RepeatedKey) } else { Ok(()) }
    }
}

/// The integer at the beginning of a text, and its encoded length.
fn integer(text: &[u8]) -> Result<(i64, usize), Fault> {
    let end = text.iter().take(22).position(|&byte| byte == b'e');
    let Some(end) = end else {
        // 22 bytes suffice for every 64-bit number.
        let digits = text[1..].iter().take(21).skip_while(|&&byte| byte == b'-');
        let has_others = digits.clone().any(|byte| !byte.is_ascii_digit());
        return Err(match (has_others, text.len() < 22) {
            (true, _) => Fault::BadInteger,
            (false, true) => Fault::Truncated,
            (false, false) => Fault::LargeInteger,
        });
    };
    let digits = &text[1..end];
    let magnitude = digits.strip_prefix(b"-").unwrap_or(digits);
    let is_plain = match magnitude {
        [] => false,
        [b'0'] => digits.len() == 1,
        [b'0', ..] => false,
        _ => magnitude.iter().all(u8::is_ascii_digit),
    };
    if !is_plain {
        return Err(Fault::BadInteger);
    }
    let digits = str::from_utf8(digits).expect("digits are ASCII");
    Ok((digits.parse().map_err(|_| Fault::LargeInteger)?, end + 1))
}

/// The string at the beginning of a text, and its encoded length including the length prefix.
fn string(text: &[u8]) -> Result<(&[u8], usize), Fault> {
    // In no text do string lengths have more than 10 digits.
    let colon = match text.iter().take(11).position(|byte| !byte.is_ascii_digit()) {
        Some(colon) if text[colon] == b':' => colon,
        Some(_) => return Err(Fault::BadLength),
        None if text.len() < 11 => return Err(Fault::Truncated),
        None => return Err(Fault::BadLength),
    };
    if colon > 1 && text[0] == b'0' {
        return Err(Fault::BadLength);
    }
    let length = str::from_utf8(&text[..colon]).expect("digits are ASCII");
    let length: u64 = length.parse().map_err(|_| Fault::BadLength)?;
    let rest = &text[colon + 1..];
    let length = usize::try_from(length).map_err(|_| Fault::Truncated)?;
    let string = rest.get(..length).ok_or(Fault::Truncated)?;
    Ok((string, colon + 1 + length))
}

/// A value in a text.
#[derive(Clone, Copy)]
pub struct Value<'d> {
    document: &'d Document<'d>,
    mark: usize,
}

impl<'d> Value<'d> {
    fn mark(&self) -> Mark {
        self.document.marks[self.mark]
    }

    /// The encoded value.
    pub fn raw(&self) -> &'d [u8] {
        let Mark { offset, end, .. } = self.mark();
        &self.document.text[offset as usize..end as usize]
    }

    /// The integer, if it is one.
    pub fn integer(&self) -> Option<i64> {
        let text = &self.document.text[self.mark().offset as usize..];
        (text[0] == b'i').then(|| integer(text).expect("it was checked").0)
    }

    /// The string, if it is one.
    pub fn string(&self) -> Option<&'d [u8]> {
        let text = &self.document.text[self.mark().offset as usize..];
        text[0].is_ascii_digit().then(|| string(text).expect("it was checked").0)
    }

    /// The values of a list, if it is one.
    pub fn list(&self) -> Option<impl Iterator<Item = Value<'d>> + use<'d>> {
        self.values(b'l')
    }

    /// The dictionary, if it is one.
    pub fn dictionary(&self) -> Option<Dictionary<'d>> {
        self.values(b'd').map(|_| Dictionary { value: *self })
    }

    fn values(&self, kind: u8) -> Option<impl Iterator<Item = Value<'d>> + use<'d>> {
        let Mark { offset, next, .. } = self.mark();
        let Value { document, mark: this } = *self;
        (document.text[offset as usize] == kind).then(|| {
            let mut mark = this + 1;
            std::iter::from_fn(move || {
                let value = (mark < next as usize).then_some(Value { document, mark })?;
                mark = document.marks[mark].next as usize;
                Some(value)
            })
        })
    }
}

/// The keys and values of a dictionary.
#[derive(Clone, Copy)]
pub struct Dictionary<'d> {
    value: Value<'d>,
}

impl<'d> Dictionary<'d> {
    /// The keys and values in the order of the text.
    pub fn entries(&self) -> impl Iterator<Item = (&'d [u8], Value<'d>)> + use<'d> {
        let mut values = self.value.values(b'd').expect("it is one");
        std::iter::from_fn(move || {
            let key = values.next()?.string().expect("keys are strings");
            Some((key, values.next().expect("each key has a value")))
        })
    }

    /// The value of a key.
    pub fn get(&self, key: &[u8]) -> Option<Value<'d>> {
        self.entries().find(|(other, _)| *other == key).map(|(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &[u8]) -> Fault {
        match Document::parse(text) {
            Ok(_) => panic!("{} was accepted", text.escape_ascii()),
            Err(error) => error.fault,
        }
    }

    #[test]
    fn what_is_no_bencode_is_refused_with_a_reason() {
        for (text, expected) in [
            (&b""[..], Fault::Truncated),
            (b"d", Fault::Truncated),
            (b"l", Fault::Truncated),
            (b"i", Fault::Truncated),
            (b"i12", Fault::Truncated),
            (b"5:abcd", Fault::Truncated),
            (b"5", Fault::Truncated),
            (b"9999999999:", Fault::Truncated),
            (b"99999999999:", Fault::BadLength),
            (b"d3:abce", Fault::KeyWithoutValue),
            (b"e", Fault::NoValue),
            (b"x", Fault::NoValue),
            (b"-1:a", Fault::NoValue),
            (b"ie", Fault::BadInteger),
            (b"i-e", Fault::BadInteger),
            (b"i-0e", Fault::BadInteger),
            (b"i01e", Fault::BadInteger),
            (b"i-01e", Fault::BadInteger),
            (b"i00e", Fault::BadInteger),
            (b"i+1e", Fault::BadInteger),
            (b"i 1e", Fault::BadInteger),
            (b"i1.5e", Fault::BadInteger),
            (b"i--1e", Fault::BadInteger),
            (b"i9223372036854775808e", Fault::LargeInteger),
            (b"i99999999999999999999999999999999999e", Fault::LargeInteger),
            (b"01:a", Fault::BadLength),
            (b"1a", Fault::BadLength),
            (b"di1ei2ee", Fault::KeyIsNoString),
            (b"d1:ai1e1:ai2ee", Fault::RepeatedKey),
            (b"d1:bi1e1:ai1e1:bi2ee", Fault::RepeatedKey),
            (b"i1ei2e", Fault::TrailingBytes),
            (b"le\n", Fault::TrailingBytes),
        ] {
            assert_eq!(fault(text), expected, "{}", text.escape_ascii());
        }
    }

    #[test]
    fn depth_has_a_bound() {
        let nested = |depth: usize| [b"l".repeat(depth), b"e".repeat(depth)].concat();
        assert!(Document::parse(&nested(MAX_DEPTH)).is_ok());
        assert_eq!(fault(&nested(MAX_DEPTH + 1)), Fault::TooDeep);
        assert_eq!(fault(&b"l".repeat(1 << 20)), Fault::TooDeep);
    }

    #[test]
    fn the_number_of_values_has_a_bound() {
        let text = [b"l".to_vec(), b"0:".repeat(MAX_VALUES - 1), b"e".to_vec()].concat();
        assert!(Document::parse(&text).is_ok());
        let text = [b"l".to_vec(), b"0:".repeat(MAX_VALUES), b"e".to_vec()].concat();
        assert_eq!(fault(&text), Fault::TooMany);
    }

    #[test]
    fn the_least_and_the_largest_integers_are_read() {
        for integer in [0, 1, -1, i64::MIN, i64::MAX] {
            let text = format!("i{integer}e");
            let document = Document::parse(text.as_bytes()).unwrap();
            assert_eq!(document.root().integer(), Some(integer));
        }
    }

    #[test]
    fn keys_that_are_not_sorted_are_accepted_and_told() {
        let document = Document::parse(b"d1:bi2e1:ai1ee").unwrap();
        assert!(!document.is_sorted());
        let root = document.root().dictionary().unwrap();
        assert_eq!(root.get(b"a").unwrap().integer(), Some(1));
        assert!(Document::parse(b"d1:ai1e2:aai1e1:bi2ee").unwrap().is_sorted());
    }

    #[test]
    fn each_value_knows_its_bytes() {
        let text = b"ld1:ali1el0:eee1:bd1:cl2:deeei-7elee";
        let document = Document::parse(text).unwrap();
        let raw: Vec<_> = document.root().list().unwrap().map(|value| value.raw()).collect();
        assert_eq!(document.root().raw(), text);
        let expected: [&[u8]; 5] = [b"d1:ali1el0:eee", b"1:b", b"d1:cl2:deee", b"i-7e", b"le"];
        assert_eq!(raw, expected);
        let inner = document.root().list().unwrap().next().unwrap().dictionary().unwrap();
        assert_eq!(inner.get(b"a").unwrap().raw(), b"li1el0:ee");
    }
}
