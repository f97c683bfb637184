//! Asks stores what they know about objects.

use std::io;

use futures_util::stream::{self, StreamExt};

use crate::store::Store;
use crate::stored::{FIRST_PART, Known};
use crate::{Location, Scheme, Stores};

/// Objects that are asked for side by side. The limit of requests is that of the options.
const SIDE_BY_SIDE: usize = 256;

impl Stores {
    /// What stores know about objects without a download, in the order of the locations. With
    /// `with_parts`, stores are also asked for unknown sizes of parts.
    pub fn known(&self, locations: &[Location], with_parts: bool) -> Vec<io::Result<Known>> {
        let each = |location: &Location| {
            let (store, scheme, key) = (self.open(location), location.scheme, location.key.clone());
            async move { known(&*store?, scheme, &key, with_parts).await }
        };
        let all = stream::iter(locations).map(each).buffered(SIDE_BY_SIDE).collect::<Vec<_>>();
        match self.handle() {
            Ok(handle) => handle.block_on(all),
            Err(error) => vec![Err(error)],
        }
    }
}

async fn known(store: &Store, scheme: Scheme, key: &str, with_parts: bool) -> io::Result<Known> {
    let headers = store.head(key, None).await?;
    let length = headers.get("content-length").and_then(|length| length.to_str().ok());
    let size = length.and_then(|length| length.parse().ok());
    let mut known = Known::from_headers(scheme, size, &headers);
    // Without an answer, the usual sizes are tried.
    if with_parts
        && known.needs_part()
        && let Ok(headers) = store.head(key, Some(FIRST_PART)).await
    {
        known.set_first_part(&headers);
    }
    Ok(known)
}
