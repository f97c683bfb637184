//! Digests of rows, compared with a second implementation of the documented framing.

use std::num::NonZero;
use std::sync::Arc;

use crate::common::{digests, expected};
use arrow_array::builder::{Int32Builder, MapBuilder, StringBuilder};
use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{
    IntervalDayTime, IntervalMonthDayNano, NullBuffer, OffsetBuffer, ScalarBuffer, i256,
};
use arrow_schema::{DataType, Field, Fields};
use hashlanes_arrow::{Algorithm, ColumnHasher, Error, Output, digest_rows};

/// A value, independent of its column type.
#[derive(Clone, Debug)]
enum Value {
    Null,
    Boolean(bool),
    Integer(i128),
    Float(f64),
    Text(&'static str),
    Bytes(&'static [u8]),
    Decimal(i128, i8),
    LargeDecimal(i256, i8),
    Date(i64),
    Moment(u8, i64, u32),
    Interval(i32, i32, i64),
    List(Vec<Value>),
    Struct(Vec<Value>),
}

use Value::*;

const LOCAL: u8 = 0x0b;
const INSTANT: u8 = 0x0c;
const TIME: u8 = 0x0d;
const DURATION: u8 = 0x0e;

impl Value {
    fn frame(&self) -> Vec<u8> {
        let tagged = |tag: u8, parts: &[&[u8]]| [&[tag][..], &parts.concat()].concat();
        let count = |length: usize| (length as u64).to_le_bytes();
        match self {
            Null => vec![0x00],
            Boolean(false) => vec![0x01],
            Boolean(true) => vec![0x02],
            Integer(value) if *value < 1 << 63 => tagged(3, &[&(*value as i64).to_le_bytes()]),
            Integer(value) => tagged(4, &[&(*value as u64).to_le_bytes()]),
            Float(value) => tagged(5, &[&value.to_le_bytes()]),
            Text(value) => tagged(6, &[&count(value.len()), value.as_bytes()]),
            Bytes(value) => tagged(7, &[&count(value.len()), value]),
            Decimal(value, scale) => tagged(8, &[&scale.to_le_bytes(), &value.to_le_bytes()]),
            LargeDecimal(value, scale) => tagged(9, &[&scale.to_le_bytes(), &value.to_le_bytes()]),
            Date(days) => tagged(0x0a, &[&days.to_le_bytes()]),
            Moment(tag, seconds, nanoseconds) => {
                tagged(*tag, &[&seconds.to_le_bytes(), &nanoseconds.to_le_bytes()])
            }
            Interval(months, days, nanoseconds) => tagged(
                0x0f,
                &[&months.to_le_bytes(), &days.to_le_bytes(), &nanoseconds.to_le_bytes()],
            ),
            List(values) => tagged(0x10, &[&count(values.len()), &frames(values)]),
            Struct(values) => tagged(0x11, &[&count(values.len()), &frames(values)]),
        }
    }
}

fn frames(values: &[Value]) -> Vec<u8> {
    values.iter().flat_map(Value::frame).collect()
}

/// Asserts that the rows of `columns` are hashed as `rows`.
fn check(columns: &[ArrayRef], rows: &[Vec<Value>]) {
    let frames: Vec<_> = rows.iter().map(|row| frames(row)).collect();
    let frames = frames.iter().map(|frame| Some(&frame[..]));
    for output in [Output::Binary, Output::Hex] {
        let hashed = digest_rows(columns, Algorithm::Sha256, output).unwrap();
        let expected = expected(Algorithm::Sha256, output, frames.clone());
        assert_eq!(digests(&hashed, output), expected, "{columns:?}");
    }
}

/// Asserts that the values of a column, and those of a slice of it, are framed as `values`.
fn check_column(column: impl Array + 'static, values: &[Value]) {
    let column: ArrayRef = Arc::new(column);
    let rows: Vec<_> = values.iter().map(|value| vec![value.clone()]).collect();
    check(std::slice::from_ref(&column), &rows);
    check(&[column.slice(1, rows.len() - 1)], &rows[1..]);
}

#[test]
fn integers_of_every_width() {
    let values = [Integer(5), Null, Integer(-3)];
    check_column(Int8Array::from(vec![Some(5), None, Some(-3)]), &values);
    check_column(Int16Array::from(vec![Some(5), None, Some(-3)]), &values);
    check_column(Int32Array::from(vec![Some(5), None, Some(-3)]), &values);
    check_column(Int64Array::from(vec![Some(5), None, Some(-3)]), &values);
    let values = [Integer(5), Null, Integer(200)];
    check_column(UInt8Array::from(vec![Some(5), None, Some(200)]), &values);
    check_column(UInt16Array::from(vec![Some(5), None, Some(200)]), &values);
    check_column(UInt32Array::from(vec![Some(5), None, Some(200)]), &values);
    let (large, max) = (1 << 63, i64::MAX as u64);
    let values = [Integer(5), Integer(max.into()), Integer(large as i128)];
    check_column(UInt64Array::from(vec![5, max, large]), &values);
}

#[test]
fn floats_of_every_width() {
    let numbers = [0.5, -2.0, 0.0, -0.0, f32::INFINITY, f32::NAN, -f32::NAN];
    let nan = f64::from_bits(0x7ff8_0000_0000_0000);
    let framed = [0.5, -2.0, 0.0, 0.0, f64::INFINITY, nan, nan].map(Float);
    check_column(Float32Array::from(numbers.to_vec()), &framed);
    check_column(Float64Array::from(numbers.map(f64::from).to_vec()), &framed);
    type Half = <Float16Type as ArrowPrimitiveType>::Native;
    check_column(Float16Array::from(numbers.map(Half::from_f32).to_vec()), &framed);
}

#[test]
fn booleans_and_nulls() {
    let values = [Boolean(true), Null, Boolean(false)];
    check_column(BooleanArray::from(vec![Some(true), None, Some(false)]), &values);
    check_column(NullArray::new(2), &[Null, Null]);
}

#[test]
fn text_and_bytes_of_every_layout() {
    let texts = vec![Some("abc"), None, Some(""), Some("longer than twelve bytes")];
    let values = [Text("abc"), Null, Text(""), Text("longer than twelve bytes")];
    check_column(StringArray::from(texts.clone()), &values);
    check_column(LargeStringArray::from(texts.clone()), &values);
    check_column(StringViewArray::from(texts.clone()), &values);
    check_column(texts.into_iter().collect::<DictionaryArray<Int8Type>>(), &values);
    let bytes = vec![Some(&b"ab"[..]), None, Some(b"\0\xff")];
    let values = [Bytes(b"ab"), Null, Bytes(b"\0\xff")];
    check_column(BinaryArray::from(bytes.clone()), &values);
    check_column(LargeBinaryArray::from(bytes.clone()), &values);
    check_column(BinaryViewArray::from(bytes.clone()), &values);
    check_column(
        FixedSizeBinaryArray::try_from_sparse_iter_with_size(bytes.into_iter(), 2).unwrap(),
        &values,
    );
}

#[test]
fn decimals_of_every_width() {
    let values = [Decimal(12345, 2), Decimal(-1, 2)];
    let scaled = |array: ArrayRef| check_column(array, &values);
    let decimal = |array: Decimal32Array| array.with_precision_and_scale(7, 2).unwrap();
    scaled(Arc::new(decimal(vec![12345, -1].into())));
    let decimal = |array: Decimal64Array| array.with_precision_and_scale(7, 2).unwrap();
    scaled(Arc::new(decimal(vec![12345, -1].into())));
    let decimal = |array: Decimal128Array| array.with_precision_and_scale(30, 2).unwrap();
    scaled(Arc::new(decimal(vec![12345, -1].into())));
    let large = i256::from_parts(7, -5);
    let numbers = vec![i256::from_i128(12345), large, i256::from_i128(i128::MIN)];
    let values = [Decimal(12345, -1), LargeDecimal(large, -1), Decimal(i128::MIN, -1)];
    let decimal = |array: Decimal256Array| array.with_precision_and_scale(70, -1).unwrap();
    check_column(decimal(numbers.into()), &values);
}

#[test]
fn dates_and_times() {
    const DAY: i64 = 86_400_000;
    check_column(Date32Array::from(vec![20_000, -1]), &[Date(20_000), Date(-1)]);
    check_column(Date64Array::from(vec![20_000 * DAY, -DAY]), &[Date(20_000), Date(-1)]);

    let seconds = [Moment(LOCAL, 3, 0), Moment(LOCAL, -3, 0)];
    check_column(TimestampSecondArray::from(vec![3, -3]), &seconds);
    check_column(TimestampMillisecondArray::from(vec![3_000, -3_000]), &seconds);
    check_column(TimestampMicrosecondArray::from(vec![3_000_000, -3_000_000]), &seconds);
    check_column(
        TimestampNanosecondArray::from(vec![3_000_000_001, -1]),
        &[Moment(LOCAL, 3, 1), Moment(LOCAL, -1, 999_999_999)],
    );
    for zone in ["UTC", "+02:00", "Europe/Berlin"] {
        check_column(
            TimestampMillisecondArray::from(vec![1, -1]).with_timezone(zone),
            &[Moment(INSTANT, 0, 1_000_000), Moment(INSTANT, -1, 999_000_000)],
        );
    }

    let times = [Moment(TIME, 86_399, 0), Moment(TIME, 0, 0)];
    check_column(Time32SecondArray::from(vec![86_399, 0]), &times);
    check_column(Time32MillisecondArray::from(vec![86_399_000, 0]), &times);
    check_column(Time64MicrosecondArray::from(vec![86_399_000_000, 0]), &times);
    check_column(Time64NanosecondArray::from(vec![86_399_000_000_000, 0]), &times);

    let durations = [Moment(DURATION, -2, 0), Moment(DURATION, 7, 0)];
    check_column(DurationSecondArray::from(vec![-2, 7]), &durations);
    check_column(DurationMillisecondArray::from(vec![-2_000, 7_000]), &durations);
    check_column(DurationMicrosecondArray::from(vec![-2_000_000, 7_000_000]), &durations);
    check_column(DurationNanosecondArray::from(vec![-2_000_000_000, 7_000_000_000]), &durations);

    check_column(
        IntervalYearMonthArray::from(vec![14, -1]),
        &[Interval(14, 0, 0), Interval(-1, 0, 0)],
    );
    check_column(
        IntervalDayTimeArray::from(vec![IntervalDayTime::new(2, -3), IntervalDayTime::ZERO]),
        &[Interval(0, 2, -3_000_000), Interval(0, 0, 0)],
    );
    check_column(
        IntervalMonthDayNanoArray::from(vec![
            IntervalMonthDayNano::new(1, -2, 3),
            IntervalMonthDayNano::ZERO,
        ]),
        &[Interval(1, -2, 3), Interval(0, 0, 0)],
    );
}

#[test]
fn a_date64_that_is_not_a_whole_day_is_an_error() {
    let dates: ArrayRef = Arc::new(Date64Array::from(vec![86_400_000, 86_400_001]));
    let error = digest_rows(&[dates.clone(), dates], Algorithm::Md5, Output::Hex).unwrap_err();
    let reason = "a Date64 value is not a whole number of days: make it a timestamp";
    assert_eq!(error.to_string(), format!("column 0, row 1: {reason}"));
}

#[test]
fn lists_of_every_layout() {
    let lists = || vec![Some(vec![Some(1), None]), None, Some(vec![]), Some(vec![Some(2)])];
    let values = [List(vec![Integer(1), Null]), Null, List(vec![]), List(vec![Integer(2)])];
    check_column(ListArray::from_iter_primitive::<Int8Type, _, _>(lists()), &values);
    check_column(LargeListArray::from_iter_primitive::<Int8Type, _, _>(lists()), &values);

    let item = || Arc::new(Field::new_list_field(DataType::Int32, true));
    let child = || Arc::new(Int32Array::from(vec![Some(2), Some(1), None]));
    let nulls = || Some(NullBuffer::from(vec![true, false, true, true]));
    let (offsets, sizes) = (vec![1, 0, 0, 0], vec![2, 3, 0, 1]);
    check_column(
        ListViewArray::new(item(), offsets.into(), sizes.into(), child(), nulls()),
        &values,
    );
    let (offsets, sizes) = (vec![1i64, 0, 0, 0], vec![2i64, 3, 0, 1]);
    check_column(
        LargeListViewArray::new(item(), offsets.into(), sizes.into(), child(), nulls()),
        &values,
    );
    let pairs = vec![Some(vec![Some(1), None]), None, Some(vec![Some(3), Some(4)])];
    check_column(
        FixedSizeListArray::from_iter_primitive::<Int16Type, _, _>(pairs, 2),
        &[List(vec![Integer(1), Null]), Null, List(vec![Integer(3), Integer(4)])],
    );
}

#[test]
fn structs_and_maps() {
    let fields = Fields::from(vec![
        Field::new("a", DataType::Int32, true),
        Field::new("b", DataType::Utf8, true),
    ]);
    let columns: Vec<ArrayRef> = vec![
        Arc::new(Int32Array::from(vec![Some(1), Some(9), None])),
        Arc::new(StringArray::from(vec![Some("x"), None, None])),
    ];
    let nulls = NullBuffer::from(vec![true, false, true]);
    check_column(
        StructArray::new(fields, columns, Some(nulls)),
        &[Struct(vec![Integer(1), Text("x")]), Null, Struct(vec![Null, Null])],
    );

    let mut maps = MapBuilder::new(None, StringBuilder::new(), Int32Builder::new());
    maps.keys().append_value("k");
    maps.values().append_value(1);
    maps.keys().append_value("l");
    maps.values().append_null();
    maps.append(true).unwrap();
    maps.append(false).unwrap();
    maps.append(true).unwrap();
    let entry = |key, value| Struct(vec![Text(key), value]);
    check_column(
        maps.finish(),
        &[List(vec![entry("k", Integer(1)), entry("l", Null)]), Null, List(vec![])],
    );
}

/// A struct's fields are framed like rows, without a frame around them.
#[test]
fn structs_as_rows() {
    let rows = 5000;
    let numbers: ArrayRef = Arc::new(Int32Array::from_iter_values(0..rows));
    let fields = Fields::from(vec![Field::new("a", DataType::Int32, true)]);
    let nulls = NullBuffer::from_iter((0..rows).map(|row| row % 3 != 1));
    let structs = StructArray::new(fields.clone(), vec![numbers.clone()], Some(nulls));
    let frames: Vec<_> = (0..rows).map(|row| Integer(row.into()).frame()).collect();
    for output in [Output::Binary, Output::Hex] {
        let hasher = ColumnHasher::new(Algorithm::Sha1).output(output);
        let digest =
            |structs: &StructArray| digests(&hasher.digest_structs(structs).unwrap(), output);
        let all = frames.iter().map(|frame| Some(&frame[..]));
        let valid = frames.iter().enumerate();
        let valid = valid.map(|(row, frame)| (row % 3 != 1).then_some(&frame[..]));
        let none_null = StructArray::new(fields.clone(), vec![numbers.clone()], None);
        assert_eq!(digest(&none_null), expected(Algorithm::Sha1, output, all));
        assert_eq!(digest(&structs), expected(Algorithm::Sha1, output, valid.clone()));
        assert_eq!(
            digest(&structs.slice(7, 4000)),
            expected(Algorithm::Sha1, output, valid.skip(7).take(4000))
        );
    }
}

#[test]
fn similar_rows_have_different_digests() {
    let column = |values: Vec<Option<&'static str>>| Arc::new(StringArray::from(values)) as _;
    let columns: [ArrayRef; 2] = [
        column(vec![Some("ab"), Some("a"), Some(""), None, Some("null")]),
        column(vec![Some("c"), Some("bc"), Some("abc"), Some("abc"), None]),
    ];
    let hashed = digest_rows(&columns, Algorithm::Md5, Output::Binary).unwrap();
    let mut all = digests(&hashed, Output::Binary);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), 5);
}

#[test]
fn digests_do_not_depend_on_windows_or_threads() {
    let rows = 20_000;
    let numbers: Int64Array = (0..rows).map(|i| (i % 5 > 0).then_some(i * i)).collect();
    let text = "all work and no play ".repeat(400);
    let texts: StringArray = (0..rows as usize)
        .map(|i| Some(&text[..i * 37 % if i % 999 == 0 { 8000 } else { 90 }]))
        .collect();
    let columns: [ArrayRef; 2] = [Arc::new(numbers.clone()), Arc::new(texts.clone())];
    let frames: Vec<Vec<u8>> = (0..rows as usize)
        .map(|i| {
            let number = match numbers.is_null(i) {
                true => Null.frame(),
                false => Integer(numbers.value(i).into()).frame(),
            };
            let text = texts.value(i);
            let length = (text.len() as u64).to_le_bytes();
            [&number[..], &[6], &length, text.as_bytes()].concat()
        })
        .collect();
    let frames = frames.iter().map(|frame| Some(&frame[..]));
    let expected = expected(Algorithm::Md5, Output::Hex, frames);
    for threads in [1, 2, 5] {
        let hasher = ColumnHasher::new(Algorithm::Md5).output(Output::Hex);
        let hasher = hasher.threads(NonZero::new(threads).unwrap());
        let hashed = hasher.digest_rows(&columns).unwrap();
        assert_eq!(hashed.data_type(), &hasher.row_digest_type());
        assert_eq!(digests(&hashed, Output::Hex), expected);
    }
}

/// A window holds 4 MiB, or a single longer row.
#[test]
fn rows_of_megabytes() {
    let texts: Vec<String> =
        [5 << 20, 3, 1 << 20, 6 << 20].iter().map(|&length| "x".repeat(length)).collect();
    let column: ArrayRef = Arc::new(LargeStringArray::from(texts.clone()));
    let frame =
        |text: &String| [&[6], &(text.len() as u64).to_le_bytes()[..], text.as_bytes()].concat();
    let frames: Vec<_> = texts.iter().map(frame).collect();
    let hashed = digest_rows(&[column], Algorithm::Sha512, Output::Binary).unwrap();
    let frames = frames.iter().map(|frame| Some(&frame[..]));
    assert_eq!(
        digests(&hashed, Output::Binary),
        expected(Algorithm::Sha512, Output::Binary, frames)
    );
}

#[test]
fn invalid_columns_are_named_in_errors() {
    let of = |columns: &[ArrayRef]| digest_rows(columns, Algorithm::Md5, Output::Hex).unwrap_err();
    assert_eq!(of(&[]), Error::NoColumns);
    let [one, two] = [1, 2].map(|rows| Arc::new(NullArray::new(rows)) as ArrayRef);
    let error = of(&[one.clone(), one, two]);
    assert_eq!(error.to_string(), "column 2 has 2 rows, but column 0 has 1");
    let runs = RunArray::try_new(&Int32Array::from(vec![2]), &Int32Array::from(vec![7])).unwrap();
    let error = of(&[Arc::new(runs)]);
    assert!(
        error.to_string().starts_with("digest_rows has no framing for a column of type RunEnd")
    );
}

#[test]
fn invalid_offsets_of_lists_are_errors() {
    for offsets in [vec![0, 1, 9], vec![0, 1, 0], vec![0, 1, -1]] {
        // SAFETY: the offsets are invalid on purpose. Only the code under test reads through them,
        // and it checks each one.
        let offsets = unsafe { OffsetBuffer::new_unchecked(ScalarBuffer::from(offsets)) };
        let item = Arc::new(Field::new_list_field(DataType::Int32, true));
        let child = Arc::new(Int32Array::from(vec![1, 2]));
        // SAFETY: as above: only the code under test uses the offsets, and it checks them.
        let lists = unsafe { ListArray::new_unchecked(item, offsets, child, None) };
        let error = digest_rows(&[Arc::new(lists)], Algorithm::Md5, Output::Hex).unwrap_err();
        let reason = "the list extends beyond the column's values";
        assert_eq!(error, Error::Invalid { column: 0, row: 1, reason });
    }
}
