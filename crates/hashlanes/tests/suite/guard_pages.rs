//! No byte before or after a message is read, and none before or after the digests is written. The
//! pages there are inaccessible, so any access kills the process.
#![cfg(all(unix, feature = "alloc"))]
#![allow(unsafe_code, reason = "guard pages have no safe interface")]

use crate::common::{engines_of, for_each_function, noise, oracle};
use hashlanes::{Engine, HashFunction};
use rustix::mm::{MapFlags, MprotectFlags, ProtFlags, mmap_anonymous, mprotect, munmap};

/// Bytes between two guard pages.
struct Guarded {
    /// The address of the first guard page.
    map: *mut std::ffi::c_void,
    page: usize,
    /// The number of bytes between the two: whole pages.
    length: usize,
}

impl Guarded {
    fn new(least: usize) -> Self {
        let page = rustix::param::page_size();
        let length = least.next_multiple_of(page);
        let none = std::ptr::null_mut();
        // SAFETY: the system chooses the address, so the new mapping overlaps no other memory. Only
        // its own pages are made readable and writable.
        let map = unsafe {
            let map =
                mmap_anonymous(none, length + 2 * page, ProtFlags::empty(), MapFlags::PRIVATE)
                    .unwrap();
            mprotect(map.byte_add(page), length, MprotectFlags::READ | MprotectFlags::WRITE)
                .unwrap();
            map
        };
        Self { map, page, length }
    }

    fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: the pages between the guards belong to this mapping, are readable, writable and
        // zeroed by the system, and are borrowed through `self`.
        unsafe { std::slice::from_raw_parts_mut(self.map.byte_add(self.page).cast(), self.length) }
    }
}

impl Drop for Guarded {
    fn drop(&mut self) {
        // SAFETY: this is the mapping that `new` made. All slices of it borrowed `self`, so none is
        // left.
        unsafe { munmap(self.map, self.length + 2 * self.page).unwrap() }
    }
}

/// Hashes messages to digests between two guard pages: once at the first byte, once at the last.
fn check<A: HashFunction>(engine: &Engine<A>, messages: &[&[u8]], right: &[Vec<u8>]) {
    let size = size_of::<A::Digest>();
    let mut memory = Guarded::new(messages.len() * size);
    let unused = memory.length - messages.len() * size;
    for skip in [0, unused] {
        let bytes = &mut memory.bytes()[skip..][..messages.len() * size];
        // SAFETY: a digest is an array of bytes without alignment, and the borrowed bytes are
        // exactly those of `right.len()` digests.
        let digests =
            unsafe { std::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast(), messages.len()) };
        engine.digest_many_into(messages, digests);
        for ((digest, right), message) in digests.iter().zip(right).zip(messages) {
            let is: &[u8] = AsRef::as_ref(digest);
            assert_eq!(is, right, "{engine:?}, {} bytes", message.len());
        }
    }
}

/// Messages of these lengths that begin at the first byte between the guard pages, or end at the
/// last one.
fn check_lengths<A: HashFunction>(memory: &mut Guarded, lengths: &[usize]) {
    for engine in engines_of::<A>() {
        for at_end in [false, true] {
            let bytes = &*memory.bytes();
            let messages: Vec<_> = lengths
                .iter()
                .map(
                    |&length| {
                        if at_end { &bytes[bytes.len() - length..] } else { &bytes[..length] }
                    },
                )
                .collect();
            let right: Vec<_> =
                messages.iter().map(|message| oracle(A::ALGORITHM, message)).collect();
            check(&engine, &messages, &right);
        }
    }
}

fn memory() -> Guarded {
    let mut memory = Guarded::new(3 * 4096);
    let length = memory.length;
    memory.bytes().copy_from_slice(&noise(12, length));
    memory
}

/// Messages of equal length in all lanes, and 33 and 2 messages.
fn equal_lengths<A: HashFunction>(memory: &mut Guarded) {
    for length in (0..=290).chain([511, 512, 513, 1024, 4095, 4096, 4097]) {
        check_lengths::<A>(memory, &[length; 33]);
        if length % 5 == 0 {
            check_lengths::<A>(memory, &[length; 2]);
            check_lengths::<A>(memory, &[length]);
        }
    }
}

/// Lengths that differ little, which are hashed in the given order, and all lengths together, which
/// are sorted.
fn mixed_lengths<A: HashFunction>(memory: &mut Guarded) {
    for first in 0..=300 {
        let lengths: Vec<_> = (0..33).map(|i| first + i * 7 % 33).collect();
        check_lengths::<A>(memory, &lengths);
    }
    let all: Vec<_> = (0..1100).map(|i| i * 331 % 1100).collect();
    check_lengths::<A>(memory, &all);
}

/// Chunks of memory that ends with the last byte before the guard page.
fn chunks<A: HashFunction>(memory: &mut Guarded) {
    for engine in engines_of::<A>() {
        for length in [1, 16, 31, 32, 63, 64, 65, 100, 128, 300] {
            let bytes = &*memory.bytes();
            let data = &bytes[bytes.len() - (40 * length + length / 3)..];
            let digests = engine.digest_chunks(data, length);
            for (digest, chunk) in digests.iter().zip(data.chunks(length)) {
                let right = oracle(A::ALGORITHM, chunk);
                assert_eq!(AsRef::<[u8]>::as_ref(digest), right, "{engine:?}, {length} bytes");
            }
        }
    }
}

#[test]
fn nothing_is_read_around_messages_of_one_length() {
    for_each_function!(equal_lengths(&mut memory()));
}

#[test]
fn nothing_is_read_around_messages_of_mixed_lengths() {
    for_each_function!(mixed_lengths(&mut memory()));
}

#[test]
fn nothing_is_read_around_chunks() {
    for_each_function!(chunks(&mut memory()));
}
