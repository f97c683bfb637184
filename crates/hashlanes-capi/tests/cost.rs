//! Compares the time of a call through the C interface with that of the same call in Rust.
//!
//! ```sh
//! cargo run --profile release-c -p hashlanes-capi-tests --features cost
//! ```
//!
//! The C functions are those of the shared library, called as a C program calls them. Both sides
//! take turns; the best turn of each counts. Their digests are compared.

use std::ffi::{CString, c_char, c_int, c_void};
use std::hint::black_box;
use std::time::Instant;

use hashlanes::{Engine, HashFunction, Md5, Sha256, Sha512};
use hashlanes_capi_tests::installed;

type One = unsafe extern "C" fn(u32, *const c_void, usize, *mut u8, usize) -> i32;
type Many =
    unsafe extern "C" fn(u32, *const *const c_void, *const usize, usize, *mut u8, usize) -> i32;

unsafe extern "C" {
    fn dlopen(file: *const c_char, flags: c_int) -> *mut c_void;
    fn dlsym(library: *mut c_void, name: *const c_char) -> *mut c_void;
}

/// Linux's `RTLD_NOW`.
const NOW: c_int = 2;

/// The measured functions of the shared library.
struct Face {
    one: One,
    many: Many,
}

impl Face {
    fn load() -> Self {
        let path = installed().join("lib/libhashlanes.so");
        let path = CString::new(path.to_string_lossy().as_bytes()).expect("a path");
        // SAFETY: the path is zero-terminated. Loading runs the library's initialisers, which are
        // those of the Rust runtime.
        let library = unsafe { dlopen(path.as_ptr(), NOW) };
        assert!(!library.is_null(), "the library cannot be loaded");
        // SAFETY: `library` is a handle from `dlopen`, and the names are zero-terminated.
        let (one, many) = unsafe {
            (
                dlsym(library, c"hashlanes_digest".as_ptr()),
                dlsym(library, c"hashlanes_digest_many".as_ptr()),
            )
        };
        assert!(!one.is_null() && !many.is_null(), "the library lacks a function");
        // SAFETY: these are the types that the header declares.
        unsafe {
            Self {
                one: std::mem::transmute::<*mut c_void, One>(one),
                many: std::mem::transmute::<*mut c_void, Many>(many),
            }
        }
    }
}

/// The mean time of a call in nanoseconds.
fn nanoseconds(calls: u32, call: &mut dyn FnMut()) -> f64 {
    let start = Instant::now();
    for _ in 0..calls {
        call();
    }
    start.elapsed().as_nanos() as f64 / f64::from(calls)
}

/// The best times in nanoseconds, taken in turns.
fn compare(rust: &mut dyn FnMut(), c: &mut dyn FnMut()) -> (f64, f64) {
    let calls = (2e6 / nanoseconds(200, rust)).max(1.0) as u32;
    let mut best = (f64::MAX, f64::MAX);
    for _ in 0..60 {
        best.0 = best.0.min(nanoseconds(calls, rust));
        best.1 = best.1.min(nanoseconds(calls, c));
    }
    best
}

fn measure<A: HashFunction>(face: &Face, number: u32, count: usize, length: usize) {
    let bytes: Vec<u8> = (0..count * length).map(|i| (i * 7) as u8).collect();
    let messages: Vec<&[u8]> = bytes.chunks(length).collect();
    let pointers: Vec<_> = messages.iter().map(|m| m.as_ptr().cast::<c_void>()).collect();
    let lengths: Vec<_> = messages.iter().map(|m| m.len()).collect();
    let engine = Engine::<A>::new();
    let mut by_rust = vec![engine.digest(b""); count];
    let mut by_c = vec![0_u8; count * size_of::<A::Digest>()];
    let (to, size) = (by_c.as_mut_ptr(), by_c.len());
    let mut rust = || {
        let messages = black_box(&messages);
        match count {
            1 => by_rust[0] = A::digest(messages[0]),
            _ => engine.digest_many_into(messages, &mut by_rust),
        }
        black_box(&by_rust);
    };
    let mut c = || {
        let (from, of) = (black_box(pointers.as_ptr()), black_box(lengths.as_ptr()));
        // SAFETY: `from` and `of` have `count` pointers and lengths, which describe borrowed
        // messages. `to` has room for `count` digests, and nothing else uses it during the call.
        let code = unsafe {
            match count {
                1 => (face.one)(number, *from, *of, to, size),
                _ => (face.many)(number, from, of, count, to, size),
            }
        };
        assert_eq!(black_box(code), 0);
    };
    let (in_rust, in_c) = compare(&mut rust, &mut c);
    assert!(by_rust.iter().flat_map(|digest| digest.as_ref()).eq(&by_c), "the digests differ");
    println!(
        "| {} | {count} of {length} B | {in_rust:.0} | {in_c:.0} | {:.3} |",
        A::ALGORITHM,
        in_c / in_rust
    );
}

fn main() {
    let face = Face::load();
    println!("| function | messages | Rust, ns | C, ns | C / Rust |\n|---|---|---:|---:|---:|");
    for (count, length) in [(1, 16), (1, 1024), (64, 16), (64, 64), (64, 1024)] {
        measure::<Md5>(&face, 1, count, length);
        measure::<Sha256>(&face, 4, count, length);
        measure::<Sha512>(&face, 6, count, length);
    }
}
