//! What it means if a request fails.

use std::io;
use std::time::Duration;

use reqwest::header::{LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode, Url};

use super::flow::Flow;
use crate::error::changed;

pub(super) fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The error for a response that is a failure. Bodies are not shown: they may repeat signatures.
pub(super) async fn failure(response: Response, timeout: Duration) -> io::Error {
    use io::ErrorKind as Kind;
    let status = response.status();
    let region = header(&response, "x-amz-bucket-region");
    let place = header(&response, LOCATION.as_str()).and_then(|url| host(&url));
    let is_deleted = header(&response, "x-amz-delete-marker").is_some_and(|is| is == "true");
    let body = beginning(response, timeout).await;
    let and_code = code(&body).map(|code| format!(", {code}")).unwrap_or_default();
    let (kind, why) = match status {
        StatusCode::NOT_FOUND if is_deleted => {
            (Kind::NotFound, "deleted: its latest version is a delete marker")
        }
        StatusCode::NOT_FOUND => (Kind::NotFound, "not found"),
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => {
            (Kind::PermissionDenied, "the store denies access")
        }
        StatusCode::NOT_IMPLEMENTED => (Kind::Unsupported, "the store does not support this"),
        StatusCode::PRECONDITION_FAILED => return changed(),
        StatusCode::RANGE_NOT_SATISFIABLE => (Kind::InvalidInput, NO_RANGE),
        _ if status.is_redirection() && status != StatusCode::NOT_MODIFIED => {
            let to = region.map(|region| format!("region {region}")).or(place);
            let to = to.unwrap_or_else(|| "another address".into());
            let status = status.as_u16();
            let why = format!("redirected to {to} (HTTP {status}); redirects are not followed");
            return io::Error::other(why);
        }
        _ => (Kind::Other, "the store failed"),
    };
    io::Error::new(kind, format!("{why} (HTTP {}{and_code})", status.as_u16()))
}

/// What is read of the body of a failure, in bytes.
const BEGINNING: usize = 64 << 10;

/// The beginning of a body, as far as it arrives.
async fn beginning(mut response: Response, timeout: Duration) -> String {
    let (mut body, mut flow) = (Vec::new(), Flow::new(timeout));
    while body.len() < BEGINNING
        && let Ok(Some(bytes)) = flow.next(&mut response).await
    {
        body.extend_from_slice(&bytes);
    }
    String::from_utf8_lossy(&body).into_owned()
}

const NO_RANGE: &str = "no such part of the object";

pub(super) fn is_empty(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::InvalidInput && error.to_string().starts_with(NO_RANGE)
}

fn header(response: &Response, name: &str) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}

/// The host of an address, whose query may have a signature.
fn host(url: &str) -> Option<String> {
    Url::parse(url).ok()?.host_str().map(str::to_owned)
}

/// The code in the body of a failure.
pub(super) fn code(body: &str) -> Option<&str> {
    let (code, _) = body.split_once("<Code>")?.1.split_once("</Code>")?;
    let is_word = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then_some(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_code_of_a_failure_is_shown() {
        let body = "<Error><Code>SignatureDoesNotMatch</Code><AWSAccessKeyId>AK</AWSAccessKeyId>";
        assert_eq!(code(body), Some("SignatureDoesNotMatch"));
        assert_eq!(code("<Code>AK IA</Code>"), None);
        assert_eq!(code("not found"), None);
        assert_eq!(host("https://h.example/k?X-Amz-Signature=s"), Some("h.example".into()));
    }
}
