//! Times as RFC 3339 has them: `2026-11-22T12:27:23.000000001Z`.

use std::io::Write;

const DAY: i64 = 24 * 60 * 60;

/// A moment: seconds since 1970, rounded down, and nanoseconds of that second.
pub type Time = (i64, u32);

/// Appends a time in UTC. Without a fraction if it has none.
pub(super) fn write((seconds, nanoseconds): Time, to: &mut Vec<u8>) {
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let _ = write!(to, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if nanoseconds > 0 {
        let _ = write!(to, ".{nanoseconds:09}");
    }
    to.push(b'Z');
}

/// Year, month and day of a day that is counted from 1970-01-01, in the Gregorian calendar.
///
/// Years begin in March here, so that the leap day is a year's last. 400 years have 146,097 days,
/// and the first of March of the year 0 is 719,468 days before 1970.
fn date(day: i64) -> (i64, i64, i64) {
    let day = day + 719_468;
    let era = day.div_euclid(146_097);
    let day = day.rem_euclid(146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(time: Time) -> String {
        let mut to = Vec::new();
        write(time, &mut to);
        String::from_utf8(to).unwrap()
    }

    /// Computed with `date -u -d @SECONDS`.
    #[test]
    fn times_are_those_of_date() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_399, "2000-02-28T23:59:59Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (951_868_800, "2000-03-01T00:00:00Z"),
            (1_582_934_400, "2020-02-29T00:00:00Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
            (1_795_350_443, "2026-11-22T12:27:23Z"),
            (-86_400, "1969-12-31T00:00:00Z"),
        ] {
            assert_eq!(text((seconds, 0)), expected);
        }
        assert_eq!(text((0, 1)), "1970-01-01T00:00:00.000000001Z");
        assert_eq!(text((-1, 999_999_999)), "1969-12-31T23:59:59.999999999Z");
        // No time of a file makes this fail.
        for seconds in [i64::MIN / 2, i64::MAX / 2] {
            assert!(text((seconds, 0)).ends_with('Z'));
        }
    }
}
