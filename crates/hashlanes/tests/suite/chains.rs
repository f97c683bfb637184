//! Hash chains beside the digest of a digest, one after another.

use hashlanes::{HashFunction, Keccak256, Md5, Prefix, Sha256, Sha512, digest_chains};

fn test<A: HashFunction>(prefix: &[u8]) {
    let mut random = fastrand::Rng::with_seed(11);
    let prefix = Prefix::<A>::new(prefix);
    for count in [0, 1, 2, 15, 16, 17, 63, 64, 65, 200] {
        let mut values = vec![A::digest([count as u8]); count];
        values.iter_mut().enumerate().for_each(|(i, value)| value.as_mut()[0] ^= i as u8);
        // Most chains are short, some are not continued at all.
        let lengths: Vec<u64> = (0..count).map(|_| random.u64(..4) * random.u64(..9)).collect();
        let mut expected = values.clone();
        for (value, &length) in expected.iter_mut().zip(&lengths) {
            (0..length).for_each(|_| *value = prefix.digest(*value));
        }
        prefix.digest_chains(&mut values, &lengths);
        assert_eq!(values, expected, "{count} chains");
    }
}

#[test]
fn chains_are_digests_of_digests() {
    test::<Md5>(b"");
    test::<Sha256>(b"");
    test::<Sha256>(&[1; 64]);
    test::<Sha512>(b"tag");
    test::<Keccak256>(&[2; 136]);
}

#[test]
#[should_panic(expected = "every chain has a length")]
fn chains_and_lengths_must_match() {
    digest_chains::<Sha256>(&mut [[0; 32]], &[]);
}
