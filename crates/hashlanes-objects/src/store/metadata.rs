//! Metadata that is written back to objects.

use std::io;

use percent_encoding::utf8_percent_encode;
use reqwest::Method;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue, IF_MATCH};

use super::acl::is_default;
use super::address::NAME;
use super::failure::code;
use super::meta::Meta;
use super::reply::body;
use super::service::Service;
use super::{Call, Store};
use crate::error::{changed, invalid};

/// What a copy of an object of S3 does not take over by itself.
const STATED: [&str; 9] = [
    "cache-control",
    "content-disposition",
    "content-encoding",
    "content-language",
    "content-type",
    "expires",
    ENCRYPTION,
    "x-amz-storage-class",
    "x-amz-website-redirect-location",
];

const ENCRYPTION: &str = "x-amz-server-side-encryption";

/// Objects of S3 that a copy would change, or cannot copy.
const REFUSED: [(&str, &str); 5] = [
    ("x-amz-server-side-encryption-customer-algorithm", "it is encrypted with a customer's key"),
    ("x-amz-object-lock-mode", "it is locked"),
    ("x-amz-object-lock-legal-hold", "it is locked"),
    ("x-amz-missing-meta", "it has metadata that no header can have"),
    ("x-amz-restore", "it is archived"),
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
            _ => return Err(invalid("metadata can be written only to S3 and Azure")),
        };
        let known = self.head(key, None).await?;
        if Meta::from_headers(&known).etag.as_deref() != Some(etag) {
            return Err(changed());
        }
        if etag.starts_with("W/") {
            return Err(refused("its ETag is weak"));
        }
        let before = kept(&known, |name| name.starts_with(prefix))?;
        let mut after = before.clone();
        for (name, value) in metadata {
            let name = HeaderName::try_from(format!("{prefix}{name}")).map_err(invalid)?;
            after.insert(name, HeaderValue::from_str(value).map_err(invalid)?);
        }
        if after == before {
            return Ok(());
        }
        let mut call = Call { method: Method::PUT, url: self.url(key)?, headers: after };
        if let Service::S3 { .. } = self.service {
            refuse(&known)?;
            self.refuse_list(key).await?;
            call.headers.extend(kept(&known, |name| STATED.contains(&name))?);
            call = self.copying(call, key, etag)?;
        } else {
            refuse_names(&before)?;
            call.url += "?comp=metadata";
        }
        self.write(&call.with(IF_MATCH, &format!("\"{etag}\""))?).await
    }

    /// Fails if others than the owner have access to an object of S3: a copy would end that.
    async fn refuse_list(&self, key: &str) -> io::Result<()> {
        let _place = self.pace.place().await?;
        let call = Call::get(format!("{}?acl", self.url(key)?));
        let list = match self.send(&call, &mut 0).await {
            Ok(response) => body(response, self.timeout).await,
            // The store has no such lists.
            Err(error) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            Err(error) => Err(error),
        };
        match list.map(|list| is_default(&list)) {
            Ok(Ok(true)) => Ok(()),
            Ok(Ok(false)) => Err(refused("it has an access control list of its own")),
            Ok(Err(why)) => Err(refused(&format!("its access control list: {why}"))),
            Err(error) => Err(refused(&format!("its access control list: {error}"))),
        }
    }

    /// A request that copies an object of S3 onto itself, if it has this ETag.
    fn copying(&self, call: Call, key: &str, etag: &str) -> io::Result<Call> {
        call.with(SOURCE, &format!("{}/{}", self.bucket, utf8_percent_encode(key, NAME)))?
            .with(SOURCE_IF_MATCH, &format!("\"{etag}\""))?
            .with(DIRECTIVE, "REPLACE")?
            .with(TAGS, "COPY")
    }

    async fn write(&self, call: &Call) -> io::Result<()> {
        let _place = self.pace.place().await?;
        let body = body(self.send(call, &mut 0).await?, self.timeout).await?;
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
const TAGS: HeaderName = HeaderName::from_static("x-amz-tagging-directive");

/// Headers of an object that a request repeats.
fn kept(headers: &HeaderMap, is_kept: impl Fn(&str) -> bool) -> io::Result<HeaderMap> {
    let kept = headers.iter().filter(|(name, _)| is_kept(name.as_str()));
    let repeated = kept.map(|(name, value)| match value.to_str() {
        Ok(_) => Ok((name.clone(), value.clone())),
        Err(_) => Err(refused(&format!("{name} contains characters that are not ASCII"))),
    });
    repeated.collect()
}

fn refused(why: &str) -> io::Error {
    invalid(format!("its metadata is not changed: {why}"))
}

fn refuse(headers: &HeaderMap) -> io::Result<()> {
    if let Some((_, why)) = REFUSED.iter().find(|(name, _)| headers.contains_key(*name)) {
        return Err(refused(why));
    }
    // The context of such an encryption cannot be read, so a copy would lose it.
    if headers.get(ENCRYPTION).is_some_and(|kind| kind != "AES256") {
        return Err(refused("it is encrypted with a key of a key management service"));
    }
    let length =
        headers.get("content-length").and_then(|length| length.to_str().ok()?.parse().ok());
    if length.is_none_or(|length: u64| length > COPIED) {
        return Err(refused("S3 copies at most 5 GiB at a time"));
    }
    Ok(())
}

/// Fails if a blob has metadata of others. Azure keeps the case of their names, but our HTTP
/// client does not.
fn refuse_names(headers: &HeaderMap) -> io::Result<()> {
    let is_ours = |name: &HeaderName| name.as_str().starts_with("x-ms-meta-hashlanes_");
    match headers.keys().all(is_ours) {
        true => Ok(()),
        false => Err(refused("it has other metadata, whose names may have capital letters")),
    }
}
