//! Samples the contenders of one case in turns.

use std::sync::Barrier;
use std::time::Duration;

use hashlanes::Engine;
use hashlanes::kernels::KernelInfo;
use hashlanes_measure::bound::Bound;
use hashlanes_measure::clock;
use hashlanes_measure::cpu::{self, Cpu};
use hashlanes_measure::messages::{Expected, Lengths, Messages, Random, WrongDigest};
use hashlanes_measure::sample::{Figures, Sample, ratio, repetitions};
use hashlanes_measure::stats::Spread;

use super::case::{Case, refuse};
use super::contender::{Contender, Way, contender};
use super::options::Args;

/// What was measured in one case.
pub(super) struct Outcome<'a> {
    pub(super) case: Case<'a>,
    /// Total bytes of one thread's messages.
    pub(super) bytes: usize,
    pub(super) figures: Figures,
    /// The bound for all cores together with these messages, padding included.
    pub(super) bound: Option<Bound>,
    /// How many times as fast the case is as each other contender.
    pub(super) versus: Vec<(&'static str, Spread)>,
}

impl Outcome<'_> {
    /// The kernel that hashes the messages at first.
    pub(super) fn kernel(&self) -> &str {
        self.case
            .kernel
            .unwrap_or_else(|| Engine::of(self.case.algorithm).kernel_for(self.case.messages))
    }

    pub(super) fn share(&self) -> Option<f64> {
        Some(self.figures.bytes_per_cycle?.median / self.bound.as_ref()?.bytes_per_cycle)
    }
}

/// What all cases share.
pub(super) struct Setting {
    pub(super) cpu: Cpu,
    /// The CPUs that the threads are pinned to. Empty where pinning is not possible.
    pub(super) cpus: Vec<usize>,
    pub(super) seed: u64,
}

/// A set of messages with their digests.
struct Data {
    messages: Messages,
    expected: Expected,
}

impl Data {
    fn new(case: Case<'_>, random: &mut Random) -> Self {
        let messages = Messages::new(case.lengths, case.messages, random);
        Self { expected: Expected::of(case.algorithm, &messages), messages }
    }

    fn check(&self, contender: &dyn Contender) -> Result<(), WrongDigest> {
        contender.digests().map_or(Ok(()), |digests| self.expected.check(&self.messages, &digests))
    }
}

/// A participant in a case, on one thread or several.
struct Party {
    /// The name in comparisons. Empty for the party that the case is about.
    name: &'static str,
    /// One per thread.
    contenders: Vec<Box<dyn Contender>>,
    /// The index of the set of messages that it hashes.
    set: usize,
    /// How many times it hashes the set per sample.
    times: u32,
    samples: Vec<Sample>,
}

pub(super) fn measure<'a>(
    args: &Args,
    setting: &Setting,
    case: Case<'a>,
    random: &mut Random,
) -> Result<Outcome<'a>, WrongDigest> {
    let threads = args.threads.get();
    // Each set has messages for every thread.
    let mut sets = vec![(0..threads).map(|_| Data::new(case, random)).collect::<Vec<_>>()];
    let way = args.manager.map_or(Way::Together, |piece| Way::Manager(piece.in_memory()));
    let mut parties = vec![("", way, threads, 0)];
    if threads > 1 {
        parties.push(("1 thread", way, 1, 0));
    }
    if args.alone {
        parties.push(("alone", Way::Alone, threads, 0));
    }
    if args.manager.is_some() {
        parties.push(("digest_many", Way::Together, threads, 0));
    }
    if let Lengths::LogUniform(..) = case.lengths {
        let data = &sets[0];
        let mean = data.iter().map(|data| data.messages.total()).sum::<usize>()
            / (threads * case.messages);
        let case = Case { lengths: Lengths::Uniform(mean), ..case };
        sets.push((0..threads).map(|_| Data::new(case, random)).collect());
        parties.push(("uniform", way, threads, 1));
    }
    if args.out_of_cache {
        // The usual number of messages, together half the size of the second-level cache.
        let length = setting.cpu.l2.unwrap_or(512 << 10) / 2 / 64;
        let case = Case { lengths: Lengths::Uniform(length), messages: 64, ..case };
        sets.push((0..threads).map(|_| Data::new(case, random)).collect());
        parties.push(("in cache", Way::Together, threads, 1));
        parties.push(("only reading", Way::Read, threads, 0));
    }
    let mut parties: Vec<Party> = parties
        .into_iter()
        .map(|(name, way, threads, set)| {
            // Compare with the best single-message code, whatever kernel the case forces.
            let kernel = if way == Way::Alone { None } else { case.kernel };
            let contenders = (0..threads)
                .map(|_| {
                    contender(case.algorithm, kernel, way).unwrap_or_else(|error| refuse(error))
                })
                .collect();
            Party { name, contenders, set, times: 1, samples: Vec::new() }
        })
        .collect();

    for party in &mut parties {
        // The first run fills the caches. The second tells how long a run takes.
        let (first, data) = (&mut party.contenders[0], &sets[party.set][0]);
        let slices = data.messages.slices();
        first.run(&slices, 1);
        data.check(first.as_ref())?;
        let once = clock::time(|| first.run(&slices, 1));
        party.times = repetitions(once, Duration::from_millis(args.sample_time));
    }
    for _ in 0..args.samples {
        for data in sets.iter_mut().flatten() {
            data.messages.shuffle(random);
        }
        for party in &mut parties {
            let sample = take(party, &sets[party.set], &setting.cpus);
            for (contender, data) in party.contenders.iter().zip(&sets[party.set]) {
                data.check(contender.as_ref())?;
            }
            party.samples.push(sample);
        }
    }

    let (subject, others) =
        parties.split_first().expect("the first party is the one that the case is about");
    let bytes: usize = sets[0].iter().map(|data| data.messages.total()).sum();
    let padded: usize = sets[0].iter().map(|data| data.messages.padded(case.algorithm)).sum();
    let bound = bound(setting, case).map(|bound| Bound {
        bytes_per_cycle: bound.bytes_per_cycle * threads as f64 * bytes as f64 / padded as f64,
        ..bound
    });
    Ok(Outcome {
        case,
        bytes: bytes / threads,
        figures: Figures::of(&subject.samples).expect("there is at least one sample"),
        bound,
        versus: others
            .iter()
            .filter_map(|party| Some((party.name, ratio(&subject.samples, &party.samples)?)))
            .collect(),
    })
}

/// The bound for one core, in bytes of padded messages.
fn bound(setting: &Setting, case: Case<'_>) -> Option<Bound> {
    let usable = |kernel: &KernelInfo| {
        kernel.is_available() && case.kernel.is_none_or(|name| name == kernel.name)
    };
    let kernels: Vec<KernelInfo> = case.algorithm.kernels().filter(usable).collect();
    let alike = matches!(case.lengths, Lengths::Uniform(_));
    Bound::of(setting.cpu.core, case.algorithm, &kernels, alike.then_some(case.messages))
}

/// Has a party hash its messages, on all its threads at the same time.
fn take(party: &mut Party, set: &[Data], cpus: &[usize]) -> Sample {
    let times = party.times;
    let begin = Barrier::new(party.contenders.len());
    let one = |contender: &mut dyn Contender, data: &Data| {
        let slices = data.messages.slices();
        if data.messages.total() <= 64 << 20 {
            // Another party may have evicted the messages from the cache: fetch them again. No
            // cache holds more than this.
            contender.run(&slices, 1);
        }
        begin.wait();
        let sample = Sample::take::<std::convert::Infallible>(
            data.messages.total() as u64 * u64::from(times),
            || Ok(clock::time(|| contender.run(&slices, times))),
        );
        let Ok(sample) = sample;
        sample
    };
    if let [contender] = party.contenders.as_mut_slice() {
        return one(contender.as_mut(), &set[0]);
    }
    let samples: Vec<Sample> = std::thread::scope(|scope| {
        let threads: Vec<_> = party
            .contenders
            .iter_mut()
            .zip(set)
            .enumerate()
            .map(|(number, (contender, data))| {
                let one = &one;
                scope.spawn(move || {
                    if let Some(&cpu) = cpus.get(number) {
                        cpu::pin(cpu);
                    }
                    one(contender.as_mut(), data)
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().expect("the thread did not panic")).collect()
    });
    Sample::sum(&samples)
}

#[cfg(test)]
mod tests {
    use hashlanes::Algorithm;

    use super::*;

    #[test]
    fn every_way_gives_the_right_digests() {
        let mut random = Random::new(None);
        for &algorithm in Algorithm::ALL {
            let case = Case {
                algorithm,
                kernel: None,
                lengths: Lengths::LogUniform(1, 3000),
                messages: 300,
            };
            let data = Data::new(case, &mut random);
            for way in
                [Way::Together, Way::Alone, Way::Manager(1), Way::Manager(100), Way::Manager(5000)]
            {
                let mut contender = contender(algorithm, None, way).unwrap();
                contender.run(&data.messages.slices(), 2);
                data.check(contender.as_ref()).unwrap_or_else(|error| panic!("{way:?}: {error}"));
            }
        }
    }
}
