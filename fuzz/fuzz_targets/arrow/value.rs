//! A value, whatever column it comes from, and its frame, as docs/guide/frames.md has it.

#[derive(Clone, Debug)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(Vec<u8>),
    Bytes(Vec<u8>),
    /// The scale, and 16 or 32 bytes.
    Decimal(i8, Vec<u8>),
    Date(i64),
    /// A tag, units, and how many of them are a second.
    Time(u8, i64, i64),
    Interval(i32, i32, i64),
    List(Vec<Value>),
    Struct(Vec<Value>),
}

pub(crate) const LOCAL: u8 = 0x0b;
pub(crate) const INSTANT: u8 = 0x0c;
pub(crate) const TIME: u8 = 0x0d;
pub(crate) const DURATION: u8 = 0x0e;

/// The frames of values, one after the other.
pub(crate) fn frames<'a>(values: impl IntoIterator<Item = &'a Value>) -> Vec<u8> {
    values.into_iter().flat_map(Value::frame).collect()
}

impl Value {
    fn frame(&self) -> Vec<u8> {
        let count = |count: usize| (count as u64).to_le_bytes().to_vec();
        let (tag, parts) = match self {
            Self::Null => (0, vec![]),
            Self::Boolean(value) => (1 + u8::from(*value), vec![]),
            Self::Integer(value) => {
                let tag = if *value < 1 << 63 { 3 } else { 4 };
                (tag, vec![value.to_le_bytes()[..8].to_vec()])
            }
            Self::Float(value) => {
                let bits = if value.is_nan() { 0x7ff8 << 48 } else { (value + 0.0).to_bits() };
                (5, vec![bits.to_le_bytes().to_vec()])
            }
            Self::Text(value) => (6, vec![count(value.len()), value.clone()]),
            Self::Bytes(value) => (7, vec![count(value.len()), value.clone()]),
            Self::Decimal(scale, value) => {
                let tag = if value.len() == 16 { 8 } else { 9 };
                (tag, vec![scale.to_le_bytes().to_vec(), value.clone()])
            }
            Self::Date(days) => (10, vec![days.to_le_bytes().to_vec()]),
            Self::Time(tag, units, per_second) => {
                let nanoseconds = i128::from(*units) * i128::from(1_000_000_000 / per_second);
                let seconds = nanoseconds.div_euclid(1_000_000_000) as i64;
                let rest = nanoseconds.rem_euclid(1_000_000_000) as u32;
                (*tag, vec![seconds.to_le_bytes().to_vec(), rest.to_le_bytes().to_vec()])
            }
            Self::Interval(months, days, nanoseconds) => {
                let (months, days) = (months.to_le_bytes(), days.to_le_bytes());
                (15, vec![months.to_vec(), days.to_vec(), nanoseconds.to_le_bytes().to_vec()])
            }
            Self::List(values) => (16, vec![count(values.len()), frames(values)]),
            Self::Struct(values) => (17, vec![count(values.len()), frames(values)]),
        };
        [vec![tag], parts.concat()].concat()
    }
}
