//! Properties that hold for all messages, splits and counts, tested with generated ones.
#![cfg(feature = "alloc")]

use crate::common::{available, oracle};
use hashlanes::{
    Algorithm, AnyDigest, Done, Engine, Hasher, LaneJob, Lanes, Prefix, Sha1, Sha256, Sha512,
};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

fn algorithm() -> impl Strategy<Value = Algorithm> {
    select(Algorithm::ALL)
}

/// An engine of any algorithm, automatic or with a kernel that can run here.
fn engine() -> impl Strategy<Value = Engine> {
    algorithm().prop_flat_map(|algorithm| {
        let names = std::iter::once(None)
            .chain(available(algorithm).into_iter().map(|kernel| Some(kernel.name)));
        select(names.collect::<Vec<_>>()).prop_map(move |name| match name {
            Some(name) => Engine::of(algorithm).kernel(name).unwrap(),
            None => Engine::of(algorithm),
        })
    })
}

/// Messages whose lengths are mostly near small multiples of the block length.
fn message() -> impl Strategy<Value = Vec<u8>> {
    let length = prop_oneof![
        0..300_usize,
        (0..10_usize, 0..40_usize).prop_map(|(blocks, off)| (64 * blocks + 20).saturating_sub(off)),
        0..5000_usize
    ];
    (length, any::<u64>()).prop_map(|(len, seed)| crate::common::noise(seed, len))
}

/// Sorted positions at which to cut a message of `len` bytes.
fn cuts(len: usize, at: &[Index]) -> Vec<usize> {
    let mut cuts: Vec<_> = at.iter().map(|at| at.index(len + 1)).chain([0, len]).collect();
    cuts.sort_unstable();
    cuts
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn digests_are_right_and_in_order(engine in engine(), messages in vec(message(), 0..100)) {
        let digests = engine.digest_many(&messages);
        prop_assert_eq!(digests.len(), messages.len());
        for (digest, message) in digests.iter().zip(&messages) {
            prop_assert_eq!(digest.as_bytes(), oracle(engine.algorithm(), message));
        }
    }

    #[test]
    fn neither_order_nor_other_messages_matter(
        algorithm in algorithm(),
        messages in vec(message(), 1..60),
        others in vec(message(), 0..20),
    ) {
        let digests = algorithm.digest_many(&messages);
        let mixed: Vec<_> = messages.iter().rev().chain(&others).collect();
        let mut again = algorithm.digest_many(&mixed);
        again.truncate(messages.len());
        again.reverse();
        prop_assert_eq!(digests, again);
    }

    #[test]
    fn chunks_are_messages(
        engine in engine(),
        data in message(),
        chunk in prop_oneof![1..300_usize, 1..6000_usize],
    ) {
        let digests = engine.digest_chunks(&data, chunk);
        prop_assert_eq!(digests.len(), data.len().div_ceil(chunk));
        for (digest, chunk) in digests.iter().zip(data.chunks(chunk)) {
            prop_assert_eq!(digest.as_bytes(), oracle(engine.algorithm(), chunk));
        }
    }

    #[test]
    fn a_prefix_is_the_start_of_the_message(
        prefix in message(),
        messages in vec(message(), 0..60),
    ) {
        let digests = Prefix::<Sha256>::new(&prefix).digest_many(&messages);
        prop_assert_eq!(digests.len(), messages.len());
        for (digest, message) in digests.iter().zip(&messages) {
            let whole = [&prefix[..], message].concat();
            prop_assert_eq!(&digest[..], oracle(Algorithm::Sha256, &whole));
        }
    }

    /// A text is refused, or parsed as a digest whose text is the same.
    #[test]
    fn parsing_and_formatting_a_digest_are_inverse(text in "[0-9a-fA-F]{0,130}|\\PC{0,40}") {
        match text.parse::<AnyDigest>() {
            Ok(digest) => prop_assert_eq!(digest.to_string(), text.to_lowercase()),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn pieces_make_the_same_digest(message in message(), at in vec(any::<Index>(), 0..8)) {
        let mut hasher = Hasher::<Sha1>::new();
        for cut in cuts(message.len(), &at).windows(2) {
            hasher.update(&message[cut[0]..cut[1]]);
        }
        prop_assert_eq!(hasher.finalize().to_vec(), oracle(Algorithm::Sha1, &message));
    }

    #[test]
    fn pieces_in_step_make_the_same_digests(
        engine in engine(),
        messages in vec((message(), vec(any::<Index>(), 3)), 1..50),
    ) {
        let mut hashers = engine.hashers(messages.len());
        let cuts: Vec<_> = messages.iter().map(|(message, at)| cuts(message.len(), at)).collect();
        for step in 0..4 {
            let pieces: Vec<_> = messages
                .iter()
                .zip(&cuts)
                .map(|((message, _), cuts)| &message[cuts[step]..cuts[step + 1]])
                .collect();
            hashers.update(&pieces);
        }
        for (i, (message, _)) in messages.iter().enumerate() {
            prop_assert_eq!(hashers.finalize_reset(i), &oracle(engine.algorithm(), message)[..]);
        }
    }

    /// Each message is in two pieces. The second is submitted as soon as the first has come back.
    #[test]
    fn a_manager_completes_every_message(
        capacity in 1..80_usize,
        messages in vec((message(), any::<Index>()), 1..80),
    ) {
        let mut lanes = Lanes::<Sha512, &[u8], usize>::with_engine(Engine::new(), capacity);
        let mut seen = vec![0; messages.len()];
        let mut fresh = messages.iter().enumerate();
        let mut jobs = Vec::new();
        loop {
            let done = if let Some(job) = jobs.pop() {
                let job: LaneJob<_, usize> = job;
                let (message, at) = &messages[*job.tag()];
                lanes.last(job, &message[at.index(message.len() + 1)..])
            } else if let Some((i, (message, at))) = fresh.next() {
                lanes.first(&message[..at.index(message.len() + 1)], i)
            } else {
                match lanes.flush() {
                    Some(done) => Some(done),
                    None => break,
                }
            };
            match done {
                Some(Done::Piece { job, .. }) => jobs.push(job),
                Some(Done::Message { tag, digest, .. }) => {
                    seen[tag] += 1;
                    prop_assert_eq!(digest.as_slice(), oracle(Algorithm::Sha512, &messages[tag].0));
                }
                None => {}
            }
            prop_assert!(lanes.len() < capacity);
        }
        prop_assert!(seen.iter().all(|&times| times == 1));
    }
}
