//! The bytes of a body as they arrive, and connections that break.

use std::error::Error as _;
use std::io;
use std::time::{Duration, Instant};

use bytes::Bytes;
use reqwest::Response;

/// The bytes that have to arrive within the time in which a request fails otherwise: a body that
/// comes byte by byte would take for ever.
pub(super) const LEAST: usize = 32 << 10;

/// A body whose bytes come fast enough. The time in which nobody waits for them does not count.
pub(crate) struct Flow {
    timeout: Duration,
    /// Of this period.
    left: Duration,
    bytes: usize,
}

impl Flow {
    pub(crate) fn new(timeout: Duration) -> Self {
        Self { timeout, left: timeout, bytes: 0 }
    }

    /// The next bytes. `None` at the end.
    ///
    /// # Errors
    /// If the connection fails, or the bytes come too slowly.
    pub(crate) async fn next(&mut self, response: &mut Response) -> io::Result<Option<Bytes>> {
        let begin = Instant::now();
        let Ok(next) = tokio::time::timeout(self.left, response.chunk()).await else {
            let (bytes, seconds) = (self.bytes, self.timeout.as_secs_f32());
            let why = format!("the store is too slow: {bytes} bytes in {seconds} seconds");
            return Err(io::Error::new(io::ErrorKind::TimedOut, why));
        };
        let next = next.map_err(broken)?;
        self.left = self.left.saturating_sub(begin.elapsed());
        self.bytes += next.as_ref().map_or(0, Bytes::len);
        if self.bytes >= LEAST {
            *self = Self::new(self.timeout);
        }
        Ok(next)
    }
}

/// The error of a connection, with its causes and without the address, whose query may have a
/// signature. A certificate that is not trusted gives an error that no attempt follows.
pub(super) fn broken(error: reqwest::Error) -> io::Error {
    let error = error.without_url();
    if error.is_timeout() {
        return io::Error::new(io::ErrorKind::TimedOut, "the store did not answer in time");
    }
    let mut why = String::new();
    let mut is_final = false;
    let mut cause: Option<&(dyn std::error::Error + 'static)> = error.source();
    while let Some(inner) = cause {
        why = inner.to_string();
        is_final |= inner.downcast_ref::<rustls::Error>().is_some();
        // An error of TLS is the content of an error of the system.
        let wrapped = inner.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        is_final |= wrapped.is_some_and(|wrapped| wrapped.is::<rustls::Error>());
        cause = inner.source();
    }
    let why = if why.is_empty() { error.to_string() } else { why };
    let kind = if is_final { io::ErrorKind::InvalidData } else { io::ErrorKind::ConnectionAborted };
    io::Error::new(kind, format!("the connection failed: {why}"))
}
