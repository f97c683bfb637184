//! The endpoint: bodies in, digests out.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Context;
use clap::ValueEnum;
use hashlanes::{HashServer, Hasher, Md5, ServerHasher, Sha256};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ETAG, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustix::time::{ClockId, clock_gettime};
use tokio::net::TcpListener;

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum Hashing {
    /// One `HashServer` for each algorithm.
    Server,
    /// A plain hasher for each body.
    Plain,
    /// Bodies are not hashed: what HTTP alone costs.
    None,
}

/// What all connections share.
struct Endpoint {
    hashing: Hashing,
    md5: HashServer<Md5>,
    sha256: HashServer<Sha256>,
}

/// The hashers of one body.
enum Hashers {
    Server(ServerHasher<Md5>, ServerHasher<Sha256>),
    Plain(Box<(Hasher<Md5>, Hasher<Sha256>)>),
    None,
}

impl Endpoint {
    fn hashers(&self) -> Hashers {
        match self.hashing {
            Hashing::Server => Hashers::Server(self.md5.hasher(), self.sha256.hasher()),
            Hashing::Plain => Hashers::Plain(Box::default()),
            Hashing::None => Hashers::None,
        }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Full<Bytes>> {
        match *request.method() {
            Method::PUT => match self.put(request.into_body()).await {
                Ok(response) => response,
                // The client went away in the middle of its body. Its hashers are dropped, and that is all.
                Err(error) => status(StatusCode::BAD_REQUEST, format!("the body ended early: {error}\n")),
            },
            Method::GET => Response::new(Full::from(self.report())),
            _ => status(StatusCode::METHOD_NOT_ALLOWED, "PUT a body, or GET what has been done\n".to_owned()),
        }
    }

    /// Hashes a body piece by piece as it comes in.
    async fn put(&self, mut body: Incoming) -> hyper::Result<Response<Full<Bytes>>> {
        let mut hashers = self.hashers();
        while let Some(frame) = body.frame().await {
            let Ok(piece) = frame?.into_data() else { continue };
            match &mut hashers {
                Hashers::Server(md5, sha256) => {
                    md5.update_async(&piece).await;
                    sha256.update_async(&piece).await;
                }
                Hashers::Plain(plain) => {
                    let (md5, sha256) = &mut **plain;
                    md5.update(&piece);
                    sha256.update(&piece);
                }
                Hashers::None => {}
            }
        }
        let (md5, sha256) = match hashers {
            Hashers::Server(md5, sha256) => (md5.finalize_async().await, sha256.finalize_async().await),
            Hashers::Plain(plain) => (plain.0.finalize(), plain.1.finalize()),
            Hashers::None => return Ok(Response::new(Full::default())),
        };
        let mut response = Response::new(Full::from(format!("{}\n", hex(&sha256))));
        let etag = HeaderValue::from_str(&format!("\"{}\"", hex(&md5))).expect("hexadecimal is a header value");
        response.headers_mut().insert(ETAG, etag);
        Ok(response)
    }

    /// This process's CPU time, and what the servers have done.
    fn report(&self) -> String {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
        format!("cpu_seconds {seconds:.6}\nmd5 {:?}\nsha256 {:?}\n", self.md5.stats(), self.sha256.stats())
    }
}

fn status(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        write!(text, "{byte:02x}").expect("a string takes everything");
        text
    })
}

pub(crate) fn serve(listen: &str, hashing: Hashing, threads: usize) -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_io().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(listen).await.with_context(|| format!("cannot listen at {listen}"))?;
        println!("listening at http://{}", listener.local_addr()?);
        let endpoint = Arc::new(Endpoint { hashing, md5: HashServer::new(), sha256: HashServer::new() });
        loop {
            let (stream, _) = listener.accept().await?;
            let endpoint = Arc::clone(&endpoint);
            tokio::spawn(async move {
                let service = service_fn(|request| async { Ok::<_, Infallible>(endpoint.answer(request).await) });
                let connection =
                    hyper::server::conn::http1::Builder::new().serve_connection(TokioIo::new(stream), service);
                if let Err(error) = connection.await {
                    eprintln!("upload: connection: {error}");
                }
            });
        }
    })
}
