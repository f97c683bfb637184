//! Contenders, sampled in turns.

use std::time::Duration;

use anyhow::{Context, Result};
use hashlanes_measure::clock;
use hashlanes_measure::sample::{Figures, Sample, ratio, repetitions};
use hashlanes_measure::stats::Spread;

use crate::{Plan, speed};

/// Something to measure.
pub(crate) enum Contender<'a> {
    /// A function that works on this many bytes.
    Ours { bytes: u64, work: Box<dyn FnMut() + 'a> },
    /// `openssl speed` with these arguments.
    Speed(Vec<&'static str>),
}

impl<'a> Contender<'a> {
    pub(crate) fn ours(bytes: usize, work: impl FnMut() + 'a) -> Self {
        Self::Ours { bytes: bytes as u64, work: Box::new(work) }
    }

    fn sample(&mut self, plan: Plan) -> Result<Sample> {
        match self {
            Self::Ours { bytes, work } => {
                let times = repetitions(clock::time(&mut *work), plan.sample);
                Sample::take(*bytes * u64::from(times), || {
                    Ok(clock::time(|| (0..times).for_each(|_| work())))
                })
            }
            Self::Speed(arguments) => {
                // Bytes per second; the program reports them.
                const BYTES: u64 = 1 << 30;
                Sample::take(BYTES, || {
                    let per_second = speed::run(arguments, plan.seconds)?;
                    Ok(Duration::from_secs_f64(BYTES as f64 / per_second))
                })
            }
        }
    }
}

/// Samples the contenders in turns.
pub(crate) fn in_turns(plan: Plan, contenders: &mut [Contender<'_>]) -> Result<Vec<Vec<Sample>>> {
    let mut samples = vec![Vec::new(); contenders.len()];
    for _ in 0..plan.rounds {
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            samples.push(contender.sample(plan)?);
        }
    }
    Ok(samples)
}

/// The figures of some samples.
pub(crate) fn figures(samples: &[Sample]) -> Result<Figures> {
    Figures::of(samples).context("no samples")
}

/// Bytes per cycle, or an empty string.
pub(crate) fn per_cycle(figures: &Figures) -> String {
    figures.bytes_per_cycle.map_or_else(String::new, |spread| format!("{:.2}", spread.median))
}

/// How many times as fast `a` is as `b`.
pub(crate) fn times(a: &[Sample], b: &[Sample]) -> Result<f64> {
    ratio(a, b).map(|spread: Spread| spread.median).context("no samples")
}
