//! A page of a listing.

use std::fmt::Display;

use super::meta::Meta;

/// The most names in a page, those of Azure. So pages that wait take little memory.
const NAMES: usize = 5000;

/// A page, in the order of names.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Page {
    pub(crate) items: Vec<Item>,
    /// What asks for the next page.
    pub(crate) next: Option<String>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Item {
    Object(String, Meta),
    /// All names that begin with this.
    Prefix(String),
}

/// Why a page cannot be read.
pub(super) type Unreadable = Box<dyn Display>;

pub(super) fn unreadable(why: impl Display + 'static) -> Unreadable {
    Box::new(why)
}

impl Item {
    fn name(&self) -> &str {
        match self {
            Self::Object(name, _) | Self::Prefix(name) => name,
        }
    }
}

impl Page {
    pub(super) fn new(
        objects: impl Iterator<Item = Result<(String, Meta), Unreadable>>,
        prefixes: impl Iterator<Item = Result<String, Unreadable>>,
        next: Option<String>,
    ) -> Result<Self, Unreadable> {
        let prefixes = prefixes.map(|prefix| prefix.map(Item::Prefix));
        let mut items = prefixes.collect::<Result<Vec<_>, _>>()?;
        let has_prefixes = !items.is_empty();
        for object in objects {
            let (name, meta) = object?;
            items.push(Item::Object(name, meta));
        }
        if items.len() > NAMES {
            return Err(unreadable(format!("{} names, more than {NAMES}", items.len())));
        }
        if has_prefixes {
            // Objects and prefixes come in two lists, each sorted.
            items.sort_by(|a, b| a.name().cmp(b.name()));
        }
        Ok(Self { items, next: next.filter(|next| !next.is_empty()) })
    }
}
