//! Asks S3 for the size of an object's first part.

use std::time::Duration;

use object_store::aws::AmazonS3;
use object_store::client::{HttpClient, HttpRequest, HttpRequestBody};
use object_store::path::Path;
use object_store::signer::{Method, SignedUrlOptions, Signer};

/// How long the request's signature is valid.
const VALID: Duration = Duration::from_secs(300);

/// The first part of an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FirstPart {
    /// Its length in bytes.
    pub bytes: u64,
    /// The number of parts of the object.
    pub parts: u64,
}

/// The first part of an object. `None` if the store does not tell, or the object was uploaded as
/// a whole: the part size must be guessed then.
///
/// `object_store` has no such request, so the URL is signed by it, and sent through `client`.
pub async fn first_part(
    store: &AmazonS3,
    client: &HttpClient,
    path: &Path,
    version: Option<&str>,
) -> Option<FirstPart> {
    let query = [("partNumber", Some("1")), ("versionId", version)];
    let query = query.into_iter().filter_map(|(name, value)| Some((name, value?)));
    let options = SignedUrlOptions::default().with_query(query);
    let url = store.signed_url_opts(Method::HEAD, path, VALID, &options).await.ok()?;
    let mut request = HttpRequest::new(HttpRequestBody::empty());
    *request.method_mut() = Method::HEAD;
    *request.uri_mut() = url.as_str().parse().ok()?;
    let response = client.execute(request).await.ok()?;
    let number = |name: &str| response.headers().get(name)?.to_str().ok()?.parse::<u64>().ok();
    let (bytes, parts) = (number("content-length")?, number("x-amz-mp-parts-count")?);
    let told = response.status().is_success() && bytes > 0;
    told.then_some(FirstPart { bytes, parts })
}
