//! A bucket or container, its requests and their failures.

mod azure;
mod gcs;
mod page;
mod s3;
mod web;

use std::error::Error as _;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use chrono::DateTime;
use object_store::aws::AwsCredentialProvider;
use object_store::azure::AzureCredentialProvider;
use object_store::gcp::GcpCredentialProvider;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use reqwest::header::{
    CONTENT_RANGE, ETAG, HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_UNMODIFIED_SINCE,
    LAST_MODIFIED, LOCATION, RANGE, RETRY_AFTER,
};
use reqwest::{Client, Method, Request, Response, StatusCode, Url};

pub(crate) use page::{Item, Page};

use crate::pace::Pace;
use crate::{Location, Options, Scheme};

/// Attempts to get something before a failure is reported.
const ATTEMPTS: u32 = 8;

/// The pause before the second attempt. It doubles with each.
const PAUSE: Duration = Duration::from_millis(100);

/// What is escaped in the path of a URL.
const NAME: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// What is escaped in a query, and in names that are one segment of a path.
const VALUE: &AsciiSet = &NAME.add(b'/');

/// What a store says about an object.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Meta {
    /// Its length in bytes.
    pub size: u64,
    /// When it was written, in seconds and nanoseconds since 1970.
    pub modified: Option<(i64, u32)>,
    /// Its ETag without quotes.
    pub etag: Option<String>,
    /// Google's generation.
    pub generation: Option<String>,
}

impl Meta {
    /// What tells versions apart.
    pub fn tag(&self) -> Option<&str> {
        self.generation.as_deref().or(self.etag.as_deref())
    }

    /// Whether parts of another version can be told apart.
    pub(crate) fn has_version(&self) -> bool {
        self.tag().is_some() || self.modified.is_some()
    }

    /// Whether what is said now is about the same version, if it can be told. Listings have
    /// fractions of seconds, headers do not.
    fn is_same(&self, now: &Self) -> Option<bool> {
        fn equal<T: PartialEq>(then: Option<T>, now: Option<T>) -> Option<bool> {
            Some(then? == now?)
        }
        let seconds = |meta: &Self| meta.modified.map(|(seconds, _)| seconds);
        equal(self.generation.as_ref(), now.generation.as_ref())
            .or_else(|| equal(self.etag.as_ref(), now.etag.as_ref()))
            .or_else(|| equal(seconds(self), seconds(now)))
    }
}

/// A bucket or container.
pub(crate) struct Store {
    service: Service,
    /// The address of the bucket, without a slash at its end.
    base: String,
    bucket: String,
    client: Client,
    pub(crate) pace: Arc<Pace>,
}

enum Service {
    S3 { region: String, credentials: Option<AwsCredentialProvider> },
    Gcs { credentials: Option<GcpCredentialProvider> },
    Azure { account: String, credentials: Option<AzureCredentialProvider> },
    Web,
}

/// A request that can be made again.
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) url: String,
    pub(crate) headers: HeaderMap,
}

impl Call {
    fn get(url: String) -> Self {
        Self { method: Method::GET, url, headers: HeaderMap::new() }
    }

    fn with(mut self, name: HeaderName, value: &str) -> io::Result<Self> {
        self.headers.insert(name, HeaderValue::from_str(value).map_err(invalid)?);
        Ok(self)
    }
}

/// What arrived of an object whose size was not known.
pub(crate) enum First {
    /// The beginning, with what the store says about the object.
    Part(Meta, Bytes),
    /// The store sends everything at once, and may not know how much.
    All(Response, Option<Meta>),
}

impl First {
    fn all(response: Response) -> Self {
        let meta = response.content_length().map(|size| {
            let meta = meta_of(response.headers());
            Meta { size, ..meta }
        });
        Self::All(response, meta)
    }
}

impl Store {
    pub(crate) fn open(
        location: &Location,
        options: &Options,
        pace: &Arc<Pace>,
    ) -> io::Result<Self> {
        let opened = match location.scheme {
            Scheme::S3 => s3::open(&location.bucket, options),
            Scheme::Gcs => gcs::open(&location.bucket, options),
            Scheme::Azure => azure::open(&location.bucket, options),
            Scheme::Http | Scheme::Https => Ok(web::open(location)),
        };
        let (service, base) = opened?;
        let client = crate::client::client(options, Duration::from_secs(10))?;
        let bucket = location.bucket.clone();
        Ok(Self { service, base, bucket, client, pace: Arc::clone(pace) })
    }

    /// The address of an object.
    fn url(&self, key: &str) -> io::Result<String> {
        match self.service {
            Service::Gcs { .. } => Ok(gcs::url(&self.base, &self.bucket, key)),
            Service::Web => Ok(format!("{}/{key}", self.base)),
            Service::S3 { .. } | Service::Azure { .. } => {
                if key.split('/').any(|part| matches!(part, "." | "..")) {
                    return Err(io::Error::new(
                        io::ErrorKind::InvalidInput,
                        "an object with . or .. between slashes in its name cannot be requested",
                    ));
                }
                Ok(format!("{}/{}", self.base, utf8_percent_encode(key, NAME)))
            }
        }
    }

    /// A page of a listing.
    pub(crate) async fn page(
        &self,
        prefix: &str,
        delimited: bool,
        next: Option<&str>,
    ) -> io::Result<Page> {
        let parse = match self.service {
            Service::S3 { .. } => s3::page,
            Service::Gcs { .. } => gcs::page,
            Service::Azure { .. } => azure::page,
            Service::Web => return Err(web::no_listing()),
        };
        let url = match self.service {
            Service::S3 { .. } => s3::listing(&self.base, prefix, delimited, next),
            Service::Gcs { .. } => gcs::listing(&self.base, &self.bucket, prefix, delimited, next),
            _ => azure::listing(&self.base, prefix, delimited, next),
        };
        let _place = self.pace.place().await?;
        let call = Call::get(url);
        let mut attempt = 0;
        loop {
            match self.send(&call, &mut attempt).await?.bytes().await {
                Ok(body) => return parse(&body).map_err(|why| unreadable_listing(&why)),
                Err(error) => again(&mut attempt, broken(error)).await?,
            }
        }
    }

    /// The headers that a store gives for an object, with those of its checksums.
    pub(crate) async fn head(&self, key: &str, query: Option<&str>) -> io::Result<HeaderMap> {
        let url = self.url(key)?;
        let url = query.map_or(url.clone(), |query| format!("{url}?{query}"));
        let mut call = Call { method: Method::HEAD, ..Call::get(url) };
        if let Service::S3 { .. } = self.service {
            call = call.with(s3::CHECKSUM_MODE, "ENABLED")?;
        }
        let _place = self.pace.place().await?;
        Ok(self.send(&call, &mut 0).await?.headers().clone())
    }

    /// What the store says about an object.
    pub(crate) async fn described(&self, key: &str) -> io::Result<Meta> {
        match self.first(key, 1).await? {
            First::Part(meta, _) | First::All(_, Some(meta)) => Ok(meta),
            First::All(_, None) => Err(wrong("no length")),
        }
    }

    /// Bytes of an object, all of the same version.
    pub(crate) async fn fetch(
        &self,
        key: &str,
        meta: &Meta,
        (start, end): (u64, u64),
    ) -> io::Result<Bytes> {
        let length = (end - start) as usize;
        let mut got = BytesMut::with_capacity(length);
        if length == 0 {
            return Ok(got.freeze());
        }
        let _place = self.pace.place().await?;
        let mut attempt = 0;
        while got.len() < length {
            let from = start + got.len() as u64;
            let is_part = from > 0 || end < meta.size;
            if is_part && !meta.has_version() {
                return Err(no_version());
            }
            let call = self.part(key, meta, is_part.then_some((from, end)))?;
            let response = self.send(&call, &mut attempt).await?;
            is_same(&response, meta, is_part.then_some(from))?;
            let before = got.len();
            if let Err(error) = receive(response, &mut got, length).await {
                if !meta.has_version() {
                    got.clear();
                } else if got.len() > before {
                    attempt = attempt.min(1);
                }
                again(&mut attempt, error).await?;
            }
        }
        Ok(got.freeze())
    }

    /// The beginning of an object of unknown size, at most this many bytes.
    pub(crate) async fn first(&self, key: &str, most: u64) -> io::Result<First> {
        let _place = self.pace.place().await?;
        let call = self.object(key)?.with(RANGE, &format!("bytes=0-{}", most - 1))?;
        let response = match self.send(&call, &mut 0).await {
            // No range of an empty object can be had.
            Err(error) if is_empty(&error) => {
                let call = self.object(key)?;
                self.send(&call, &mut 0).await?
            }
            other => other?,
        };
        let mut meta = meta_of(response.headers());
        if response.status() != StatusCode::PARTIAL_CONTENT {
            return Ok(First::all(response));
        }
        let (start, size) = content_range(&response).ok_or_else(|| wrong("no Content-Range"))?;
        if start != 0 {
            return Err(wrong("another range than was asked for"));
        }
        meta.size = size;
        let length = size.min(most) as usize;
        let mut got = BytesMut::with_capacity(length);
        // What is missing is fetched by the caller, from the same version.
        let _ = receive(response, &mut got, length).await;
        if (got.len() as u64) < size && !meta.has_version() {
            return Ok(First::all(self.send(&self.object(key)?, &mut 0).await?));
        }
        Ok(First::Part(meta, got.freeze()))
    }

    /// All of an object in one response.
    pub(crate) async fn whole(&self, key: &str) -> io::Result<Response> {
        let _place = self.pace.place().await?;
        self.send(&self.object(key)?, &mut 0).await
    }

    fn object(&self, key: &str) -> io::Result<Call> {
        let call = Call::get(self.url(key)?);
        match self.service {
            // Otherwise Google decompresses what was stored compressed.
            Service::Gcs { .. } => call.with(reqwest::header::ACCEPT_ENCODING, "gzip"),
            _ => Ok(call),
        }
    }

    /// A request for a part of a certain version.
    fn part(&self, key: &str, meta: &Meta, range: Option<(u64, u64)>) -> io::Result<Call> {
        let mut call = self.object(key)?;
        if let Some((start, end)) = range {
            call = call.with(RANGE, &format!("bytes={start}-{}", end - 1))?;
        }
        match (&meta.generation, &meta.etag, meta.modified) {
            (Some(generation), ..) => call.with(gcs::IF_GENERATION, generation),
            // A weak one never matches. The response is compared instead.
            (None, Some(etag), _) if !etag.starts_with("W/") => {
                call.with(IF_MATCH, &format!("\"{etag}\""))
            }
            (None, None, Some((seconds, _))) => {
                call.with(IF_UNMODIFIED_SINCE, &http_form(seconds).unwrap_or_default())
            }
            _ => Ok(call),
        }
    }

    /// Sends a request until there is a response that is no failure. The caller has a place.
    async fn send(&self, call: &Call, attempt: &mut u32) -> io::Result<Response> {
        loop {
            self.pace.wait().await;
            let error = match self.client.execute(self.signed(call).await?).await {
                Ok(response) if response.status().is_success() => return Ok(response),
                Ok(response) => self.refused(response, *attempt).await?,
                Err(error) => broken(error),
            };
            again(attempt, error).await?;
        }
    }

    /// What a response means that is a failure. `Ok` if the request can be made again.
    async fn refused(&self, response: Response, attempt: u32) -> io::Result<io::Error> {
        let status = response.status();
        let pause = retry_after(&response).unwrap_or_else(|| pause(attempt));
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            self.pace.slow_down(pause, status.as_u16());
        }
        let is_passing = status.is_server_error()
            || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
        let error = failure(response).await;
        if is_passing { Ok(error) } else { Err(error) }
    }

    async fn signed(&self, call: &Call) -> io::Result<Request> {
        let mut request = http::Request::builder()
            .method(call.method.clone())
            .uri(&call.url)
            .body(object_store::client::HttpRequestBody::empty())
            .map_err(invalid)?;
        *request.headers_mut() = call.headers.clone();
        match &self.service {
            Service::S3 { region, credentials: Some(credentials) } => {
                s3::sign(&mut request, region, credentials).await
            }
            Service::Gcs { credentials: Some(credentials) } => {
                gcs::sign(&mut request, credentials).await
            }
            Service::Azure { account, credentials } => {
                azure::sign(&mut request, account, credentials.as_ref()).await
            }
            _ => Ok(()),
        }?;
        let url: Url = request.uri().to_string().parse().map_err(invalid)?;
        let mut signed = Request::new(request.method().clone(), url);
        *signed.headers_mut() = std::mem::take(request.headers_mut());
        Ok(signed)
    }
}

/// Waits before another attempt. The error if there have been enough.
async fn again(attempt: &mut u32, error: io::Error) -> io::Result<()> {
    *attempt += 1;
    if *attempt >= ATTEMPTS || error.kind() == io::ErrorKind::InvalidData {
        return Err(error);
    }
    tokio::time::sleep(pause(*attempt)).await;
    Ok(())
}

fn pause(attempt: u32) -> Duration {
    PAUSE * 2_u32.pow(attempt.min(6))
}

/// Appends the body of a response until there are `length` bytes.
async fn receive(mut response: Response, got: &mut BytesMut, length: usize) -> io::Result<()> {
    while let Some(bytes) = response.chunk().await.map_err(broken)? {
        if got.len() + bytes.len() > length {
            return Err(wrong("more bytes than the object has"));
        }
        got.extend_from_slice(&bytes);
    }
    if got.len() < length { Err(io::ErrorKind::UnexpectedEof.into()) } else { Ok(()) }
}

/// Fails if a response is about another version, or another part.
fn is_same(response: &Response, meta: &Meta, from: Option<u64>) -> io::Result<()> {
    match meta.is_same(&meta_of(response.headers())) {
        Some(true) => {}
        Some(false) => return Err(changed()),
        None if from.is_some() => return Err(no_version()),
        None => {}
    }
    match (from, response.status()) {
        (None, _) => {
            let length = response.content_length();
            if length.is_some_and(|length| length != meta.size) {
                return Err(changed());
            }
        }
        (Some(from), StatusCode::PARTIAL_CONTENT) => match content_range(response) {
            Some((start, size)) if start == from && size == meta.size => {}
            Some((_, size)) if size != meta.size => return Err(changed()),
            _ => return Err(wrong("another range than was asked for")),
        },
        _ => return Err(wrong("no range of the object, but all of it")),
    }
    Ok(())
}

fn meta_of(headers: &HeaderMap) -> Meta {
    let text = |name: HeaderName| headers.get(name)?.to_str().ok();
    Meta {
        size: 0,
        modified: text(LAST_MODIFIED).and_then(http_time),
        etag: text(ETAG).map(unquoted),
        generation: text(gcs::GENERATION).map(str::to_owned),
    }
}

/// The start and the size of the object, of a response with a part.
fn content_range(response: &Response) -> Option<(u64, u64)> {
    let range = response.headers().get(CONTENT_RANGE)?.to_str().ok()?.strip_prefix("bytes ")?;
    let (range, size) = range.split_once('/')?;
    Some((range.split_once('-')?.0.parse().ok()?, size.parse().ok()?))
}

fn unquoted(etag: &str) -> String {
    etag.trim_matches('"').to_owned()
}

fn http_time(text: &str) -> Option<(i64, u32)> {
    DateTime::parse_from_rfc2822(text).ok().map(parts)
}

fn http_form(seconds: i64) -> Option<String> {
    let time = DateTime::from_timestamp(seconds, 0)?;
    Some(time.format("%a, %d %b %Y %H:%M:%S GMT").to_string())
}

fn iso_time(text: &str) -> Option<(i64, u32)> {
    DateTime::parse_from_rfc3339(text).ok().map(parts)
}

fn parts<Z: chrono::TimeZone>(time: DateTime<Z>) -> (i64, u32) {
    (time.timestamp(), time.timestamp_subsec_nanos())
}

fn retry_after(response: &Response) -> Option<Duration> {
    let seconds = response.headers().get(RETRY_AFTER)?.to_str().ok()?.parse().ok()?;
    Some(Duration::from_secs(seconds))
}

/// The error for a response that is a failure. Bodies are not shown: they may repeat signatures.
async fn failure(response: Response) -> io::Error {
    use io::ErrorKind as Kind;
    let status = response.status();
    let region = header(&response, "x-amz-bucket-region");
    let place = header(&response, LOCATION.as_str()).and_then(|url| host(&url));
    let body = response.text().await.unwrap_or_default();
    let and_code = code(&body).map(|code| format!(", {code}")).unwrap_or_default();
    let (kind, why) = match status {
        StatusCode::NOT_FOUND => (Kind::NotFound, "not in the store"),
        StatusCode::FORBIDDEN | StatusCode::UNAUTHORIZED => {
            (Kind::PermissionDenied, "the store denies access")
        }
        StatusCode::PRECONDITION_FAILED => return changed(),
        StatusCode::RANGE_NOT_SATISFIABLE => (Kind::InvalidInput, NO_RANGE),
        _ if status.is_redirection() => {
            let to = region.map(|region| format!("region {region}")).or(place);
            let to = to.unwrap_or_else(|| "another address".into());
            let why = format!("the store is elsewhere: {to} (status {})", status.as_u16());
            return io::Error::other(why);
        }
        _ => (Kind::Other, "the store failed"),
    };
    io::Error::new(kind, format!("{why} (status {}{and_code})", status.as_u16()))
}

const NO_RANGE: &str = "no such part of the object";

fn is_empty(error: &io::Error) -> bool {
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
fn code(body: &str) -> Option<&str> {
    let (code, _) = body.split_once("<Code>")?.1.split_once("</Code>")?;
    let is_word = code.len() <= 64 && code.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_word.then_some(code)
}

fn no_version() -> io::Error {
    let why = "the store names no version, so parts of several could be mixed";
    io::Error::new(io::ErrorKind::InvalidData, why)
}

fn changed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "changed while it was read")
}

/// A task has ended without a result.
pub(crate) fn lost<E>(_: E) -> io::Error {
    io::Error::other("the request was given up")
}

pub(crate) fn wrong(what: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, format!("the store sent {what}"))
}

fn unreadable_listing(why: &dyn std::fmt::Display) -> io::Error {
    wrong(&format!("a listing that cannot be read: {why}"))
}

pub(crate) fn invalid(error: impl std::fmt::Display) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, error.to_string())
}

/// The error of a connection, with its causes and without the address, whose query may have a
/// signature. A certificate that is not trusted gives an error that no attempt follows.
fn broken(error: reqwest::Error) -> io::Error {
    let error = error.without_url();
    let mut why = String::new();
    let mut is_final = false;
    let mut cause: Option<&(dyn std::error::Error + 'static)> = error.source();
    while let Some(inner) = cause {
        why = inner.to_string();
        is_final |= inner.downcast_ref::<rustls::Error>().is_some();
        // An error of TLS is the content of an error of the system.
        let wrapped = inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        is_final |= wrapped.is_some_and(|wrapped| wrapped.is::<rustls::Error>());
        cause = inner.source();
    }
    let why = if why.is_empty() { error.to_string() } else { why };
    let kind = if is_final { io::ErrorKind::InvalidData } else { io::ErrorKind::ConnectionAborted };
    io::Error::new(kind, format!("the connection failed: {why}"))
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

    #[test]
    fn times_are_read_in_both_forms() {
        let time = Some((1_432_000_000, 0));
        assert_eq!(http_time("Tue, 19 May 2015 01:46:40 GMT"), time);
        assert_eq!(iso_time("2015-05-19T01:46:40.000Z"), time);
        assert_eq!(iso_time("2015-05-19T01:46:40.5Z"), Some((1_432_000_000, 500_000_000)));
        assert_eq!(http_time("yesterday"), None);
        assert_eq!(http_form(1_432_000_000).unwrap(), "Tue, 19 May 2015 01:46:40 GMT");
    }
}
