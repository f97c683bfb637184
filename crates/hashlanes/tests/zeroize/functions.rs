//! With the feature `zeroize`, no function that takes a key or a message leaves any of it on the
//! stack or in freed memory. The list of them is compared with the sources.
#![cfg(all(target_os = "linux", target_arch = "x86_64", not(miri)))]
#![allow(
    clippy::needless_borrows_for_generic_args,
    reason = "a key by value is a copy on this test's own stack"
)]

use std::collections::BTreeSet;
use std::fs;
use std::future::Future;
use std::hint::black_box;
use std::path::Path;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

use crate::searching::{ONE, found};
use crate::stack::{OWN, OWN_OF_MOVES, WORD, left_by};
use hashlanes::server::HashServer;
use hashlanes::xof::{
    AnyXof, KmacKey, Kt128, Xof, XofAlgorithm, XofFunction, XofParams, XofReader, squeeze_many,
};
use hashlanes::{
    Algorithm, Blake2Params, Blake2b512, Blake3, Engine, HashFunction, Hasher, HmacKey, Lanes,
    Prefix, Sha3_256, Sha256, Shake128, digest_chunks, digest_many, digest_many_into,
};

/// What a function is given: messages, all of them repetitions of [`WORD`].
type Messages<'a> = &'a [&'a [u8]];

/// A function by its name in the sources, and a call of it.
type Case = (&'static str, fn(Messages<'_>));

/// A key of repetitions of [`WORD`].
static KEY: [u8; 32] = {
    let mut key = [0; 32];
    let mut i = 0;
    while i < key.len() {
        key[i] = WORD[i % WORD.len()];
        i += 1;
    }
    key
};

/// Runs a future that nothing else has to advance.
fn ready<T>(future: impl Future<Output = T>) -> T {
    let mut future = pin!(future);
    for _ in 0..1000 {
        let poll = future.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        if let Poll::Ready(value) = poll {
            return value;
        }
    }
    panic!("a hasher that is alone need not wait")
}

/// A list of cases. What a call returns is dropped where it is: a move would leave a copy.
macro_rules! cases {
    ($($name:literal => |$messages:ident| $call:expr;)*) => {
        vec![$(($name, |$messages: Messages<'_>| {
            let value = $call;
            black_box(&value);
        })),*]
    };
}

/// Functions of any hash function.
fn of_function<A: HashFunction>() -> Vec<Case> {
    let mut cases: Vec<Case> = cases! {
        "Engine::digest" => |m| Engine::<A>::new().digest(m[0]);
        "Engine::digest_many" => |m| Engine::<A>::new().digest_many(m);
        "Engine::digest_many_parts" => |m| {
            Engine::<A>::new().digest_many_parts(&m.chunks(2).collect::<Vec<_>>());
        };
        "Engine::digest_many_parts_into" => |m| {
            let parts: Vec<_> = m.iter().map(|m| [&m[..m.len() / 2], &m[m.len() / 2..]]).collect();
            Engine::<A>::new().digest_many_parts_into(&parts, &mut vec![A::ZERO; m.len()]);
        };
        "Engine::digest_many_into" => |m| {
            Engine::<A>::new().digest_many_into(m, &mut vec![A::ZERO; m.len()]);
        };
        "Engine::digest_chunks" => |m| Engine::<A>::new().digest_chunks(m[0], 300);
        "Engine::digest_chunks_into" => |m| {
            let mut digests = vec![A::ZERO; m[0].len().div_ceil(300)];
            Engine::<A>::new().digest_chunks_into(m[0], 300, &mut digests);
        };
        "Engine::digest_pairs" => |_m| {
            Engine::<A>::new().digest_pairs(&[[secret::<A>(); 2]; 9], &mut [A::ZERO; 9]);
        };
        "Engine::update_many" => |m| {
            let mut hashers = vec![Hasher::<A>::new(); m.len()];
            Engine::<A>::new().update_many(&mut hashers, m);
        };
        "Engine::hmac_many" => |m| Engine::<A>::new().hmac_many(&pairs::<A>(m));
        "Engine::hmac_many_into" => |m| {
            Engine::<A>::new().hmac_many_into(&pairs::<A>(m), &mut vec![A::ZERO; m.len()]);
        };
        "Engine::pbkdf2_many" => |m| {
            Engine::<A>::new().pbkdf2_many(m, m, 3, &mut vec![[0; 80]; m.len()]);
        };
        "Engine::pbkdf2_many_while" => |m| {
            let keys = &mut vec![[0; 80]; m.len()];
            assert!(Engine::<A>::new().pbkdf2_many_while(m, m, 3, keys, &mut || true));
        };
        "Engine::hkdf_many" => |m| {
            Engine::<A>::new().hkdf_many(m, m, m, &mut vec![[0; 80]; m.len()]);
        };
        "Engine::hkdf_many_while" => |m| {
            let keys = &mut vec![[0; 80]; m.len()];
            assert!(Engine::<A>::new().hkdf_many_while(m, m, m, keys, &mut || true));
        };
        "digest_many" => |m| digest_many::<A>(m);
        "digest_many_into" => |m| digest_many_into::<A>(m, &mut vec![A::ZERO; m.len()]);
        "digest_chunks" => |m| digest_chunks::<A>(m[0], 300);
        "Prefix::digest_chains" => |_m| {
            Prefix::<A>::new([]).digest_chains(&mut [secret::<A>(); 9], &[1; 9]);
        };
        "Prefix::verify_chains" => |_m| {
            Prefix::<A>::new([]).verify_chains(&[secret::<A>(); 9], &[secret::<A>(); 9], &[3; 9])
        };
        "Hasher::update" => |m| Hasher::<A>::new().update(m[0]).len();
        "Hasher::update_reader" => |m| Hasher::<A>::new().update_reader(m[0]).unwrap().len();
        "Hasher::restore" => |m| {
            // The caller owns the bytes, and wipes them.
            let mut saved = Hasher::<A>::new().update(m[0]).save_with_key();
            let restored = Hasher::<A>::restore(&saved).unwrap().len();
            saved.fill(0);
            restored
        };
        "HmacKey::restore" => |m| {
            let key = HmacKey::<A>::new(&KEY);
            let mut saved = key.hasher().update(m[0]).save();
            let restored = key.restore(&saved).unwrap().len();
            saved.fill(0);
            restored
        };
        "Hasher::finalize" => |m| Hasher::<A>::new().update(m[0]).clone().finalize();
        "Hasher::finalize_reset" => |m| Hasher::<A>::new().update(m[0]).finalize_reset();
        "HmacKey::new" => |_m| HmacKey::<A>::new(&KEY);
        "HmacKey::with_engine" => |m| HmacKey::<A>::with_engine(Engine::new(), m[0]);
        "HmacKey::mac" => |m| HmacKey::<A>::new(&KEY).mac(m[0]);
        "HmacKey::verify" => |m| HmacKey::<A>::new(&KEY).verify(m[0], &KEY);
        "HmacKey::mac_many" => |m| HmacKey::<A>::new(&KEY).mac_many(m);
        "HmacKey::mac_many_into" => |m| {
            HmacKey::<A>::new(&KEY).mac_many_into(m, &mut vec![A::ZERO; m.len()]);
        };
        "Hasher::update under a key" => |m| HmacKey::<A>::new(&KEY).hasher().update(m[0]).len();
        "Hasher::update_reader under a key" => |m| {
            HmacKey::<A>::new(&KEY).hasher().update_reader(m[0]).unwrap().len()
        };
        "Hasher::finalize under a key" => |m| {
            HmacKey::<A>::new(&KEY).hasher().update(m[0]).clone().finalize()
        };
        "Hasher::finalize_reset under a key" => |m| {
            HmacKey::<A>::new(&KEY).hasher().update(m[0]).finalize_reset()
        };
        "Hasher::verify" => |m| {
            HmacKey::<A>::new(&KEY).hasher().update(m[0]).clone().verify(&KEY)
        };
        "Prefix::new" => |m| Prefix::<A>::new(m[0]).len();
        "Prefix::with_engine" => |m| Prefix::<A>::with_engine(Engine::new(), m[0]).len();
        "Prefix::digest" => |m| Prefix::<A>::new(&KEY).digest(m[0]);
        "Prefix::digest_many" => |m| Prefix::<A>::new(&KEY).digest_many(m);
        "Prefix::digest_many_into" => |m| {
            Prefix::<A>::new(&KEY).digest_many_into(m, &mut vec![A::ZERO; m.len()]);
        };
        "Prefix::digest_chunks" => |m| Prefix::<A>::new(&KEY).digest_chunks(m[0], 300);
        "Prefix::digest_chunks_into" => |m| {
            let mut digests = vec![A::ZERO; m[0].len().div_ceil(300)];
            Prefix::<A>::new(&KEY).digest_chunks_into(m[0], 300, &mut digests);
        };
        "Prefix::digest_pairs" => |_m| {
            Prefix::<A>::new(&KEY).digest_pairs(&[[secret::<A>(); 2]; 9], &mut [A::ZERO; 9]);
        };
        "Prefix::digest_chains" => |_m| {
            Prefix::<A>::new(&KEY).digest_chains(&mut [secret::<A>(); 9], &[1; 9]);
        };
        "Prefix::verify_chains" => |_m| {
            Prefix::<A>::new(&KEY).verify_chains(&[secret::<A>(); 9], &[A::ZERO; 9], &[3; 9])
        };
        "Prefix::digest_numbered_chains" => |_m| {
            let mut inputs = [WORD; 9];
            Prefix::<A>::new(&KEY).digest_numbered_chains(
                inputs.as_flattened_mut(), 8, 4, &[2; 9]
            );
            inputs = [[0; 8]; 9];
            inputs
        };
        "ServerHasher::update" => |m| HashServer::<A>::new().hasher().update(m[0]).len();
        "ServerHasher::update_reader" => |m| {
            HashServer::<A>::new().hasher().update_reader(m[0]).unwrap().len()
        };
        "ServerHasher::finalize" => |m| {
            HashServer::<A>::new().hasher().update(m[0]).clone().finalize()
        };
        "ServerHasher::finalize_reset" => |m| {
            HashServer::<A>::new().hasher().update(m[0]).finalize_reset()
        };
        "ServerHasher::digest_so_far" => |m| {
            HashServer::<A>::new().hasher().update(m[0]).digest_so_far()
        };
        "ServerHasher::update_async" => |m| {
            let mut hasher = HashServer::<A>::new().hasher();
            ready(hasher.update_async(m[0]));
        };
        "ServerHasher::finalize_async" => |m| {
            ready(HashServer::<A>::new().hasher().update(m[0]).clone().finalize_async())
        };
        "ServerHasher::finalize_reset_async" => |m| {
            ready(HashServer::<A>::new().hasher().update(m[0]).finalize_reset_async())
        };
        "HashServer::hmac_hasher" => |_m| {
            HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY)).len()
        };
        "HashServer::try_hasher_under" => |_m| {
            HashServer::<A>::new().try_hasher_under(HmacKey::new(&KEY)).unwrap().len()
        };
        "HashServer::update_many" => |m| {
            let server = HashServer::<A>::new();
            let mut hashers: Vec<_> = m.iter().map(|_| server.hasher()).collect();
            server.update_many(&mut hashers.iter_mut().zip(m.iter().copied()).collect::<Vec<_>>());
        };
        "HashServer::finalize_many" => |m| {
            let server = HashServer::<A>::new();
            let mut hashers: Vec<_> = m.iter().map(|_| server.hasher()).collect();
            for (hasher, message) in hashers.iter_mut().zip(m) {
                hasher.update(message);
            }
            server.finalize_many(&mut hashers.iter_mut().collect::<Vec<_>>())
        };
        "ServerHasher::update under a key" => |m| {
            HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY)).update(m[0]).len()
        };
        "ServerHasher::update_reader under a key" => |m| {
            let mut hasher = HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY));
            hasher.update_reader(m[0]).unwrap().len()
        };
        "ServerHasher::finalize under a key" => |m| {
            HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY)).update(m[0]).clone().finalize()
        };
        "ServerHasher::finalize_reset under a key" => |m| {
            HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY)).update(m[0]).finalize_reset()
        };
        "ServerHasher::digest_so_far under a key" => |m| {
            HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY)).update(m[0]).digest_so_far()
        };
        "ServerHasher::update_async under a key" => |m| {
            let mut hasher = HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY));
            ready(hasher.update_async(m[0]));
        };
        "ServerHasher::finalize_async under a key" => |m| {
            let mut hasher = HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY));
            hasher.update(m[0]);
            ready(hasher.finalize_async())
        };
        "ServerHasher::finalize_reset_async under a key" => |m| {
            let mut hasher = HashServer::<A>::new().hmac_hasher(&HmacKey::new(&KEY));
            ready(hasher.update(m[0]).finalize_reset_async())
        };
    };
    // Moves of its states are a known gap (SECURITY.md).
    if A::ALGORITHM != Algorithm::Blake3 {
        let of_lanes: Vec<Case> = cases! {
            "Lanes::entire" => |m| lanes::<A>(m, |lanes, message| _ = lanes.entire(message, ()));
            "Lanes::first" => |m| lanes::<A>(m, |lanes, message| _ = lanes.first(message, ()));
            "Lanes::update" => |m| lanes::<A>(m, |lanes, message| {
                _ = lanes.first(message, ());
                if let Some(hashlanes::Done::Piece { job, .. }) = lanes.flush() {
                    _ = lanes.update(job, message);
                }
            });
            "Lanes::last" => |m| lanes::<A>(m, |lanes, message| {
                _ = lanes.first(message, ());
                if let Some(hashlanes::Done::Piece { job, .. }) = lanes.flush() {
                    _ = lanes.last(job, message);
                }
            });
            "Lanes::flush" => |m| lanes::<A>(m, |lanes, message| _ = lanes.entire(message, ()));
            "Lanes::entire_mac" => |m| lanes::<A>(m, |lanes, message| {
                _ = lanes.entire_mac(&HmacKey::new(&KEY), message, ());
            });
            "Lanes::first_mac" => |m| lanes::<A>(m, |lanes, message| {
                _ = lanes.first_mac(&HmacKey::new(&KEY), message, ());
            });
        };
        cases.extend(of_lanes);
    }
    cases
}

/// The same by name.
fn by_name<A: HashFunction>() -> Vec<Case> {
    cases! {
        "Algorithm::digest" => |m| A::ALGORITHM.digest(m[0]);
        "Algorithm::digest_many" => |m| A::ALGORITHM.digest_many(m);
        "Algorithm::digest_chunks" => |m| A::ALGORITHM.digest_chunks(m[0], 300);
        "Engine::digest" => |m| Engine::of(A::ALGORITHM).digest(m[0]);
        "Engine::digest_many" => |m| Engine::of(A::ALGORITHM).digest_many(m);
        "Engine::digest_chunks" => |m| Engine::of(A::ALGORITHM).digest_chunks(m[0], 300);
        "Engine::digest_many_into" => |m| {
            let mut digests = vec![0; m.len() * A::ALGORITHM.digest_len()];
            Engine::of(A::ALGORITHM).digest_many_into(m, &mut digests);
        };
        "Engine::digest_chunks_into" => |m| {
            let mut digests = vec![0; m[0].len().div_ceil(300) * A::ALGORITHM.digest_len()];
            Engine::of(A::ALGORITHM).digest_chunks_into(m[0], 300, &mut digests);
        };
        "Hasher::update" => |m| A::ALGORITHM.hasher().update(m[0]).len();
        "Hasher::update_reader" => |m| A::ALGORITHM.hasher().update_reader(m[0]).unwrap().len();
        "Hasher::finalize" => |m| A::ALGORITHM.hasher().update(m[0]).clone().finalize();
        "Hasher::finalize_reset" => |m| A::ALGORITHM.hasher().update(m[0]).finalize_reset();
        "Hashers::update" => |m| {
            Engine::of(A::ALGORITHM).hashers(m.len()).update(m);
        };
        "Hashers::restore" => |m| {
            let mut hashers = Engine::of(A::ALGORITHM).hashers(m.len());
            hashers.update(m);
            let mut saved = hashers.save(0);
            hashers.restore(0, &saved).unwrap();
            saved.fill(0);
        };
        "Hashers::finalize_reset" => |m| {
            let mut hashers = Engine::of(A::ALGORITHM).hashers(m.len());
            hashers.update(m);
            hashers.finalize_reset(0)
        };
        "HmacKey::of" => |_m| HmacKey::of(A::ALGORITHM, &KEY).algorithm();
        "HmacKey::with_engine" => |m| {
            HmacKey::with_engine(Engine::of(A::ALGORITHM), m[0]).algorithm()
        };
        "HmacKey::mac" => |m| HmacKey::of(A::ALGORITHM, &KEY).mac(m[0]);
        "HmacKey::verify" => |m| HmacKey::of(A::ALGORITHM, &KEY).verify(m[0], &KEY);
        "HmacKey::mac_many" => |m| HmacKey::of(A::ALGORITHM, &KEY).mac_many(m);
        "HmacKey::mac_many_into" => |m| {
            let mut macs = vec![0; m.len() * A::ALGORITHM.digest_len()];
            HmacKey::of(A::ALGORITHM, &KEY).mac_many_into(m, &mut macs);
        };
        "Hasher::update under a key" => |m| {
            HmacKey::of(A::ALGORITHM, &KEY).hasher().update(m[0]).len()
        };
        "Hasher::update_reader under a key" => |m| {
            HmacKey::of(A::ALGORITHM, &KEY).hasher().update_reader(m[0]).unwrap().len()
        };
        "Hasher::finalize under a key" => |m| {
            HmacKey::of(A::ALGORITHM, &KEY).hasher().update(m[0]).clone().finalize()
        };
        "Hasher::finalize_reset under a key" => |m| {
            HmacKey::of(A::ALGORITHM, &KEY).hasher().update(m[0]).finalize_reset()
        };
        "Hasher::verify" => |m| {
            HmacKey::of(A::ALGORITHM, &KEY).hasher().update(m[0]).clone().verify(&KEY)
        };
        "Prefix::of" => |m| Prefix::of(A::ALGORITHM, m[0]).algorithm();
        "Prefix::with_engine" => |m| {
            Prefix::with_engine(Engine::of(A::ALGORITHM), m[0]).algorithm()
        };
        "Prefix::digest" => |m| Prefix::of(A::ALGORITHM, &KEY).digest(m[0]);
        "Prefix::digest_many_into" => |m| {
            let mut digests = vec![0; m.len() * A::ALGORITHM.digest_len()];
            Prefix::of(A::ALGORITHM, &KEY).digest_many_into(m, &mut digests);
        };
        "Prefix::digest_chunks_into" => |m| {
            let mut digests = vec![0; m[0].len().div_ceil(300) * A::ALGORITHM.digest_len()];
            Prefix::of(A::ALGORITHM, &KEY).digest_chunks_into(m[0], 300, &mut digests);
        };
        "Prefix::digest_numbered_chains" => |_m| {
            let mut inputs = [0; 90];
            Prefix::of(A::ALGORITHM, &KEY).digest_numbered_chains(&mut inputs, 10, 4, &[2; 9]);
        };
        "HashServer::hmac_hasher" => |_m| {
            let key = HmacKey::of(A::ALGORITHM, &KEY);
            HashServer::of(A::ALGORITHM).hmac_hasher(&key).len()
        };
        "HashServer::try_hasher_under" => |_m| {
            let key = Some(Box::new(HmacKey::of(A::ALGORITHM, &KEY)));
            HashServer::of(A::ALGORITHM).try_hasher_under(key).unwrap().len()
        };
        "ServerHasher::update" => |m| {
            HashServer::of(A::ALGORITHM).hasher().update(m[0]).len()
        };
        "ServerHasher::update_reader" => |m| {
            HashServer::of(A::ALGORITHM).hasher().update_reader(m[0]).unwrap().len()
        };
        "ServerHasher::update_async" => |m| {
            let mut hasher = HashServer::of(A::ALGORITHM).hasher();
            ready(hasher.update_async(m[0]));
        };
        "ServerHasher::finalize" => |m| {
            HashServer::of(A::ALGORITHM).hasher().update(m[0]).clone().finalize()
        };
        "ServerHasher::finalize_reset" => |m| {
            HashServer::of(A::ALGORITHM).hasher().update(m[0]).finalize_reset()
        };
        "ServerHasher::finalize_async" => |m| {
            ready(HashServer::of(A::ALGORITHM).hasher().update(m[0]).clone().finalize_async())
        };
        "ServerHasher::finalize_reset_async" => |m| {
            ready(HashServer::of(A::ALGORITHM).hasher().update(m[0]).finalize_reset_async())
        };
        "ServerHasher::digest_so_far" => |m| {
            HashServer::of(A::ALGORITHM).hasher().update(m[0]).digest_so_far()
        };
    }
}

/// A digest that is secret.
fn secret<A: HashFunction>() -> A::Digest {
    let mut digest = A::ZERO;
    digest.as_mut().iter_mut().zip(KEY).for_each(|(place, byte)| *place = byte);
    digest
}

fn pairs<'a, A: HashFunction>(messages: Messages<'a>) -> Vec<(HmacKey<A>, &'a [u8])> {
    messages.iter().map(|&message| (HmacKey::new(&KEY), message)).collect()
}

/// How a message is submitted to a manager.
type Submit<'a, A> = fn(&mut Lanes<A, &'a [u8], ()>, &'a [u8]);

/// Submits each message to a manager, and flushes it.
fn lanes<'a, A: HashFunction>(messages: Messages<'a>, submit: Submit<'a, A>) {
    let mut lanes = Lanes::new();
    messages.iter().for_each(|message| submit(&mut lanes, message));
    while lanes.flush().is_some() {}
}

/// Functions with output of any length.
fn of_output<X: XofFunction>() -> Vec<Case> {
    cases! {
        "Xof::update" => |m| { Xof::<X>::new().update(m[0]); };
        "Xof::restore" => |m| {
            let mut saved = Xof::<X>::new().update(m[0]).save_with_key();
            Xof::<X>::restore(&saved).unwrap();
            saved.fill(0);
        };
        "Xof::finalize" => |m| { Xof::<X>::new().update(m[0]).finalize(); };
        "Xof::absorb_many" => |m| { Xof::<X>::new().absorb_many(m); };
        "Xof::absorb_many_into" => |m| {
            Xof::<X>::new().absorb_many_into(m, &mut vec![XofReader::empty(); m.len()]);
        };
        "Xof::output_many" => |m| {
            Xof::<X>::new().output_many(m, &mut vec![[0; 40]; m.len()]);
        };
        "XofReader::read" => |m| Xof::<X>::new().update(m[0]).finalize().read(&mut [0; 300]);
        "squeeze_many" => |m| {
            squeeze_many(&mut Xof::<X>::new().absorb_many(m), &mut vec![[0; 300]; m.len()]);
        };
    }
}

/// What only some functions have.
fn of_some() -> Vec<Case> {
    cases! {
        "Xof::keyed" => |m| Xof::<Blake3>::keyed(&KEY).update(m[0]).finalize().read(&mut [0; 99]);
        "Xof::derive_key" => |m| {
            Xof::<Blake3>::derive_key(m[0]).update(&KEY).finalize().read(&mut [0; 99]);
        };
        "Xof::customized" => |m| {
            Xof::<Shake128>::customized(&KEY, m[0]).finalize().read(&mut [0; 99]);
        };
        "Prefix::keyed" => |m| Prefix::<Blake3>::keyed(&KEY).digest_many(m);
        "Prefix::derive_key" => |m| Prefix::<Blake3>::derive_key(m[0]).digest(&KEY);
        "Prefix::with_params" => |m| {
            let params = Blake2Params::new().key(&KEY).salt(&KEY[..16]).personal(&KEY[..16]);
            Prefix::<Blake2b512>::with_params(params).unwrap().digest_many(m)
        };
        "KmacKey::new" => |m| KmacKey::<Shake128>::new(&KEY, m[0]).mac("", &mut [0; 32]);
        "KmacKey::mac" => |m| KmacKey::<Shake128>::new(&KEY, "").mac(m[0], &mut [0; 32]);
        "KmacKey::verify" => |m| KmacKey::<Shake128>::new(&KEY, "").verify(m[0], [0; 32]);
        "KmacKey::mac_many_into" => |m| {
            KmacKey::<Shake128>::new(&KEY, "").mac_many_into(m, &mut vec![[0; 32]; m.len()]);
        };
        "KmacKey::output_many" => |m| {
            KmacKey::<Shake128>::new(&KEY, "").output_many(m, &mut vec![[0; 300]; m.len()]);
        };
        "KangarooTwelve::update" => |m| { Kt128::new().update(m[0]); };
        "KangarooTwelve::restore" => |m| {
            let mut hasher = Kt128::new();
            hasher.update(m[0]);
            let mut saved = hasher.save();
            Kt128::restore(&saved).unwrap();
            saved.fill(0);
        };
        "KangarooTwelve::finalize" => |m| {
            Kt128::new().update(m[0]).finalize(&KEY).read(&mut [0; 300]);
        };
        "KangarooTwelve::absorb_many" => |m| { Kt128::absorb_many(m, &KEY); };
        "KangarooTwelve::absorb_many_into" => |m| {
            Kt128::absorb_many_into(m, &KEY, &mut vec![XofReader::empty(); m.len()]);
        };
        "KangarooTwelve::output_many" => |m| {
            Kt128::output_many(m, &KEY, &mut vec![[0; 300]; m.len()]);
        };
        "XofAlgorithm::output_many" => |m| {
            for xof in XofAlgorithm::ALL {
                xof.output_many(m, &mut vec![[0; 300]; m.len()]);
            }
        };
        "XofAlgorithm::with_params" => |_m| {
            for xof in [XofAlgorithm::Shake128, XofAlgorithm::Shake256, XofAlgorithm::Blake3] {
                assert!(xof.with_params(&XofParams::new().key(&KEY)).is_ok());
            }
        };
        "AnyXof::output_many" => |m| {
            with_key(|xof| xof.output_many(m, &mut vec![[0; 300]; m.len()]));
        };
        "AnyXofMessage::update" => |m| with_key(|xof| _ = xof.message().update(m[0]).update(&KEY));
        "AnyXofMessage::finalize" => |m| {
            with_key(|xof| _ = xof.message().update(m[0]).finalize());
        };
        "AnyXofReader::read" => |m| {
            with_key(|xof| xof.message().update(m[0]).finalize().read(&mut [0; 300]));
        };
        "Engine::compress" => |m| {
            let mut state = Engine::<Sha256>::initial_state();
            Engine::<Sha256>::new().compress(&mut state, &m[0][..m[0].len() / 64 * 64]);
        };
        "Engine::compress_many" => |m| {
            let mut states = vec![Engine::<Sha256>::initial_state(); m.len()];
            let blocks: Vec<_> = m.iter().map(|m| &m[..m.len() / 64 * 64]).collect();
            Engine::<Sha256>::new().compress_many(&mut states, &blocks);
        };
        "digest" => |m| Sha256::digest(m[0]);
    }
}

/// Calls with functions that take a key.
fn with_key(call: impl Fn(&AnyXof<'_>)) {
    for xof in [XofAlgorithm::Shake128, XofAlgorithm::Shake256, XofAlgorithm::Blake3] {
        if let Ok(xof) = &xof.with_params(&XofParams::new().key(&KEY)) {
            call(xof);
        }
    }
}

/// Functions that take digests or parameters and keep or compute nothing of them.
const OTHERS: [&str; 9] = [
    "HmacKey::typed",
    "AnyDigest::as_bytes",
    "Done::digest",
    "XofParams::key",
    "XofParams::customization",
    "XofParams::function_name",
    "Blake2Params::key",
    "Blake2Params::salt",
    "Blake2Params::personal",
];

/// The functions in the sources whose signature speaks of bytes, digests, keys or buffers.
fn declared(folder: &Path, names: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            declared(&path, names);
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let mut owner = String::new();
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            if line.starts_with("impl") || line.trim_start().starts_with("$(impl") {
                owner = owner_of(line);
            }
            let Some((_, rest)) = line.split_once("pub fn ").or(line.split_once("pub async fn "))
            else {
                continue;
            };
            let mut signature = rest.to_owned();
            while !signature.contains(['{', ';']) {
                signature += lines.next().unwrap_or(";");
            }
            let name = rest.split(['(', '<']).next().unwrap();
            let words =
                ["u8]", "u8; 32]", "Read", "HmacKey<A>", "HmacKey", "Digest", "Done<", "LaneJob<"];
            let private = owner.is_empty() && line.starts_with(' ') && name != "digest";
            if words.iter().any(|word| signature.contains(word)) && !private {
                let outside = !line.starts_with(' ') || name == "digest" && owner.is_empty();
                names.insert(if outside { name.to_owned() } else { format!("{owner}::{name}") });
            }
        }
    }
}

/// The type of `impl<..> Type<..> {`.
fn owner_of(line: &str) -> String {
    let mut rest = line.trim_start().trim_start_matches("$(").trim_start_matches("impl");
    let mut depth = 0;
    if rest.starts_with('<') {
        let end = rest.find(|c| {
            depth += i32::from(c == '<') - i32::from(c == '>');
            depth == 0
        });
        rest = &rest[end.unwrap() + 1..];
    }
    let rest = rest.split(" for ").last().unwrap().trim();
    rest.split(['<', ' ', '{']).next().unwrap().to_owned()
}

#[test]
fn every_function_that_takes_a_secret_is_listed() {
    let mut names = BTreeSet::new();
    declared(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), &mut names);
    let mut listed: BTreeSet<_> = OTHERS.map(str::to_owned).into();
    for cases in [of_function::<Sha256>(), by_name::<Sha256>(), of_output::<Blake3>(), of_some()] {
        listed.extend(cases.iter().map(|(name, _)| (*name).to_owned()));
    }
    let missing: Vec<_> = names.difference(&listed).collect();
    assert!(missing.is_empty(), "add cases of {missing:?}");
}

/// Lengths of messages and their numbers.
const CALLS: [(usize, usize); 5] = [(100, 1), (2000, 1), (30_000, 1), (200, 40), (5000, 3)];

/// The numbers of freed blocks that contain a word, after calls with messages of these lengths and
/// numbers.
fn freed_by(call: fn(Messages<'_>)) -> usize {
    let all: Vec<_> = CALLS.map(|(length, count)| (WORD.repeat(length / 8), count)).into();
    found(WORD, || {
        for (message, count) in &all {
            call(&vec![&message[..]; *count]);
        }
    })
}

#[test]
fn no_function_leaves_secrets() {
    let _one = ONE.lock();
    let lists = [
        ("SHA-256", of_function::<Sha256>()),
        ("SHA3-256", of_function::<Sha3_256>()),
        ("BLAKE3", of_function::<Blake3>()),
        ("SHAKE128", of_output::<Shake128>()),
        ("BLAKE3", of_output::<Blake3>()),
        ("some", of_some()),
        ("by name: SHA-256", by_name::<Sha256>()),
        ("by name: SHA3-256", by_name::<Sha3_256>()),
        ("by name: BLAKE3", by_name::<Blake3>()),
    ];
    let mut failures = Vec::new();
    for (function, name, call) in
        lists.iter().flat_map(|(of, cases)| cases.iter().map(move |&(name, call)| (of, name, call)))
    {
        // A caller's moves of large values are a known gap (SECURITY.md).
        let moves =
            *function == "BLAKE3" || function.starts_with("by name") || name.starts_with("AnyXof");
        let own = if moves { OWN_OF_MOVES } else { OWN };
        let left = left_by(own, &CALLS, &|messages| {
            call(messages);
            Vec::new()
        });
        if !left.is_empty() {
            failures.push(format!("{function} {name}, on the stack: {}", left.join(", ")));
        }
        let freed = freed_by(call);
        if freed > 0 {
            failures.push(format!("{function} {name}, in {freed} freed blocks"));
        }
    }
    let (count, text) = (failures.len(), failures.join("\n"));
    assert!(failures.is_empty(), "{count} calls leave secrets:\n{text}");
}
