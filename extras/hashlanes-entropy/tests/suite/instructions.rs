//! Tests this CPU's instructions in every width and from many threads. If it lacks one, the error
//! must say so.

use std::thread;

use hashlanes_entropy::{Failure, Instruction, Provider, RDRAND, RDSEED, Source, Word};

/// The instructions that work here. The others are printed.
fn working() -> impl Iterator<Item = &'static Instruction> {
    [&RDRAND, &RDSEED].into_iter().filter(|instruction| match instruction.check() {
        Ok(()) => true,
        Err(failure) => {
            eprintln!("NOT TESTED: {instruction:?}: {failure}");
            assert_eq!(failure == Failure::Unsupported, !instruction.is_supported());
            let mut bytes = [7_u8; 5];
            assert_eq!(instruction.fill(&mut bytes), Err(failure));
            assert_eq!(bytes, [0; 5]);
            false
        }
    })
}

/// Each bit must be zero and one in some of 256 words. By chance this fails once in 2^255 runs.
fn all_bits_vary<W: Word + Copy + Into<u64>>(instruction: &Instruction) {
    let mut words = [W::default(); 256];
    instruction.fill(&mut words).unwrap();
    let all = u64::MAX >> (64 - 8 * size_of::<W>());
    let words = words.map(Into::into);
    assert_eq!(words.iter().fold(0, |ones, word| ones | word), all);
    assert_eq!(words.iter().fold(all, |ones, word| ones & word), 0);
    let single: [u64; 256] = std::array::from_fn(|_| instruction.word::<W>().unwrap().into());
    assert_eq!(single.iter().fold(0, |ones, word| ones | word), all);
}

#[test]
fn all_bits_of_every_width_vary() {
    for instruction in working() {
        all_bits_vary::<u8>(instruction);
        all_bits_vary::<u16>(instruction);
        all_bits_vary::<u32>(instruction);
        all_bits_vary::<u64>(instruction);
    }
}

#[test]
fn busy_threads_get_different_words() {
    for instruction in working() {
        let draw = || {
            let mut words = vec![0_u64; 20_000];
            words.chunks_mut(100).try_for_each(|part| instruction.fill(part)).unwrap();
            words
        };
        let mut words: Vec<u64> = thread::scope(|scope| {
            let threads: Vec<_> = (0..4).map(|_| scope.spawn(draw)).collect();
            threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
        });
        words.sort_unstable();
        words.dedup();
        // By chance two of them are equal once in 6 * 10^9 runs.
        assert_eq!(words.len(), 80_000);
        assert!(instruction.counts().words >= 80_000);
    }
}

#[test]
fn every_source_fills_every_length() {
    for source in Source::ALL.into_iter().filter(|source| source.check().is_ok()) {
        let provider = Provider::of_source(source);
        for length in (0..20).chain([100, 1000]) {
            let mut bytes = vec![0; length];
            assert_eq!(provider.fill(&mut bytes), Ok(source));
            // By chance these bytes are all zero at most once in 2^64 runs.
            let last = bytes.len().saturating_sub(8);
            assert!(length < 8 || bytes[last..] != [0; 8], "{source}: {length}");
        }
    }
}
