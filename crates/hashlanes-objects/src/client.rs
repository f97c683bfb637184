//! The HTTP client: TLS, proxies, and which hosts may see credentials.

use std::fs;
use std::io;
use std::time::Duration;

use async_trait::async_trait;
use http_body_util::BodyExt;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpResponse,
    HttpResponseBody, HttpService,
};
use reqwest::redirect::Policy;
use reqwest::{Certificate, Client};

use crate::Options;

/// A client for a store.
///
/// It follows no redirect, so no other host gets credentials. Proxies are those of the environment.
pub(crate) fn client(options: &Options, connect: Duration) -> io::Result<Client> {
    // An error means that the process has a provider already.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = Client::builder()
        .redirect(Policy::none())
        .connect_timeout(connect.min(options.timeout))
        .read_timeout(options.timeout)
        .pool_max_idle_per_host(options.requests)
        .user_agent(concat!("hashlanes/", env!("CARGO_PKG_VERSION")));
    if let Some(path) = options.certificates() {
        let of = |why: &dyn std::fmt::Display| {
            io::Error::new(io::ErrorKind::InvalidInput, format!("{}: {why}", path.display()))
        };
        let pem = fs::read(&path).map_err(|error| of(&error))?;
        let certificates = Certificate::from_pem_bundle(&pem).map_err(|error| of(&error))?;
        builder = builder.tls_certs_merge(certificates);
    }
    builder.build().map_err(io::Error::other)
}

/// Gives our client to `object_store`, which asks for credentials with it.
#[derive(Clone, Debug)]
pub(crate) struct Connector(pub(crate) Client);

impl HttpConnector for Connector {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        Ok(HttpClient::new(self.clone()))
    }
}

#[async_trait]
impl HttpService for Connector {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let of = |error: reqwest::Error| HttpError::new(kind(&error), error.without_url());
        let (parts, body) = request.into_parts();
        let body = body.as_bytes().cloned().unwrap_or_default();
        let request = self.0.request(parts.method, parts.uri.to_string());
        let sent = request.headers(parts.headers).body(body).send();
        let response: http::Response<reqwest::Body> = sent.await.map_err(of)?.into();
        let (parts, body) = response.into_parts();
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body.map_err(of))))
    }
}

fn kind(error: &reqwest::Error) -> HttpErrorKind {
    match () {
        () if error.is_timeout() => HttpErrorKind::Timeout,
        () if error.is_connect() => HttpErrorKind::Connect,
        () => HttpErrorKind::Request,
    }
}
