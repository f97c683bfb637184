//! The endpoint: receives bodies and answers with their digests.
//!
//! Each connection has a task of the executor. The task hashes the bytes as they arrive, on the
//! executor's own threads: handing 64 KiB to another thread takes longer than hashing them in
//! lanes. `update_async` copies short pieces. It hashes at most one round at a time, with a portion
//! of 64 KiB of each upload, and lets other tasks run between rounds.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use hashlanes::server::{HashServer, ServerHasher};
use hashlanes::{Hasher, Md5, Sha256};
use http_body_util::{BodyExt, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{ETAG, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use rustix::time::{ClockId, clock_gettime};
use tokio::net::{TcpListener, TcpStream};

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum Hashing {
    /// Use one `HashServer` per algorithm
    Server,
    /// Use two plain hashers per body, which share nothing
    Plain,
    /// Do not hash bodies, to show the cost of HTTP itself
    None,
}

/// The state that all connections share.
struct Endpoint {
    hashing: Hashing,
    md5: HashServer<Md5>,
    sha256: HashServer<Sha256>,
    /// Number of complete bodies.
    uploads: AtomicU64,
    /// Bytes of all bodies.
    bytes: AtomicU64,
}

/// The hashers of one connection, which it uses for one body after another.
///
/// They live as long as the connection, not only while a body arrives. This tells a server that
/// there may be others to share lanes with, even if each body is so short that it is hashed as soon
/// as its task runs.
enum Hashers {
    Server(ServerHasher<Md5>, ServerHasher<Sha256>),
    Plain(Box<(Hasher<Md5>, Hasher<Sha256>)>),
    None,
}

impl Endpoint {
    fn new(hashing: Hashing) -> Self {
        Self {
            hashing,
            md5: HashServer::new(),
            sha256: HashServer::new(),
            uploads: AtomicU64::new(0),
            bytes: AtomicU64::new(0),
        }
    }

    fn hashers(&self) -> Hashers {
        match self.hashing {
            Hashing::Server => Hashers::Server(self.md5.hasher(), self.sha256.hasher()),
            Hashing::Plain => Hashers::Plain(Box::default()),
            Hashing::None => Hashers::None,
        }
    }

    async fn answer(
        &self,
        hashers: &Mutex<Option<Hashers>>,
        request: Request<Incoming>,
    ) -> Response<Full<Bytes>> {
        match *request.method() {
            Method::PUT => {
                // HTTP/1 has one request at a time. A concurrent one would get its own hashers.
                let mut ours = lock(hashers).take().unwrap_or_else(|| self.hashers());
                match self.put(&mut ours, request.into_body()).await {
                    Ok(response) => {
                        *lock(hashers) = Some(ours);
                        response
                    }
                    // The client disconnected in the middle of its body. Dropping its hashers is
                    // enough.
                    Err(error) => {
                        status(StatusCode::BAD_REQUEST, format!("the body ended early: {error}\n"))
                    }
                }
            }
            Method::GET => Response::new(Full::from(self.report())),
            _ => status(
                StatusCode::METHOD_NOT_ALLOWED,
                "PUT a body, or GET the statistics\n".to_owned(),
            ),
        }
    }

    /// Hashes a body as it arrives.
    async fn put(
        &self,
        hashers: &mut Hashers,
        mut body: Incoming,
    ) -> hyper::Result<Response<Full<Bytes>>> {
        while let Some(frame) = body.frame().await {
            // Trailers are not part of the stored object.
            let Ok(piece) = frame?.into_data() else { continue };
            match hashers {
                // Both at the same time, so that neither waits for the other.
                Hashers::Server(md5, sha256) => {
                    tokio::join!(md5.update_async(&piece), sha256.update_async(&piece));
                }
                Hashers::Plain(plain) => {
                    plain.0.update(&piece);
                    plain.1.update(&piece);
                }
                Hashers::None => {}
            }
            self.bytes.fetch_add(piece.len() as u64, Ordering::Relaxed);
        }
        let digests = match hashers {
            Hashers::Server(md5, sha256) => {
                Some(tokio::join!(md5.finalize_reset_async(), sha256.finalize_reset_async()))
            }
            Hashers::Plain(plain) => {
                let (md5, sha256) = std::mem::take(&mut **plain);
                Some((md5.finalize(), sha256.finalize()))
            }
            Hashers::None => None,
        };
        self.uploads.fetch_add(1, Ordering::Relaxed);
        let Some((md5, sha256)) = digests else { return Ok(Response::default()) };
        let hex = base16ct::lower::encode_string;
        let mut response = Response::new(Full::from(format!("{}\n", hex(&sha256))));
        let etag = HeaderValue::from_str(&format!("\"{}\"", hex(&md5)))
            .expect("hexadecimal is a header value");
        response.headers_mut().insert(ETAG, etag);
        Ok(response)
    }

    /// The CPU time and statistics of this process, one per line.
    fn report(&self) -> String {
        let time = clock_gettime(ClockId::ProcessCPUTime);
        let seconds = time.tv_sec as f64 + time.tv_nsec as f64 / 1e9;
        let (uploads, bytes) =
            (self.uploads.load(Ordering::Relaxed), self.bytes.load(Ordering::Relaxed));
        let (md5, sha256) = (self.md5.stats(), self.sha256.stats());
        format!(
            "cpu_seconds {seconds:.6}\nuploads {uploads}\nbytes {bytes}\n\
             md5 {md5:?}\nsha256 {sha256:?}\n"
        )
    }

    async fn serve(self: Arc<Self>, stream: TcpStream) {
        let hashers = Mutex::new(None);
        let service = service_fn(|request| async {
            Ok::<_, Infallible>(self.answer(&hashers, request).await)
        });
        let connection = hyper::server::conn::http1::Builder::new()
            .serve_connection(TokioIo::new(stream), service);
        if let Err(error) = connection.await
            && !error.is_incomplete_message()
        {
            eprintln!("upload: connection: {error}");
        }
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn status(status: StatusCode, text: String) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::from(text));
    *response.status_mut() = status;
    response
}

pub(crate) fn serve(listen: SocketAddr, hashing: Hashing, threads: usize) -> anyhow::Result<()> {
    let runtime =
        tokio::runtime::Builder::new_multi_thread().worker_threads(threads).enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(listen)
            .await
            .with_context(|| format!("cannot listen at {listen}"))?;
        println!("listening at http://{}", listener.local_addr()?);
        let endpoint = Arc::new(Endpoint::new(hashing));
        loop {
            match listener.accept().await {
                Ok((stream, _)) => {
                    tokio::spawn(Arc::clone(&endpoint).serve(stream));
                }
                // Either the client has disconnected already, or no file descriptor is free until a
                // connection ends.
                Err(error) => {
                    eprintln!("upload: {error}");
                    tokio::time::sleep(Duration::from_millis(50)).await;
                }
            }
        }
    })
}
