//! Fault injection: instructions that fail, repeat or return constants, from the start or later.
//! Each request must end with the right error or use the next source. Weak output must not get out.

use std::thread;

use crate::failure::{Failure, Fault};
use crate::fake::{self, TRIES, good};
use crate::grade::Grade;
use crate::health::START;
use crate::instruction::Instruction;
use crate::machine::Machine;
use crate::provider::Provider;
use crate::source::{Reseeded, Source};
use crate::{Error, mix};

const EXHAUSTED: Failure = Failure::Exhausted { tries: TRIES };

fn faulty(fault: Fault) -> Failure {
    Failure::Faulty(fault)
}

/// The result of a request for eight words. A failed request must leave zeros.
fn eight(instruction: &Instruction) -> Result<[u64; 8], Failure> {
    let mut words = [7; 8];
    let filled = instruction.fill(&mut words);
    assert!(filled.is_ok() || words == [0; 8], "{words:x?}");
    filled.map(|()| words)
}

#[test]
fn a_working_instruction_gives_each_word_once() {
    let instruction = fake::working();
    let start = START as u64;
    assert_eq!(eight(instruction), Ok(std::array::from_fn(|at| good(start + at as u64))));
    // Word number 8 was the guard.
    assert_eq!(instruction.word(), Ok(good(start + 9)));
    assert_eq!(instruction.counts().words, start + 9 + 2);
}

#[test]
fn bytes_and_words_of_any_number_are_filled() {
    let instruction = fake::working();
    for length in 0..40 {
        let mut bytes = vec![0_u8; length];
        instruction.fill(&mut bytes).unwrap();
        // A good word is zero once in 2^64 times. SplitMix64 has no zero among these.
        assert!(bytes.chunks(8).all(|word| word.len() < 4 || word.iter().any(|&byte| byte != 0)));
        instruction.fill(&mut vec![0_u16; length]).unwrap();
        instruction.fill(&mut vec![0_u32; length]).unwrap();
    }
}

#[test]
fn an_instruction_without_values_ends_in_an_error() {
    let instruction = fake::empty();
    assert_eq!(eight(instruction), Err(EXHAUSTED));
    assert_eq!(instruction.check(), Err(EXHAUSTED));
    assert_eq!(instruction.counts().empty, 2 * u64::from(TRIES));
}

#[test]
fn the_documented_number_of_retries_is_made() {
    let late =
        |empty: u64| fake::instruction(move |run| (run % (empty + 1) == empty).then(|| good(run)));
    let most = u64::from(TRIES) - 1;
    assert!(eight(late(1)).is_ok(), "every second run");
    assert!(eight(late(most)).is_ok());
    assert_eq!(eight(late(most + 1)), Err(EXHAUSTED));
}

#[test]
fn an_instruction_that_recovers_is_used_again() {
    let pause = START as u64 + 20;
    let instruction = fake::instruction(move |run| {
        (!(pause..pause + u64::from(TRIES)).contains(&run)).then(|| good(run))
    });
    assert!(eight(instruction).is_ok());
    assert!(eight(instruction).is_ok());
    assert_eq!(eight(instruction), Err(EXHAUSTED));
    assert!(eight(instruction).is_ok());
}

#[test]
fn a_constant_is_found_at_startup_and_the_instruction_is_not_run_again() {
    for constant in [0, !0, 0x0123_4567_89ab_cdef] {
        let instruction = fake::instruction(move |_| Some(constant));
        assert_eq!(eight(instruction), Err(faulty(Fault::Repeats)));
        let runs = instruction.counts();
        assert_eq!(eight(instruction), Err(faulty(Fault::Repeats)));
        assert_eq!(instruction.check(), Err(faulty(Fault::Repeats)));
        assert_eq!(instruction.counts(), runs);
    }
}

#[test]
fn cycles_and_bias_are_found_at_startup() {
    let cycle = fake::instruction(|run| Some(good(run % 7)));
    assert_eq!(eight(cycle), Err(faulty(Fault::Recurs)));
    let half = fake::instruction(|run| Some(good(run) >> 32));
    assert_eq!(eight(half), Err(faulty(Fault::Biased)));
}

#[test]
fn a_constant_that_begins_later_never_gets_out() {
    for constant in [0, !0, 0x0123_4567_89ab_cdef] {
        for begins in 0..40 {
            let instruction = fake::stuck_after(begins, constant);
            // Requests of eight words and a guard.
            for request in 1..=begins / 9 {
                let words = eight(instruction).unwrap_or_else(|_| panic!("request {request}"));
                assert!(!words.contains(&constant));
            }
            // In this request, the guard is the first word of the constant, or the last one before
            // it.
            if begins % 9 == 8 {
                assert!(!eight(instruction).unwrap().contains(&constant));
            }
            assert_eq!(eight(instruction), Err(faulty(Fault::Repeats)), "{begins}");
            assert_eq!(eight(instruction), Err(faulty(Fault::Repeats)), "{begins}");
        }
    }
}

#[test]
fn a_single_word_is_tested_too() {
    let instruction = fake::stuck_after(0, !0);
    assert_eq!(instruction.word::<u16>(), Err(faulty(Fault::Repeats)));
}

#[test]
fn a_cycle_that_begins_later_is_found_within_a_request() {
    let instruction =
        fake::instruction(|run| Some(good(if run < START as u64 { run } else { run % 3 })));
    assert_eq!(eight(instruction), Err(faulty(Fault::Recurs)));
}

#[test]
fn an_unusable_instruction_is_not_run() {
    for (instruction, failure) in
        [(fake::unsupported(), Failure::Unsupported), (fake::erratum(), faulty(Fault::Erratum))]
    {
        assert_eq!(eight(instruction), Err(failure));
        assert_eq!(instruction.is_supported(), failure != Failure::Unsupported);
        assert_eq!(instruction.counts().words, 0);
    }
}

#[test]
fn threads_never_get_the_same_word() {
    let instruction = fake::working();
    let of_thread = || (0..200).flat_map(|_| eight(instruction).unwrap()).collect::<Vec<_>>();
    let mut words: Vec<u64> = thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(of_thread)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    words.sort_unstable();
    words.dedup();
    assert_eq!(words.len(), 8 * 200 * 8);
}

type Made = fn() -> &'static Instruction;

/// The states that an instruction can be in, with the failure in each.
const STATES: [(Made, Option<Failure>); 6] = [
    (fake::working, None),
    (fake::empty, Some(EXHAUSTED)),
    (|| fake::instruction(|_| Some(!0)), Some(Failure::Faulty(Fault::Repeats))),
    (|| fake::stuck_after(1, !0), Some(Failure::Faulty(Fault::Repeats))),
    (fake::unsupported, Some(Failure::Unsupported)),
    (fake::erratum, Some(Failure::Faulty(Fault::Erratum))),
];

type System = fn(&mut [u8]) -> Result<(), Failure>;

/// An operating system that works, and one that fails after it has written to the buffer.
const SYSTEMS: [(System, Option<Failure>); 2] = [
    (
        |out| {
            out.fill(b's');
            Ok(())
        },
        None,
    ),
    (
        |out| {
            out.fill(b'x');
            Err(Failure::System { code: Some(38) })
        },
        Some(Failure::System { code: Some(38) }),
    ),
];

/// All machines with instructions and systems in these states, with each source's failure.
fn machines() -> impl Iterator<Item = (&'static Machine, impl Fn(Source) -> Option<Failure>)> {
    let instructions =
        STATES.iter().flat_map(|rdseed| STATES.iter().map(move |rdrand| (rdseed, rdrand)));
    let all = instructions.flat_map(|pair| SYSTEMS.iter().map(move |system| (pair, system)));
    all.map(|((rdseed, rdrand), system)| {
        let machine = Machine { rdseed: rdseed.0(), rdrand: rdrand.0(), system: system.0 };
        let failure = |source| match source {
            Source::Rdseed => rdseed.1,
            Source::Rdrand | Source::RdrandReduced => rdrand.1,
            Source::Os => system.1,
        };
        (&*Box::leak(Box::new(machine)), failure)
    })
}

#[test]
fn the_first_working_source_of_the_grade_is_used() {
    for grade in Grade::ALL {
        for (machine, failure) in machines() {
            let provider = Provider::of_grade(grade).on(machine);
            let serves = grade.sources().iter().copied().find(|&source| failure(source).is_none());
            let tried = || grade.sources().iter().map(|&source| (source, failure(source).unwrap()));
            // A second request gives the same result, although the faults are known by then.
            for _ in 0..2 {
                let mut bytes = [7; 32];
                match (provider.fill(&mut bytes), serves) {
                    (Ok(source), Some(first)) => {
                        assert_eq!(source, first);
                        assert!(source.grade() >= grade);
                        assert_eq!(bytes == [b's'; 32], source == Source::Os);
                        assert!(bytes != [0; 32] && bytes != [0xff; 32] && bytes != [b'x'; 32]);
                    }
                    (Err(error), None) => {
                        assert_eq!(error.grade(), Some(grade));
                        assert_eq!(error.tried(), tried().collect::<Vec<_>>());
                        assert_eq!(bytes, [0; 32]);
                    }
                    (outcome, first) => panic!("{grade}: {outcome:?} instead of {first:?}"),
                }
            }
        }
    }
}

#[test]
fn a_named_source_is_never_replaced() {
    for source in Source::ALL {
        for (machine, failure) in machines() {
            let mut bytes = [7; 32];
            let outcome = Provider::of_source(source).on(machine).fill(&mut bytes);
            match failure(source) {
                None => assert_eq!(outcome, Ok(source)),
                Some(failure) => {
                    assert_eq!(outcome, Err(Error { grade: None, tried: vec![(source, failure)] }));
                    assert_eq!(bytes, [0; 32]);
                }
            }
        }
    }
}

#[test]
fn errors_list_the_sources_and_reasons() {
    let (machine, _) = machines().last().unwrap();
    let error = Provider::of_grade(Grade::Key).on(machine).bytes::<4>().unwrap_err();
    let reason = std::io::Error::from_raw_os_error(38);
    assert_eq!(
        error.to_string(),
        format!(
            "no source of random bytes of grade key: \
             rdseed: faulty: CPUs of this family are known to return constants; \
             os: the operating system refused: {reason}; \
             rdrand-512: faulty: CPUs of this family are known to return constants"
        )
    );
    let error = Provider::of_source(Source::Rdseed).on(machine).bytes::<4>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "no random bytes: rdseed: faulty: CPUs of this family are known to return constants"
    );
}

#[test]
fn a_reseed_draws_more_than_the_output_of_one_seed() {
    let (machine, _) = machines().next().unwrap();
    machine.rdrand.check().unwrap();
    let before = machine.rdrand.counts().words;
    assert_eq!(machine.reseed(Source::Rdrand), Ok(Reseeded::Now));
    // 511 samples of 128 bits (Intel DRNG guide, section 5.2.5).
    assert!(machine.rdrand.counts().words - before > 2 * 511);
    assert_eq!(machine.reseed(Source::Rdseed), Ok(Reseeded::Always));
    assert_eq!(machine.reseed(Source::RdrandReduced), Ok(Reseeded::Always));
}

#[test]
fn a_reseed_of_a_faulty_source_is_an_error() {
    for (machine, failure) in machines() {
        for source in [Source::Rdrand, Source::Rdseed] {
            // A reseed draws nothing from RDSEED, so later faults are not detected.
            if let Some(failure) = failure(source).filter(|_| source == Source::Rdrand) {
                assert_eq!(machine.reseed(source), Err(failure));
            }
        }
    }
}

#[test]
fn a_mix_fails_if_either_source_fails() {
    for (machine, failure) in machines() {
        let provider = |source| Provider::of_source(source).on(machine);
        let mut key = [7; 32];
        let mixed = mix(&provider(Source::Rdrand), &provider(Source::Rdseed), &mut key);
        match failure(Source::Rdrand).or(failure(Source::Rdseed)) {
            None => {
                assert_eq!(mixed, Ok([Source::Rdrand, Source::Rdseed]));
                assert!(key != [7; 32] && key != [0; 32]);
            }
            Some(_) => {
                assert!(mixed.is_err());
                assert_eq!(key, [0; 32]);
            }
        }
    }
}
