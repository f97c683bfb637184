//! Compares the digests of a run with those of an independent implementation.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use base16ct::lower::encode_string as hex;
use hashlanes::AnyDigest;
use hashlanes_measure::messages::reference_hasher;

use super::data::Data;
use super::measured::Consumed;
use super::plan::{Failure, Plan};

/// Regenerates all chunks, and compares every digest with the reference. Returns the number of
/// digests.
pub(super) fn verify(plan: &Plan, data: &Data, consumed: &[Consumed]) -> Result<u64, Failure> {
    let messages = if plan.stream { plan.producers } else { plan.chunks() as usize };
    let digests = consumed.iter().flat_map(|consumed| consumed.digests.iter().copied());
    let mut digests: Vec<(u64, AnyDigest)> = digests.collect();
    digests.sort_unstable_by_key(|(number, _)| *number);
    let next = AtomicUsize::new(0);
    let check = || {
        let mut buffer = vec![0; plan.longest()];
        let mut hasher = reference_hasher(plan.algorithm).expect("there is one for each algorithm");
        loop {
            let message = next.fetch_add(1, Ordering::Relaxed);
            if message >= messages {
                return Ok(());
            }
            let mut absorb = |number: u64| {
                let bytes = &mut buffer[..plan.length(number)];
                data.fill(number, bytes);
                hasher.update(bytes);
            };
            let what = if plan.stream {
                plan.chunks_of(message).for_each(&mut absorb);
                "stream"
            } else {
                absorb(message as u64);
                "chunk"
            };
            let ours = digests.get(message).filter(|(number, _)| *number == message as u64);
            let ours = ours.map_or(&[][..], |(_, digest)| digest.as_bytes());
            let reference = hasher.finalize_reset();
            if *reference != *ours {
                let (algorithm, ours, reference) = (plan.algorithm, hex(ours), hex(&reference));
                return Err(Failure::Wrong(format!(
                    "wrong {algorithm} digest of {what} {message}: {ours} instead of {reference}"
                )));
            }
        }
    };
    let threads = thread::available_parallelism().map_or(1, NonZeroUsize::get).min(plan.producers);
    thread::scope(|scope| {
        let threads: Vec<_> = (1..threads).map(|_| scope.spawn(check)).collect();
        check()?;
        threads.into_iter().try_for_each(|thread| thread.join().expect("the check does not panic"))
    })?;
    Ok(messages as u64)
}

#[cfg(test)]
mod tests {
    use super::super::plan::tests::plan;
    use super::*;

    #[test]
    fn a_wrong_digest_is_noticed() {
        let plan = plan();
        let data = Data::new(plan.chunk);
        let mut consumed = [Consumed::new(), Consumed::new()];
        for number in (0..plan.chunks()).rev() {
            let mut chunk = vec![0; plan.length(number)];
            data.fill(number, &mut chunk);
            let digests = &mut consumed[number as usize % 2].digests;
            digests.push((number, plan.algorithm.digest(&chunk)));
        }
        assert_eq!(verify(&plan, &data, &consumed).unwrap(), 8);
        let wrong = |consumed: &[Consumed]| match verify(&plan, &data, consumed) {
            Err(Failure::Wrong(wrong)) => wrong,
            other => panic!("it was not noticed: {other:?}"),
        };
        consumed[1].digests[0].1 = plan.algorithm.digest(b"something else");
        assert!(wrong(&consumed).starts_with("wrong sha1 digest of chunk 7: "));
        consumed[1].digests.remove(0);
        assert!(wrong(&consumed).starts_with("wrong sha1 digest of chunk 7:  instead of "));
    }
}
