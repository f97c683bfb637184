//! A bucket or container, its requests and their failures.

mod acl;
mod address;
mod azure;
mod failure;
mod flow;
mod gcs;
mod meta;
mod metadata;
mod page;
mod reply;
mod s3;
mod service;
mod time;
mod web;

use std::io;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use hashlanes_files::name::quote_name;
use percent_encoding::utf8_percent_encode;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, IF_MATCH, IF_UNMODIFIED_SINCE, RANGE};
use reqwest::{Client, Method, Request, Response, StatusCode, Url};

use address::NAME;
pub(crate) use address::Wanted;
use failure::{failure, is_empty, retry_after};
pub(crate) use flow::Flow;
use flow::{LEAST, broken};
pub use meta::Meta;
pub(crate) use page::{Item, Page};
pub(crate) use reply::has_open_end;
use reply::{body, complete, content_range, is_same, receive};
use service::Service;
use time::http_form;

use crate::buffers::Buffers;
use crate::error::{invalid, no_version, wrong};
use crate::pace::Pace;
use crate::{Location, Options, Scheme};

/// Attempts to get something before a failure is reported.
const ATTEMPTS: u32 = 8;

/// One that takes the whole [timeout](Options::timeout) counts as this many, so that there are 3.
const SLOW: u32 = 3;

/// The pause before the second attempt. It doubles with each.
const PAUSE: Duration = Duration::from_millis(100);

/// A bucket or container.
pub(crate) struct Store {
    service: Service,
    /// The address of the bucket, without a slash at its end.
    base: String,
    bucket: String,
    client: Client,
    pub(crate) pace: Arc<Pace>,
    buffers: Buffers,
    pub(crate) timeout: Duration,
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
    fn all(response: Response) -> io::Result<Self> {
        let response = complete(response)?;
        let meta = response.content_length().map(|size| {
            let meta = Meta::from_headers(response.headers());
            Meta { size, ..meta }
        });
        Ok(Self::All(response, meta))
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
        let buffers = Buffers::default();
        Ok(Self {
            service,
            base,
            bucket,
            client,
            pace: Arc::clone(pace),
            buffers,
            timeout: options.timeout,
        })
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
                        "an object whose name contains . or .. between slashes cannot be requested",
                    ));
                }
                Ok(format!("{}/{}", self.base, utf8_percent_encode(key, NAME)))
            }
        }
    }

    /// A page of a listing.
    pub(crate) async fn page(&self, wanted: Wanted<'_>) -> io::Result<Page> {
        let url = match self.service {
            Service::S3 { .. } => s3::listing(&self.base, wanted),
            Service::Gcs { .. } => gcs::listing(&self.base, &self.bucket, wanted),
            Service::Azure { .. } => azure::listing(&self.base, wanted),
            Service::Web => return Err(web::no_listing()),
        };
        let parse = |body: &[u8]| match self.service {
            Service::S3 { .. } => s3::page(body),
            Service::Gcs { .. } => gcs::page(body),
            Service::Azure { .. } | Service::Web => azure::page(body),
        };
        let _place = self.pace.place().await?;
        let call = Call::get(url);
        let mut attempt = 0;
        loop {
            match body(self.send(&call, &mut attempt).await?, self.timeout).await {
                Ok(body) => return parse(&body).map_err(|why| unreadable(&*why)),
                Err(error) => self.again(&mut attempt, error).await?,
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
        if length == 0 {
            return Ok(Bytes::new());
        }
        let mut buffer = self.buffers.take(length);
        let got = &mut buffer.bytes;
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
            if let Err(error) = receive(response, got, length, self.timeout).await {
                if !meta.has_version() {
                    got.clear();
                } else if got.len() - before >= LEAST {
                    attempt = attempt.min(1);
                }
                self.again(&mut attempt, error).await?;
            }
        }
        Ok(buffer.into())
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
        let mut meta = Meta::from_headers(response.headers());
        if response.status() != StatusCode::PARTIAL_CONTENT {
            return First::all(response);
        }
        let (start, size) =
            content_range(&response).ok_or_else(|| wrong("no valid Content-Range"))?;
        if start != 0 {
            return Err(wrong("a range that was not requested"));
        }
        meta.size = size;
        let length = size.min(most) as usize;
        let mut got = Vec::with_capacity(length);
        // What is missing is fetched by the caller, from the same version.
        if let Err(error) = receive(response, &mut got, length, self.timeout).await
            && error.kind() == io::ErrorKind::InvalidData
        {
            return Err(error);
        }
        if (got.len() as u64) < size && !meta.has_version() {
            return First::all(self.send(&self.object(key)?, &mut 0).await?);
        }
        Ok(First::Part(meta, got.into()))
    }

    /// All of an object in one response.
    pub(crate) async fn whole(&self, key: &str) -> io::Result<Response> {
        let _place = self.pace.place().await?;
        complete(self.send(&self.object(key)?, &mut 0).await?)
    }

    /// Warns of an object whose end nothing shows.
    pub(crate) fn say_open_end(&self, key: &str) {
        // A query may have a signature.
        let name = format!("{}/{}", self.base, key.split('?').next().unwrap_or_default());
        let why = "the store sent no length, so a truncated reply would go unnoticed";
        self.pace.say(&format!("{}: WARNING: {why}", quote_name(name.as_bytes())));
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
        match (&meta.generation, meta.strong_etag(), meta.settled_time()) {
            (Some(generation), ..) => call.with(gcs::IF_GENERATION, generation),
            (None, Some(etag), _) => call.with(IF_MATCH, &format!("\"{etag}\"")),
            (None, None, Some(seconds)) => {
                call.with(IF_UNMODIFIED_SINCE, &http_form(seconds).unwrap_or_default())
            }
            (None, None, None) => Ok(call),
        }
    }

    /// Sends a request until there is a response that is no failure. The caller has a place.
    async fn send(&self, call: &Call, attempt: &mut u32) -> io::Result<Response> {
        loop {
            self.pace.wait().await;
            let error = match self.client.execute(self.signed(call).await?).await {
                Ok(response) if is_answer(response.status()) => return Ok(response),
                Ok(response) if response.status().is_success() => {
                    return Err(wrong(&format!("status {}", response.status().as_u16())));
                }
                Ok(response) => self.refused(response, *attempt).await?,
                Err(error) => broken(error),
            };
            self.again(attempt, error).await?;
        }
    }

    /// What a response means that is a failure. `Ok` if the request can be made again.
    async fn refused(&self, response: Response, attempt: u32) -> io::Result<io::Error> {
        let status = response.status();
        let pause = retry_after(&response).unwrap_or_else(|| pause(attempt));
        if matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE) {
            self.pace.slow_down(pause, status.as_u16());
        }
        let is_passing = status.is_server_error() && status != StatusCode::NOT_IMPLEMENTED
            || matches!(status, StatusCode::TOO_MANY_REQUESTS | StatusCode::REQUEST_TIMEOUT);
        let error = failure(response, self.timeout).await;
        if is_passing { Ok(error) } else { Err(error) }
    }

    /// Waits before another attempt. The error if there have been enough.
    async fn again(&self, attempt: &mut u32, error: io::Error) -> io::Result<()> {
        let is_slow = error.kind() == io::ErrorKind::TimedOut;
        *attempt += if is_slow { SLOW } else { 1 };
        if *attempt >= ATTEMPTS || error.kind() == io::ErrorKind::InvalidData {
            return Err(error);
        }
        if is_slow {
            self.pace.repeats(&error.to_string());
        }
        tokio::time::sleep(pause(*attempt)).await;
        Ok(())
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

/// Whether a response with this status has what was asked for: others, such as 204, have no object.
fn is_answer(status: StatusCode) -> bool {
    matches!(status, StatusCode::OK | StatusCode::PARTIAL_CONTENT)
}

fn pause(attempt: u32) -> Duration {
    PAUSE * 2_u32.pow(attempt.min(6))
}

fn unreadable(why: &dyn std::fmt::Display) -> io::Error {
    wrong(&format!("an unreadable listing: {why}"))
}
