//! Comparison in constant time.

use core::hint::black_box;

/// Whether the bytes are equal, in a time that depends only on the lengths.
pub(crate) fn equal(one: &[u8], other: &[u8]) -> bool {
    if one.len() != other.len() {
        return false;
    }
    let differences = one.iter().zip(other).fold(0, |seen, (a, b)| seen | (a ^ b));
    // The compiler does not know that only zero matters, so it cannot stop at the first difference.
    black_box(differences) == 0
}
