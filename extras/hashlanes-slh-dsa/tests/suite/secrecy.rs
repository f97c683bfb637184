//! No branch and no address depends on a private key: valgrind reports those that do.

use std::hint::black_box;
use std::time::Instant;

use hashlanes_slh_dsa::memcheck::{conceal, reports, reveal};
use hashlanes_slh_dsa::{Check, Domain, ParameterSet, SigningKey};

use crate::random;

/// Reports of a branch and of an address that depend on a secret: without valgrind there are none.
fn control() -> usize {
    let (secret, before) = (random(1, 1), reports());
    conceal(&secret);
    if black_box(&secret)[0] & 1 == 1 {
        black_box(());
    }
    black_box(black_box(&[0; 256])[usize::from(secret[0])]);
    reports() - before
}

/// Makes keys and signs with the sets whose names end so. The reports of a process are counted, so
/// tests must not run at the same time.
fn test(end: char) {
    assert_eq!(control(), 2, "run this test under valgrind");
    for set in ParameterSet::ALL.into_iter().filter(|set| set.name().ends_with(end)) {
        let began = Instant::now();
        let seeds = random(set as u64, set.private_key_len() / 4 * 3);
        let n = seeds.len() / 3;
        let before = reports();
        conceal(&seeds[..2 * n]);
        let key = SigningKey::from_seeds(set, &seeds).unwrap();
        let opt_rand = random(2, n);
        conceal(&opt_rand);
        let signatures = key.sign_with(&["message"], Domain::default(), &opt_rand).unwrap();
        assert_eq!(reports(), before, "{}", set.name());
        reveal(signatures[0].as_ref());
        assert!(key.verifying_key().is_valid("message", &signatures[0], Domain::default()));
        assert_eq!(reports(), before, "{} verified", set.name());
        println!("{}: {} s", set.name(), began.elapsed().as_secs());
    }
}

#[test]
fn neither_keys_nor_signatures_take_time_that_depends_on_secrets() {
    test('f');
}

#[test]
#[ignore = "takes minutes; `cargo xtask secrecy --all` runs it"]
fn nor_do_those_of_sets_with_small_signatures() {
    test('s');
}

#[test]
fn nor_do_checks_of_signatures() {
    assert_eq!(control(), 2, "run this test under valgrind");
    let set = ParameterSet::Sha2_128f;
    for check in [Check::Verify, Check::Twice] {
        let (seeds, before) = (random(3, 48), reports());
        conceal(&seeds[..32]);
        let key = SigningKey::from_seeds(set, &seeds).unwrap().with_check(check);
        key.sign("message", Domain::default(), None).unwrap();
        assert_eq!(reports(), before, "{check:?}");
    }
}
