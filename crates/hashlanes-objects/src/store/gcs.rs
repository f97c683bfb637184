//! Google Cloud Storage.

use std::env;
use std::io;
use std::time::Duration;

use object_store::client::HttpRequest;
use object_store::gcp::{GcpCredentialProvider, GoogleCloudStorageBuilder};
use percent_encoding::utf8_percent_encode;
use reqwest::header::{AUTHORIZATION, HeaderName, HeaderValue};
use serde::Deserialize;

use super::address::{VALUE, Wanted};
use super::meta::Meta;
use super::page::{Page, Unreadable, unreadable};
use super::service::Service;
use super::time::iso_time;
use crate::Options;
use crate::client::{Connector, client};
use crate::endpoint::checked;
use crate::error::{invalid, no_credentials};

/// Asks for this generation only.
pub(super) const IF_GENERATION: HeaderName = HeaderName::from_static("x-goog-if-generation-match");

pub(super) fn open(bucket: &str, options: &Options) -> io::Result<(Service, String)> {
    let emulator = env::var("STORAGE_EMULATOR_HOST").ok();
    let base = options.endpoint.clone().or_else(|| emulator.clone());
    let base = base.unwrap_or_else(|| "https://storage.googleapis.com".into());
    let base = if base.contains("://") { base } else { format!("http://{base}") };
    let is_anonymous = options.anonymous || emulator.is_some();
    let base = checked(&base, !is_anonymous)?;
    if is_anonymous {
        return Ok((Service::Gcs { credentials: None }, base));
    }
    let connector = Connector(client(options, Duration::from_secs(2))?);
    let builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket);
    let store = builder.with_http_connector(connector).build().map_err(invalid)?;
    Ok((Service::Gcs { credentials: Some(store.credentials().clone()) }, base))
}

pub(super) async fn sign(
    request: &mut HttpRequest,
    credentials: &GcpCredentialProvider,
) -> io::Result<()> {
    let credential = credentials.get_credential().await.map_err(|_| no_credentials())?;
    let bearer = format!("Bearer {}", credential.bearer);
    let invalid = |_| invalid("the token contains a character that a request cannot contain");
    let mut bearer = HeaderValue::from_str(&bearer).map_err(invalid)?;
    bearer.set_sensitive(true);
    request.headers_mut().insert(AUTHORIZATION, bearer);
    Ok(())
}

pub(super) fn url(base: &str, bucket: &str, key: &str) -> String {
    format!("{}/{}?alt=media", objects(base, bucket), utf8_percent_encode(key, VALUE))
}

fn objects(base: &str, bucket: &str) -> String {
    format!("{base}/storage/v1/b/{}/o", utf8_percent_encode(bucket, VALUE))
}

pub(super) fn listing(base: &str, bucket: &str, wanted: Wanted<'_>) -> String {
    let fields = "kind,items(name,size,updated,etag,generation),prefixes,nextPageToken";
    let fields = utf8_percent_encode(fields, VALUE);
    wanted.url(format!("{}?fields={fields}", objects(base, bucket)), "pageToken")
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Listing {
    kind: String,
    #[serde(default)]
    items: Vec<Object>,
    #[serde(default)]
    prefixes: Vec<String>,
    next_page_token: Option<String>,
}

#[derive(Deserialize)]
struct Object {
    name: String,
    size: String,
    updated: Option<String>,
    generation: Option<String>,
}

pub(super) fn page(body: &[u8]) -> Result<Page, Unreadable> {
    let listing: Listing = serde_json::from_slice(body).map_err(unreadable)?;
    // Emulators leave out the `s` of `storage#objects`.
    if !listing.kind.starts_with("storage#object") {
        let kind = listing.kind;
        return Err(unreadable(format!("expected the kind storage#objects, got {kind:?}")));
    }
    let objects = listing.items.into_iter().map(|object| {
        let meta = Meta {
            size: object.size.parse().map_err(unreadable)?,
            modified: object.updated.as_deref().and_then(iso_time),
            etag: None,
            generation: object.generation,
            is_settled: false,
        };
        Ok((object.name, meta))
    });
    Page::new(objects, listing.prefixes.into_iter().map(Ok), listing.next_page_token)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_document_is_a_page() {
        let empty = page(br#"{"kind": "storage#objects"}"#);
        assert_eq!(empty.map_err(|why| why.to_string()), Ok(Page::default()));
        for body in ["{}", r#"{"error": {"code": 500}}"#, r#"{"kind": "storage#buckets"}"#] {
            assert!(page(body.as_bytes()).is_err(), "{body}");
        }
    }
}
