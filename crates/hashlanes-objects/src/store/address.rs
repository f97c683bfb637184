//! The addresses of objects and of listings.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// What is escaped in the path of a URL.
pub(super) const NAME: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// What is escaped in a query, and in names that are one segment of a path.
pub(super) const VALUE: &AsciiSet = &NAME.add(b'/');

/// What a page of a listing is to have.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'a> {
    /// The beginning of all names.
    pub(crate) prefix: &'a str,
    /// Names with a further `/` are summed up by what is before it.
    pub(crate) delimited: bool,
    /// What the page before said.
    pub(crate) next: Option<&'a str>,
}

impl Wanted<'_> {
    /// Completes the address of a listing. `token` is the service's name for `next`.
    pub(super) fn url(self, mut url: String, token: &str) -> String {
        let value = |text| utf8_percent_encode(text, VALUE);
        url += &format!("&prefix={}", value(self.prefix));
        if self.delimited {
            url += "&delimiter=%2F";
        }
        if let Some(next) = self.next {
            url += &format!("&{token}={}", value(next));
        }
        url
    }
}

/// Whether any header can have this text. Signers take that for granted.
pub(super) fn is_sendable(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}
