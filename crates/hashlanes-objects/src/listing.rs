//! The objects of a bucket, in the order of their names.
//!
//! A listing comes in pages, each of which is requested with what the page before it says. If there
//! are several pages, the store is asked for the prefixes up to the next `/`, and these are listed
//! side by side. All names with a prefix are neighbours in the order of names, so the lists are
//! joined without sorting and without holding more than a few pages of each.

use std::collections::VecDeque;
use std::io;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::vec;

use tokio::runtime::Handle;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use crate::store::{Item, Meta, Page, Store};
use crate::{Location, Object};

/// Prefixes that are listed side by side.
const SIDE_BY_SIDE: usize = 8;

/// Pages of each prefix that wait.
const PAGES: usize = 2;

type Objects = io::Result<Vec<(String, Meta)>>;

/// The objects below a location, or the error that ended the listing.
pub struct Listing {
    store: Arc<Store>,
    of_objects: (Handle, Arc<AtomicU64>),
    location: Location,
    pages: Receiver<Objects>,
    current: vec::IntoIter<(String, Meta)>,
    /// The latest name.
    last: String,
    is_over: bool,
}

/// An object of a listing.
pub struct Listed {
    /// Where it is.
    pub location: Location,
    /// What the store says about it.
    pub meta: Meta,
    /// Its content, tied to the version that was listed.
    pub object: Object,
}

impl Listing {
    pub(crate) fn begin(
        store: Arc<Store>,
        location: Location,
        of_objects: (Handle, Arc<AtomicU64>),
    ) -> Self {
        let (to, pages) = channel(PAGES);
        of_objects.0.spawn(list_all(Arc::clone(&store), location.key.clone(), to));
        let (current, last) = (Vec::new().into_iter(), String::new());
        Self { store, of_objects, location, pages, current, last, is_over: false }
    }

    /// Whether `next` returns without waiting for the store.
    pub fn is_ready(&self) -> bool {
        !self.current.as_slice().is_empty() || self.is_over || !self.pages.is_empty()
    }

    fn listed(&mut self, name: String, meta: Meta) -> io::Result<Listed> {
        if name < self.last {
            self.is_over = true;
            let why = "the store does not list objects in the order of their names";
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
                Some(Ok(page)) => self.current = page.into_iter(),
                Some(Err(error)) => {
                    self.is_over = true;
                    return Some(Err(error));
                }
                None => self.is_over = true,
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

/// Lists a prefix, and its parts side by side if there are many.
async fn list_all(store: Arc<Store>, prefix: String, to: Sender<Objects>) {
    let first = match store.page(&prefix, false, None).await {
        Ok(first) => first,
        Err(error) => return drop(to.send(Err(error)).await),
    };
    if first.next.is_none() {
        return drop(to.send(Ok(objects(first.items))).await);
    }
    match parts(&store, prefix.clone()).await {
        Ok(Some(parts)) => list_parts(&store, parts, &to).await,
        Ok(None) => list_rest(&store, &prefix, first, &to).await,
        Err(error) => drop(to.send(Err(error)).await),
    }
}

/// The parts of a prefix, if they fit in a page.
async fn parts(store: &Store, mut prefix: String) -> io::Result<Option<Vec<Item>>> {
    loop {
        let mut page = store.page(&prefix, true, None).await?;
        if page.next.is_some() {
            return Ok(None);
        }
        match &mut page.items[..] {
            [Item::Prefix(only)] if *only != prefix => prefix = std::mem::take(only),
            _ => return Ok(Some(page.items)),
        }
    }
}

async fn list_parts(store: &Arc<Store>, parts: Vec<Item>, to: &Sender<Objects>) {
    let mut waiting = VecDeque::new();
    let mut parts = parts.into_iter();
    loop {
        while waiting.len() < SIDE_BY_SIDE
            && let Some(part) = parts.next()
        {
            waiting.push_back(begin(store, part));
        }
        let Some(mut pages) = waiting.pop_front() else { return };
        while let Some(page) = pages.recv().await {
            let is_over = page.is_err();
            if to.send(page).await.is_err() || is_over {
                return;
            }
        }
    }
}

/// Begins to list a part.
fn begin(store: &Arc<Store>, part: Item) -> Receiver<Objects> {
    let (to, pages) = channel(PAGES);
    let store = Arc::clone(store);
    tokio::spawn(async move {
        match part {
            Item::Object(..) => drop(to.send(Ok(objects(vec![part]))).await),
            Item::Prefix(prefix) => match store.page(&prefix, false, None).await {
                Ok(first) => list_rest(&store, &prefix, first, &to).await,
                Err(error) => drop(to.send(Err(error)).await),
            },
        }
    });
    pages
}

/// Lists a prefix from its first page on.
async fn list_rest(store: &Store, prefix: &str, mut page: Page, to: &Sender<Objects>) {
    loop {
        let next = page.next.take();
        if to.send(Ok(objects(page.items))).await.is_err() {
            return;
        }
        let Some(next) = next else { return };
        page = match store.page(prefix, false, Some(&next)).await {
            Ok(page) => page,
            Err(error) => return drop(to.send(Err(error)).await),
        };
    }
}

fn objects(items: Vec<Item>) -> Vec<(String, Meta)> {
    let object = |item| match item {
        Item::Object(name, meta) => Some((name, meta)),
        Item::Prefix(_) => None,
    };
    items.into_iter().filter_map(object).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
