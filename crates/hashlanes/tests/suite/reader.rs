//! Hashers as destinations of a reader and as writers.
#![cfg(feature = "std")]

use std::io::{self, ErrorKind, Read, Write};

use crate::common::{for_each_function, noise, oracle};
use hashlanes::{Algorithm, HashFunction, Hasher, Md5, Sha256};

/// A reader that returns pieces of random sizes, and is interrupted in between.
struct Unsteady<'a> {
    rest: &'a [u8],
    rng: fastrand::Rng,
}

impl Read for Unsteady<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.rng.u8(..3) == 0 {
            return Err(ErrorKind::Interrupted.into());
        }
        let most = self.rest.len().min(buffer.len());
        let (now, later) = self.rest.split_at(if most == 0 { 0 } else { self.rng.usize(1..=most) });
        buffer[..now.len()].copy_from_slice(now);
        self.rest = later;
        Ok(now.len())
    }
}

#[test]
fn all_bytes_of_a_reader_are_appended() {
    fn test<A: HashFunction>() {
        for len in [0, 1, 63, 64, 1000, 65_535, 65_536, 65_537, 300_000] {
            let bytes = noise(1, len);
            let right = oracle(A::ALGORITHM, &[b"before ", &bytes[..], b" after"].concat());
            let unsteady = Unsteady { rest: &bytes, rng: fastrand::Rng::with_seed(len as u64) };
            let mut hasher = Hasher::<A>::new();
            hasher.update("before ").update_reader(unsteady).unwrap().update(" after");
            assert_eq!(hasher.finalize().as_ref(), right);
            let mut hasher = A::ALGORITHM.hasher();
            hasher.update("before ").update_reader(&bytes[..]).unwrap().update(" after");
            assert_eq!(hasher.finalize(), right[..]);
        }
    }
    for_each_function!(test());
}

/// A reader that returns some bytes, then an error, then more bytes.
struct Failing {
    calls: usize,
}

impl Read for Failing {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.calls += 1;
        match self.calls {
            1 => b"so far".as_slice().read(buffer),
            2 => Err(io::Error::new(ErrorKind::ConnectionReset, "the cable is out")),
            3 => b", so good".as_slice().read(buffer),
            _ => Ok(0),
        }
    }
}

#[test]
fn bytes_before_an_error_are_appended() {
    let mut reader = Failing { calls: 0 };
    let mut hasher = Sha256::hasher();
    let error = hasher.update_reader(&mut reader).unwrap_err();
    assert_eq!(
        (error.kind(), error.to_string()),
        (ErrorKind::ConnectionReset, "the cable is out".into())
    );
    assert_eq!(hasher.clone().finalize(), Sha256::digest("so far"));
    // The caller may continue.
    hasher.update_reader(&mut reader).unwrap();
    assert_eq!(hasher.finalize(), Sha256::digest("so far, so good"));

    let mut hasher = Algorithm::Sha256.hasher();
    assert!(hasher.update_reader(Failing { calls: 0 }).is_err());
    assert_eq!(hasher.finalize(), Sha256::digest("so far"));
}

/// A reader that claims to have read more than the buffer can hold.
struct Liar;

impl Read for Liar {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        Ok(buffer.len() + 1)
    }
}

#[test]
fn a_reader_that_claims_too_much_is_an_error() {
    let mut hasher = Md5::hasher();
    let error = hasher.update_reader(Liar).unwrap_err();
    assert!(error.to_string().contains("more bytes than were requested"), "{error}");
    assert!(hasher.is_empty());
}

#[test]
fn a_hasher_is_a_writer() {
    fn write(hasher: &mut impl Write) {
        let bytes = noise(25, 100_000);
        assert_eq!(io::copy(&mut bytes.as_slice(), hasher).unwrap(), 100_000);
        write!(hasher, "{:05}", 42).unwrap();
        hasher.flush().unwrap();
    }
    fn test<A: HashFunction>() {
        let right = oracle(A::ALGORITHM, &[&noise(25, 100_000), &b"00042"[..]].concat());
        let mut hasher = Hasher::<A>::new();
        write(&mut hasher);
        assert_eq!(hasher.finalize().as_ref(), right);
        let mut hasher = A::ALGORITHM.hasher();
        write(&mut hasher);
        assert_eq!(hasher.finalize(), right[..]);
    }
    for_each_function!(test());
}
