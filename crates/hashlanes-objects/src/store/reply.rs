//! Whether a response is the answer to its request.

use std::io;
use std::time::Duration;

use reqwest::header::{CONTENT_RANGE, TRANSFER_ENCODING};
use reqwest::{Response, StatusCode, Version};

use super::flow::Flow;
use super::meta::Meta;
use crate::error::{changed, no_version, wrong};

/// The most bytes of a body that is no object. A page of a listing has at most 5,000 names, each of
/// at most 1,024 characters.
const MOST: usize = 32 << 20;

/// Whether the body of a response ends where the connection does, so that nothing shows if it was
/// cut off.
pub(crate) fn has_open_end(response: &Response) -> bool {
    let is_framed = response.headers().contains_key(TRANSFER_ENCODING);
    response.version() <= Version::HTTP_11 && !is_framed && response.content_length().is_none()
}

/// All of a body that is no object.
///
/// # Errors
/// If it is too long, too slow or breaks off.
pub(super) async fn body(mut response: Response, timeout: Duration) -> io::Result<Vec<u8>> {
    let (mut body, mut flow) = (Vec::new(), Flow::new(timeout));
    while let Some(bytes) = flow.next(&mut response).await? {
        if body.len() + bytes.len() > MOST {
            return Err(wrong("a reply that is too long"));
        }
        body.extend_from_slice(&bytes);
    }
    Ok(body)
}

/// The response, if it is all of an object, as was asked for.
pub(super) fn complete(response: Response) -> io::Result<Response> {
    match response.status() {
        StatusCode::OK => Ok(response),
        _ => Err(wrong("part of the object, but all of it was requested")),
    }
}

/// Appends the body of a response until there are `length` bytes.
pub(super) async fn receive(
    mut response: Response,
    got: &mut Vec<u8>,
    length: usize,
    timeout: Duration,
) -> io::Result<()> {
    let mut flow = Flow::new(timeout);
    while let Some(bytes) = flow.next(&mut response).await? {
        if got.len() + bytes.len() > length {
            return Err(wrong("more bytes than the object has"));
        }
        got.extend_from_slice(&bytes);
    }
    if got.len() < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// Fails if a response is about another version, or another part.
pub(super) fn is_same(response: &Response, meta: &Meta, from: Option<u64>) -> io::Result<()> {
    match meta.is_same(&Meta::from_headers(response.headers())) {
        Some(true) => {}
        Some(false) => return Err(changed()),
        None if from.is_some() => return Err(no_version()),
        None => {}
    }
    match (from, response.status()) {
        (None, StatusCode::OK) => {
            let length = response.content_length();
            if length.is_some_and(|length| length != meta.size) {
                return Err(changed());
            }
        }
        (Some(from), StatusCode::PARTIAL_CONTENT) => match content_range(response) {
            Some((start, size)) if start == from && size == meta.size => {}
            Some((_, size)) if size != meta.size => return Err(changed()),
            _ => return Err(wrong("a range that was not requested")),
        },
        (None, _) => return Err(wrong("part of the object, but all of it was requested")),
        _ => return Err(wrong("all of the object, but a range was requested")),
    }
    Ok(())
}

/// The start of the part and the size of the object, of a response with a part.
pub(super) fn content_range(response: &Response) -> Option<(u64, u64)> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?;
    let (range, size) = range.split_once('/')?;
    let (start, last) = range.split_once('-')?;
    let (start, last, size): (u64, u64, u64) =
        (start.parse().ok()?, last.parse().ok()?, size.parse().ok()?);
    (start <= last && last < size).then_some((start, size))
}
