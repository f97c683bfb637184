//! With the feature `zeroize`, no freed memory of a server contains bytes of a message. Every block
//! is searched when it is freed.
//!
//! The test does not see what remains on the stack.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;

use crate::searching::{self, ONE};
use hashlanes::server::{HashServer, ServerHasher, ServerOptions};
use hashlanes::{Algorithm, Md5, Sha512};

/// Messages are repetitions of these bytes.
const SECRET: [u8; 8] = *b"\xc3secret\x3c";

/// A message, or the source of shorter ones. It is not in allocated memory.
static MESSAGE: [u8; 200_000] = {
    let mut bytes = [0; 200_000];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = SECRET[i % SECRET.len()];
        i += 1;
    }
    bytes
};

/// The number of freed blocks that contained the secret.
fn found(work: impl FnOnce()) -> usize {
    searching::found(SECRET, work)
}

/// Enough hashers that they defer their writes.
fn hashers(server: &HashServer<Md5>) -> Vec<ServerHasher<Md5>> {
    (0..4).map(|_| server.hasher()).collect()
}

fn poll_once(future: impl Future) {
    let _ = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
}

#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn no_freed_memory_contains_bytes_of_a_message() {
    let _one = ONE.lock();
    assert_eq!(found(|| drop(MESSAGE[..100].to_vec())), 1, "the search finds the secret");

    let few = found(|| {
        let server = HashServer::<Md5>::new();
        for hasher in &mut hashers(&server) {
            hasher.update(&MESSAGE[..500]);
        }
    });
    assert_eq!(few, 0, "few bytes, dropped");

    let grown = found(|| {
        let server = HashServer::<Md5>::new();
        for hasher in &mut hashers(&server) {
            hasher.update(&MESSAGE[..500]);
            // A buffer of the pool replaces the hasher's small one.
            hasher.update(&MESSAGE[..5000]);
        }
    });
    assert_eq!(grown, 0, "more bytes, dropped");

    let hashed = found(|| {
        let server = HashServer::<Md5>::new();
        for hasher in &mut hashers(&server) {
            for bytes in [500, 30_000, 777, 65_000, 150_000] {
                hasher.update(&MESSAGE[..bytes]);
            }
            // The bytes after the last whole block remain in the hasher.
            let snapshot = hasher.clone();
            hasher.finalize_reset();
            hasher.update(&MESSAGE[..40_000]);
            hasher.reset();
            drop(snapshot);
        }
    });
    assert_eq!(hashed, 0, "hashed, finalized and reset");

    let read = found(|| {
        let mut hasher = HashServer::<Md5>::new().hasher();
        hasher.update_reader(&MESSAGE[..]).unwrap();
    });
    assert_eq!(read, 0, "from a reader");

    let awaited = found(|| {
        let server = HashServer::of(Algorithm::Sha256);
        let mut hashers = [server.hasher(), server.hasher(), server.hasher()];
        for hasher in &mut hashers {
            poll_once(hasher.update_async(&MESSAGE[..20_000]));
            poll_once(hasher.update_async(&MESSAGE[..]));
        }
    });
    assert_eq!(awaited, 0, "by tasks, dropped half-way");

    let threads = found(|| {
        let options = ServerOptions::new().memory(1 << 20).staging(8192).ready(2048);
        let server = HashServer::<Sha512>::with_options(options);
        thread::scope(|scope| {
            for i in 0..16 {
                let mut hasher = server.hasher();
                scope.spawn(move || {
                    for k in 0..100 {
                        hasher.update(&MESSAGE[..(i * 977 + k * 131) % 9000]);
                    }
                });
            }
        });
    });
    assert_eq!(threads, 0, "in rounds of many threads");
}
