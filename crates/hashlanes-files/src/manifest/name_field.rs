//! Finds the name in a plain line.

/// Finds the names in plain lines, one line after the other.
///
/// | lines | |
/// |---|---|
/// | usual | `DIGEST  NAME`, or `DIGEST *NAME` for a file read as binary |
/// | reversed, of old BSD | `DIGEST NAME` |
///
/// A manifest cannot have both kinds: a reversed line for a name that begins with a space or `*`
/// looks like a usual line for another name. So the first line decides, as with GNU's tools.
///
/// ```
/// use hashlanes_files::manifest::NameField;
///
/// let mut usual = NameField::default();
/// assert_eq!(usual.read(b" a"), Some(&b"a"[..]));
/// assert_eq!(usual.read(b"a"), None);
///
/// let mut reversed = NameField::default();
/// assert_eq!(reversed.read(b"a"), Some(&b"a"[..]));
/// assert_eq!(reversed.read(b" a"), Some(&b" a"[..]));
/// ```
#[derive(Clone, Default)]
pub struct NameField {
    /// `None` before the first line.
    reversed: Option<bool>,
}

impl NameField {
    /// Whether the lines so far are reversed ones.
    pub fn is_reversed(&self) -> bool {
        self.reversed == Some(true)
    }

    /// The name in what follows the digest and one blank. `None` if the line is of the other kind.
    /// An empty `rest` is a reversed line with an empty name.
    pub fn read<'l>(&mut self, rest: &'l [u8]) -> Option<&'l [u8]> {
        let usual = match rest {
            [b' ' | b'*', name @ ..] if !name.is_empty() && self.reversed != Some(true) => {
                Some(name)
            }
            _ => None,
        };
        if usual.is_none() && self.reversed == Some(false) {
            return None;
        }
        self.reversed = Some(usual.is_none());
        Some(usual.unwrap_or(rest))
    }
}
