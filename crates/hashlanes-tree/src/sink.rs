//! Receives the digests of leaves.

use std::io;

/// Receives the digests of a plan's leaves in order, from one thread at a time.
///
/// ```
/// use hashlanes::Algorithm;
/// use hashlanes_tree::{Job, Plan, Settings, hash_content};
///
/// // A vector collects all digests.
/// let mut digests = Vec::new();
/// let plan = Plan::new(Algorithm::Md5, 4);
/// let mut jobs = [Job::new(&plan, &mut digests)];
/// hash_content(b"some bytes".as_slice(), &mut jobs, &Settings::default())?;
/// assert_eq!(digests.len(), 3 * 16);
/// assert_eq!(&digests[32..], Algorithm::Md5.digest("es").as_bytes());
/// # Ok::<(), hashlanes_tree::Error>(())
/// ```
pub trait Sink: Send {
    /// Takes the concatenated digests of any number of next leaves.
    ///
    /// # Errors
    /// Any error ends the run.
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()>;
}

/// Collects all digests.
impl Sink for Vec<u8> {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        self.extend_from_slice(digests);
        Ok(())
    }
}

impl<S: Sink + ?Sized> Sink for &mut S {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        (**self).leaves(digests)
    }
}

impl<S: Sink + ?Sized> Sink for Box<S> {
    fn leaves(&mut self, digests: &[u8]) -> io::Result<()> {
        (**self).leaves(digests)
    }
}
