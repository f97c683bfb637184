//! Lets callers of `object_store` see the headers of responses.

use async_trait::async_trait;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpRequest, HttpResponse, HttpService,
};
use object_store::{ClientOptions, GetResult, HeaderMap};

/// Connects as another connector does, and keeps the headers of each response for [`headers`].
///
/// `object_store` signs default headers where it knows them. Its client would also add them to
/// requests that were signed without them, which Amazon refuses; so the client gets none.
#[derive(Debug, Default)]
pub struct KeepHeaders<C>(pub C);

impl<C: HttpConnector> HttpConnector for KeepHeaders<C> {
    fn connect(&self, options: &ClientOptions) -> object_store::Result<HttpClient> {
        let plain = options.clone().with_default_headers(HeaderMap::new());
        Ok(HttpClient::new(Service(self.0.connect(&plain)?)))
    }
}

#[derive(Debug)]
struct Service(HttpClient);

#[derive(Clone)]
struct Kept(HeaderMap);

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let mut response = self.0.execute(request).await?;
        let kept = Kept(response.headers().clone());
        response.extensions_mut().insert(kept);
        Ok(response)
    }
}

/// The headers of the response that gave this result. `None` if the store does not use HTTP, or
/// was not built with [`KeepHeaders`].
pub fn headers(result: &GetResult) -> Option<&HeaderMap> {
    result.extensions.get::<Kept>().map(|kept| &kept.0)
}
