//! A call's use of the stack is bounded as documented. This test needs threads, which WebAssembly
//! lacks here.
#![cfg(all(feature = "alloc", not(target_family = "wasm")))]

use crate::common::{for_each_function, noise};
use hashlanes::{Engine, HashFunction, Hasher, HmacKey, Prefix, digest_chunks, digest_many_into};

/// The documented bound of `digest_many` in bytes.
const PROMISED: usize = 80 << 10;

/// Bytes of stack that a thread needs besides the call: for the guard's alignment, the thread-local
/// variables, and the frames of the standard library.
const THREAD: usize = 12 << 10;

/// Runs `work` on a thread with little stack. An overflow ends the process.
fn on_little_stack(work: impl FnOnce() + Send) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(PROMISED + THREAD);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap();
    });
}

fn all_ways<A: HashFunction>() {
    let noise = noise(1, 200_000);
    // Calls of each kind: one message, a few of equal or mixed lengths, many of equal length, and
    // windows that contain short messages, among them some whose lengths differ too much for a
    // group, and long ones.
    let equal: Vec<_> = noise.chunks(100).take(500).collect();
    let mixed: Vec<_> = (0..5000).map(|i| &noise[i..i + i * i % 9001]).collect();
    let mut digests = vec![A::digest(""); 5000];
    on_little_stack(|| {
        for messages in [&equal[..1], &equal[..7], &equal, &mixed[..7], &mixed] {
            digest_many_into::<A>(messages, &mut digests[..messages.len()]);
        }
        digest_chunks::<A>(&noise, 64);
        digest_chunks::<A>(&noise, 30_000);
        Prefix::<A>::new("tag").digest_many_into(&mixed, &mut digests);
        let key = HmacKey::<A>::new("key");
        for messages in [&equal[..1], &equal[..7], &equal, &mixed[..7], &mixed] {
            let macs = &mut digests[..messages.len()];
            key.mac_many_into(messages, macs);
            let pairs: Vec<_> = messages.iter().map(|message| (&key, message)).collect();
            Engine::new().hmac_many_into(&pairs, macs);
        }
    });
    let mut hashers = vec![Hasher::<A>::new(); 5000];
    on_little_stack(|| Engine::<A>::new().update_many(&mut hashers, &mixed));
}

#[test]
fn calls_stay_within_the_promised_stack() {
    for_each_function!(all_ways());
}
