//! A page of a listing.

use super::Meta;

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

impl Item {
    fn name(&self) -> &str {
        match self {
            Self::Object(name, _) | Self::Prefix(name) => name,
        }
    }
}

impl Page {
    pub(super) fn new(
        objects: impl Iterator<Item = (String, Meta)>,
        prefixes: impl Iterator<Item = String>,
        next: Option<String>,
    ) -> Self {
        let mut items: Vec<Item> = prefixes.map(Item::Prefix).collect();
        if items.is_empty() {
            items.extend(objects.map(|(name, meta)| Item::Object(name, meta)));
        } else {
            // Objects and prefixes come in two lists, each sorted.
            items.extend(objects.map(|(name, meta)| Item::Object(name, meta)));
            items.sort_by(|a, b| a.name().cmp(b.name()));
        }
        Self { items, next: next.filter(|next| !next.is_empty()) }
    }
}
