//! Checks against faults in the computation.

/// How signatures are checked before they are returned, against faults in the computation.
///
/// Checks are made for each group of signatures that are computed side by side. If one fails,
/// nothing of the group is returned.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
#[non_exhaustive]
pub enum Check {
    /// The root of the highest tree must be that of the key. It is computed for each signature
    /// anyway, so this costs nothing. It detects faults in the highest tree, and damaged keys.
    #[default]
    Root,
    /// Each signature must also be valid. This detects faults in the values that a signature
    /// reveals, but not in the lower trees, whose signatures are valid all the same.
    Verify,
    /// Each signature is computed twice, and both must be the same. This detects every fault that
    /// does not happen twice in the same way, and takes twice as long.
    Twice,
}
