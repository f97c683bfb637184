//! S3, and what speaks its protocol.

use std::io;

use object_store::aws::{AmazonS3ConfigKey, AwsAuthorizer, AwsCredentialProvider};
use object_store::client::HttpRequest;
use percent_encoding::{percent_decode_str, utf8_percent_encode};
use reqwest::header::HeaderName;
use serde::Deserialize;

use super::address::{VALUE, Wanted, is_sendable};
use super::meta::{Meta, bare};
use super::page::{Page, Unreadable, unreadable};
use super::service::Service;
use super::time::iso_time;
use crate::Options;
use crate::client::{Connector, client};
use crate::endpoint::checked;
use crate::error::{invalid, no_credentials};

/// Asks for the checksums of an object.
pub(super) const CHECKSUM_MODE: HeaderName = HeaderName::from_static("x-amz-checksum-mode");

pub(super) fn open(bucket: &str, options: &Options) -> io::Result<(Service, String)> {
    let builder = options.s3();
    let config = |key: AmazonS3ConfigKey| builder.get_config_value(&key);
    let region = config(AmazonS3ConfigKey::Region)
        .or_else(|| config(AmazonS3ConfigKey::DefaultRegion))
        .map_or_else(|| "us-east-1".into(), |region| region.trim().to_owned());
    if !is_sendable(&region) {
        return Err(invalid("the region contains a character that a request cannot contain"));
    }
    let endpoint =
        config(AmazonS3ConfigKey::S3Endpoint).or_else(|| config(AmazonS3ConfigKey::Endpoint));
    let is = |key| config(key).is_some_and(|value| value == "true" || value == "1");
    let virtual_host = is(AmazonS3ConfigKey::VirtualHostedStyleRequest);
    let anonymous = is(AmazonS3ConfigKey::SkipSignature);
    let base = base(bucket, &region, endpoint.as_deref(), virtual_host)?;
    let base = checked(&base, !anonymous)?;
    let connector = Connector(client(options, std::time::Duration::from_secs(2))?);
    let credentials = if anonymous {
        None
    } else {
        let builder = builder.with_bucket_name(bucket).with_http_connector(connector);
        Some(builder.build().map_err(invalid)?.credentials().clone())
    };
    Ok((Service::S3 { region, credentials }, base))
}

/// The address of a bucket.
fn base(
    bucket: &str,
    region: &str,
    endpoint: Option<&str>,
    virtual_host: bool,
) -> io::Result<String> {
    let is_label = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let in_path = utf8_percent_encode(bucket, VALUE);
    let endpoint = endpoint.map(|endpoint| endpoint.trim().trim_end_matches('/'));
    let Some(endpoint) = endpoint.filter(|endpoint| !endpoint.is_empty()) else {
        // A certificate for `*.s3..` does not cover dots in the name of the bucket.
        return Ok(match bucket.bytes().all(is_label) {
            true => format!("https://{bucket}.s3.{region}.amazonaws.com"),
            false => format!("https://s3.{region}.amazonaws.com/{in_path}"),
        });
    };
    let (scheme, host) = endpoint.split_once("://").unwrap_or(("https", endpoint));
    if !virtual_host {
        return Ok(format!("{scheme}://{host}/{in_path}"));
    }
    if !bucket.bytes().all(|byte| is_label(byte) || matches!(byte, b'.' | b'_')) {
        return Err(invalid("the bucket name cannot be part of a host name"));
    }
    Ok(format!("{scheme}://{bucket}.{host}"))
}

pub(super) async fn sign(
    request: &mut HttpRequest,
    region: &str,
    credentials: &AwsCredentialProvider,
) -> io::Result<()> {
    let credential = credentials.get_credential().await.map_err(|_| no_credentials())?;
    let texts = [&credential.key_id, &credential.secret_key];
    if !texts.into_iter().chain(&credential.token).all(|text| is_sendable(text)) {
        return Err(invalid("the credentials contain a character that a request cannot contain"));
    }
    AwsAuthorizer::new(&credential, "s3", region).try_authorize(request, None).map_err(invalid)
}

pub(super) fn listing(base: &str, wanted: Wanted<'_>) -> String {
    wanted.url(format!("{base}?list-type=2&encoding-type=url"), "continuation-token")
}

/// Named by the root, so that no other document is taken for an empty listing.
#[derive(Deserialize)]
enum Document {
    ListBucketResult(Listing),
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listing {
    encoding_type: Option<String>,
    #[serde(default)]
    is_truncated: bool,
    #[serde(default)]
    contents: Vec<Contents>,
    #[serde(default)]
    common_prefixes: Vec<Prefix>,
    next_continuation_token: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Contents {
    key: String,
    size: u64,
    last_modified: Option<String>,
    #[serde(rename = "ETag")]
    etag: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Prefix {
    prefix: String,
}

pub(super) fn page(body: &[u8]) -> Result<Page, Unreadable> {
    let Document::ListBucketResult(listing) =
        quick_xml::de::from_reader(body).map_err(unreadable)?;
    let next = listing.next_continuation_token.as_deref().unwrap_or_default();
    if listing.is_truncated && next.is_empty() {
        return Err(unreadable("truncated, without NextContinuationToken"));
    }
    let is_encoded = listing.encoding_type.as_deref() == Some("url");
    let name = |name: String| if is_encoded { decoded(&name) } else { Ok(name) };
    let objects = listing.contents.into_iter().map(|object| {
        let meta = Meta {
            size: object.size,
            modified: object.last_modified.as_deref().and_then(iso_time),
            etag: object.etag.as_deref().map(bare),
            generation: None,
            is_settled: false,
        };
        Ok((name(object.key)?, meta))
    });
    let prefixes = listing.common_prefixes.into_iter().map(|prefix| name(prefix.prefix));
    Page::new(objects, prefixes, listing.next_continuation_token)
}

/// A name that was encoded as in a form, where `+` is a blank.
fn decoded(name: &str) -> Result<String, Unreadable> {
    let name = name.replace('+', " ");
    Ok(percent_decode_str(&name).decode_utf8().map_err(unreadable)?.into_owned())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use object_store::StaticCredentialProvider;
    use object_store::aws::AwsCredential;
    use object_store::client::HttpRequestBody;

    use super::super::page::Item;
    use super::*;

    #[test]
    fn a_bucket_is_in_the_host_or_in_the_path() {
        let base = |bucket, endpoint, is| super::base(bucket, "eu-west-1", endpoint, is).unwrap();
        assert_eq!(base("b", None, false), "https://b.s3.eu-west-1.amazonaws.com");
        assert_eq!(base("a.b", None, false), "https://s3.eu-west-1.amazonaws.com/a.b");
        assert_eq!(base("b", Some("http://h:1/"), false), "http://h:1/b");
        assert_eq!(base("b", Some("h"), false), "https://h/b");
        assert_eq!(base("b", Some("https://h"), true), "https://b.h");
        assert_eq!(base("b#?", Some("https://h"), false), "https://h/b%23%3F");
        assert_eq!(base("b#", None, false), "https://s3.eu-west-1.amazonaws.com/b%23");
        assert!(super::base("b#", "", Some("https://h"), true).is_err());
    }

    #[test]
    fn a_page_has_objects_and_prefixes_in_order() {
        let body = br#"<?xml version="1.0"?><ListBucketResult>
            <EncodingType>url</EncodingType><IsTruncated>true</IsTruncated>
            <NextContinuationToken>t</NextContinuationToken>
            <Contents><Key>a+b%0A%2B</Key><Size>3</Size><ETag>&quot;x-2&quot;</ETag>
              <LastModified>2015-05-19T01:46:40Z</LastModified></Contents>
            <Contents><Key>z</Key><Size>0</Size></Contents>
            <CommonPrefixes><Prefix>d/</Prefix></CommonPrefixes></ListBucketResult>"#;
        let page = page(body).map_err(|why| why.to_string()).unwrap();
        let meta = Meta {
            size: 3,
            modified: Some((1_432_000_000, 0)),
            etag: Some("x-2".into()),
            generation: None,
            is_settled: false,
        };
        assert_eq!(page.items[0], Item::Object("a b\n+".into(), meta));
        assert_eq!(page.items[1], Item::Prefix("d/".into()));
        assert_eq!(page.items[2], Item::Object("z".into(), Meta::default()));
        assert_eq!(page.next.as_deref(), Some("t"));
    }

    #[test]
    fn a_page_says_whether_it_is_the_last_and_no_other_document_is_a_page() {
        let why = |body: &str| page(body.as_bytes()).map(|page| page.next).unwrap_err().to_string();
        let listing = |inner| format!("<ListBucketResult>{inner}</ListBucketResult>");
        assert!(page(listing("<IsTruncated>false</IsTruncated>").as_bytes()).is_ok());
        let cut = why(&listing("<IsTruncated>true</IsTruncated>"));
        assert!(cut.contains("NextContinuationToken"), "{cut}");
        for (body, root) in [
            ("<!DOCTYPE html><html><body>Log in</body></html>", "html"),
            ("<?xml version='1.0'?><Error><Code>InternalError</Code></Error>", "Error"),
        ] {
            assert!(why(body).contains(root), "{}", why(body));
        }
        why("");
        why("<ListBucketResult><Contents><Key>a</Key><Size>1</Size></Contents>");
    }

    #[test]
    fn credentials_that_no_header_can_have_are_an_error() {
        let signed = |key_id: &str, secret_key: &str, token: &str| {
            let credential = AwsCredential {
                key_id: key_id.into(),
                secret_key: secret_key.into(),
                token: Some(token.into()),
            };
            let provider: AwsCredentialProvider =
                Arc::new(StaticCredentialProvider::new(credential));
            let mut request = HttpRequest::new(HttpRequestBody::empty());
            *request.uri_mut() = "http://h/b".parse().unwrap();
            let runtime = crate::Stores::default();
            let handle = runtime.handle().unwrap();
            handle.block_on(sign(&mut request, "here", &provider)).map_err(|why| why.to_string())
        };
        assert_eq!(signed("id", "secret", "token"), Ok(()));
        for (id, secret, token) in
            [("secret\n", "x", "x"), ("x", "secret\0", "x"), ("x", "x", "secret\u{e9}")]
        {
            let why = signed(id, secret, token).unwrap_err();
            assert!(why.contains("character") && !why.contains("secret"), "{why}");
        }
    }
}
