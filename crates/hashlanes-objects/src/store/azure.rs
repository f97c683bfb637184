//! Azure's blobs.

use std::env;
use std::io;
use std::time::Duration;

use object_store::azure::{
    AzureAuthorizer, AzureConfigKey, AzureCredential, AzureCredentialProvider,
    MicrosoftAzureBuilder,
};
use object_store::client::HttpRequest;
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;

use super::address::{VALUE, Wanted, is_sendable};
use super::meta::{Meta, bare};
use super::page::{Page, Unreadable, unreadable};
use super::service::Service;
use super::time::http_time;
use crate::Options;
use crate::client::{Connector, client};
use crate::endpoint::checked;
use crate::error::{invalid, no_credentials};

/// The version of the protocol.
const VERSION: HeaderName = HeaderName::from_static("x-ms-version");

/// The account of the emulator Azurite.
const EMULATED: &str = "devstoreaccount1";

pub(super) fn open(container: &str, options: &Options) -> io::Result<(Service, String)> {
    let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(container);
    let config = |key: AzureConfigKey| builder.get_config_value(&key);
    let is_emulated = config(AzureConfigKey::UseEmulator).is_some_and(|is| is == "true");
    let account = match config(AzureConfigKey::AccountName) {
        Some(account) => account.trim().to_owned(),
        None if is_emulated => EMULATED.into(),
        None => return Err(invalid("AZURE_STORAGE_ACCOUNT_NAME is not set")),
    };
    if !is_sendable(&account) {
        return Err(invalid("the account name contains a character that a request cannot contain"));
    }
    let emulator = || {
        let root = env::var("AZURITE_BLOB_STORAGE_URL");
        let root = root.unwrap_or_else(|_| "http://127.0.0.1:10000".into());
        format!("{}/{account}", root.trim_end_matches('/'))
    };
    let endpoint = options.endpoint.clone().or_else(|| config(AzureConfigKey::Endpoint));
    let root = match endpoint {
        Some(endpoint) => endpoint.trim().trim_end_matches('/').to_owned(),
        None if is_emulated => emulator(),
        None => format!("https://{account}.blob.core.windows.net"),
    };
    let base = format!("{root}/{}", utf8_percent_encode(container, VALUE));
    // Everybody knows the key of the emulator.
    let base = checked(&base, !options.anonymous && !is_emulated)?;
    if options.anonymous {
        return Ok((Service::Azure { account, credentials: None }, base));
    }
    let connector = Connector(client(options, Duration::from_secs(2))?);
    if let Some(key) = config(AzureConfigKey::AccessKey) {
        builder = builder.with_access_key(key.trim());
    }
    builder = builder.with_http_connector(connector);
    // The address is ours. This only finds the credentials.
    let store = builder.build().map_err(|_| invalid("the AZURE_* settings are incomplete"))?;
    let credentials = Some(store.credentials().clone());
    Ok((Service::Azure { account, credentials }, base))
}

pub(super) async fn sign(
    request: &mut HttpRequest,
    account: &str,
    credentials: Option<&AzureCredentialProvider>,
) -> io::Result<()> {
    let Some(credentials) = credentials else {
        request.headers_mut().insert(VERSION, HeaderValue::from_static("2023-11-03"));
        return Ok(());
    };
    let credential: std::sync::Arc<AzureCredential> =
        credentials.get_credential().await.map_err(|_| no_credentials())?;
    if matches!(&*credential, AzureCredential::BearerToken(token) if !is_sendable(token)) {
        return Err(invalid("the token contains a character that a request cannot contain"));
    }
    AzureAuthorizer::new(&credential, account).try_authorize(request).map_err(invalid)
}

pub(super) fn listing(base: &str, wanted: Wanted<'_>) -> String {
    wanted.url(format!("{base}?restype=container&comp=list"), "marker")
}

/// Named by the root, so that no other document is taken for an empty listing.
#[derive(Deserialize)]
enum Document {
    EnumerationResults(Listing),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listing {
    blobs: Blobs,
    next_marker: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Blobs {
    #[serde(default)]
    blob: Vec<Blob>,
    #[serde(default)]
    blob_prefix: Vec<Prefix>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Prefix {
    name: Name,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Blob {
    name: Name,
    properties: Properties,
}

#[derive(Deserialize)]
struct Name {
    #[serde(rename = "@Encoded", default)]
    encoded: bool,
    #[serde(rename = "$text", default)]
    text: String,
}

#[derive(Deserialize)]
struct Properties {
    #[serde(rename = "Content-Length")]
    length: u64,
    #[serde(rename = "Last-Modified")]
    modified: Option<String>,
    #[serde(rename = "Etag")]
    etag: Option<String>,
    /// `directory` in an account with real folders.
    #[serde(rename = "ResourceType")]
    kind: Option<String>,
}

pub(super) fn page(body: &[u8]) -> Result<Page, Unreadable> {
    let body = body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body);
    let Document::EnumerationResults(listing) =
        quick_xml::de::from_reader(body).map_err(unreadable)?;
    let is_blob = |blob: &Blob| blob.properties.kind.as_deref() != Some("directory");
    let objects = listing.blobs.blob.into_iter().filter(is_blob).map(|blob| {
        let meta = Meta {
            size: blob.properties.length,
            modified: blob.properties.modified.as_deref().and_then(http_time),
            etag: blob.properties.etag.as_deref().map(bare),
            generation: None,
            is_settled: false,
        };
        Ok((name(blob.name)?, meta))
    });
    let prefixes = listing.blobs.blob_prefix.into_iter().map(|prefix| name(prefix.name));
    Page::new(objects, prefixes, listing.next_marker)
}

fn name(name: Name) -> Result<String, Unreadable> {
    if !name.encoded {
        return Ok(name.text);
    }
    Ok(percent_decode_str(&name.text).decode_utf8().map_err(unreadable)?.into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_other_document_is_a_page() {
        let listing = "<EnumerationResults><Blobs/><NextMarker/></EnumerationResults>";
        assert_eq!(page(listing.as_bytes()).map_err(|why| why.to_string()), Ok(Page::default()));
        let why = page(b"<Error><Blobs/></Error>").unwrap_err().to_string();
        assert!(why.contains("Error"), "{why}");
    }
}
