//! A layer of tower that digests the bodies of requests.

use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http::Request;
use http_body::Body;
use tower_layer::Layer;
use tower_service::Service;

use crate::{Checksum, DigestBody, Digester};

/// Digests the body of each request, verifies what its headers announce, and puts
/// [`Digests`](crate::Digests) into its extensions.
#[derive(Clone, Debug)]
pub struct DigestLayer {
    digester: Digester,
    checksums: Arc<[Checksum]>,
}

impl DigestLayer {
    /// Computes these checksums of each body, and those that its headers announce, with the
    /// digester of the process.
    pub fn new(checksums: impl IntoIterator<Item = Checksum>) -> Self {
        Self::with_digester(Digester::global().clone(), checksums)
    }

    /// Like [`new`](DigestLayer::new), with another digester.
    pub fn with_digester(
        digester: Digester,
        checksums: impl IntoIterator<Item = Checksum>,
    ) -> Self {
        Self { digester, checksums: checksums.into_iter().collect() }
    }
}

impl<S> Layer<S> for DigestLayer {
    type Service = DigestService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        DigestService { inner, layer: self.clone() }
    }
}

/// The service with which [`DigestLayer`] wraps another.
#[derive(Clone, Debug)]
pub struct DigestService<S> {
    inner: S,
    layer: DigestLayer,
}

impl<S, B> Service<Request<B>> for DigestService<S>
where
    S: Service<Request<DigestBody<B>>>,
    B: Body<Data = Bytes>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request<B>) -> Self::Future {
        let (mut parts, body) = request.into_parts();
        let DigestLayer { digester, checksums } = &self.layer;
        let (body, digests) = digester.digest(body, checksums, &parts.headers);
        parts.extensions.insert(digests);
        self.inner.call(Request::from_parts(parts, body))
    }
}
