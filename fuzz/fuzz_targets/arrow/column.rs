//! A random column of any type, and the expected values.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{BooleanBuffer, IntervalDayTime, IntervalMonthDayNano, NullBuffer, i256};
use arrow_schema::DataType;
use libfuzzer_sys::arbitrary::{Arbitrary, Result, Unstructured};

use crate::layout;
use crate::value::{DURATION, INSTANT, LOCAL, TIME, Value};

/// An array, and its values.
pub(crate) struct Column {
    pub(crate) array: ArrayRef,
    pub(crate) values: Vec<Value>,
}

impl Column {
    /// A part of a longer column.
    pub(crate) fn sliced(input: &mut Unstructured, rows: usize) -> Result<Self> {
        let (before, after) = (input.int_in_range(0..=9)?, input.int_in_range(0..=9)?);
        Ok(Self::new(input, before + rows + after, 2)?.slice(before, rows))
    }

    /// A column with lists and structs up to `depth` levels deep.
    pub(crate) fn new(input: &mut Unstructured, rows: usize, depth: usize) -> Result<Self> {
        let nulls = nulls(input, rows)?;
        match input.int_in_range(0..=if depth == 0 { 9 } else { 14 })? {
            0 => numbers(input, rows, nulls),
            1 => floats(input, rows, nulls),
            2 => times(input, rows, nulls),
            3 => dates_and_intervals(input, rows, nulls),
            4 => decimals(input, rows, nulls),
            5 => none_or_booleans(input, rows, nulls),
            6..=9 => layout::bytes(input, rows, nulls),
            10 => layout::dictionary(input, rows, nulls, depth - 1),
            11 => layout::lists(input, rows, nulls, depth - 1),
            12 => layout::list_views(input, rows, nulls, depth - 1),
            13 => layout::structs(input, rows, nulls, depth - 1),
            _ => layout::maps(input, rows, nulls, depth - 1),
        }
    }

    /// Null where the array is null, whatever the values are.
    pub(crate) fn masked(
        array: impl Array + 'static,
        values: Vec<Value>,
        nulls: Option<NullBuffer>,
    ) -> Self {
        assert_eq!(array.len(), values.len());
        let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
        let values = values.into_iter().enumerate();
        let values = values.map(|(row, value)| if is_null(row) { Value::Null } else { value });
        Self { array: Arc::new(array), values: values.collect() }
    }

    pub(crate) fn slice(&self, start: usize, rows: usize) -> Self {
        let values = self.values[start..start + rows].to_vec();
        Self { array: self.array.slice(start, rows), values }
    }

    /// Whether `digest_array` accepts it.
    pub(crate) fn has_bytes(&self) -> bool {
        use DataType::*;
        let mut data_type = self.array.data_type();
        if let Dictionary(_, values) = data_type {
            data_type = values;
        }
        data_type.is_binary() || data_type.is_string() || *data_type == Null
    }
}

/// Which rows are null: none, or some.
pub(crate) fn nulls(input: &mut Unstructured, rows: usize) -> Result<Option<NullBuffer>> {
    if input.arbitrary()? {
        return Ok(None);
    }
    // Bits of a longer buffer, from any bit on.
    let before = input.int_in_range(0..=9)?;
    let bits: u64 = input.arbitrary()?;
    let bits =
        BooleanBuffer::collect_bool(before + rows, |row| bits.rotate_left(row as u32) & 1 > 0);
    Ok(Some(NullBuffer::new(bits.slice(before, rows))))
}

pub(crate) fn several<'a, T: Arbitrary<'a>>(
    input: &mut Unstructured<'a>,
    count: usize,
) -> Result<Vec<T>> {
    (0..count).map(|_| input.arbitrary()).collect()
}

/// A column of numbers, or of types that arrow-rs represents as numbers.
fn primitive<T: ArrowPrimitiveType>(
    numbers: Vec<T::Native>,
    nulls: Option<NullBuffer>,
    value: impl Fn(T::Native) -> Value,
) -> Column {
    let values = numbers.iter().map(|&number| value(number)).collect();
    Column::masked(PrimitiveArray::<T>::new(numbers.into(), nulls.clone()), values, nulls)
}

fn numbers(input: &mut Unstructured, rows: usize, nulls: Option<NullBuffer>) -> Result<Column> {
    macro_rules! integers {
        ($T:ty) => {
            primitive::<$T>(several(input, rows)?, nulls, |v| Value::Integer(v.into()))
        };
    }
    Ok(match input.int_in_range(0..=7)? {
        0 => integers!(Int8Type),
        1 => integers!(Int16Type),
        2 => integers!(Int32Type),
        3 => integers!(Int64Type),
        4 => integers!(UInt8Type),
        5 => integers!(UInt16Type),
        6 => integers!(UInt32Type),
        _ => integers!(UInt64Type),
    })
}

fn floats(input: &mut Unstructured, rows: usize, nulls: Option<NullBuffer>) -> Result<Column> {
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    let mut special = |bits: f64| match input.int_in_range(0..=9) {
        Ok(0) => 0.0,
        Ok(1) => -0.0,
        Ok(2) => -f64::NAN,
        _ => bits,
    };
    let bits: Vec<f64> = (0..rows).map(|row| special(row as f64 - 3.25)).collect();
    Ok(match input.int_in_range(0..=2)? {
        0 => {
            let bits: Vec<u16> = several(input, rows)?;
            let halves = bits.into_iter().map(Half::from_bits).collect();
            primitive::<Float16Type>(halves, nulls, |v| Value::Float(v.into()))
        }
        1 => {
            let singles = bits.into_iter().map(|v| v as f32).collect();
            primitive::<Float32Type>(singles, nulls, |v| Value::Float(v.into()))
        }
        _ if input.arbitrary()? => primitive::<Float64Type>(bits, nulls, Value::Float),
        _ => {
            let bits: Vec<u64> = several(input, rows)?;
            let doubles = bits.into_iter().map(f64::from_bits).collect();
            primitive::<Float64Type>(doubles, nulls, Value::Float)
        }
    })
}

fn times(input: &mut Unstructured, rows: usize, nulls: Option<NullBuffer>) -> Result<Column> {
    macro_rules! counted {
        ($T:ty, $tag:expr, $per_second:expr) => {
            primitive::<$T>(several(input, rows)?, nulls, |count| {
                Value::Time($tag, count.into(), $per_second)
            })
        };
    }
    const MS: i64 = 1_000;
    const US: i64 = 1_000_000;
    const NS: i64 = 1_000_000_000;
    let zone = *input.choose(&[None, Some("UTC"), Some("+02:00")])?;
    let tag = if zone.is_some() { INSTANT } else { LOCAL };
    let zoned = |column: Column| match (zone, column.array.data_type()) {
        (Some(zone), DataType::Timestamp(unit, None)) => {
            let data_type = DataType::Timestamp(*unit, Some(zone.into()));
            let data = column.array.to_data().into_builder().data_type(data_type);
            let array = make_array(data.build().expect("a type of the same layout"));
            Column { array, values: column.values }
        }
        _ => column,
    };
    Ok(match input.int_in_range(0..=11)? {
        0 => zoned(counted!(TimestampSecondType, tag, 1)),
        1 => zoned(counted!(TimestampMillisecondType, tag, MS)),
        2 => zoned(counted!(TimestampMicrosecondType, tag, US)),
        3 => zoned(counted!(TimestampNanosecondType, tag, NS)),
        4 => counted!(Time32SecondType, TIME, 1),
        5 => counted!(Time32MillisecondType, TIME, MS),
        6 => counted!(Time64MicrosecondType, TIME, US),
        7 => counted!(Time64NanosecondType, TIME, NS),
        8 => counted!(DurationSecondType, DURATION, 1),
        9 => counted!(DurationMillisecondType, DURATION, MS),
        10 => counted!(DurationMicrosecondType, DURATION, US),
        _ => counted!(DurationNanosecondType, DURATION, NS),
    })
}

fn dates_and_intervals(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<Column> {
    /// Milliseconds of a day. Dates of type `Date64` are whole days.
    const DAY: i64 = 86_400_000;
    Ok(match input.int_in_range(0..=4)? {
        0 => primitive::<Date32Type>(several(input, rows)?, nulls, |v| Value::Date(v.into())),
        1 => {
            let days: Vec<i32> = several(input, rows)?;
            let dates = days.into_iter().map(|days| i64::from(days) * DAY).collect();
            primitive::<Date64Type>(dates, nulls, |v| Value::Date(v / DAY))
        }
        2 => primitive::<IntervalYearMonthType>(several(input, rows)?, nulls, |months| {
            Value::Interval(months, 0, 0)
        }),
        3 => {
            let parts: Vec<(i32, i32)> = several(input, rows)?;
            let parts = parts.into_iter().map(|(days, ms)| IntervalDayTime::new(days, ms));
            primitive::<IntervalDayTimeType>(parts.collect(), nulls, |v| {
                Value::Interval(0, v.days, i64::from(v.milliseconds) * 1_000_000)
            })
        }
        _ => {
            let parts: Vec<(i32, i32, i64)> = several(input, rows)?;
            let parts = parts.into_iter().map(|(m, d, ns)| IntervalMonthDayNano::new(m, d, ns));
            primitive::<IntervalMonthDayNanoType>(parts.collect(), nulls, |v| {
                Value::Interval(v.months, v.days, v.nanoseconds)
            })
        }
    })
}

fn decimals(input: &mut Unstructured, rows: usize, nulls: Option<NullBuffer>) -> Result<Column> {
    let scale: i8 = input.int_in_range(-5..=5)?;
    let narrow = |value: i128| Value::Decimal(scale, value.to_le_bytes().to_vec());
    macro_rules! scaled {
        ($T:ty, $numbers:expr, $value:expr) => {{
            let column = primitive::<$T>($numbers, nulls, $value);
            let array = cast::AsArray::as_primitive::<$T>(&column.array).clone();
            let array = array.with_precision_and_scale(<$T>::MAX_PRECISION, scale);
            Column { array: Arc::new(array.expect("a scale that fits")), values: column.values }
        }};
    }
    Ok(match input.int_in_range(0..=3)? {
        0 => scaled!(Decimal32Type, several(input, rows)?, |v| narrow(v.into())),
        1 => scaled!(Decimal64Type, several(input, rows)?, |v| narrow(v.into())),
        2 => scaled!(Decimal128Type, several(input, rows)?, narrow),
        _ => {
            let wide: bool = input.arbitrary()?;
            let parts: Vec<(u128, i128)> = several(input, rows)?;
            let parts = parts.into_iter().map(|(low, high)| match wide {
                true => i256::from_parts(low, high),
                false => i256::from_i128(high),
            });
            scaled!(Decimal256Type, parts.collect(), |v| match v.to_i128() {
                Some(value) => narrow(value),
                None => Value::Decimal(scale, v.to_le_bytes().to_vec()),
            })
        }
    })
}

fn none_or_booleans(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<Column> {
    if input.arbitrary()? {
        return Ok(Column::masked(NullArray::new(rows), vec![Value::Null; rows], None));
    }
    let bits: Vec<bool> = several(input, rows)?;
    let values = bits.iter().map(|&bit| Value::Boolean(bit)).collect();
    Ok(Column::masked(BooleanArray::new(bits.into(), nulls.clone()), values, nulls))
}
