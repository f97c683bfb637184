//! A counting allocator checks that functions which promise not to allocate do not.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::{engines_of, for_each_function, noise, oracle};
#[cfg(feature = "std")]
use hashlanes::server::{HashServer, ServerOptions};
use hashlanes::{Algorithm, Engine, HashFunction, Hasher, HmacKey, Prefix};
#[cfg(feature = "alloc")]
use hashlanes::{Done, Lanes};

struct Counting;

thread_local! {
    /// The number of allocations of this thread. Other threads run other tests.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

fn count() {
    ALLOCATIONS.set(ALLOCATIONS.get() + 1);
}

// SAFETY: every call is passed on unchanged to the system's allocator. Counting does not allocate,
// because the thread-local variable has a constant initialiser and no destructor.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller of `alloc` promises what `System` asks for; the layout is passed on as
        // it came.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller of `alloc_zeroed` promises what `System` asks for.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        count();
        // SAFETY: the caller of `realloc` promises what `System` asks for: a block that `System`
        // made.
        unsafe { System.realloc(pointer, layout, new_size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller of `dealloc` promises what `System` asks for: a block that `System`
        // made.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// The number of allocations that `work` makes.
fn allocations(work: impl FnOnce()) -> usize {
    let before = ALLOCATIONS.get();
    work();
    ALLOCATIONS.get() - before
}

#[test]
fn the_allocator_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1]))), 1);
}

/// The engine is made outside the measurement, because its first use reads the environment and
/// allocates. Choosing the kernel is measured.
#[test]
fn digest_many_into_allocates_nothing() {
    fn test<A: HashFunction>() {
        for engine in engines_of::<A>() {
            for count in [0, 1, 2, 7, 33, 70, 2000] {
                let messages: Vec<_> =
                    (0..count).map(|i| noise(i as u64, i * 7919 % 5000)).collect();
                let mut digests = vec![engine.digest(b""); count];
                assert_eq!(
                    allocations(|| engine.digest_many_into(&messages, &mut digests)),
                    0,
                    "{engine:?}"
                );
                assert_eq!(
                    allocations(|| hashlanes::digest_many_into::<A>(&messages, &mut digests)),
                    0
                );
                if let Some(last) = messages.last() {
                    assert_eq!(digests[count - 1].as_ref(), oracle(A::ALGORITHM, last));
                }
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn update_many_and_hashers_allocate_nothing() {
    fn test<A: HashFunction>() {
        for engine in engines_of::<A>() {
            let messages: Vec<_> = (0..600).map(|i| noise(i as u64, i * 7919 % 5000)).collect();
            let mut hashers = vec![Hasher::with_engine(engine); messages.len()];
            assert_eq!(
                allocations(|| engine.update_many(&mut hashers, &messages)),
                0,
                "{engine:?}"
            );
            let mut hasher = Hasher::with_engine(engine);
            let work = || {
                hasher.update(&messages[77]);
                std::hint::black_box(hasher.finalize_reset());
            };
            assert_eq!(allocations(work), 0);
        }
    }
    for_each_function!(test());
}

#[test]
fn chunks_pairs_and_prefixes_allocate_nothing() {
    fn test<A: HashFunction>() {
        let data = noise(2, 100_000);
        for engine in engines_of::<A>() {
            let mut digests = vec![A::digest(""); 100];
            let chunks = || engine.digest_chunks_into(&data, 1000, &mut digests);
            assert_eq!(allocations(chunks), 0, "{engine:?}");
            let pairs: Vec<_> = digests.chunks(2).map(|pair| [pair[0], pair[1]]).collect();
            let pairs = || engine.digest_pairs(&pairs, &mut digests[..50]);
            assert_eq!(allocations(pairs), 0, "{engine:?}");
            let messages: Vec<_> = (0..100).map(|i| &data[i..i * i]).collect();
            let prefix = || {
                let prefix = Prefix::with_engine(engine, &data[..100]);
                prefix.digest_many_into(&messages, &mut digests);
                std::hint::black_box(prefix.hasher().finalize());
            };
            assert_eq!(allocations(prefix), 0, "{engine:?}");
        }
    }
    for_each_function!(test());
}

/// This includes errors.
#[test]
fn one_message_by_name_allocates_nothing() {
    // The first use reads the environment, which allocates.
    let _ = Engine::<hashlanes::Md5>::new();
    for &algorithm in Algorithm::ALL {
        let work = || {
            let mut hasher = Hasher::of(Algorithm::from_name(algorithm.tag()).unwrap());
            hasher.update("a").update("bc");
            assert_eq!(hasher.clone().finalize(), algorithm.digest("abc"));
            std::hint::black_box(hasher.finalize_reset());
            std::hint::black_box(algorithm.kernels().count());
            std::hint::black_box(Algorithm::from_name("no algorithm").unwrap_err());
            std::hint::black_box(hashlanes::Engine::of(algorithm).kernel("mmx").unwrap_err());
        };
        assert_eq!(allocations(work), 0, "{algorithm}");
    }
}

/// A manager allocates until it has reached its capacity, and not after that.
#[cfg(feature = "alloc")]
#[test]
fn a_warm_manager_allocates_nothing() {
    fn test<A: HashFunction>() {
        let bytes = noise(1, 5000);
        let mut lanes = Lanes::<A, &[u8], ()>::with_engine(Engine::new(), 64);
        let mut round = || {
            let mut jobs = 0;
            for i in 0..500 {
                let piece = &bytes[..i * 7919 % 5000];
                let done =
                    if i % 3 == 0 { lanes.first(piece, ()) } else { lanes.entire(piece, ()) };
                if let Some(Done::Piece { job, .. }) = done {
                    jobs += usize::from(lanes.last(job, piece).is_some());
                }
            }
            while lanes.flush().is_some() {}
            std::hint::black_box(jobs);
        };
        round();
        assert_eq!(allocations(round), 0);
    }
    for_each_function!(test());
}

#[cfg(feature = "alloc")]
#[test]
fn a_manager_with_preallocated_memory_allocates_nothing() {
    fn test<A: HashFunction>() {
        let bytes = noise(1, 500);
        let key = HmacKey::<A>::new("key");
        let mut lanes =
            Lanes::<A, &[u8], ()>::try_with_engine(Engine::new(), 64).expect("little memory");
        let work = || {
            for i in 0..100 {
                let piece = &bytes[..i * 5];
                let done = match i % 3 {
                    0 => lanes.first(piece, ()),
                    1 => lanes.entire_mac(&key, piece, ()),
                    _ => lanes.entire(piece, ()),
                };
                std::hint::black_box(done.is_some());
            }
            while lanes.flush().is_some() {}
        };
        assert_eq!(allocations(work), 0);
    }
    for_each_function!(test());
}

/// Because there are other hashers, the writer searches for peers, but finds none.
#[cfg(feature = "std")]
#[test]
fn a_writer_without_peers_allocates_nothing() {
    fn test<A: HashFunction>() {
        let bytes = noise(3, 20_000);
        // The writes are too long to be deferred.
        let server = HashServer::<A>::with_options(ServerOptions::new().staging(4096));
        let _idle: Vec<_> = (0..40).map(|_| server.hasher()).collect();
        let mut hasher = server.hasher();
        let work = || {
            for _ in 0..3 {
                hasher.update(&bytes);
                std::hint::black_box(hasher.finalize_reset());
            }
        };
        assert_eq!(allocations(work), 0, "{:?}", server.stats());
        assert_eq!(server.stats().rounds, 0);
    }
    for_each_function!(test());
}
