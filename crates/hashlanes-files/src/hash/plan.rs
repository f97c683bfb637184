//! Plans: which engines hash a file.

use std::ops::Deref;
use std::sync::OnceLock;

use crate::Engine;

/// The engines that hash one file. The file is read once for all of them.
///
/// A source may find out which functions its files need only while it is read, as from the lines of
/// a manifest. Such sources use [`Plan::later`].
#[derive(Debug, Default)]
pub struct Plan(OnceLock<Vec<Engine>>);

impl Plan {
    /// A plan without engines. The source must [`set`](Self::set) them before it refers to the plan
    /// in an [`Entry`](super::Entry).
    pub fn later() -> Self {
        Self::default()
    }

    /// Sets the engines. Returns `false`, and changes nothing, if the plan already has engines.
    pub fn set(&self, engines: Vec<Engine>) -> bool {
        self.0.set(engines).is_ok()
    }
}

impl From<Vec<Engine>> for Plan {
    fn from(engines: Vec<Engine>) -> Self {
        Self(engines.into())
    }
}

impl Deref for Plan {
    type Target = [Engine];

    fn deref(&self) -> &[Engine] {
        self.0.get().map_or(&[], Vec::as_slice)
    }
}

/// The number of files that a plan hashes side by side: the lanes of its widest kernel.
pub(super) fn width(plan: &Plan) -> usize {
    plan.iter().map(Engine::lanes).max().unwrap_or(1)
}
