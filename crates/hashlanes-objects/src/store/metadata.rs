//! Metadata that is written back to objects.

use std::io;

use percent_encoding::utf8_percent_encode;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, IF_MATCH};

use super::address::NAME;
use super::failure::{broken, code};
use super::meta::Meta;
use super::service::Service;
use super::{Call, Store};
use crate::error::{changed, invalid};

/// What a copy of an object of S3 does not take over by itself.
const STATED: [&str; 10] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
    "x-amz-server-side-encryption",
    "x-amz-server-side-encryption-aws-kms-key-id",
    "x-amz-storage-class",
    "x-amz-website-redirect-location",
];

/// Objects of S3 that a copy would change, or cannot copy.
const REFUSED: [(&str, &str); 4] = [
    ("x-amz-server-side-encryption-customer-algorithm", "it is encrypted with a customer's key"),
    ("x-amz-object-lock-mode", "it is locked"),
    ("x-amz-object-lock-legal-hold", "it is locked"),
    ("x-amz-missing-meta", "it has metadata that no header can have"),
];

/// The largest object that S3 copies in one request.
const COPIED: u64 = 5 << 30;

impl Store {
    /// Adds metadata to an object, if it still has this ETag. What it has already is kept.
    pub(crate) async fn annotate(
        &self,
        key: &str,
        etag: &str,
        metadata: &[(String, String)],
    ) -> io::Result<()> {
        let prefix = match self.service {
            Service::S3 { .. } => "x-amz-meta-",
            Service::Azure { .. } => "x-ms-meta-",
            _ => return Err(invalid("metadata can be written to S3 and Azure only")),
        };
        let known = self.head(key, None).await?;
        if Meta::from_headers(&known).etag.as_deref() != Some(etag) {
            return Err(changed());
        }
        let mut headers: HeaderMap = kept(&known, |name| name.starts_with(prefix));
        let before = headers.clone();
        for (name, value) in metadata {
            let name = HeaderName::try_from(format!("{prefix}{name}")).map_err(invalid)?;
            headers.insert(name, HeaderValue::from_str(value).map_err(invalid)?);
        }
        if headers == before {
            return Ok(());
        }
        let url = self.url(key)?;
        let url = match self.service {
            Service::S3 { .. } => {
                refuse(&known)?;
                headers.extend(kept(&known, |name| STATED.contains(&name)));
                url
            }
            _ => format!("{url}?comp=metadata"),
        };
        let call = Call { method: Method::PUT, url, headers };
        let etag = format!("\"{etag}\"");
        let call = match self.service {
            Service::S3 { .. } => call
                .with(SOURCE, &format!("{}/{}", self.bucket, utf8_percent_encode(key, NAME)))?
                .with(SOURCE_IF_MATCH, &etag)?
                .with(DIRECTIVE, "REPLACE")?,
            _ => call.with(IF_MATCH, &etag)?,
        };
        let _place = self.pace.place().await?;
        let body = self.send(&call, &mut 0).await?.bytes().await.map_err(broken)?;
        // A copy can fail after its status was sent.
        match code(&String::from_utf8_lossy(&body)) {
            Some(code) => Err(io::Error::other(format!("the store failed ({code})"))),
            None => Ok(()),
        }
    }
}

const SOURCE: HeaderName = HeaderName::from_static("x-amz-copy-source");
const SOURCE_IF_MATCH: HeaderName = HeaderName::from_static("x-amz-copy-source-if-match");
const DIRECTIVE: HeaderName = HeaderName::from_static("x-amz-metadata-directive");

fn kept(headers: &HeaderMap, is_kept: impl Fn(&str) -> bool) -> HeaderMap {
    let kept = headers.iter().filter(|(name, _)| is_kept(name.as_str()));
    kept.map(|(name, value)| (name.clone(), value.clone())).collect()
}

fn refuse(headers: &HeaderMap) -> io::Result<()> {
    let refused = |why: &str| invalid(format!("no metadata is written to it: {why}"));
    if let Some((_, why)) = REFUSED.iter().find(|(name, _)| headers.contains_key(*name)) {
        return Err(refused(why));
    }
    let length =
        headers.get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_none_or(|length: u64| length > COPIED) {
        return Err(refused("S3 copies at most 5 GiB at a time"));
    }
    Ok(())
}
