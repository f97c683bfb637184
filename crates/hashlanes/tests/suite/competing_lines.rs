//! Messages that compete for the sets of a first-level cache, and messages that do not: some
//! kernels load their blocks in another way then.

use crate::common::{engines_of, for_each_function, noise, oracle};
use hashlanes::HashFunction;

/// Bytes after which a first-level cache has the same set again, on most cores.
const PAGE: usize = 4096;

fn check<A: HashFunction>() {
    // One message for a lane of the widest kernel and more, each in a page of its own.
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
fn digests_are_right_wherever_messages_lie() {
    for_each_function!(check());
}
