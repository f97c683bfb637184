//! The content of a manifest, sorted by name, in little memory.
//!
//! An item takes the bytes of its name and its digests, and 16 bytes, or 36 if the manifest has its
//! size and time.
//! While the manifest is read, a growing vector may briefly take twice as much. A line of a tree
//! takes more: its name again, and its format and digest as text.

use std::borrow::Cow;
use std::collections::HashMap;

use hashlanes_files::manifest::{Entry as Listed, Expected, HashName, Time};

use super::plain::plain;
use crate::commands::tree::check as trees;

#[derive(Default)]
pub(in super::super) struct Table {
    /// The name of each item, followed by its digests, and by its size and time if it has them.
    bytes: Vec<u8>,
    items: Vec<Item>,
    /// The lists of functions that items have digests of. The list is empty for items that only
    /// have lines of trees.
    kinds: Vec<Vec<HashName>>,
    /// Functions that were guessed from the length of a digest.
    guessed: Vec<HashName>,
    /// Lines of trees, sorted by their names.
    lines: Vec<trees::Line>,
    /// The names are those of objects: `a//b` and `a/b` differ.
    of_objects: bool,
    /// The latest name, until the manifest has been read.
    latest: Vec<u8>,
    /// A name came after a greater one.
    is_unsorted: bool,
}

#[derive(Clone, Copy)]
struct Item {
    /// Offset of its name.
    at: u64,
    /// Length of its name.
    name: u32,
    /// The index of its list of functions.
    kind: u16,
    /// Whether the manifest has the name with a leading `./`, which is left out here.
    has_dot: bool,
    /// Whether its size and time are known.
    has_stamp: bool,
}

/// The size and the time of a file.
pub(in super::super) type Recorded = (u64, Time);

impl Table {
    /// A table of the names of files, or of objects.
    pub(super) fn new(of_objects: bool) -> Self {
        Self { of_objects, ..Self::default() }
    }

    fn plain<'n>(&self, name: &'n [u8]) -> Cow<'n, [u8]> {
        match self.of_objects {
            true => name.strip_prefix(b"./").unwrap_or(name).into(),
            false => plain(name),
        }
    }

    /// Adds the content of a line. False if the lines have too many different lists of functions.
    pub(super) fn add(&mut self, listed: &Listed) -> bool {
        let name = self.plain(&listed.name);
        let functions = listed.digests.iter().map(|expected| expected.function).collect();
        let Some(kind) = self.kind_of(functions) else { return false };
        for expected in listed.digests.iter().filter(|expected| expected.guessed) {
            if !self.guessed.contains(&expected.function) {
                self.guessed.push(expected.function);
            }
        }
        let digests = listed.digests.iter().map(|expected| expected.digest.as_slice());
        let has_dot = listed.name.starts_with(b"./");
        let stamp = listed.size.zip(listed.modified);
        let item = self.push(&name, digests, kind, (has_dot, stamp));
        self.items.push(item);
        self.is_unsorted |= listed.name < self.latest;
        self.latest.clone_from(&listed.name);
        true
    }

    /// Adds a line of a tree. False under the same condition as [`add`](Self::add).
    pub(super) fn add_tree(&mut self, mut line: trees::Line) -> bool {
        let Some(kind) = self.kind_of(Vec::new()) else { return false };
        let has_dot = line.name.starts_with(b"./");
        line.name = self.plain(&line.name).into_owned();
        let item = self.push(&line.name, std::iter::empty(), kind, (has_dot, None));
        self.items.push(item);
        self.lines.push(line);
        true
    }

    fn push<'d>(
        &mut self,
        name: &[u8],
        digests: impl Iterator<Item = &'d [u8]>,
        kind: u16,
        (has_dot, stamp): (bool, Option<Recorded>),
    ) -> Item {
        let (at, has_stamp) = (self.bytes.len() as u64, stamp.is_some());
        let item = Item { at, name: name.len() as u32, kind, has_dot, has_stamp };
        self.bytes.extend(name);
        digests.for_each(|digest| self.bytes.extend(digest));
        if let Some((size, (seconds, nanoseconds))) = stamp {
            self.bytes.extend(size.to_le_bytes());
            self.bytes.extend(seconds.to_le_bytes());
            self.bytes.extend(nanoseconds.to_le_bytes());
        }
        item
    }

    fn kind_of(&mut self, functions: Vec<HashName>) -> Option<u16> {
        let found = self.kinds.iter().position(|kind| *kind == functions);
        let index = found.unwrap_or_else(|| {
            self.kinds.push(functions);
            self.kinds.len() - 1
        });
        index.try_into().ok()
    }

    /// Sorts the items and merges those with the same name. False if they have too many different
    /// lists of functions.
    pub(super) fn finish(&mut self) -> bool {
        let mut items = std::mem::take(&mut self.items);
        items.sort_by(|a, b| self.name_of(a).cmp(self.name_of(b)));
        let mut joined: Vec<Item> = Vec::with_capacity(items.len());
        let mut rest = &items[..];
        while let [first, ..] = rest {
            let name = self.name_of(first);
            let count = rest.iter().take_while(|item| self.name_of(item) == name).count();
            let (same, others) = rest.split_at(count);
            let Some(item) = self.join(same) else { return false };
            joined.push(item);
            rest = others;
        }
        // A duplicate line is compared once.
        self.lines.sort_by_cached_key(|line| (line.name.clone(), line.key()));
        self.lines.dedup_by(|a, b| a.name == b.name && a.key() == b.key());
        self.latest = Vec::new();
        joined.shrink_to_fit();
        self.bytes.shrink_to_fit();
        self.items = joined;
        self.order_kinds();
        true
    }

    /// Removes lists of functions that no item has any more, and moves the most frequent one to the
    /// front.
    fn order_kinds(&mut self) {
        let mut counts: Vec<(usize, u16)> = (0..self.kinds.len()).map(|i| (0, i as u16)).collect();
        self.items.iter().for_each(|item| counts[usize::from(item.kind)].0 += 1);
        counts.retain(|(count, _)| *count > 0);
        counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        let mut places = vec![0; self.kinds.len()];
        for (place, (_, kind)) in counts.iter().enumerate() {
            places[usize::from(*kind)] = place as u16;
        }
        self.items.iter_mut().for_each(|item| item.kind = places[usize::from(item.kind)]);
        let kind = |(_, kind): &(usize, u16)| self.kinds[usize::from(*kind)].clone();
        self.kinds = counts.iter().map(kind).collect();
    }

    /// An item with the digests of all items of a name. Of digests of one function that differ, two
    /// are kept: no file can match them.
    fn join(&mut self, same: &[Item]) -> Option<Item> {
        let [first, _, ..] = same else { return same.first().copied() };
        let mut digests: Vec<(HashName, Vec<u8>)> = Vec::new();
        for (function, digest) in same.iter().flat_map(|item| self.digests_of(item)) {
            let mut others = digests.iter().filter(|(other, _)| *other == function);
            if others.clone().count() < 2 && others.all(|(_, other)| other != digest) {
                digests.push((function, digest.to_vec()));
            }
        }
        let kind = self.kind_of(digests.iter().map(|(function, _)| *function).collect())?;
        let name = self.name_of(first).to_vec();
        let stamp = same.iter().find_map(|item| self.stamp_of(item));
        let digests = digests.iter().map(|(_, digest)| digest.as_slice());
        Some(self.push(&name, digests, kind, (first.has_dot, stamp)))
    }

    pub(in super::super) fn len(&self) -> usize {
        self.items.len()
    }

    /// The index of the item with a name.
    pub(super) fn find(&self, name: &[u8]) -> Option<usize> {
        let name = self.plain(name);
        self.items.binary_search_by(|item| self.name_of(item).cmp(&name)).ok()
    }

    /// The name as the manifest writes it.
    pub(in super::super) fn name(&self, index: usize) -> Cow<'_, [u8]> {
        let item = &self.items[index];
        let name = self.name_of(item);
        if item.has_dot { [b"./", name].concat().into() } else { name.into() }
    }

    /// The name without a leading `./`, or other parts that lead nowhere.
    pub(super) fn plain_name(&self, index: usize) -> &[u8] {
        self.name_of(&self.items[index])
    }

    /// An item whose plain name begins so.
    pub(super) fn with_prefix(&self, prefix: &[u8]) -> Option<usize> {
        let first = self.items.partition_point(|item| self.name_of(item) < prefix);
        (first < self.len() && self.plain_name(first).starts_with(prefix)).then_some(first)
    }

    /// The size and the time of an item's file, if the manifest has them.
    pub(super) fn stamp(&self, index: usize) -> Option<Recorded> {
        self.stamp_of(&self.items[index])
    }

    /// Whether the names come in the order of their bytes.
    pub(super) fn is_sorted(&self) -> bool {
        !self.is_unsorted
    }

    /// Whether the names are those of objects.
    pub(super) fn is_of_objects(&self) -> bool {
        self.of_objects
    }

    /// The index of the list of functions of an item's digests.
    pub(super) fn kind(&self, index: usize) -> usize {
        self.items[index].kind.into()
    }

    /// The lists of functions that items have digests of, the most frequent one first.
    pub(super) fn kinds(&self) -> &[Vec<HashName>] {
        &self.kinds
    }

    pub(in super::super) fn digests(
        &self,
        index: usize,
    ) -> impl Iterator<Item = (HashName, &[u8])> {
        self.digests_of(&self.items[index])
    }

    /// The lines of trees for an item.
    pub(in super::super) fn trees(&self, index: usize) -> &[trees::Line] {
        let name = self.name_of(&self.items[index]);
        let begin = self.lines.partition_point(|line| *line.name < *name);
        let rest = &self.lines[begin..];
        &rest[..rest.partition_point(|line| *line.name == *name)]
    }

    /// Whether there are any lines of trees.
    pub(super) fn has_trees(&self) -> bool {
        !self.lines.is_empty()
    }

    /// The lines of an item whose formats are those of most items. Only the formats count for items
    /// that also have other digests. Empty if there are no lines of trees.
    pub(super) fn usual_trees(&self) -> &[trees::Line] {
        let mut counts: HashMap<Vec<String>, (usize, &[trees::Line])> = HashMap::new();
        for lines in self.lines.chunk_by(|a, b| a.name == b.name) {
            let tags = lines.iter().map(trees::Line::tag).collect();
            counts.entry(tags).or_insert((0, lines)).0 += 1;
        }
        // Among equal counts the first line decides, so that the result is deterministic.
        let first = |lines: &[trees::Line]| std::cmp::Reverse(lines[0].name.clone());
        let most = counts.into_values().max_by_key(|(count, lines)| (*count, first(lines)));
        most.map_or(&[], |(_, lines)| lines)
    }

    /// The digests that a file needs to match the item.
    pub(super) fn expected(&self, index: usize) -> Vec<Expected> {
        let expected = |(function, digest): (HashName, &[u8])| Expected {
            function,
            digest: digest.to_vec(),
            guessed: self.guessed.contains(&function),
        };
        self.digests(index).map(expected).collect()
    }

    fn name_of(&self, item: &Item) -> &[u8] {
        &self.bytes[item.at as usize..][..item.name as usize]
    }

    fn stamp_of(&self, item: &Item) -> Option<Recorded> {
        let digests = self.kinds[usize::from(item.kind)].iter().map(|f| f.digest_len());
        let at = item.at as usize + item.name as usize + digests.sum::<usize>();
        let (size, rest) = self.bytes[at..].split_first_chunk().filter(|_| item.has_stamp)?;
        let (seconds, rest) = rest.split_first_chunk()?;
        let nanoseconds = rest.first_chunk()?;
        let time = (i64::from_le_bytes(*seconds), u32::from_le_bytes(*nanoseconds));
        Some((u64::from_le_bytes(*size), time))
    }

    fn digests_of(&self, item: &Item) -> impl Iterator<Item = (HashName, &[u8])> {
        let mut rest = &self.bytes[item.at as usize + item.name as usize..];
        self.kinds[usize::from(item.kind)].iter().map(move |&function| {
            let (digest, others) = rest.split_at(function.digest_len());
            rest = others;
            (function, digest)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(name: &str, digests: &[(&str, u8)]) -> Listed {
        let expected = |&(function, byte): &(&str, u8)| {
            let function = HashName::named(function).unwrap();
            Expected { function, digest: vec![byte; function.digest_len()], guessed: false }
        };
        let digests = digests.iter().map(expected).collect();
        let (tagged, size, modified) = (false, None, None);
        let (version, unknown) = (None, Vec::new());
        Listed { name: name.into(), digests, tagged, size, modified, version, unknown }
    }

    #[test]
    fn sizes_and_times_are_kept_beside_the_digests() {
        let mut table = Table::default();
        let stamp = Some((u64::MAX, (-1, 999_999_999)));
        let known = Listed {
            size: Some(u64::MAX),
            modified: stamp.map(|it| it.1),
            ..listed("a", &[("md5", 1)])
        };
        assert!(table.add(&known) && table.add(&listed("a", &[("sha1", 2)])));
        assert!(table.add(&Listed { size: Some(3), ..listed("b", &[("md5", 1)]) }));
        assert!(table.finish() && table.is_sorted());
        assert_eq!((table.stamp(0), table.stamp(1)), (stamp, None));
        assert_eq!(table.digests(0).count(), 2);
    }

    #[test]
    fn many_lines_of_a_name_take_no_more_memory_than_two_when_they_are_joined() {
        let mut table = Table::default();
        for number in 0..10_000_u32 {
            let mut line = listed("a", &[("md5", 0), ("sha1", 1)]);
            line.digests[0].digest[..4].copy_from_slice(&number.to_le_bytes());
            assert!(table.add(&line));
        }
        let read = table.bytes.len();
        assert!(table.finish());
        let digests: Vec<_> = table.digests(0).map(|(_, digest)| digest[0]).collect();
        assert_eq!((table.len(), digests), (1, vec![0, 1, 1]));
        assert_eq!(table.bytes.len() - read, 1 + 16 + 20 + 16);
    }

    #[test]
    fn items_are_found_and_merged_by_name() {
        let mut table = Table::default();
        for (name, digests) in [
            ("./b", &[("md5", 1)][..]),
            ("a", &[("md5", 2), ("sha1", 3)]),
            ("./b", &[("sha1", 4)]),
            ("b", &[("md5", 1)]),
            ("c", &[("md5", 5)]),
            ("c", &[("md5", 6)]),
        ] {
            assert!(table.add(&listed(name, digests)));
        }
        assert!(table.finish());
        assert_eq!(table.len(), 3);
        let digests = |name: &str| -> Vec<(String, u8)> {
            let index = table.find(name.as_bytes()).unwrap();
            table
                .digests(index)
                .map(|(function, digest)| (function.to_string(), digest[0]))
                .collect()
        };
        assert_eq!(digests("a"), [("md5".into(), 2), ("sha1".into(), 3)]);
        assert_eq!(digests("b"), [("md5".into(), 1), ("sha1".into(), 4)]);
        assert_eq!(digests("./c"), [("md5".into(), 5), ("md5".into(), 6)]);
        assert_eq!(table.name(table.find(b"b").unwrap()), &b"./b"[..]);
        assert_eq!(table.name(table.find(b"a").unwrap()), &b"a"[..]);
        assert_eq!(table.find(b"d"), None);
        assert!(!table.is_sorted());
        // One item each; [md5] and [sha1] are gone.
        assert_eq!(table.kinds().len(), 2);
        assert_eq!(table.kinds()[0].len(), 2);
    }
}
