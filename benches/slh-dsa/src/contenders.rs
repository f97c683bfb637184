//! What is compared: each contender's operations on the same key and messages.

use std::collections::BTreeMap;
use std::hint::black_box;

use hashlanes_slh_dsa::{Check, Domain, ParameterSet, SigningKey};

/// Messages that are signed or verified side by side.
const MANY: usize = 16;

/// Does one or more items of work in a round, and returns how many.
type Operation = Box<dyn Fn(usize) -> usize>;

/// Evaluates an expression with the crate's type of a parameter set.
macro_rules! with_peer {
    ($set:expr, $peer:ident => $do:expr) => {
        with_peer! { $set, $peer => $do,
            Sha2_128s Sha2_128f Sha2_192s Sha2_192f Sha2_256s Sha2_256f
            Shake128s Shake128f Shake192s Shake192f Shake256s Shake256f
        }
    };
    ($set:expr, $peer:ident => $do:expr, $($name:ident)*) => {
        match $set {
            $(ParameterSet::$name => {
                type $peer = slh_dsa::$name;
                $do
            })*
        }
    };
}
pub(crate) use with_peer;

pub(crate) struct Contender {
    pub(crate) name: &'static str,
    pub(crate) operations: BTreeMap<&'static str, Operation>,
}

/// The contenders for a set, ours first. All have signed a message alike.
pub(crate) fn contenders(set: ParameterSet) -> Vec<Contender> {
    let seeds: Vec<u8> = (0..set.private_key_len() / 4 * 3).map(|i| (7 * i + 3) as u8).collect();
    let key = SigningKey::from_seeds(set, &seeds).expect("the seeds have their length");
    let theirs = with_peer!(set, Peer => slh_dsa::<Peer>(&key));
    vec![ours(key, seeds), theirs]
}

/// A message that differs from one call to the next.
fn message(round: usize, i: usize) -> Vec<u8> {
    [round.to_le_bytes(), i.to_le_bytes()].concat()
}

fn ours(key: SigningKey, seeds: Vec<u8>) -> Contender {
    let domain = Domain::default();
    let set = key.parameter_set();
    let messages: Vec<_> = (0..MANY).map(|i| message(0, i)).collect();
    let signatures = key.sign_many(&messages, domain, None).expect("the key is complete");
    let (signer, many, public) = (key.clone(), key.clone(), key.verifying_key());
    let (one, verifier) = (signatures[0].clone(), public.clone());
    let mut operations: BTreeMap<_, Operation> = BTreeMap::new();
    operations.insert(
        "key",
        Box::new(move |round| {
            let mut seeds = seeds.clone();
            seeds[0] ^= round as u8;
            black_box(SigningKey::from_seeds(set, &seeds).is_ok());
            1
        }),
    );
    operations.insert(
        "sign",
        Box::new(move |round| {
            black_box(signer.sign(message(round, 0), domain, None).is_ok());
            1
        }),
    );
    for (name, check) in [("sign verify", Check::Verify), ("sign twice", Check::Twice)] {
        let signer = key.clone().with_check(check);
        operations.insert(
            name,
            Box::new(move |round| {
                black_box(signer.sign(message(round, 0), domain, None).is_ok());
                1
            }),
        );
    }
    operations.insert(
        "sign many",
        Box::new(move |round| {
            let messages: Vec<_> = (0..MANY).map(|i| message(round, i)).collect();
            black_box(many.sign_many(&messages, domain, None).is_ok());
            MANY
        }),
    );
    operations.insert(
        "verify",
        Box::new(move |_| {
            assert!(public.is_valid(message(0, 0), &one, domain));
            1
        }),
    );
    operations.insert(
        "verify many",
        Box::new(move |_| {
            assert!(!verifier.verify_many(&messages, &signatures, domain).contains(&false));
            MANY
        }),
    );
    Contender { name: "hashlanes", operations }
}

fn slh_dsa<P: slh_dsa::ParameterSet + 'static>(key: &SigningKey) -> Contender {
    let n = key.as_bytes().len() / 4;
    let seeds: Vec<_> = key.as_bytes()[..3 * n].chunks_exact(n).map(<[u8]>::to_vec).collect();
    let make = move |round: usize| {
        let mut first = seeds[0].clone();
        first[0] ^= round as u8;
        slh_dsa::SigningKey::<P>::slh_keygen_internal(&first, &seeds[1], &seeds[2])
    };
    let theirs = make(0);
    let sign = move |round, i| {
        theirs.try_sign_with_context(&message(round, i), &[], None).expect("there is no context")
    };
    let signature = sign(0, 0);
    let same = key.sign(message(0, 0), Domain::default(), None).expect("the key is complete");
    assert!(signature.to_vec() == same.as_ref(), "the signatures differ");
    let public = make(0);
    let verify = move || {
        let key: &slh_dsa::VerifyingKey<P> = public.as_ref();
        assert!(key.try_verify_with_context(&message(0, 0), &[], &signature).is_ok());
        1
    };
    let mut operations: BTreeMap<_, Operation> = BTreeMap::new();
    operations.insert(
        "key",
        Box::new(move |round| {
            black_box(make(round));
            1
        }),
    );
    operations.insert(
        "sign",
        Box::new(move |round| {
            black_box(sign(round, 0));
            1
        }),
    );
    operations.insert("verify", Box::new(move |_| verify()));
    Contender { name: "slh-dsa", operations }
}
