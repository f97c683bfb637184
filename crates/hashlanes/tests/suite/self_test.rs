//! The known answers of the self-test, computed with independent implementations.

use crate::common::oracle;
use hashlanes::{Algorithm, AnyDigest};

#[path = "../../src/api/known_answers.rs"]
mod known_answers;

use known_answers::{ANSWERS, EQUAL, LONGEST, MIXED};

#[test]
fn known_answers_are_those_of_other_implementations() {
    let bytes: Vec<u8> = (0..LONGEST).map(|i| (i % 251) as u8).collect();
    for &algorithm in Algorithm::ALL {
        let mut all = Vec::new();
        let mut digests = Vec::new();
        for length in EQUAL.map(Some).into_iter().chain([None]) {
            let message = |i: usize| match length {
                Some(length) => &bytes[i..i + length],
                None => &bytes[..MIXED[i]],
            };
            digests = (0..MIXED.len()).map(|i| oracle(algorithm, message(i))).collect();
            all.extend(digests.concat());
            all.extend(&digests[MIXED.len() - 1]);
        }
        for (i, mut value) in digests.into_iter().enumerate() {
            (0..i % 4).for_each(|_| value = oracle(algorithm, &value));
            all.extend(value);
        }
        let answer = oracle(algorithm, &all);
        let (_, known) = ANSWERS.iter().find(|(name, _)| *name == algorithm.name()).unwrap();
        let length = answer.len().min(32);
        assert_eq!(known.parse(), Ok(AnyDigest::try_from(&answer[..length]).unwrap()));
    }
}
