//! Messages that compete for the same sets of the L1 cache, and messages that do not. Some kernels
//! load competing messages differently.

use crate::common::{engines_of, for_each_function, noise, oracle};
use hashlanes::HashFunction;

/// The distance in bytes at which addresses map to the same set of the L1 cache, on most cores.
const PAGE: usize = 4096;

fn check<A: HashFunction>() {
    // More messages than the widest kernel has lanes, each in its own page.
    let bytes = noise(3, 42 * PAGE);
    for (from, apart) in [(0, PAGE), (1, PAGE), (0, PAGE + 64), (7, PAGE - 65)] {
        for length in [500, 1024, 1500, 4000] {
            let messages: Vec<_> =
                (0..40).map(|i| &bytes[from + i * apart..][..length - i % 3 * 70]).collect();
            let right: Vec<_> =
                messages.iter().map(|message| oracle(A::ALGORITHM, message)).collect();
            for engine in engines_of::<A>() {
                let mut digests = vec![A::digest(""); messages.len()];
                engine.digest_many_into(&messages, &mut digests);
                for (digest, right) in digests.iter().zip(&right) {
                    assert_eq!(digest.as_ref(), right, "{engine:?}: {length} bytes, {apart} apart");
                }
            }
        }
    }
}

#[test]
fn competing_messages_have_correct_digests() {
    for_each_function!(check());
}
