//! The objects of a bucket, in the order of their names.
//!
//! A listing comes in pages, each of which is requested with what the page before it says. If there
//! are several pages, the store is asked for the prefixes up to the next `/`, and these are listed
//! side by side. All names with a prefix are neighbours in the order of names, so the lists are
//! joined without sorting and without holding more than a few pages of each.

use std::collections::VecDeque;
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::vec;

use hashlanes_files::walk::Walk;
use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};
use tokio::task::JoinHandle;

use crate::error::{lost, wrong};
use crate::store::{Item, Meta, Page, Store, Wanted};
use crate::{Location, Object};

/// Prefixes that are listed side by side.
const SIDE_BY_SIDE: usize = 8;

/// Pages without an object that may follow each other. Stores send some while they skip what was
/// deleted.
const EMPTY: usize = 1000;

/// Pages of each prefix that wait.
const PAGES: usize = 2;

type Objects = Vec<(String, Meta)>;

/// The objects below a location, or the error that ended the listing.
pub struct Listing {
    store: Arc<Store>,
    of_objects: (Handle, Arc<AtomicU64>),
    location: Location,
    pages: Receiver<Objects>,
    /// Its result says whether the listing is complete when no more pages come.
    task: JoinHandle<io::Result<()>>,
    current: vec::IntoIter<(String, Meta)>,
    /// The latest name.
    last: String,
    is_over: bool,
}

/// An object of a listing.
pub struct Listed {
    /// Its location.
    pub location: Location,
    /// Its size, time and version, as the store reports them.
    pub meta: Meta,
    /// Its content, tied to the version that was listed.
    pub object: Object,
}

impl Listed {
    /// Whether a walk takes this object below a root.
    pub fn is_taken(&self, walk: &Walk, root: &Location) -> bool {
        let key = &self.location.key;
        // The object that stands for the folder itself, in stores without folders.
        let folder = root.key.trim_end_matches('/');
        let is_root = !folder.is_empty() && key.strip_suffix('/') == Some(folder);
        let below = key.strip_prefix(&root.key).unwrap_or_default();
        !is_root && walk.takes(Path::new(below.trim_start_matches('/')))
    }
}

impl Listing {
    pub(crate) fn begin(
        store: Arc<Store>,
        location: Location,
        of_objects: (Handle, Arc<AtomicU64>),
    ) -> Self {
        let (to, pages) = channel(PAGES);
        let task = of_objects.0.spawn(list_all(Arc::clone(&store), location.key.clone(), to));
        let (current, last) = (Vec::new().into_iter(), String::new());
        Self { store, of_objects, location, pages, task, current, last, is_over: false }
    }

    /// Whether `next` returns without waiting for the store.
    pub fn is_ready(&self) -> bool {
        !self.current.as_slice().is_empty()
            || self.is_over
            || !self.pages.is_empty()
            || self.pages.is_closed()
    }

    fn listed(&mut self, name: String, meta: Meta) -> io::Result<Listed> {
        if name <= self.last {
            self.is_over = true;
            let why = "the store's listing repeats an object or is not in order of names";
            return Err(io::Error::new(io::ErrorKind::Unsupported, why));
        }
        self.last.clone_from(&name);
        let (store, of_objects) = (Arc::clone(&self.store), self.of_objects.clone());
        let location = self.location.with_key(&name);
        let object = Object::new(store, of_objects, name, Some(meta.clone()));
        Ok(Listed { location, meta, object })
    }
}

impl Iterator for Listing {
    type Item = io::Result<Listed>;

    fn next(&mut self) -> Option<io::Result<Listed>> {
        while !self.is_over {
            for (name, meta) in self.current.by_ref() {
                if is_below(&name, &self.location.key) {
                    return Some(self.listed(name, meta));
                }
            }
            match self.pages.blocking_recv() {
                Some(page) => self.current = page.into_iter(),
                None => {
                    self.is_over = true;
                    let end = self.of_objects.0.block_on(&mut self.task);
                    return end.map_err(lost).flatten().err().map(Err);
                }
            }
        }
        None
    }
}

/// Whether a name is the prefix itself, or continues it after a `/`.
fn is_below(name: &str, prefix: &str) -> bool {
    let rest = name.strip_prefix(prefix);
    let continues = |rest: &str| rest.is_empty() || rest.starts_with('/');
    prefix.is_empty() || prefix.ends_with('/') && rest.is_some() || rest.is_some_and(continues)
}

fn all<'a>(prefix: &'a str, next: Option<&'a str>) -> Wanted<'a> {
    Wanted { prefix, delimited: false, next }
}

/// Lists a prefix, and its parts side by side if there are many.
async fn list_all(store: Arc<Store>, prefix: String, to: Sender<Objects>) -> io::Result<()> {
    let first = store.page(all(&prefix, None)).await?;
    if first.next.is_none() {
        return send(&to, first.items).await;
    }
    match parts(&store, prefix.clone()).await? {
        Some(parts) => list_parts(&store, parts, &to).await,
        None => list_rest(&store, &prefix, first, &to).await,
    }
}

/// The parts of a prefix, if they fit in a page.
async fn parts(store: &Store, mut prefix: String) -> io::Result<Option<Vec<Item>>> {
    loop {
        let mut page = store.page(Wanted { delimited: true, ..all(&prefix, None) }).await?;
        if page.next.is_some() {
            return Ok(None);
        }
        match &mut page.items[..] {
            [Item::Prefix(only)] if *only != prefix => prefix = std::mem::take(only),
            _ => return Ok(Some(page.items)),
        }
    }
}

async fn list_parts(store: &Arc<Store>, parts: Vec<Item>, to: &Sender<Objects>) -> io::Result<()> {
    let mut waiting = VecDeque::new();
    let mut parts = parts.into_iter();
    loop {
        while waiting.len() < SIDE_BY_SIDE
            && let Some(part) = parts.next()
        {
            let (to, pages) = channel(PAGES);
            waiting.push_back((pages, tokio::spawn(list_part(Arc::clone(store), part, to))));
        }
        let Some((mut pages, task)) = waiting.pop_front() else { return Ok(()) };
        while let Some(page) = pages.recv().await {
            to.send(page).await.map_err(closed)?;
        }
        task.await.map_err(lost)??;
    }
}

async fn list_part(store: Arc<Store>, part: Item, to: Sender<Objects>) -> io::Result<()> {
    match part {
        Item::Object(..) => send(&to, vec![part]).await,
        Item::Prefix(prefix) => {
            let first = store.page(all(&prefix, None)).await?;
            list_rest(&store, &prefix, first, &to).await
        }
    }
}

/// Lists a prefix from its first page on.
async fn list_rest(
    store: &Store,
    prefix: &str,
    mut page: Page,
    to: &Sender<Objects>,
) -> io::Result<()> {
    let mut empty = 0;
    while let Some(next) = page.next {
        empty = if page.items.is_empty() { empty + 1 } else { 0 };
        if empty > EMPTY {
            return Err(wrong("too many pages of a listing without an object"));
        }
        send(to, page.items).await?;
        page = store.page(all(prefix, Some(&next))).await?;
        if page.next.as_ref() == Some(&next) {
            return Err(wrong("a page of a listing that names itself as the next page"));
        }
    }
    send(to, page.items).await
}

async fn send(to: &Sender<Objects>, items: Vec<Item>) -> io::Result<()> {
    to.send(objects(items)).await.map_err(closed)
}

/// Nobody reads the listing any more.
fn closed<E>(_: E) -> io::Error {
    io::ErrorKind::BrokenPipe.into()
}

fn objects(items: Vec<Item>) -> Objects {
    let object = |item| match item {
        Item::Object(name, meta) => Some((name, meta)),
        Item::Prefix(_) => None,
    };
    items.into_iter().filter_map(object).collect()
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::sync::Mutex;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use hashlanes_files::Stream;
    use hashlanes_pool::lock;

    use super::*;
    use crate::served::{response, stores, stores_with};
    use crate::{Options, Stores};

    #[test]
    fn a_prefix_ends_at_a_slash() {
        for (name, prefix, is) in [
            ("a/b", "a", true),
            ("a/b", "a/", true),
            ("a/", "a", true),
            ("a", "a", true),
            ("ab", "a", false),
            ("a", "a/", false),
            ("x", "", true),
        ] {
            assert_eq!(is_below(name, prefix), is, "{name} {prefix}");
        }
    }

    fn page(names: &[&str], next: &str) -> String {
        let object = |name: &&str| format!("<Contents><Key>{name}</Key><Size>1</Size></Contents>");
        let objects: String = names.iter().map(object).collect();
        let next = match next {
            "" => String::new(),
            next => format!("<NextContinuationToken>{next}</NextContinuationToken>"),
        };
        let body = format!("<ListBucketResult>{objects}{next}</ListBucketResult>");
        response(200, "", &body)
    }

    fn listed(stores: &Stores) -> io::Result<Vec<String>> {
        let listing = stores.listing(&"s3://b/".parse()?)?;
        listing.map(|listed| Ok(listed?.location.key)).collect()
    }

    #[test]
    fn names_ascend_and_pages_lead_on() {
        let of_page = |names: &'static [&str]| listed(&stores(|_| page(names, "")));
        assert_eq!(of_page(&["a", "b"]).unwrap(), ["a", "b"]);
        for names in [&["a", "a"], &["b", "a"]] {
            let why = of_page(names).unwrap_err().to_string();
            assert!(why.contains("order"), "{why}");
        }
        for names in [&[][..], &["a"]] {
            let endless = stores(|_| page(names, "t"));
            let why = listed(&endless).unwrap_err().to_string();
            assert!(why.contains("names itself as the next page"), "{why}");
        }
        let count = AtomicU64::new(0);
        let lost = stores(move |_| page(&[], &count.fetch_add(1, Ordering::Relaxed).to_string()));
        let why = listed(&lost).unwrap_err().to_string();
        assert!(why.contains("without an object"), "{why}");
        let across = stores(|head| match head {
            _ if head.contains("token=t") => page(&["b", "c"], ""),
            _ => page(&["a", "b"], "t"),
        });
        assert!(listed(&across).is_err());
        for (count, is_read) in [(5000, true), (5001, false)] {
            let names: Vec<_> = (0..count).map(|i| format!("{i:04}")).collect();
            let names = names.iter().map(String::as_str).collect::<Vec<_>>();
            let body = page(&names, "");
            assert_eq!(listed(&stores(move |_| body.clone())).is_ok(), is_read, "{count}");
        }
    }

    /// Options with a short timeout, and the notices.
    fn impatient() -> (Options, Arc<Mutex<Vec<String>>>) {
        let notices = Arc::new(Mutex::new(Vec::new()));
        let said = Arc::clone(&notices);
        let notice = Arc::new(move |notice: &str| lock(&said).push(notice.to_owned()));
        (Options { timeout: Duration::from_millis(200), notice, ..Options::default() }, notices)
    }

    #[test]
    fn a_store_that_does_not_answer_is_told_and_given_up() {
        let (options, notices) = impatient();
        let silent = stores_with(options, |_, _| {
            loop {
                std::thread::park();
            }
        });
        let why = listed(&silent).unwrap_err();
        assert_eq!(why.to_string(), "the store did not answer in time");
        assert_eq!(*lock(&notices), ["the store did not answer in time; retrying"]);
    }

    #[test]
    fn what_comes_byte_by_byte_is_given_up() {
        for status in [200, 404] {
            let (options, _) = impatient();
            let slow = stores_with(options, move |_, mut to| {
                let head = format!("HTTP/1.1 {status} S\r\nContent-Length: 99999999\r\n\r\n");
                to.write_all(head.as_bytes())?;
                loop {
                    to.write_all(b" ")?;
                    std::thread::sleep(Duration::from_millis(10));
                }
            });
            let (listed, of_object) = (listed(&slow).unwrap_err(), read(&slow).unwrap_err());
            for why in [listed, of_object] {
                let expected = if status == 200 { "too slow" } else { "404" };
                assert!(why.to_string().contains(expected), "{why}");
            }
        }
    }

    /// Reads an object.
    fn read(stores: &Stores) -> io::Result<Vec<u8>> {
        let mut object = stores.object(&"s3://b/a".parse()?)?;
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
    fn an_object_whose_end_nothing_shows_is_warned_of() {
        for (frame, is_open) in [
            ("", true),
            ("Content-Length: 3\r\n", false),
            ("Transfer-Encoding: chunked\r\n", false),
        ] {
            let (options, notices) = impatient();
            let body = if frame.contains("chunked") { "3\r\nabc\r\n0\r\n\r\n" } else { "abc" };
            let answer = format!("HTTP/1.1 200 S\r\nConnection: close\r\n{frame}\r\n{body}");
            let stores = stores_with(options, move |_, mut to| to.write_all(answer.as_bytes()));
            assert_eq!(read(&stores).unwrap(), b"abc");
            let notices = lock(&notices).join("\n");
            assert_eq!(notices.contains("b/a': WARNING: the store sent no length"), is_open);
            assert_eq!(notices.is_empty(), !is_open);
        }
    }

    #[test]
    fn an_endless_listing_waits_for_its_reader() {
        let requests = Arc::new(AtomicU64::new(0));
        let count = Arc::clone(&requests);
        let stores = stores(move |_| {
            let number = count.fetch_add(1, Ordering::Relaxed);
            page(&[&format!("{number:09}")], &number.to_string())
        });
        let mut listing = stores.listing(&"s3://b/".parse().unwrap()).unwrap();
        for read in 1..=3 {
            assert!(listing.next().is_some_and(|listed| listed.is_ok()));
            std::thread::sleep(std::time::Duration::from_millis(100));
            // The first pages are those that look for folders. One more waits for its place.
            let most = 2 + read + PAGES as u64 + 1;
            assert!(requests.load(Ordering::Relaxed) <= most, "{requests:?} for {read}");
        }
    }

    #[test]
    fn a_listing_that_is_given_up_is_not_complete() {
        let stores = stores(|head| match head {
            _ if head.contains("token=t") => loop {
                std::thread::park();
            },
            _ => page(&["a"], "t"),
        });
        let mut listing = stores.listing(&"s3://b/".parse().unwrap()).unwrap();
        assert!(listing.next().is_some());
        listing.task.abort();
        let why = listing.next().unwrap().err().unwrap().to_string();
        assert!(why.contains("abandoned"), "{why}");
        assert!(listing.next().is_none());
    }
}
