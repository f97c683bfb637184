//! The stores of a run.

use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

use hashlanes_files::source::{self, Note};
use hashlanes_files::walk::Walk;
use hashlanes_files::{Source, Stream};
use hashlanes_pool::lock;
use reqwest::header::HeaderMap;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::below::Below;
use crate::pace::Pace;
use crate::store::Store;
use crate::{Listing, Location, Object, Options, Scheme};

/// Opens stores, each once. All share the limit of requests, and threads that wait for them.
pub struct Stores {
    options: Options,
    pace: Arc<Pace>,
    opened: Mutex<HashMap<(Scheme, String), Arc<Store>>>,
    /// Bytes that objects may take which have been started.
    memory: Arc<AtomicU64>,
    /// Started when it is needed.
    runtime: Mutex<Option<Runtime>>,
}

/// Bytes that objects may take that were started and are not hashed.
const MEMORY: u64 = 256 << 20;

/// Threads that receive and decrypt. They wait most of the time.
const THREADS: usize = 2;

impl Stores {
    /// Creates stores that use these settings.
    pub fn new(options: Options) -> Self {
        let pace = Arc::new(Pace::new(&options));
        let (opened, memory, runtime) = Default::default();
        Self { options, pace, opened, memory, runtime }
    }

    /// The objects whose names begin with that of the location, up to a `/` or their end, in the
    /// order of their names.
    ///
    /// # Errors
    /// If the settings of the store are invalid.
    pub fn listing(&self, location: &Location) -> io::Result<Listing> {
        Ok(Listing::begin(self.open(location)?, location.clone(), self.of_objects()?))
    }

    /// An object about which nothing is known yet.
    ///
    /// # Errors
    /// If the location names no object, or the settings of the store are invalid.
    pub fn object(&self, location: &Location) -> io::Result<Object> {
        let (store, key) = (self.open(location)?, location.object()?);
        Ok(Object::new(store, self.of_objects()?, key.into(), None))
    }

    /// The headers with which a store describes an object, with those of its checksums.
    ///
    /// # Errors
    /// If there is no such object, or the store denies access.
    pub fn head(&self, location: &Location) -> io::Result<HeaderMap> {
        let store = self.open(location)?;
        self.handle()?.block_on(store.head(&location.key, None))
    }

    /// What all objects share.
    fn of_objects(&self) -> io::Result<(Handle, Arc<AtomicU64>)> {
        Ok((self.handle()?, Arc::clone(&self.memory)))
    }

    pub(crate) fn handle(&self) -> io::Result<Handle> {
        let mut runtime = lock(&self.runtime);
        if let Some(runtime) = &*runtime {
            return Ok(runtime.handle().clone());
        }
        try_threads().map_err(|error| {
            io::Error::new(error.kind(), format!("no threads for requests: {error}"))
        })?;
        let mut builder = Builder::new_multi_thread();
        let new = builder.worker_threads(THREADS).thread_name("requests").enable_all().build()?;
        Ok(runtime.insert(new).handle().clone())
    }

    pub(crate) fn open(&self, location: &Location) -> io::Result<Arc<Store>> {
        let mut opened = lock(&self.opened);
        let key = (location.scheme, location.bucket.clone());
        if let Some(store) = opened.get(&key) {
            return Ok(Arc::clone(store));
        }
        let store = Arc::new(Store::open(location, &self.options, &self.pace)?);
        opened.insert(key, Arc::clone(&store));
        Ok(store)
    }
}

/// Fails if the system starts no more threads, where Tokio would panic.
fn try_threads() -> io::Result<()> {
    let gate = RwLock::new(());
    thread::scope(|scope| {
        let _closed = gate.write();
        (0..THREADS).try_for_each(|_| {
            thread::Builder::new().spawn_scoped(scope, || drop(gate.read())).map(drop)
        })
    })
}

impl source::Stores for Stores {
    fn stream(&self, url: &Path) -> Box<dyn Stream> {
        match Location::of(url).and_then(|location| self.object(&location)) {
            Ok(object) => Box::new(object),
            Err(error) => Box::new(error),
        }
    }

    fn below(self: Arc<Self>, walk: &Walk, roots: Vec<PathBuf>) -> Box<dyn Source<Note = Note>> {
        Box::new(Below::new(walk, roots, self))
    }

    fn has_memory(&self) -> bool {
        self.memory.load(Ordering::Relaxed) < MEMORY
    }
}

impl Default for Stores {
    fn default() -> Self {
        Self::new(Options::default())
    }
}

impl Drop for Stores {
    /// Does not wait for what blocks a thread, such as the resolution of a name.
    fn drop(&mut self) {
        if let Some(runtime) = lock(&self.runtime).take() {
            runtime.shutdown_background();
        }
    }
}
