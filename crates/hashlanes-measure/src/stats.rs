//! Medians and spreads.

use serde::{Serialize, Serializer};

/// The distribution of the values of several samples.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Spread {
    /// The median.
    #[serde(serialize_with = "rounded")]
    pub median: f64,
    /// The lower quartile: a quarter of the values are below it.
    #[serde(serialize_with = "rounded")]
    pub low: f64,
    /// The upper quartile: a quarter of the values are above it.
    #[serde(serialize_with = "rounded")]
    pub high: f64,
    /// The largest value. For a throughput this is the least disturbed sample.
    #[serde(serialize_with = "rounded")]
    pub best: f64,
}

impl Spread {
    /// The spread of the values. `None` if there are no values, or if one is not a number.
    pub fn of(values: impl IntoIterator<Item = f64>) -> Option<Self> {
        let mut values: Vec<f64> = values.into_iter().collect();
        if values.is_empty() || values.iter().any(|value| value.is_nan()) {
            return None;
        }
        values.sort_unstable_by(f64::total_cmp);
        let best = values[values.len() - 1];
        Some(Self {
            median: quantile(&values, 0.5),
            low: quantile(&values, 0.25),
            high: quantile(&values, 0.75),
            best,
        })
    }

    /// Half the interquartile range divided by the median, a measure of how much the samples
    /// disagree.
    pub fn ratio(&self) -> f64 {
        (self.high - self.low) / 2.0 / self.median
    }
}

/// Serialises five significant digits, which exceeds the precision of these figures.
fn rounded<S: Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_f64(format!("{value:.4e}").parse().unwrap_or(*value))
}

/// The quantile `share` of ascending values, interpolated between neighbours.
fn quantile(values: &[f64], share: f64) -> f64 {
    let at = share * (values.len() - 1) as f64;
    let (below, above) = (values[at.floor() as usize], values[at.ceil() as usize]);
    below + (above - below) * at.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quartiles_lie_between_values_where_they_must() {
        let spread = Spread::of([4.0, 1.0, 3.0, 2.0]).unwrap();
        assert_eq!(spread, Spread { median: 2.5, low: 1.75, high: 3.25, best: 4.0 });
        assert_eq!(spread.ratio(), 0.3);
        assert_eq!(
            Spread::of([7.0]).unwrap(),
            Spread { median: 7.0, low: 7.0, high: 7.0, best: 7.0 }
        );
        assert_eq!(Spread::of([]), None);
        assert_eq!(Spread::of([1.0, f64::NAN]), None);
    }
}
