//! Buffers whose `AsRef` returns different slices. They may cause wrong digests or a panic, but no
//! invalid read, no hang, and no damage to other messages.
#![cfg(feature = "alloc")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::common::{available, for_each_function, noise, oracle};
use hashlanes::xof::{KmacKey, Kt128, TurboShake128, Xof, XofFunction, XofReader, squeeze_many};
use hashlanes::{Blake3, Done, Engine, HashFunction, Hasher, Lanes, Shake128};

/// A buffer that returns another part of its bytes on each call.
#[derive(Debug)]
struct Strange {
    bytes: Box<[u8]>,
    /// The slices as (start, length): one for each call. Further calls get the last one.
    parts: Vec<(usize, usize)>,
    calls: AtomicUsize,
}

impl Strange {
    fn new(parts: &[(usize, usize)]) -> Self {
        let end = parts.iter().map(|(start, len)| start + len).max().unwrap_or(0);
        // An allocation of exactly these bytes, so that memory checkers notice reads past them.
        Self {
            bytes: noise(end as u64, end).into(),
            parts: parts.to_vec(),
            calls: AtomicUsize::new(0),
        }
    }

    fn random(rng: &mut fastrand::Rng) -> Self {
        let parts: Vec<_> = (0..rng.usize(1..6))
            .map(|_| {
                let len = match rng.u8(..6) {
                    0 => 0,
                    1 => rng.usize(..5),
                    2 => 64 * rng.usize(..6),
                    3 => rng.usize(..2000),
                    _ => rng.usize(..300),
                };
                (rng.usize(..100), len)
            })
            .collect();
        Self::new(&parts)
    }
}

impl AsRef<[u8]> for Strange {
    fn as_ref(&self) -> &[u8] {
        let call = self.calls.fetch_add(1, Ordering::Relaxed);
        let (start, len) = self.parts[call.min(self.parts.len() - 1)];
        &self.bytes[start..start + len]
    }
}

/// Buffers whose length changes between calls: to fewer blocks, to none, to many more.
fn handpicked() -> Vec<Strange> {
    const LENGTHS: [usize; 9] = [0, 1, 55, 63, 64, 65, 128, 200, 5000];
    let mut all = Vec::new();
    for a in LENGTHS {
        for b in LENGTHS {
            all.push(Strange::new(&[(0, a), (1, b)]));
            all.push(Strange::new(&[(0, a), (0, b), (0, a)]));
            all.push(Strange::new(&[(0, a), (2, a), (0, b), (0, 0)]));
        }
    }
    all
}

#[test]
fn digest_many_hashes_one_of_the_slices() {
    fn test<A: HashFunction>() {
        for kernel in available(A::ALGORITHM) {
            let engine = Engine::<A>::with_kernel(kernel.name).unwrap();
            let strange = handpicked();
            let digests = engine.digest_many(&strange);
            for (digest, strange) in digests.iter().zip(&strange) {
                // The library calls `as_ref` to sort the message, and again to hash it. The digest
                // is that of one of the slices.
                let possible =
                    strange.parts.iter().map(|&(start, len)| &strange.bytes[start..start + len]);
                assert!(
                    possible
                        .map(|part| oracle(A::ALGORITHM, part))
                        .any(|right| right == digest.as_ref())
                );
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn digest_many_with_random_slices() {
    fn test<A: HashFunction>() {
        let mut rng = fastrand::Rng::with_seed(11);
        for count in [1, 2, 7, 33, 600] {
            let strange: Vec<_> = (0..count).map(|_| Strange::random(&mut rng)).collect();
            let digests = Engine::<A>::new().digest_many(&strange);
            assert_eq!(digests.len(), count);
        }
    }
    for_each_function!(test());
}

#[test]
fn update_many_continues_the_other_messages() {
    fn test<A: HashFunction>() {
        for kernel in available(A::ALGORITHM) {
            let engine = Engine::<A>::with_kernel(kernel.name).unwrap();
            for carried in [0, 1, 63, 64, 100] {
                let strange: Vec<_> = handpicked();
                let mut hashers = vec![Hasher::<A>::with_engine(engine); strange.len()];
                for hasher in &mut hashers {
                    hasher.update(vec![1; carried]);
                }
                engine.update_many(&mut hashers, &strange);
                engine.update_many(&mut hashers, &strange);
                for (hasher, strange) in hashers.into_iter().zip(&strange) {
                    assert!(hasher.len() <= (carried + 2 * strange.bytes.len()) as u128);
                    let _ = hasher.finalize();
                }
            }
        }
    }
    for_each_function!(test());
}

#[test]
fn a_manager_returns_all_of_them() {
    fn test<A: HashFunction>() {
        let mut rng = fastrand::Rng::with_seed(13);
        for kernel in available(A::ALGORITHM) {
            for capacity in [1, 3, 16, 40] {
                let engine = Engine::<A>::with_kernel(kernel.name).unwrap();
                let mut lanes = Lanes::<A, Strange, usize>::with_engine(engine, capacity);
                let mut jobs = Vec::new();
                let mut inside = 0_usize;
                for i in 0..200 {
                    let strange = Strange::random(&mut rng);
                    let done = match rng.u8(..3) {
                        0 => lanes.entire(strange, i),
                        1 => lanes.first(strange, i),
                        _ => match (jobs.pop(), rng.bool()) {
                            (Some(job), true) => lanes.update(job, strange),
                            (Some(job), false) => lanes.last(job, strange),
                            (None, _) => lanes.first(strange, i),
                        },
                    };
                    inside += 1;
                    inside -= usize::from(done.is_some());
                    if let Some(Done::Piece { job, .. }) = done {
                        jobs.push(job);
                    }
                    assert_eq!(lanes.len(), inside);
                }
                while lanes.flush().is_some() {
                    inside -= 1;
                }
                assert_eq!(inside, 0);
            }
        }
    }
    for_each_function!(test());
}

/// Memory for output that is another slice on each call.
struct StrangeMemory {
    bytes: Box<[u8]>,
    lengths: [usize; 3],
    calls: usize,
}

impl StrangeMemory {
    fn random(rng: &mut fastrand::Rng) -> Self {
        let lengths = [(); 3].map(|()| rng.choice([0, 1, 20, 168, 169, 700]).unwrap());
        let most = lengths.into_iter().max().unwrap_or(0);
        Self { bytes: vec![0; most].into(), lengths, calls: 0 }
    }
}

impl AsMut<[u8]> for StrangeMemory {
    fn as_mut(&mut self) -> &mut [u8] {
        self.calls += 1;
        &mut self.bytes[..self.lengths[self.calls % 3]]
    }
}

/// Neighbours whose buffers are ordinary get their outputs. They are behind the others, as readers
/// and as memory.
#[test]
fn outputs_of_strange_messages_in_strange_memory() {
    fn test<X: XofFunction>(absorb: impl Fn(&[Strange], &mut [XofReader<X>])) {
        let mut rng = fastrand::Rng::with_seed(17);
        for count in [1, 2, 9, 40, 300] {
            let mut strange: Vec<_> = (0..count).map(|_| Strange::random(&mut rng)).collect();
            strange.push(Strange::new(&[(0, 300)]));
            let mut readers = vec![XofReader::<X>::empty(); strange.len()];
            absorb(&strange, &mut readers);
            let mut alone = vec![XofReader::<X>::empty()];
            absorb(&strange[count..], &mut alone);
            let mut right = [0; 700];
            alone[0].clone().read(&mut right);
            for _ in 0..3 {
                let memory = |_| StrangeMemory::random(&mut rng);
                let mut outputs: Vec<_> = (0..count).map(memory).collect();
                squeeze_many(&mut readers[..count], &mut outputs);
            }
            let mut output = [0; 700];
            readers[count].read(&mut output);
            assert_eq!(output, right);
            let mut outputs: Vec<_> =
                (0..=count).map(|_| StrangeMemory::random(&mut rng)).collect();
            Xof::<X>::new().output_many(&strange, &mut outputs);
        }
    }
    test::<Shake128>(|messages, readers| Xof::new().absorb_many_into(messages, readers));
    test::<Blake3>(|messages, readers| Xof::new().absorb_many_into(messages, readers));
    test::<TurboShake128>(|messages, readers| Kt128::absorb_many_into(messages, "a", readers));
    let mut rng = fastrand::Rng::with_seed(18);
    let strange: Vec<_> = (0..300).map(|_| Strange::random(&mut rng)).collect();
    let mut macs: Vec<_> = (0..300).map(|_| StrangeMemory::random(&mut rng)).collect();
    KmacKey::<Shake128>::new("key", "").mac_many_into(&strange, &mut macs);
}

/// A buffer that panics when its countdown ends.
struct Panicking {
    bytes: Vec<u8>,
    armed: AtomicUsize,
}

impl AsRef<[u8]> for Panicking {
    fn as_ref(&self) -> &[u8] {
        if self.armed.fetch_sub(1, Ordering::Relaxed) == 1 {
            panic!("a buffer that panics, as intended");
        }
        &self.bytes
    }
}

/// A panic in a buffer reaches the caller. After it, the manager has lost no other message.
#[test]
#[cfg_attr(target_family = "wasm", ignore = "a panic ends a program of WebAssembly")]
fn a_manager_survives_a_buffer_that_panics() {
    fn test<A: HashFunction>() {
        for at in 1..4 {
            let mut lanes = Lanes::<A, Panicking, usize>::new();
            for i in 0..60 {
                // Only one message panics, on its first, second or third call.
                let armed = AtomicUsize::new(if i == 30 { at } else { usize::MAX });
                let bytes = noise(i as u64, 70 * i);
                assert!(lanes.entire(Panicking { bytes, armed }, i).is_none());
            }
            let mut panics = 0;
            let mut seen = [false; 60];
            loop {
                match catch_unwind(AssertUnwindSafe(|| lanes.flush())) {
                    Err(_) => panics += 1,
                    Ok(None) => break,
                    Ok(Some(Done::Message { tag, digest, buffer })) => {
                        assert_eq!(digest.as_ref(), oracle(A::ALGORITHM, &buffer.bytes));
                        assert!(!std::mem::replace(&mut seen[tag], true));
                    }
                    Ok(Some(Done::Piece { .. })) => panic!("all messages are whole"),
                }
                assert!(panics < 2);
            }
            assert!(panics == 1 || at > 2, "`as_ref` is called at least twice");
            assert!(seen.iter().all(|&seen| seen));
        }
    }
    for_each_function!(test());
}
