//! With the feature `zeroize`, no freed memory contains an HMAC key or anything derived from it.
//! Every block is searched when it is freed.

use std::future::Future;
use std::hint::black_box;
use std::mem::ManuallyDrop;
use std::task::{Context, Waker};

use crate::searching::{ONE, found};
use hashlanes::hazmat::MdFunction;
use hashlanes::server::HashServer;
use hashlanes::{Engine, HmacKey, Lanes, Sha1, Sha512};

/// Eight bytes of a key's state after the inner (0x36) or the outer block (0x5c).
fn kept<A: MdFunction>(key: &[u8], pad: u8) -> [u8; 8] {
    let mut block = vec![pad; A::ALGORITHM.block_len()];
    block.iter_mut().zip(key).for_each(|(byte, key)| *byte ^= key);
    let mut state = Engine::<A>::initial_state();
    Engine::<A>::new().compress(&mut state, &block);
    match A::ALGORITHM.block_len() {
        64 => [state[0] as u32, state[1] as u32].map(u32::to_ne_bytes).concat().try_into().unwrap(),
        _ => state[0].to_ne_bytes(),
    }
}

#[test]
fn no_freed_memory_contains_a_key() {
    fn test<A: MdFunction>(pad: u8) {
        let key = HmacKey::<A>::new("a key");
        let secret = kept::<A>(b"a key", pad);
        let forgotten = found(secret, || drop(black_box(Box::new(ManuallyDrop::new(key.clone())))));
        assert_eq!(forgotten, 1, "a key that is not wiped contains the secret");
        assert_eq!(found(secret, || drop(secret.to_vec())), 1, "the search finds the secret");
        assert_eq!(found(secret, || drop(black_box(Box::new(key.clone())))), 0, "a key");
        assert_eq!(found(secret, || drop(black_box(Box::new(key.hasher())))), 0, "a hasher");
        let managed = found(secret, || {
            let mut lanes = Lanes::<A, _, _>::new();
            assert!(lanes.first_mac(&key, "a piece", ()).is_none());
            assert!(lanes.entire_mac(&key, "a message", ()).is_none());
            assert!(lanes.flush().is_some());
        });
        assert_eq!(managed, 0, "in a manager");
        let served = found(secret, || {
            let server = HashServer::new();
            let mut hasher = Box::new(server.hmac_hasher(&key));
            hasher.update("a message").finalize_reset();
            hasher.update("another").reset();
        });
        assert_eq!(served, 0, "in a server");
        let used = found(secret, || {
            let mut macs = Vec::new();
            for count in [1, 5, 200] {
                macs.extend(key.mac_many(&vec!["a message"; count]));
            }
        });
        assert_eq!(used, 0, "in use");
    }
    let _one = ONE.lock();
    for pad in [0x36, 0x5c] {
        test::<Sha1>(pad);
        test::<Sha512>(pad);
    }
}

/// The digest lies in the future, which is allocated here.
#[test]
fn no_freed_future_contains_an_inner_digest() {
    let _one = ONE.lock();
    let key = HmacKey::<Sha1>::new("a key");
    let mut block = [0x36; 64];
    block.iter_mut().zip(b"a key").for_each(|(byte, key)| *byte ^= key);
    let inner = Engine::<Sha1>::new().digest([&block[..], b"a message"].concat());
    let secret = inner[..8].try_into().unwrap();
    let kept = found(secret, || {
        let mut hasher = HashServer::new().hmac_hasher(&key);
        hasher.update("a message");
        let mut mac = Box::pin(hasher.finalize_reset_async());
        assert!(mac.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_ready());
    });
    assert_eq!(kept, 0);
}
