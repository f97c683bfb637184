//! An object that is being fetched for the hasher.

use std::collections::VecDeque;
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::{Buf, Bytes};
use futures_util::stream::{self, StreamExt};
use hashlanes_files::system::Stamp;
use hashlanes_files::{Content, Stream};
use hashlanes_pool::lock;
use reqwest::Response;
use tokio::runtime::Handle;
use tokio::sync::Notify;
use tokio::task::AbortHandle;

use crate::error::lost;
use crate::on_drop::OnDrop;
use crate::remote::Remote;
use crate::store::{First, Flow, Meta, Store, has_open_end};

/// Bytes of one request. Larger objects are fetched in parts of this size.
const PART: u64 = 8 << 20;

/// Parts of an object that are fetched at the same time.
const PARTS: usize = 4;

/// Bytes that may wait for the hasher before more parts are fetched.
const WAITING: usize = 2 * PART as usize;

/// Bytes of the first request for an object of unknown size.
const FIRST: u64 = 1 << 20;

/// The size up to which an object is hashed together with others, when all of it has arrived.
const SHORT: u64 = 64 << 10;

/// An object, which is fetched once it has been started.
pub struct Object {
    store: Arc<Store>,
    runtime: Handle,
    key: String,
    meta: Option<Meta>,
    shared: Arc<Shared>,
    task: Option<AbortHandle>,
    /// Bytes of all objects, and of this one since it was started.
    memory: Arc<AtomicU64>,
    cost: u64,
}

#[derive(Default)]
struct Shared {
    state: Mutex<State>,
    /// Wakes the hasher.
    arrived: Condvar,
    /// Wakes the task.
    taken: Notify,
}

#[derive(Default)]
struct State {
    pieces: VecDeque<Bytes>,
    waiting: usize,
    meta: Option<Meta>,
    end: Option<io::Result<()>>,
}

impl Object {
    pub(crate) fn new(
        store: Arc<Store>,
        (runtime, memory): (Handle, Arc<AtomicU64>),
        key: String,
        meta: Option<Meta>,
    ) -> Self {
        let shared: Arc<Shared> = Arc::default();
        lock(&shared.state).meta.clone_from(&meta);
        Self { store, runtime, key, meta, shared, task: None, memory, cost: 0 }
    }

    /// The most memory that the object takes after it was started.
    fn most(&self) -> u64 {
        let most = PARTS as u64 * PART + WAITING as u64;
        self.meta.as_ref().map_or(FIRST, |meta| meta.size.min(most))
    }

    fn wait<'s>(&self, state: MutexGuard<'s, State>, wait: Duration) -> MutexGuard<'s, State> {
        let waited = self.shared.arrived.wait_timeout(state, wait);
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl State {
    /// Whether a hasher can do something with it.
    fn is_ready(&self) -> bool {
        let is_long = || self.meta.as_ref().is_some_and(|meta| meta.size > SHORT);
        self.end.is_some() || is_long() || self.waiting as u64 > SHORT
    }
}

impl Stream for Object {
    fn start(&mut self) {
        if self.task.is_none() {
            self.cost = self.most();
            self.memory.fetch_add(self.cost, Ordering::Relaxed);
            let (store, shared) = (Arc::clone(&self.store), Arc::clone(&self.shared));
            let (key, meta) = (self.key.clone(), self.meta.clone());
            let last = OnDrop(move || shared.finish(Err(lost(()))));
            let shared = Arc::clone(&self.shared);
            let fetch = async move {
                let _last = last;
                let end = shared.fetch(&store, &key, meta).await;
                shared.finish(end);
            };
            self.task = Some(self.runtime.spawn(fetch).abort_handle());
        }
    }

    fn is_ready(&self, wait: Duration) -> bool {
        let mut state = lock(&self.shared.state);
        if !state.is_ready() && !wait.is_zero() {
            state = self.wait(state, wait);
        }
        state.is_ready()
    }

    fn length(&self) -> Option<u64> {
        lock(&self.shared.state).meta.as_ref().map(|meta| meta.size)
    }

    fn read(&mut self, buffer: &mut [u8], wait: Duration) -> io::Result<Option<usize>> {
        self.start();
        let mut state = lock(&self.shared.state);
        if state.pieces.is_empty() && state.end.is_none() && !wait.is_zero() {
            state = self.wait(state, wait);
        }
        let Some(piece) = state.pieces.front_mut() else {
            return match &state.end {
                None => Ok(None),
                Some(Ok(())) => Ok(Some(0)),
                Some(Err(error)) => Err(io::Error::new(error.kind(), error.to_string())),
            };
        };
        let length = piece.len().min(buffer.len());
        piece.copy_to_slice(&mut buffer[..length]);
        if piece.is_empty() {
            state.pieces.pop_front();
        }
        state.waiting -= length;
        drop(state);
        self.shared.taken.notify_one();
        Ok(Some(length))
    }

    fn stamp(&self) -> Option<Stamp> {
        let state = lock(&self.shared.state);
        let meta = state.meta.as_ref()?;
        Some(Stamp::of_object(meta.size, meta.modified?))
    }

    fn tag(&self) -> Option<Box<str>> {
        lock(&self.shared.state).meta.as_ref()?.tag().map(Into::into)
    }

    fn into_content(self: Box<Self>) -> io::Result<Box<dyn Content + Send>> {
        let (store, runtime, key) = (Arc::clone(&self.store), self.runtime.clone(), &self.key);
        let meta = match &self.meta {
            Some(meta) => meta.clone(),
            None => runtime.block_on(store.described(key))?,
        };
        let remote = Remote::new(store, runtime, key.clone(), meta);
        remote.start();
        Ok(Box::new(remote))
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if let Some(task) = &self.task {
            task.abort();
        }
        self.memory.fetch_sub(self.cost, Ordering::Relaxed);
    }
}

impl Shared {
    /// The first end counts.
    fn finish(&self, end: io::Result<()>) {
        lock(&self.state).end.get_or_insert(end);
        self.arrived.notify_all();
    }

    async fn fetch(&self, store: &Arc<Store>, key: &str, meta: Option<Meta>) -> io::Result<()> {
        let (meta, begun) = match meta {
            Some(meta) if meta.size > PART && !meta.has_version() => {
                return self.receive(store, store.whole(key).await?, Some(meta)).await;
            }
            Some(meta) => (meta, 0),
            None => match store.first(key, FIRST).await? {
                First::Part(meta, bytes) => {
                    let begun = bytes.len() as u64;
                    lock(&self.state).meta = Some(meta.clone());
                    self.push(bytes).await;
                    (meta, begun)
                }
                First::All(response, meta) => {
                    lock(&self.state).meta.clone_from(&meta);
                    if has_open_end(&response) {
                        store.say_open_end(key);
                    }
                    return self.receive(store, response, meta).await;
                }
            },
        };
        if meta.size <= PART {
            self.push(store.fetch(key, &meta, (begun, meta.size)).await?).await;
            return Ok(());
        }
        let parts = (begun..meta.size).step_by(PART as usize);
        let part = |start: u64| {
            let range = (start, (start + PART).min(meta.size));
            fetched(Arc::clone(store), key.to_owned(), meta.clone(), range)
        };
        let mut parts = stream::iter(parts.map(part)).buffered(PARTS);
        while let Some(bytes) = parts.next().await {
            self.push(bytes?).await;
        }
        Ok(())
    }

    /// Takes what a server sends that knows no ranges, or no versions. A failure cannot be
    /// repaired.
    async fn receive(
        &self,
        store: &Store,
        mut response: Response,
        meta: Option<Meta>,
    ) -> io::Result<()> {
        let (mut length, mut flow) = (0, Flow::new(store.timeout));
        while let Some(bytes) = flow.next(&mut response).await? {
            length += bytes.len() as u64;
            self.push(bytes).await;
        }
        if meta.is_some_and(|meta| meta.size != length) {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }

    /// Adds bytes after waiting until few others wait.
    async fn push(&self, bytes: Bytes) {
        if bytes.is_empty() {
            return;
        }
        while lock(&self.state).waiting >= WAITING {
            self.taken.notified().await;
        }
        let mut state = lock(&self.state);
        state.waiting += bytes.len();
        state.pieces.push_back(bytes);
        drop(state);
        self.arrived.notify_all();
    }
}

/// A part, which a task of its own fetches: it goes on while others wait for the hasher.
async fn fetched(
    store: Arc<Store>,
    key: String,
    meta: Meta,
    range: (u64, u64),
) -> io::Result<Bytes> {
    let task = tokio::spawn(async move { store.fetch(&key, &meta, range).await });
    let part = task.abort_handle();
    let _given_up = OnDrop(move || part.abort());
    task.await.map_err(lost).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::served::{response, stores};

    fn read(mut object: Object) -> io::Result<Vec<u8>> {
        let (mut bytes, mut buffer) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            match object.read(&mut buffer, Duration::from_secs(1))? {
                Some(0) => return Ok(bytes),
                Some(length) => bytes.extend_from_slice(&buffer[..length]),
                None => {}
            }
        }
    }

    #[test]
    fn an_object_whose_task_is_given_up_has_an_error() {
        let stores = stores(|_| {
            loop {
                std::thread::park();
            }
        });
        let mut object = stores.object(&"s3://b/a".parse().unwrap()).unwrap();
        object.start();
        object.task.as_ref().unwrap().abort();
        let again = stores.object(&"s3://b/a".parse().unwrap()).unwrap();
        drop(stores);
        for object in [object, again] {
            let why = read(object).unwrap_err().to_string();
            assert!(why.contains("abandoned"), "{why}");
        }
    }

    #[test]
    fn what_is_no_answer_is_an_error() {
        let part = "ETag: \"a\"\r\nContent-Range: bytes";
        for (status, headers, body) in [
            (206, &*format!("{part} 0-5/0\r\n"), "hello!"),
            (206, &*format!("{part} 0-5/5\r\n"), "hello!"),
            (206, &*format!("{part} 0-2/3\r\n"), "hello!"),
            (206, "Content-Range: bytes 0-5/6\r\n", "hel"),
            (204, "", ""),
            (202, "", "hello!"),
            (207, "", "hello!"),
        ] {
            let headers = headers.to_owned();
            let stores = stores(move |_| response(status, &headers, body));
            let why = read(stores.object(&"s3://b/a".parse().unwrap()).unwrap()).unwrap_err();
            assert!(why.to_string().contains("the store sent"), "{status}: {why}");
        }
    }

    #[test]
    fn an_endless_failure_is_not_read_to_its_end() {
        let stores = stores(|_| {
            format!("HTTP/1.1 404 S\r\nContent-Length: 99999999\r\n\r\n{}", "x".repeat(1 << 17))
        });
        let why = read(stores.object(&"s3://b/a".parse().unwrap()).unwrap()).unwrap_err();
        assert!(why.to_string().contains("404"), "{why}");
    }

    const SIZE: usize = 3 << 20;

    /// Serves an object by ranges. After one request, another version has taken its place.
    fn replaced(versions: [&'static str; 2]) -> io::Result<Vec<u8>> {
        let requests = AtomicU64::new(0);
        let stores = stores(move |head| {
            let version = usize::from(requests.fetch_add(1, Ordering::Relaxed) > 0);
            let body = ["1", "2"][version].repeat(SIZE);
            let headers = versions[version];
            let range = |line: &str| {
                let (start, end) = line.strip_prefix("range: bytes=")?.split_once('-')?;
                Some((start.parse::<usize>().ok()?, end.parse::<usize>().ok()?))
            };
            match head.lines().find_map(range) {
                Some((start, end)) => {
                    let of = format!("Content-Range: bytes {start}-{end}/{SIZE}\r\n{headers}");
                    response(206, &of, &body[start..=end])
                }
                None => response(200, headers, &body),
            }
        });
        read(stores.object(&"s3://b/a".parse().unwrap()).unwrap())
    }

    #[test]
    fn versions_are_never_mixed() {
        let old = "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r\n\
                   Date: Wed, 01 Jan 2020 00:00:01 GMT\r\n";
        let new = "Last-Modified: Wed, 01 Jan 2025 00:00:00 GMT\r\n\
                   Date: Wed, 01 Jan 2025 00:00:01 GMT\r\n";
        for versions in [[old, new], ["ETag: \"a\"\r\n", "ETag: \"b\"\r\n"]] {
            let why = replaced(versions).unwrap_err().to_string();
            assert!(why.contains("changed"), "{why}");
        }
        // These may be the same for several versions, so all comes from one response.
        let weak = "ETag: W/\"v\"\r\n";
        let now = "Last-Modified: Wed, 01 Jan 2020 00:00:00 GMT\r\n\
                   Date: Wed, 01 Jan 2020 00:00:00 GMT\r\n";
        for version in [weak, now] {
            assert!(replaced([version, version]).unwrap() == [b'2'; SIZE], "{version}");
        }
        let why = replaced([old, ""]).unwrap_err().to_string();
        assert!(why.contains("sent no version"), "{why}");
        // Without any version, all comes from one response.
        assert!(replaced(["", ""]).unwrap() == [b'2'; SIZE]);
    }
}
