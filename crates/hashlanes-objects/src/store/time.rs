//! Times as stores write them, in seconds and nanoseconds since 1970.

use chrono::DateTime;

pub(super) fn http_time(text: &str) -> Option<(i64, u32)> {
    DateTime::parse_from_rfc2822(text).ok().map(parts)
}

pub(super) fn http_form(seconds: i64) -> Option<String> {
    let time = DateTime::from_timestamp(seconds, 0)?;
    Some(time.format("%a, %d %b %Y %H:%M:%S GMT").to_string())
}

pub(super) fn iso_time(text: &str) -> Option<(i64, u32)> {
    DateTime::parse_from_rfc3339(text).ok().map(parts)
}

fn parts<Z: chrono::TimeZone>(time: DateTime<Z>) -> (i64, u32) {
    (time.timestamp(), time.timestamp_subsec_nanos())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_in_both_forms() {
        let time = Some((1_432_000_000, 0));
        assert_eq!(http_time("Tue, 19 May 2015 01:46:40 GMT"), time);
        assert_eq!(iso_time("2015-05-19T01:46:40.000Z"), time);
        assert_eq!(iso_time("2015-05-19T01:46:40.5Z"), Some((1_432_000_000, 500_000_000)));
        assert_eq!(http_time("yesterday"), None);
        assert_eq!(http_form(1_432_000_000).unwrap(), "Tue, 19 May 2015 01:46:40 GMT");
    }
}
