//! The framing of values, to the byte. `docs/guide/frames.md` has it as a table and in Python.
//!
//! A frame is a tag of one byte, followed by the fields that the tag defines. Frames can be
//! decoded, so two rows have the same frame only if they have the same values. All numbers are
//! little-endian. The width of a number's type and the layout of an array do not matter.
//!
//! It is public for this project's DuckDB extension, and is not part of the interface.
#![doc(hidden)]

/// The result of framing a value. The error says why it cannot be framed.
pub type Framed = Result<(), &'static str>;

/// The tags. They must never change, because stored digests depend on them.
mod tag {
    pub(super) const NULL: u8 = 0x00;
    pub(super) const FALSE: u8 = 0x01;
    pub(super) const TRUE: u8 = 0x02;
    pub(super) const INTEGER: u8 = 0x03;
    pub(super) const LARGE_INTEGER: u8 = 0x04;
    pub(super) const FLOAT: u8 = 0x05;
    pub(super) const TEXT: u8 = 0x06;
    pub(super) const BYTES: u8 = 0x07;
    pub(super) const DECIMAL: u8 = 0x08;
    pub(super) const LARGE_DECIMAL: u8 = 0x09;
    pub(super) const DATE: u8 = 0x0a;
    pub(super) const LOCAL_TIMESTAMP: u8 = 0x0b;
    pub(super) const INSTANT: u8 = 0x0c;
    pub(super) const TIME: u8 = 0x0d;
    pub(super) const DURATION: u8 = 0x0e;
    pub(super) const INTERVAL: u8 = 0x0f;
    pub(super) const LIST: u8 = 0x10;
    pub(super) const STRUCT: u8 = 0x11;
}

/// The kind of a point in time or of a duration.
#[derive(Clone, Copy)]
pub enum Time {
    /// Without a zone.
    LocalTimestamp,
    /// With a zone.
    Instant,
    /// Since midnight.
    OfDay,
    /// Between two points in time.
    Duration,
}

/// A value that contains a number of other values.
#[derive(Clone, Copy)]
pub enum Group {
    /// A list or a map.
    List,
    /// A struct, or an entry of a map.
    Struct,
}

/// A null of any type.
pub fn null(frame: &mut Vec<u8>) {
    frame.push(tag::NULL);
}

/// False or true.
pub fn boolean(value: bool, frame: &mut Vec<u8>) {
    frame.push(if value { tag::TRUE } else { tag::FALSE });
}

/// An integer.
pub fn integer(value: i64, frame: &mut Vec<u8>) {
    tagged(tag::INTEGER, value.to_le_bytes(), frame);
}

/// Framed like [`integer`] if it fits in an `i64`.
pub fn unsigned(value: u64, frame: &mut Vec<u8>) {
    let tag = if value <= i64::MAX as u64 { tag::INTEGER } else { tag::LARGE_INTEGER };
    tagged(tag, value.to_le_bytes(), frame);
}

/// Equal numbers have equal frames: -0.0 is framed like 0.0, and every NaN like the quiet NaN
/// without a payload.
pub fn float(value: f64, frame: &mut Vec<u8>) {
    const NAN: u64 = 0x7ff8_0000_0000_0000;
    let bits = match value {
        0.0 => 0,
        _ if value.is_nan() => NAN,
        _ => value.to_bits(),
    };
    tagged(tag::FLOAT, bits.to_le_bytes(), frame);
}

/// Text in UTF-8.
pub fn text(value: &[u8], frame: &mut Vec<u8>) {
    counted(tag::TEXT, value.len(), frame);
    frame.extend_from_slice(value);
}

/// Bytes.
pub fn bytes(value: &[u8], frame: &mut Vec<u8>) {
    counted(tag::BYTES, value.len(), frame);
    frame.extend_from_slice(value);
}

/// `value` / 10^`scale`.
pub fn decimal(value: i128, scale: i8, frame: &mut Vec<u8>) {
    frame.extend_from_slice(&[tag::DECIMAL, scale as u8]);
    frame.extend_from_slice(&value.to_le_bytes());
}

/// `value` / 10^`scale`, where `value` does not fit in 128 bits.
pub fn large_decimal(value: [u8; 32], scale: i8, frame: &mut Vec<u8>) {
    frame.extend_from_slice(&[tag::LARGE_DECIMAL, scale as u8]);
    frame.extend_from_slice(&value);
}

/// Days since 1970-01-01.
pub fn date(days: i64, frame: &mut Vec<u8>) {
    tagged(tag::DATE, days.to_le_bytes(), frame);
}

/// `count` units of 1 / `per_second` seconds, framed as whole seconds, rounded down, and
/// nanoseconds.
pub fn time(what: Time, count: i64, per_second: i64, frame: &mut Vec<u8>) {
    let tag = match what {
        Time::LocalTimestamp => tag::LOCAL_TIMESTAMP,
        Time::Instant => tag::INSTANT,
        Time::OfDay => tag::TIME,
        Time::Duration => tag::DURATION,
    };
    let nanoseconds = count.rem_euclid(per_second) * (1_000_000_000 / per_second);
    tagged(tag, count.div_euclid(per_second).to_le_bytes(), frame);
    frame.extend_from_slice(&(nanoseconds as u32).to_le_bytes());
}

/// The three parts of an interval.
pub fn interval(months: i32, days: i32, nanoseconds: i64, frame: &mut Vec<u8>) {
    frame.push(tag::INTERVAL);
    frame.extend_from_slice(&months.to_le_bytes());
    frame.extend_from_slice(&days.to_le_bytes());
    frame.extend_from_slice(&nanoseconds.to_le_bytes());
}

/// The start of a group. Its `count` values follow.
pub fn group(what: Group, count: usize, frame: &mut Vec<u8>) {
    let tag = match what {
        Group::List => tag::LIST,
        Group::Struct => tag::STRUCT,
    };
    counted(tag, count, frame);
}

fn counted(tag: u8, count: usize, frame: &mut Vec<u8>) {
    tagged(tag, (count as u64).to_le_bytes(), frame);
}

/// A single append: two short ones would take twice as long.
#[inline(always)]
fn tagged(tag: u8, value: [u8; 8], frame: &mut Vec<u8>) {
    let mut bytes = [tag; 9];
    bytes[1..].copy_from_slice(&value);
    frame.extend_from_slice(&bytes);
}
