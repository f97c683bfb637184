//! Selects the framing for each type of column.

use arrow_array::cast::AsArray;
use arrow_array::types::*;
use arrow_array::{Array, ArrayRef, DictionaryArray, downcast_dictionary_array};
use arrow_buffer::ArrowNativeType;
use arrow_schema::{DataType, IntervalUnit, TimeUnit};

use super::frame::{self, Time};
use super::{Framer, nested};
use crate::Error;
use crate::column::OUTSIDE;
use crate::dictionary::NO_VALUE;
use crate::values::Values;

/// # Errors
/// If values of the column's type have no framing.
pub(super) fn framer(array: &ArrayRef) -> Result<Framer<'_>, Error> {
    let framer = framer_of_values(array)?;
    match array.nulls() {
        Some(nulls) if nulls.null_count() > 0 => Ok(Box::new(move |row, frame| {
            if nulls.is_null(row) {
                frame::null(frame);
                return Ok(());
            }
            framer(row, frame)
        })),
        _ => Ok(framer),
    }
}

/// A framer for rows that are not null.
fn framer_of_values(array: &ArrayRef) -> Result<Framer<'_>, Error> {
    use DataType::*;
    Ok(match array.data_type() {
        Null => infallible(|_, frame| frame::null(frame)),
        Boolean => {
            let values = array.as_boolean().values();
            infallible(|row, frame| frame::boolean(values.value(row), frame))
        }
        Int8 => number::<Int8Type>(array, |value, frame| frame::integer(value.into(), frame)),
        Int16 => number::<Int16Type>(array, |value, frame| frame::integer(value.into(), frame)),
        Int32 => number::<Int32Type>(array, |value, frame| frame::integer(value.into(), frame)),
        Int64 => number::<Int64Type>(array, frame::integer),
        UInt8 => number::<UInt8Type>(array, |value, frame| frame::unsigned(value.into(), frame)),
        UInt16 => number::<UInt16Type>(array, |value, frame| frame::unsigned(value.into(), frame)),
        UInt32 => number::<UInt32Type>(array, |value, frame| frame::unsigned(value.into(), frame)),
        UInt64 => number::<UInt64Type>(array, frame::unsigned),
        Float16 => number::<Float16Type>(array, |value, frame| frame::float(value.into(), frame)),
        Float32 => number::<Float32Type>(array, |value, frame| frame::float(value.into(), frame)),
        Float64 => number::<Float64Type>(array, frame::float),
        Utf8 | LargeUtf8 | Utf8View => valued(array, frame::text)?,
        Binary | LargeBinary | BinaryView | FixedSizeBinary(_) => valued(array, frame::bytes)?,
        Decimal32(_, _) | Decimal64(_, _) | Decimal128(_, _) | Decimal256(_, _) => decimal(array)?,
        Date32 => number::<Date32Type>(array, |days, frame| frame::date(days.into(), frame)),
        Date64 => date64(array),
        Timestamp(_, _) | Time32(_) | Time64(_) | Duration(_) => time(array)?,
        Interval(unit) => interval(array, *unit),
        Dictionary(_, _) => dictionary(array)?,
        List(_)
        | LargeList(_)
        | Map(_, _)
        | FixedSizeList(_, _)
        | Struct(_)
        | ListView(_)
        | LargeListView(_) => nested::framer(array, framer)?,
        other => return Err(Error::NotFramed(other.clone())),
    })
}

fn infallible<'a>(frame: impl Fn(usize, &mut Vec<u8>) + Send + Sync + 'a) -> Framer<'a> {
    Box::new(move |row, to| {
        frame(row, to);
        Ok(())
    })
}

/// A column of numbers, or of another type that arrow-rs stores as numbers.
fn number<'a, T: ArrowPrimitiveType>(
    array: &'a ArrayRef,
    frame: impl Fn(T::Native, &mut Vec<u8>) + Send + Sync + 'a,
) -> Framer<'a> {
    let values = array.as_primitive::<T>().values();
    infallible(move |row, to| frame(values[row], to))
}

/// A column of strings or bytes.
fn valued(array: &ArrayRef, frame: fn(&[u8], &mut Vec<u8>)) -> Result<Framer<'_>, Error> {
    let wrong_type = || Error::NotFramed(array.data_type().clone());
    let values = Values::of(array).ok_or_else(wrong_type)?;
    Ok(Box::new(move |row, to| {
        frame(values.get(row).ok_or(OUTSIDE)?, to);
        Ok(())
    }))
}

fn decimal(array: &ArrayRef) -> Result<Framer<'_>, Error> {
    use DataType::*;
    Ok(match *array.data_type() {
        Decimal32(_, scale) => number::<Decimal32Type>(array, move |value, frame| {
            frame::decimal(value.into(), scale, frame);
        }),
        Decimal64(_, scale) => number::<Decimal64Type>(array, move |value, frame| {
            frame::decimal(value.into(), scale, frame);
        }),
        Decimal128(_, scale) => number::<Decimal128Type>(array, move |value, frame| {
            frame::decimal(value, scale, frame);
        }),
        Decimal256(_, scale) => {
            number::<Decimal256Type>(array, move |value, frame| match value.to_i128() {
                Some(value) => frame::decimal(value, scale, frame),
                None => frame::large_decimal(value.to_le_bytes(), scale, frame),
            })
        }
        ref other => return Err(Error::NotFramed(other.clone())),
    })
}

/// Milliseconds since 1970-01-01. Arrow requires whole days, which some programs ignore.
fn date64(array: &ArrayRef) -> Framer<'_> {
    const DAY: i64 = 24 * 60 * 60 * 1000;
    let values = array.as_primitive::<Date64Type>().values();
    Box::new(move |row, to| {
        if values[row] % DAY != 0 {
            return Err("a Date64 value is not a whole number of days: make it a timestamp");
        }
        frame::date(values[row] / DAY, to);
        Ok(())
    })
}

/// Units in a second.
const S: i64 = 1;
const MS: i64 = 1_000;
const US: i64 = 1_000_000;
const NS: i64 = 1_000_000_000;

fn time(array: &ArrayRef) -> Result<Framer<'_>, Error> {
    use DataType::{Duration, Time32, Time64, Timestamp};
    use TimeUnit::*;
    let point = |zone: &Option<_>| match zone {
        Some(_) => Time::Instant,
        None => Time::LocalTimestamp,
    };
    Ok(match array.data_type() {
        Timestamp(Second, zone) => times::<TimestampSecondType>(array, point(zone), S),
        Timestamp(Millisecond, zone) => times::<TimestampMillisecondType>(array, point(zone), MS),
        Timestamp(Microsecond, zone) => times::<TimestampMicrosecondType>(array, point(zone), US),
        Timestamp(Nanosecond, zone) => times::<TimestampNanosecondType>(array, point(zone), NS),
        Time32(Second) => times::<Time32SecondType>(array, Time::OfDay, S),
        Time32(Millisecond) => times::<Time32MillisecondType>(array, Time::OfDay, MS),
        Time64(Microsecond) => times::<Time64MicrosecondType>(array, Time::OfDay, US),
        Time64(Nanosecond) => times::<Time64NanosecondType>(array, Time::OfDay, NS),
        Duration(Second) => times::<DurationSecondType>(array, Time::Duration, S),
        Duration(Millisecond) => times::<DurationMillisecondType>(array, Time::Duration, MS),
        Duration(Microsecond) => times::<DurationMicrosecondType>(array, Time::Duration, US),
        Duration(Nanosecond) => times::<DurationNanosecondType>(array, Time::Duration, NS),
        other => return Err(Error::NotFramed(other.clone())),
    })
}

fn times<T: ArrowPrimitiveType<Native: Into<i64>>>(
    array: &ArrayRef,
    what: Time,
    per_second: i64,
) -> Framer<'_> {
    number::<T>(array, move |count, frame| frame::time(what, count.into(), per_second, frame))
}

fn interval(array: &ArrayRef, unit: IntervalUnit) -> Framer<'_> {
    match unit {
        IntervalUnit::YearMonth => number::<IntervalYearMonthType>(array, |months, frame| {
            frame::interval(months, 0, 0, frame);
        }),
        IntervalUnit::DayTime => number::<IntervalDayTimeType>(array, |value, frame| {
            frame::interval(0, value.days, i64::from(value.milliseconds) * 1_000_000, frame);
        }),
        IntervalUnit::MonthDayNano => number::<IntervalMonthDayNanoType>(array, |value, frame| {
            frame::interval(value.months, value.days, value.nanoseconds, frame);
        }),
    }
}

/// Frames the values that the keys refer to. The keys themselves do not matter.
fn dictionary(array: &ArrayRef) -> Result<Framer<'_>, Error> {
    downcast_dictionary_array!(
        array => keyed(array),
        other => Err(Error::NotFramed(other.clone())),
    )
}

fn keyed<K: ArrowDictionaryKeyType>(array: &DictionaryArray<K>) -> Result<Framer<'_>, Error> {
    let (keys, values) = (array.keys().values(), array.values());
    let framer = framer(values)?;
    Ok(Box::new(move |row, frame| match keys[row].to_usize() {
        Some(key) if key < values.len() => framer(key, frame),
        _ => Err(NO_VALUE),
    }))
}
