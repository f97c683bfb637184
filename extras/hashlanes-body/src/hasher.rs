//! The hashers of one body.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;

use hashlanes::server::ServerHasher;

use crate::Checksum;

pub(crate) enum Hasher {
    /// Shares lanes with other bodies.
    Shared(ServerHasher),
    /// Shares nothing.
    Alone(Box<hashlanes::Hasher>),
    Crc(Checksum, Box<crc_fast::Digest>, usize),
}

pub(crate) type BoxFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

pub(crate) type Value = (Checksum, Vec<u8>);

/// The values of all hashers of a body.
pub(crate) type Values = Vec<Value>;

/// Polls all futures, so that each hasher finds those of other bodies in the same turn of the
/// event loop.
pub(crate) async fn join(mut futures: Vec<BoxFuture<'_, ()>>) {
    poll_fn(|context| {
        futures.retain_mut(|future| future.as_mut().poll(context).is_pending());
        if futures.is_empty() { Poll::Ready(()) } else { Poll::Pending }
    })
    .await;
}

impl Hasher {
    /// Appends bytes at once, or returns the future that does.
    pub(crate) fn update<'a>(&'a mut self, bytes: &'a [u8]) -> Option<BoxFuture<'a, ()>> {
        match self {
            Self::Shared(hasher) => {
                return Some(Box::pin(async move {
                    hasher.update_async(bytes).await;
                }));
            }
            Self::Alone(hasher) => {
                hasher.update(bytes);
            }
            Self::Crc(_, crc, _) => crc.update(bytes),
        }
        None
    }

    /// Stores the digest. The hasher can be used again.
    pub(crate) fn finalize_into<'a>(
        &'a mut self,
        value: &'a mut Option<Value>,
    ) -> BoxFuture<'a, ()> {
        Box::pin(async move { *value = Some(self.finalize().await) })
    }

    async fn finalize(&mut self) -> Value {
        match self {
            Self::Shared(hasher) => {
                let digest = hasher.finalize_reset_async().await;
                (hasher.algorithm().into(), digest.as_bytes().to_vec())
            }
            Self::Alone(hasher) => {
                (hasher.algorithm().into(), hasher.finalize_reset().as_bytes().to_vec())
            }
            Self::Crc(checksum, crc, length) => {
                let value = crc.finalize_reset().to_be_bytes();
                (*checksum, value[value.len() - *length..].to_vec())
            }
        }
    }
}
