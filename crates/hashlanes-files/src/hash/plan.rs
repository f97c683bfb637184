//! Plans: which engines hash a file.

use std::ops::Deref;
use std::sync::OnceLock;

use crate::Engine;

/// The engines that hash one file. The file is read once for all of them.
///
/// A source may learn only while it is read which functions its files need: lines of a manifest say
/// it. For such there are plans whose engines come [`later`](Self::later).
#[derive(Debug, Default)]
pub struct Plan(OnceLock<Vec<Engine>>);

impl Plan {
    /// A plan without engines. The source gives it some before it names the plan in an
    /// [`Entry`](super::Entry).
    pub fn later() -> Self {
        Self::default()
    }

    /// Gives the plan its engines. False if it has some: then they stay.
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

/// How many files side by side a plan can use: as many as its widest kernel has lanes.
pub(super) fn width(plan: &Plan) -> usize {
    plan.iter().map(Engine::lanes).max().unwrap_or(1)
}
