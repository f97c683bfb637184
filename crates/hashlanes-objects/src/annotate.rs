//! Writes digests back to stores.

use std::io;
use std::sync::mpsc::{Receiver, channel};

use hashlanes_files::{Digest, Function};

use crate::error::lost;
use crate::stored::metadata_key;
use crate::{Location, Stores};

/// A change of metadata in progress.
pub struct Annotation(Receiver<io::Result<()>>);

impl Annotation {
    /// Waits until it is done.
    ///
    /// # Errors
    /// If the object was changed in the meantime, or the store refuses.
    pub fn wait(self) -> io::Result<()> {
        self.0.recv().map_err(lost).flatten()
    }
}

impl Stores {
    /// Begins to write digests into the metadata of an object, if it still has this ETag.
    ///
    /// # Errors
    /// If the settings of the store are invalid.
    pub fn annotate<'d>(
        &self,
        location: &Location,
        etag: &str,
        digests: impl Iterator<Item = (Function, &'d Digest)>,
    ) -> io::Result<Annotation> {
        let (store, key, etag) = (self.open(location)?, location.key.clone(), etag.to_owned());
        let metadata = digests.map(|(of, digest)| (metadata_key(of), digest.to_string()));
        let metadata: Vec<_> = metadata.collect();
        let (to, end) = channel();
        self.handle()?.spawn(async move {
            // Nobody may wait any more.
            let _ = to.send(store.annotate(&key, &etag, &metadata).await);
        });
        Ok(Annotation(end))
    }
}
