//! Compares the digests of a run with those of an independent implementation.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use hashlanes::AnyDigest;
use hashlanes_measure::messages::reference_hasher;

use super::data::{Data, Digests, WrongDigest};
use super::measured::Consumed;
use super::plan::{Failure, Plan};

/// Regenerates all chunks, and compares every digest with the reference. Returns the number of
/// digests.
pub(super) fn verify(
    plan: &Plan,
    data: &Data,
    produced: &[Digests],
    consumed: &[Consumed],
) -> Result<u64, Failure> {
    let messages = if plan.stream { plan.producers } else { plan.chunks() as usize };
    let streams: BTreeMap<usize, AnyDigest> =
        consumed.iter().flat_map(|consumed| consumed.digests.clone()).collect();
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
            let (name, ours) = if plan.stream {
                plan.chunks_of(message).for_each(&mut absorb);
                (
                    format!("stream {message}"),
                    streams.get(&message).map_or(&[][..], |digest| digest.as_bytes()),
                )
            } else {
                absorb(message as u64);
                let (producer, index) = (message % plan.producers, message / plan.producers);
                (format!("chunk {message}"), produced[producer].get(plan.algorithm, index))
            };
            let reference = hasher.finalize_reset();
            if *reference != *ours {
                let (ours, reference) = (ours.to_vec(), reference.into_vec());
                let wrong =
                    WrongDigest { algorithm: plan.algorithm, message: name, ours, reference };
                return Err(Failure::Wrong(Box::new(wrong)));
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
        let mut produced: Vec<Digests> =
            (0..3).map(|p| Digests::of(plan.algorithm, plan.chunks_of(p).count())).collect();
        for number in 0..plan.chunks() {
            let mut chunk = vec![0; plan.length(number)];
            data.fill(number, &mut chunk);
            produced[number as usize % 3].set(number as usize / 3, &plan.algorithm.digest(&chunk));
        }
        assert_eq!(verify(&plan, &data, &produced, &[]).unwrap(), 8);
        produced[1].set(2, &plan.algorithm.digest(b"something else"));
        let Err(Failure::Wrong(wrong)) = verify(&plan, &data, &produced, &[]) else {
            panic!("it was not noticed")
        };
        assert_eq!(wrong.message, "chunk 7");
        assert!(wrong.to_string().starts_with("wrong sha1 digest of chunk 7: "));
    }
}
