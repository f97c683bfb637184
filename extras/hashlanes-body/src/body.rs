//! A body whose digests are computed while it passes.
//!
//! ```text
//!            a frame of the inner body            all hashers have it
//!  Reading ------------------------------> Hashing ------------------> Reading
//!                                             |    the frame passes on
//!                                             | it was the last one: digests, comparisons
//!                                             v
//!                                          Digested ------------------> Ended
//!                                                   trailers or the end
//! ```
//!
//! If the body's length is known, its last frame passes only after the digests have been compared,
//! so nobody receives all of a wrong body.

use std::error::Error;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http::HeaderMap;
use http_body::{Body, Frame, SizeHint};
use pin_project_lite::pin_project;

use crate::expected::{Expected, WrongDigest, check_trailers};
use crate::hasher::{self, BoxFuture, Hasher, Values};
use crate::pools::Pools;
use crate::{Checksum, Digests};

/// An error of the inner body, or a [`WrongDigest`].
pub type BoxError = Box<dyn Error + Send + Sync>;

pin_project! {
    /// A body that computes digests of its data. [`Digester::digest`](crate::Digester::digest)
    /// makes it.
    ///
    /// It passes on the frames as they are, and takes the next one only when all hashers have the
    /// previous one. Dropping it at any time abandons the message.
    pub struct DigestBody<B> {
        #[pin]
        inner: B,
        state: State,
        checksums: Vec<Checksum>,
        results: Results,
        pools: Arc<Pools>,
    }
}

enum State {
    /// The hashers, which are made for the first frame: many requests have none.
    Reading(Option<Vec<Hasher>>),
    /// The hashers get a frame, or none at the end of the body. It passes on when they are done.
    Hashing {
        work: Work,
        frame: Option<Frame<Bytes>>,
    },
    /// All data have passed, and are digested.
    Digested,
    Ended,
}

/// A future, in a `Mutex` that is never locked and only makes the body `Sync`.
type Work = Mutex<BoxFuture<'static, Result<Vec<Hasher>, Values>>>;

/// A frame or the end of a body.
type Next = Result<Option<Frame<Bytes>>, BoxError>;

impl<B: Body<Data = Bytes>> DigestBody<B> {
    pub(crate) fn new(
        inner: B,
        checksums: Vec<Checksum>,
        expected: Vec<Expected>,
        hinted: bool,
        pools: Arc<Pools>,
    ) -> (Self, Digests) {
        let digests = Digests::default();
        let results = Results { expected, hinted, digests: digests.clone() };
        (Self { inner, state: State::Reading(None), checksums, results, pools }, digests)
    }

    /// Reads frames until one has passed all hashers.
    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Next>
    where
        B::Error: Into<BoxError>,
    {
        let mut this = self.project();
        loop {
            match this.state {
                State::Ended => return Poll::Ready(Ok(None)),
                State::Hashing { .. } => {
                    return this.state.poll_hashed(context, this.results, &*this.inner);
                }
                State::Reading(_) | State::Digested => {}
            }
            let next = ready!(this.inner.as_mut().poll_frame(context)).transpose();
            let frame = next.map_err(Into::into)?;
            let State::Reading(hashers) = this.state else {
                return Poll::Ready(this.results.follow(frame));
            };
            let hashers = hashers.take().unwrap_or_else(|| this.pools.hashers(this.checksums));
            *this.state = State::hashing(hashers, frame, ends(&*this.inner), this.pools);
        }
    }
}

impl<B> Body for DigestBody<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Data = Bytes;
    type Error = BoxError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, BoxError>>> {
        let next = ready!(self.as_mut().poll_next(context));
        if next.is_err() {
            self.results.digests.show(false);
        }
        if !matches!(&next, Ok(Some(frame)) if frame.is_data()) {
            *self.project().state = State::Ended;
        }
        Poll::Ready(next.transpose())
    }

    fn is_end_stream(&self) -> bool {
        match self.state {
            State::Ended => true,
            // Whoever stops here would not see that a trailer is missing, nor the digests.
            State::Digested => self.inner.is_end_stream() && self.results.digests.are_shown(),
            // At the end of the inner body the digests are still to be compared.
            _ => false,
        }
    }

    fn size_hint(&self) -> SizeHint {
        let State::Hashing { frame: Some(frame), .. } = &self.state else {
            return self.inner.size_hint();
        };
        let held = frame.data_ref().map_or(0, Bytes::len) as u64;
        let (inner, mut hint) = (self.inner.size_hint(), SizeHint::new());
        if let Some(upper) = inner.upper() {
            hint.set_upper(upper + held);
        }
        hint.set_lower(inner.lower() + held);
        hint
    }
}

/// Whether a body has no more data.
fn ends(body: &impl Body) -> bool {
    body.is_end_stream() || body.size_hint().exact() == Some(0)
}

impl State {
    /// Gives the hashers a frame. What is no data comes after all of them.
    fn hashing(
        hashers: Vec<Hasher>,
        frame: Option<Frame<Bytes>>,
        ends: bool,
        pools: &Arc<Pools>,
    ) -> Self {
        let data = frame.as_ref().and_then(Frame::data_ref);
        let (last, data) = (ends || data.is_none(), data.cloned().unwrap_or_default());
        let work = append(hashers, data, last, Arc::clone(pools));
        Self::Hashing { work: Mutex::new(Box::pin(work)), frame }
    }

    /// The frame, when the hashers have it.
    fn poll_hashed(
        &mut self,
        context: &mut Context<'_>,
        results: &Results,
        inner: &impl Body,
    ) -> Poll<Next> {
        let Self::Hashing { work, frame } = self else { unreachable!("the caller has checked") };
        let work = work.get_mut().unwrap_or_else(PoisonError::into_inner);
        let done = ready!(work.as_mut().poll(context));
        let frame = frame.take();
        match done {
            Ok(hashers) => *self = Self::Reading(Some(hashers)),
            Err(values) => {
                *self = Self::Digested;
                results.digested(values, inner.is_end_stream())?;
            }
        }
        match frame {
            Some(frame) if frame.is_data() => Poll::Ready(Ok(Some(frame))),
            frame => Poll::Ready(results.follow(frame)),
        }
    }
}

/// Appends a frame to all hashers. If it is the `last` one, returns their digests instead, and
/// gives the hashers back to the pools.
///
/// The future owns everything it needs, so it can be dropped at any time: half-way through a
/// message the hashers are dropped with it.
async fn append(
    mut hashers: Vec<Hasher>,
    frame: Bytes,
    last: bool,
    pools: Arc<Pools>,
) -> Result<Vec<Hasher>, Values> {
    if !frame.is_empty() {
        hasher::join(hashers.iter_mut().filter_map(|hasher| hasher.update(&frame)).collect()).await;
    }
    if !last {
        return Ok(hashers);
    }
    let mut values: Vec<_> = hashers.iter().map(|_| None).collect();
    let pairs = hashers.iter_mut().zip(&mut values);
    hasher::join(pairs.map(|(hasher, value)| hasher.finalize_into(value)).collect()).await;
    pools.put_back(hashers);
    Err(values.into_iter().flatten().collect())
}

/// What is expected and what was computed.
struct Results {
    expected: Vec<Expected>,
    /// Trailers may come that need not.
    hinted: bool,
    digests: Digests,
}

impl Results {
    /// Compares with the values in headers. The digests are shown unless trailers are to come, or
    /// may come if the body has not `ended`.
    fn digested(&self, values: Values, ended: bool) -> Result<(), WrongDigest> {
        self.expected.iter().try_for_each(|expected| expected.check(&values))?;
        self.digests.set(values);
        let announced = self.expected.iter().any(Expected::in_trailer);
        self.digests.show(!announced && (ended || !self.hinted));
        Ok(())
    }

    /// What follows the data, which are digested: trailers, or the end.
    fn follow(&self, frame: Option<Frame<Bytes>>) -> Next {
        if let Some(data) = frame.as_ref().and_then(Frame::data_ref) {
            return if data.is_empty() { Ok(frame) } else { Err(LONGER.into()) };
        }
        let none = HeaderMap::new();
        let trailers = frame.as_ref().and_then(Frame::trailers_ref).unwrap_or(&none);
        let computed = self.digests.computed().unwrap_or_default();
        check_trailers(&self.expected, computed, trailers)?;
        self.digests.show(true);
        Ok(frame)
    }
}

/// Why a body is refused whose length is wrong.
const LONGER: &str = "the body is longer than it said";
