//! With the feature `zeroize` no freed memory of a server holds bytes of a message: every block is
//! searched when it is given back to the allocator.
//!
//! What stays on the stack is not seen here.

use std::future::Future;
use std::pin::pin;
use std::task::{Context, Waker};
use std::thread;

use hashlanes::{Algorithm, AnyHashServer, HashServer, Md5, ServerHasher, ServerOptions, Sha512};

/// What messages consist of, again and again.
const SECRET: [u8; 8] = *b"\xc3secret\x3c";

/// A message, or the beginning of one. Not in memory of the allocator.
static MESSAGE: [u8; 200_000] = {
    let mut bytes = [0; 200_000];
    let mut i = 0;
    while i < bytes.len() {
        bytes[i] = SECRET[i % SECRET.len()];
        i += 1;
    }
    bytes
};

/// Freed blocks in which the secret was, of this whole test.
fn found(work: impl FnOnce()) -> usize {
    crate::searching::found(SECRET, work)
}

/// Hashers with company, so that they defer.
fn hashers(server: &HashServer<Md5>) -> Vec<ServerHasher<Md5>> {
    (0..4).map(|_| server.hasher()).collect()
}

fn poll_once(future: impl Future) {
    let _ = pin!(future).poll(&mut Context::from_waker(Waker::noop()));
}

/// All in one test: another one beside it would free the secrets of this one.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "WebAssembly has no threads here")]
fn no_freed_memory_holds_bytes_of_a_message() {
    assert_eq!(found(|| drop(MESSAGE[..100].to_vec())), 1, "the search finds what is there");

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
            // The buffer of the pool replaces the small one.
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
            // Its bytes that do not fill a block stay behind.
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
        let server = AnyHashServer::new(Algorithm::Sha256);
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
