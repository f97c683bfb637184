//! What a line of a manifest says of a file.

use hashlanes_files::Function;
use hashlanes_files::manifest::{Expected, Time};

/// A line about a file.
pub(in crate::commands) struct Listed {
    /// The name in the manifest.
    pub(in crate::commands) name: Vec<u8>,
    pub(in crate::commands) digests: Vec<Expected>,
    /// Whether it is a text line with a tag.
    pub(in crate::commands) tagged: bool,
    pub(in crate::commands) size: Option<u64>,
    pub(in crate::commands) modified: Option<Time>,
    /// The names of functions of which there are digests that cannot be compared.
    pub(in crate::commands) lacking: Vec<String>,
}

impl Listed {
    /// The line with only those digests whose functions the program has, and these functions.
    ///
    /// # Errors
    /// The name of a function, if the program has none.
    pub(super) fn supported(mut self) -> Result<(Self, Vec<Function>), String> {
        let mut functions = Vec::with_capacity(self.digests.len());
        let lacking = &mut self.lacking;
        self.digests.retain(|Expected { function, .. }| {
            match Function::from_name(&function.name()) {
                Ok(found) => functions.push(found),
                Err(_) => {
                    lacking.push(function.to_string());
                    return false;
                }
            }
            true
        });
        match functions.is_empty() {
            true => Err(self.lacking.pop().unwrap_or_default()),
            false => Ok((self, functions)),
        }
    }
}
