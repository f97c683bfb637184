//! The frames of structs, as `docs/guide/frames.md` in the repository specifies them.

use std::ops::Range;

use hashlanes::Algorithm;
use hashlanes_arrow::frame::{self, Framed, Group, Time};

use crate::api::kind;
use crate::column::{Column, Stored, Type};
use crate::digest::Digests;

/// Appends the frame of a column's value in a given row.
type Framer<'a> = Box<dyn Fn(usize, &mut Vec<u8>) -> Framed + 'a>;

/// Rows are hashed as soon as their frames have this length.
const WINDOW: usize = 4 << 20;

/// The digests of a range of structs, each framed as a row. A struct that is null has none.
pub(crate) fn put(
    digests: &mut Digests,
    algorithm: Algorithm,
    structs: Column<'_>,
    range: Range<usize>,
) -> Result<(), String> {
    let kind = structs.kind();
    if kind.id() != kind::STRUCT {
        return Err("a row is hashed as a struct: a table's name, or {'a': a, 'b': b}".to_owned());
    }
    let fields = fields(structs, &kind)?;
    let (mut frames, mut ends, mut rows, mut nulls) = (vec![], vec![], vec![], vec![]);
    for row in range {
        if !structs.is_valid(row) {
            nulls.push(row);
            continue;
        }
        fields.iter().try_for_each(|field| field(row, &mut frames))?;
        ends.push(frames.len());
        rows.push(row);
        if frames.len() >= WINDOW {
            digests.put(algorithm, &rows, &messages(&frames, &ends));
            frames.clear();
            ends.clear();
            rows.clear();
        }
    }
    digests.put(algorithm, &rows, &messages(&frames, &ends));
    digests.results.put_nulls(nulls);
    Ok(())
}

fn messages<'a>(frames: &'a [u8], ends: &[usize]) -> Vec<&'a [u8]> {
    let mut start = 0;
    ends.iter().map(|&end| &frames[std::mem::replace(&mut start, end)..end]).collect()
}

fn framer(column: Column<'_>) -> Result<Framer<'_>, String> {
    let framer = framer_of_values(column)?;
    Ok(Box::new(move |row, frame| {
        if column.is_valid(row) {
            return framer(row, frame);
        }
        frame::null(frame);
        Ok(())
    }))
}

/// A framer for rows that are not null.
fn framer_of_values(column: Column<'_>) -> Result<Framer<'_>, String> {
    const MS: i64 = 1_000;
    const US: i64 = 1_000_000;
    const NS: i64 = 1_000_000_000;
    let time = |what, per_second| {
        number::<i64>(column, move |count, to| frame::time(what, count, per_second, to))
    };
    let kind = column.kind();
    // DuckDB stores the values of each type as it stands here.
    Ok(match kind.id() {
        kind::NULL => infallible(|_, to| frame::null(to)),
        kind::BOOLEAN => number::<u8>(column, |value, to| frame::boolean(value != 0, to)),
        kind::TINYINT => number::<i8>(column, |value, to| frame::integer(value.into(), to)),
        kind::SMALLINT => number::<i16>(column, |value, to| frame::integer(value.into(), to)),
        kind::INTEGER => number::<i32>(column, |value, to| frame::integer(value.into(), to)),
        kind::BIGINT => number::<i64>(column, frame::integer),
        kind::UTINYINT => number::<u8>(column, |value, to| frame::unsigned(value.into(), to)),
        kind::USMALLINT => number::<u16>(column, |value, to| frame::unsigned(value.into(), to)),
        kind::UINTEGER => number::<u32>(column, |value, to| frame::unsigned(value.into(), to)),
        kind::UBIGINT => number::<u64>(column, frame::unsigned),
        kind::FLOAT => number::<f32>(column, |value, to| frame::float(value.into(), to)),
        kind::DOUBLE => number::<f64>(column, frame::float),
        // As DuckDB passes it to Arrow, which has no wider integer.
        kind::HUGEINT => decimal(column, kind::HUGEINT, 0),
        kind::DECIMAL => decimal(column, kind.decimal_storage(), kind.decimal_scale()),
        kind::DATE => number::<i32>(column, |days, to| frame::date(days.into(), to)),
        kind::TIME => time(Time::OfDay, US),
        kind::TIME_NS => time(Time::OfDay, NS),
        kind::TIMESTAMP_S => time(Time::LocalTimestamp, 1),
        kind::TIMESTAMP_MS => time(Time::LocalTimestamp, MS),
        kind::TIMESTAMP => time(Time::LocalTimestamp, US),
        kind::TIMESTAMP_NS => time(Time::LocalTimestamp, NS),
        kind::TIMESTAMP_TZ => time(Time::Instant, US),
        kind::INTERVAL => interval(column),
        kind::VARCHAR => texts(column, frame::text),
        kind::BLOB => texts(column, frame::bytes),
        kind::LIST | kind::MAP => lists(column)?,
        kind::ARRAY => arrays(column, kind.array_length())?,
        kind::STRUCT => structs(column, &kind)?,
        kind::ENUM => {
            // The C API returns its texts as strings of C, which end at the first zero byte.
            return Err("values of ENUM types have no frame: cast them to VARCHAR".to_owned());
        }
        other => {
            return Err(format!(
                "values of this type (number {other} of DuckDB's C API) have no frame: cast them"
            ));
        }
    })
}

fn infallible<'a>(frame: impl Fn(usize, &mut Vec<u8>) + 'a) -> Framer<'a> {
    Box::new(move |row, to| {
        frame(row, to);
        Ok(())
    })
}

/// A column of a type that DuckDB stores as `T`.
fn number<'a, T: Stored + 'a>(
    column: Column<'a>,
    frame: impl Fn(T, &mut Vec<u8>) + 'a,
) -> Framer<'a> {
    // SAFETY: `framer_of_values` has matched the type's id, and DuckDB stores values of that type
    // as `T`.
    let values = unsafe { column.values::<T>() };
    infallible(move |row, to| frame(values.get(row).unwrap_or_default(), to))
}

fn texts(column: Column<'_>, frame: fn(&[u8], &mut Vec<u8>)) -> Framer<'_> {
    // SAFETY: `framer_of_values` has matched the type's id: VARCHAR or BLOB.
    let texts = unsafe { column.texts() };
    infallible(move |row, to| frame(texts.get(row).unwrap_or_default(), to))
}

/// `storage` is the type of integer that a decimal is stored as.
fn decimal(column: Column<'_>, storage: u32, scale: u8) -> Framer<'_> {
    let scale = scale as i8;
    match storage {
        kind::SMALLINT => {
            number::<i16>(column, move |value, to| frame::decimal(value.into(), scale, to))
        }
        kind::INTEGER => {
            number::<i32>(column, move |value, to| frame::decimal(value.into(), scale, to))
        }
        kind::BIGINT => {
            number::<i64>(column, move |value, to| frame::decimal(value.into(), scale, to))
        }
        // Not an `i128`, which would have to be aligned to 16 bytes.
        _ => number::<[u64; 2]>(column, move |[low, high], to| {
            let value = u128::from(low) | u128::from(high) << 64;
            frame::decimal(value as i128, scale, to);
        }),
    }
}

fn interval(column: Column<'_>) -> Framer<'_> {
    // SAFETY: `framer_of_values` has matched the type's id: INTERVAL, which DuckDB stores as months
    // and days in 32 bits each, and microseconds in 64.
    let values = unsafe { column.values::<[u32; 4]>() };
    Box::new(move |row, to| {
        let [months, days, low, high] = values.get(row).unwrap_or_default();
        let microseconds = (u64::from(low) | u64::from(high) << 32) as i64;
        let nanoseconds = microseconds.checked_mul(1_000);
        let nanoseconds = nanoseconds.ok_or("the time of an interval exceeds 292 years")?;
        frame::interval(months as i32, days as i32, nanoseconds, to);
        Ok(())
    })
}

/// Lists, and maps, which are lists of structs of a key and a value.
fn lists(column: Column<'_>) -> Result<Framer<'_>, String> {
    // SAFETY: `framer_of_values` has matched the type's id: LIST, or MAP, which is stored as one.
    // Each list is its first value and its length, in 64 bits each.
    let (values, lists) = unsafe { (column.list_values(), column.values::<[u64; 2]>()) };
    let value = framer(values)?;
    Ok(Box::new(move |row, to| {
        let [first, length] = lists.get(row).unwrap_or_default().map(|number| number as usize);
        list(&value, first..first + length, to)
    }))
}

fn arrays(column: Column<'_>, length: usize) -> Result<Framer<'_>, String> {
    // SAFETY: `framer_of_values` has matched the type's id, ARRAY, and read `length` from the type.
    let value = framer(unsafe { column.array_values(length) })?;
    Ok(Box::new(move |row, to| list(&value, row * length..(row + 1) * length, to)))
}

fn list(value: &Framer<'_>, mut rows: Range<usize>, to: &mut Vec<u8>) -> Framed {
    frame::group(Group::List, rows.len(), to);
    rows.try_for_each(|row| value(row, to))
}

fn structs<'a>(column: Column<'a>, kind: &Type) -> Result<Framer<'a>, String> {
    let fields = fields(column, kind)?;
    Ok(Box::new(move |row, to| {
        frame::group(Group::Struct, fields.len(), to);
        fields.iter().try_for_each(|field| field(row, to))
    }))
}

fn fields<'a>(structs: Column<'a>, kind: &Type) -> Result<Vec<Framer<'a>>, String> {
    let framer_of = |index| {
        // SAFETY: `kind` is the column's type, a struct with more fields than `index`.
        let field = unsafe { structs.field(index) };
        framer(field).map_err(|reason| format!("field {}: {reason}", index + 1))
    };
    (0..kind.fields()).map(framer_of).collect()
}
