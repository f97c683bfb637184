//! Timed runs, and the clock during each.

use std::time::Duration;

use serde::Serialize;

use crate::clock;
use crate::stats::Spread;

/// Maximum relative difference of the clocks before and after a steady sample.
const STEADY: f64 = 0.03;

/// The throughput of one timed run.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    /// Bytes hashed per second.
    pub per_second: f64,
    /// Bytes hashed per core cycle, if the clock can be calibrated.
    pub per_cycle: Option<f64>,
    /// The clock frequency in cycles per second: the mean of those before and after the run.
    pub hertz: Option<f64>,
    /// Whether the clocks before and after the run differ by at most 3 %.
    pub steady: bool,
}

impl Sample {
    /// Runs `work`, which hashes `bytes` bytes and returns the time that it took. Calibrates the
    /// clock before and after.
    ///
    /// The work measures its own time (with [`clock::time`]), because it may run in another process
    /// on the same core.
    ///
    /// # Errors
    /// Those of `work`.
    pub fn take<E>(bytes: u64, work: impl FnOnce() -> Result<Duration, E>) -> Result<Self, E> {
        let before = clock::calibrate();
        let seconds = work()?.as_secs_f64();
        let clocks = before.zip(clock::calibrate());
        let hertz = clocks.map(|(before, after)| (before + after) / 2.0);
        Ok(Self {
            per_second: bytes as f64 / seconds,
            per_cycle: hertz.map(|hertz| bytes as f64 / (seconds * hertz)),
            hertz,
            steady: clocks.is_none_or(|(before, after)| (before - after).abs() <= STEADY * before),
        })
    }

    /// The total throughput of several cores that ran at the same time.
    pub fn sum(samples: &[Self]) -> Self {
        let hertz: Option<f64> = samples.iter().map(|sample| sample.hertz).sum();
        Self {
            per_second: samples.iter().map(|sample| sample.per_second).sum(),
            per_cycle: samples.iter().map(|sample| sample.per_cycle).sum(),
            hertz: hertz.map(|hertz| hertz / samples.len() as f64),
            steady: samples.iter().all(|sample| sample.steady),
        }
    }

    /// The figure for comparing samples of the same round: bytes per cycle, or bytes per second if
    /// cycles are unknown.
    pub fn throughput(&self) -> f64 {
        self.per_cycle.unwrap_or(self.per_second)
    }
}

/// The figures of one contender, computed from its samples.
#[derive(Clone, Debug, Serialize)]
pub struct Figures {
    /// Gigabytes (10^9 bytes) per second.
    pub gb_per_s: Spread,
    /// Bytes per core cycle. `None` if the clock cannot be calibrated.
    pub bytes_per_cycle: Option<Spread>,
    /// The clock, in GHz.
    pub ghz: Option<Spread>,
    /// The number of samples used.
    pub samples: usize,
    /// The number of unsteady samples. They are left out, unless all samples are unsteady.
    pub unsteady: usize,
}

impl Figures {
    /// The figures of the samples. `None` if there are no samples.
    pub fn of(samples: &[Sample]) -> Option<Self> {
        let steady: Vec<Sample> = samples.iter().copied().filter(|sample| sample.steady).collect();
        let used = if steady.is_empty() { samples } else { &steady };
        Some(Self {
            gb_per_s: Spread::of(used.iter().map(|sample| sample.per_second / 1e9))?,
            bytes_per_cycle: Spread::of(used.iter().filter_map(|sample| sample.per_cycle)),
            ghz: Spread::of(used.iter().filter_map(|sample| Some(sample.hertz? / 1e9))),
            samples: used.len(),
            unsteady: samples.len() - steady.len(),
        })
    }
}

/// The speed of `a` relative to `b`: the spread of the ratios of samples in the same round.
pub fn ratio(a: &[Sample], b: &[Sample]) -> Option<Spread> {
    Spread::of(a.iter().zip(b).map(|(a, b)| a.throughput() / b.throughput()))
}

/// How often to repeat work that took `once`, for a sample of at least `target`.
pub fn repetitions(once: Duration, target: Duration) -> u32 {
    let times = target.as_secs_f64() / once.as_secs_f64().max(1e-9);
    times.ceil().clamp(1.0, 1e6) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(per_second: f64, steady: bool) -> Sample {
        Sample { per_second, per_cycle: Some(per_second / 1e9), hertz: Some(1e9), steady }
    }

    #[test]
    fn unsteady_samples_are_left_out_unless_all_are() {
        let figures =
            Figures::of(&[sample(1e9, true), sample(9e9, false), sample(3e9, true)]).unwrap();
        assert_eq!((figures.samples, figures.unsteady, figures.gb_per_s.median), (2, 1, 2.0));
        let figures = Figures::of(&[sample(9e9, false)]).unwrap();
        assert_eq!((figures.samples, figures.unsteady, figures.gb_per_s.median), (1, 1, 9.0));
        assert!(Figures::of(&[]).is_none());
    }

    #[test]
    fn cores_add_up_and_rounds_are_compared_in_pairs() {
        let both = Sample::sum(&[sample(1e9, true), sample(2e9, true)]);
        assert_eq!((both.per_second, both.per_cycle, both.hertz), (3e9, Some(3.0), Some(1e9)));
        let quotients =
            ratio(&[sample(2e9, true), sample(8e9, true)], &[sample(1e9, true), sample(2e9, true)]);
        assert_eq!(quotients.unwrap().median, 3.0);
    }

    #[test]
    fn the_clock_turns_seconds_into_cycles() {
        let sample = Sample::take::<()>(1000, || Ok(Duration::from_micros(1))).unwrap();
        assert_eq!(sample.per_second, 1e9);
        assert_eq!(sample.per_cycle.is_some(), sample.hertz.is_some());
        if let (Some(per_cycle), Some(hertz)) = (sample.per_cycle, sample.hertz) {
            assert!((per_cycle * hertz - 1e9).abs() < 1.0);
        }
    }

    #[test]
    fn repetitions_fill_the_target() {
        assert_eq!(repetitions(Duration::from_millis(3), Duration::from_millis(10)), 4);
        assert_eq!(repetitions(Duration::from_secs(1), Duration::from_millis(10)), 1);
        assert_eq!(repetitions(Duration::ZERO, Duration::from_secs(10)), 1_000_000);
    }
}
