//! With the feature `zeroize` no freed memory holds a key for HMAC, or what was made of it: every
//! block is searched when it is given back to the allocator.
#![cfg(all(feature = "std", feature = "zeroize"))]

mod searching;

use hashlanes::{Engine, HashFunction, HashServer, HmacKey, Lanes, Sha1, Sha512};
use searching::found;

/// Eight bytes of what a key keeps: of the state after the inner or the outer block.
fn kept<A: HashFunction>(key: &HmacKey<A>) -> [u8; 8] {
    // Behind the engine, which has the greatest alignment.
    let offset = size_of::<Engine<A>>();
    assert!(offset + 32 + 32 <= size_of::<HmacKey<A>>());
    // SAFETY: these bytes are in the key, and those of a state, arrays of words without padding.
    let bytes = unsafe { std::ptr::from_ref(key).byte_add(offset).cast::<[u8; 8]>().read() };
    assert_ne!(bytes, [0; 8]);
    bytes
}

/// All in one test: another one beside it would search for another secret.
#[test]
fn no_freed_memory_holds_a_key() {
    fn test<A: HashFunction>() {
        let key = HmacKey::<A>::new("a key");
        let secret = kept(&key);
        assert_eq!(found(secret, || drop(secret.to_vec())), 1, "the search finds what is there");
        assert_eq!(found(secret, || drop(Box::new(key.clone()))), 0, "a key");
        assert_eq!(found(secret, || drop(Box::new(key.hasher()))), 0, "a hasher");
        let managed = found(secret, || {
            let mut lanes = Lanes::<A, _, _>::new();
            assert!(lanes.first_mac(&key, "a piece", ()).is_none());
            assert!(lanes.entire_mac(&key, "a message", ()).is_none());
            assert!(lanes.flush().is_some());
        });
        assert_eq!(managed, 0, "in a manager");
        let served = found(secret, || {
            let server = HashServer::new();
            let mut hasher = Box::new(server.hmac(&key));
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
    test::<Sha1>();
    test::<Sha512>();
}
