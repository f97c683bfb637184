//! Times in the format of RFC 3339: `2026-11-22T12:27:23.000000001Z`.

use std::io::Write;

const DAY: i64 = 24 * 60 * 60;

/// A time: seconds since 1970, rounded down, and nanoseconds.
pub type Time = (i64, u32);

/// Appends a time in UTC. The fraction is omitted if it is zero.
pub fn write((seconds, nanoseconds): Time, to: &mut Vec<u8>) {
    let (year, month, day) = date(seconds.div_euclid(DAY));
    let second = seconds.rem_euclid(DAY);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    let _ = write!(to, "{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
    if nanoseconds > 0 {
        let _ = write!(to, ".{nanoseconds:09}");
    }
    to.push(b'Z');
}

/// The year, month and day of a day counted from 1970-01-01, in the Gregorian calendar.
///
/// Years begin in March here, so that the leap day is the last day of a year. 400 years have
/// 146,097 days, and March 1 of year 0 is 719,468 days before 1970-01-01.
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

/// Reads a time that [`write_time`](super::write_time) wrote. `None` if the text is not such a
/// time.
pub fn read(text: &[u8]) -> Option<Time> {
    let (date, clock) = str::from_utf8(text).ok()?.strip_suffix('Z')?.split_once('T')?;
    let mut fields = date.rsplitn(3, '-');
    let day: i64 = fields.next()?.parse().ok()?;
    let month: i64 = fields.next()?.parse().ok()?;
    let year: i64 = fields.next()?.parse().ok()?;
    let (clock, fraction) = clock.split_once('.').unwrap_or((clock, "0"));
    let mut fields = clock.splitn(3, ':').map(|field| field.parse::<i64>().ok());
    let (hour, minute, second) = (fields.next()??, fields.next()??, fields.next()??);
    let is_date = (1..=12).contains(&month) && (1..=31).contains(&day);
    let is_clock =
        (0..24).contains(&hour) && (0..60).contains(&minute) && (0..=60).contains(&second);
    if !is_date || !is_clock || fraction.len() > 9 || !fraction.bytes().all(|b| b.is_ascii_digit())
    {
        return None;
    }
    let nanoseconds = format!("{fraction:0<9}").parse().ok()?;
    let seconds = days(year, month, day)?.checked_mul(DAY)?;
    Some((seconds.checked_add(hour * 3600 + minute * 60 + second)?, nanoseconds))
}

/// The day of a date, counted from 1970-01-01: the inverse of [`date`].
fn days(year: i64, month: i64, day: i64) -> Option<i64> {
    let year = year.checked_sub(i64::from(month <= 2))?;
    let era = year.div_euclid(400);
    let year = year.rem_euclid(400);
    let month = if month > 2 { month - 3 } else { month + 9 };
    let day = 365 * year + year / 4 - year / 100 + (153 * month + 2) / 5 + day - 1;
    era.checked_mul(146_097)?.checked_add(day - 719_468)
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
            assert_eq!(read(expected.as_bytes()), Some((seconds, 0)));
        }
        assert_eq!(text((0, 1)), "1970-01-01T00:00:00.000000001Z");
        assert_eq!(text((-1, 999_999_999)), "1969-12-31T23:59:59.999999999Z");
        // No file time makes this panic.
        for seconds in [i64::MIN / 2, i64::MAX / 2] {
            assert!(text((seconds, 0)).ends_with('Z'));
        }
        for time in [(0, 1), (-1, 999_999_999), (-70_000_000_000, 5), (1_795_350_443, 120)] {
            assert_eq!(read(text(time).as_bytes()), Some(time));
        }
        for none in ["", "Z", "2026-11-22", "2026-13-22T00:00:00Z", "2026-11-22T00:00:00.1x Z"] {
            assert_eq!(read(none.as_bytes()), None);
        }
    }
}
