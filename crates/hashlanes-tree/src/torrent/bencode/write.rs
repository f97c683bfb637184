//! Writes bencode.

/// Writes bencode. The caller must write the keys of a dictionary in the order of their bytes.
///
/// # Examples
/// ```
/// use hashlanes_tree::torrent::bencode::Writer;
///
/// let mut writer = Writer::new();
/// writer.dictionary(|writer| {
///     writer.string("name").string("abc");
///     writer.string("size").integer(5);
/// });
/// assert_eq!(writer.into_text(), b"d4:name3:abc4:sizei5ee");
/// ```
#[derive(Debug, Default)]
pub struct Writer {
    text: Vec<u8>,
}

impl Writer {
    /// An empty text.
    pub fn new() -> Self {
        Self::default()
    }

    /// Writes an integer.
    pub fn integer(&mut self, integer: u64) -> &mut Self {
        self.text.extend(format!("i{integer}e").bytes());
        self
    }

    /// Writes a string: a key or a value.
    pub fn string(&mut self, string: impl AsRef<[u8]>) -> &mut Self {
        let string = string.as_ref();
        self.text.extend(format!("{}:", string.len()).bytes());
        self.text.extend(string);
        self
    }

    /// Writes a value that is already encoded.
    pub fn raw(&mut self, value: &[u8]) -> &mut Self {
        self.text.extend(value);
        self
    }

    /// Writes a list, whose values `write` writes.
    pub fn list(&mut self, write: impl FnOnce(&mut Self)) -> &mut Self {
        self.nest(b'l', write)
    }

    /// Writes a dictionary. `write` writes keys and values alternately.
    pub fn dictionary(&mut self, write: impl FnOnce(&mut Self)) -> &mut Self {
        self.nest(b'd', write)
    }

    /// Begins a dictionary that [`end`](Self::end) ends.
    pub fn begin_dictionary(&mut self) -> &mut Self {
        self.text.push(b'd');
        self
    }

    /// Ends the current list or dictionary.
    pub fn end(&mut self) -> &mut Self {
        self.text.push(b'e');
        self
    }

    /// The text written.
    pub fn into_text(self) -> Vec<u8> {
        self.text
    }

    fn nest(&mut self, kind: u8, write: impl FnOnce(&mut Self)) -> &mut Self {
        self.text.push(kind);
        write(self);
        self.text.push(b'e');
        self
    }
}
