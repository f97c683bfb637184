//! Columns that refer to their values: strings, views, dictionaries, lists, structs.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{ArrowNativeType, Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::{DataType, Field, FieldRef, Fields};
use hashlanes_fuzz::bytes as pattern;
use libfuzzer_sys::arbitrary::{Result, Unstructured};

use crate::column::{Column, nulls as random_nulls};
use crate::value::Value;

/// The length of a value: short, around the 12 bytes that fit in a view, or around a block.
fn length(input: &mut Unstructured) -> Result<usize> {
    Ok(match input.int_in_range(0..=9)? {
        0 => 0,
        1 => input.int_in_range(0..=300)?,
        2 => input.int_in_range(50..=70)?,
        _ => input.int_in_range(0..=16)?,
    })
}

/// Offsets of this many values, which begin anywhere, and all bytes that they span.
fn offsets<O: OffsetSizeTrait>(
    input: &mut Unstructured,
    rows: usize,
    mut length: impl FnMut(&mut Unstructured) -> Result<usize>,
) -> Result<(OffsetBuffer<O>, usize)> {
    let mut end = input.int_in_range(0..=5)?;
    let mut offsets = vec![O::usize_as(end)];
    for _ in 0..rows {
        end += length(input)?;
        offsets.push(O::usize_as(end));
    }
    Ok((OffsetBuffer::new(offsets.into()), end + input.int_in_range(0..=5)?))
}

fn between<O: OffsetSizeTrait, T: Clone>(offsets: &OffsetBuffer<O>, all: &[T]) -> Vec<Vec<T>> {
    offsets.windows(2).map(|ends| all[ends[0].as_usize()..ends[1].as_usize()].to_vec()).collect()
}

/// ASCII, so that a string may begin and end anywhere.
fn ascii(input: &mut Unstructured, length: usize) -> Result<Vec<u8>> {
    Ok(pattern(input.arbitrary()?, length).iter().map(|byte| byte & 127).collect())
}

pub(crate) fn bytes(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
) -> Result<Column> {
    match input.int_in_range(0..=6)? {
        0 => with_offsets::<Utf8Type>(input, rows, nulls, Value::Text),
        1 => with_offsets::<LargeUtf8Type>(input, rows, nulls, Value::Text),
        2 => with_offsets::<BinaryType>(input, rows, nulls, Value::Bytes),
        3 => with_offsets::<LargeBinaryType>(input, rows, nulls, Value::Bytes),
        4 => views::<StringViewType>(input, rows, nulls, Value::Text),
        5 => views::<BinaryViewType>(input, rows, nulls, Value::Bytes),
        _ => fixed_size(input, rows, nulls),
    }
}

fn with_offsets<T: ByteArrayType>(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    value: fn(Vec<u8>) -> Value,
) -> Result<Column> {
    let (offsets, end) = offsets::<T::Offset>(input, rows, length)?;
    let data = ascii(input, end)?;
    let values = between(&offsets, &data).into_iter().map(value).collect();
    let array = GenericByteArray::<T>::new(offsets, data.into(), nulls.clone());
    Ok(Column::masked(array, values, nulls))
}

/// The view of a value at this place (Arrow's "Variable-size Binary View Layout").
pub(crate) fn view(value: &[u8], buffer: usize, offset: usize) -> u128 {
    let mut view = [0; 16];
    view[..4].copy_from_slice(&(value.len() as u32).to_le_bytes());
    if value.len() <= 12 {
        view[4..4 + value.len()].copy_from_slice(value);
    } else {
        view[4..8].copy_from_slice(&value[..4]);
        view[8..12].copy_from_slice(&(buffer as u32).to_le_bytes());
        view[12..].copy_from_slice(&(offset as u32).to_le_bytes());
    }
    u128::from_le_bytes(view)
}

fn views<T: ByteViewType>(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    value: fn(Vec<u8>) -> Value,
) -> Result<Column> {
    let buffers = (0..input.int_in_range(1..=3)?).map(|_| ascii(input, 400));
    let buffers = buffers.collect::<Result<Vec<_>>>()?;
    let (mut views, mut values) = (Vec::new(), Vec::new());
    for _ in 0..rows {
        let buffer = input.int_in_range(0..=buffers.len() - 1)?;
        let offset = input.int_in_range(0..=100)?;
        let bytes = &buffers[buffer][offset..offset + length(input)?];
        views.push(view(bytes, buffer, offset));
        values.push(value(bytes.to_vec()));
    }
    let buffers: Vec<Buffer> = buffers.into_iter().map(Buffer::from).collect();
    let array = GenericByteViewArray::<T>::new(views.into(), buffers, nulls.clone());
    Ok(Column::masked(array, values, nulls))
}

fn fixed_size(input: &mut Unstructured, rows: usize, nulls: Option<NullBuffer>) -> Result<Column> {
    let size = 1 + length(input)?;
    let data = pattern(input.arbitrary()?, rows * size);
    let values = data.chunks(size).map(|value| Value::Bytes(value.to_vec())).collect();
    let data = Buffer::from(data.to_vec());
    let array = FixedSizeBinaryArray::new(size as i32, data, nulls.clone());
    Ok(Column::masked(array, values, nulls))
}

pub(crate) fn dictionary(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    depth: usize,
) -> Result<Column> {
    let count = input.int_in_range(1..=20)?;
    let values = match input.ratio(3, 4)? {
        true => {
            let nulls = random_nulls(input, count)?;
            bytes(input, count, nulls)?
        }
        false => Column::new(input, count, depth)?,
    };
    match input.int_in_range(0..=7)? {
        0 => keyed::<Int8Type>(input, rows, nulls, &values),
        1 => keyed::<Int16Type>(input, rows, nulls, &values),
        2 => keyed::<Int32Type>(input, rows, nulls, &values),
        3 => keyed::<Int64Type>(input, rows, nulls, &values),
        4 => keyed::<UInt8Type>(input, rows, nulls, &values),
        5 => keyed::<UInt16Type>(input, rows, nulls, &values),
        6 => keyed::<UInt32Type>(input, rows, nulls, &values),
        _ => keyed::<UInt64Type>(input, rows, nulls, &values),
    }
}

fn keyed<K: ArrowDictionaryKeyType>(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    values: &Column,
) -> Result<Column> {
    let keys = (0..rows).map(|_| input.int_in_range(0..=values.values.len() - 1));
    let keys = keys.collect::<Result<Vec<usize>>>()?;
    let chosen = keys.iter().map(|&key| values.values[key].clone()).collect();
    // A null may have any key.
    let is_null = |row| nulls.as_ref().is_some_and(|nulls| nulls.is_null(row));
    let keys = keys.iter().enumerate().map(|(row, &key)| if is_null(row) { 99 } else { key });
    let keys: Vec<K::Native> = keys.map(K::Native::usize_as).collect();
    let keys = PrimitiveArray::<K>::new(keys.into(), nulls.clone());
    Ok(Column::masked(DictionaryArray::new(keys, values.array.clone()), chosen, nulls))
}

fn item(array: &ArrayRef) -> FieldRef {
    Arc::new(Field::new_list_field(array.data_type().clone(), true))
}

pub(crate) fn lists(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    depth: usize,
) -> Result<Column> {
    match input.int_in_range(0..=2)? {
        0 => of_offsets::<i32>(input, rows, nulls, depth),
        1 => of_offsets::<i64>(input, rows, nulls, depth),
        _ => {
            let size = input.int_in_range(0..=3)?;
            let child = Column::new(input, rows * size, depth)?;
            let values = (0..rows).map(|row| child.values[row * size..][..size].to_vec());
            let values = values.map(Value::List).collect();
            let (field, items) = (item(&child.array), child.array);
            let array = FixedSizeListArray::try_new_with_length(
                field,
                size as i32,
                items,
                nulls.clone(),
                rows,
            );
            Ok(Column::masked(array.expect("so many items"), values, nulls))
        }
    }
}

fn of_offsets<O: OffsetSizeTrait>(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    depth: usize,
) -> Result<Column> {
    let (offsets, end) = offsets::<O>(input, rows, |input| input.int_in_range(0..=3))?;
    let child = Column::new(input, end, depth)?;
    let values = between(&offsets, &child.values).into_iter().map(Value::List).collect();
    let array = GenericListArray::new(item(&child.array), offsets, child.array, nulls.clone());
    Ok(Column::masked(array, values, nulls))
}

pub(crate) fn list_views(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    depth: usize,
) -> Result<Column> {
    let child = Column::new(input, 8, depth)?;
    let places = (0..rows).map(|_| {
        let start = input.int_in_range(0..=8)?;
        Ok(start..input.int_in_range(start..=8)?)
    });
    let places = places.collect::<Result<Vec<_>>>()?;
    let lists = places.iter().map(|place| Value::List(child.values[place.clone()].to_vec()));
    let values = lists.collect();
    macro_rules! array {
        ($O:ty) => {{
            let offsets: Vec<$O> = places.iter().map(|place| place.start as $O).collect();
            let sizes: Vec<$O> = places.iter().map(|place| place.len() as $O).collect();
            let (offsets, sizes) = (ScalarBuffer::from(offsets), ScalarBuffer::from(sizes));
            let field = item(&child.array);
            let array =
                GenericListViewArray::new(field, offsets, sizes, child.array, nulls.clone());
            Column::masked(array, values, nulls)
        }};
    }
    Ok(if input.arbitrary()? { array!(i32) } else { array!(i64) })
}

pub(crate) fn structs(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    depth: usize,
) -> Result<Column> {
    let fields = (0..input.int_in_range(0..=3)?).map(|_| Column::new(input, rows, depth));
    let columns = fields.collect::<Result<Vec<_>>>()?;
    let values = (0..rows).map(|row| columns.iter().map(|c| c.values[row].clone()).collect());
    let values = values.map(Value::Struct).collect();
    let arrays: Vec<ArrayRef> = columns.into_iter().map(|column| column.array).collect();
    let fields = arrays.iter().map(|array| Field::new("f", array.data_type().clone(), true));
    let fields: Fields = fields.collect();
    let array = StructArray::try_new_with_length(fields, arrays, nulls.clone(), rows);
    Ok(Column::masked(array.expect("so many rows"), values, nulls))
}

pub(crate) fn maps(
    input: &mut Unstructured,
    rows: usize,
    nulls: Option<NullBuffer>,
    depth: usize,
) -> Result<Column> {
    let (offsets, end) = offsets::<i32>(input, rows, |input| input.int_in_range(0..=3))?;
    let (keys, values) = (bytes(input, end, None)?, Column::new(input, end, depth)?);
    let entries = keys.values.into_iter().zip(values.values);
    let entries: Vec<_> = entries.map(|(key, value)| Value::Struct(vec![key, value])).collect();
    let maps = between(&offsets, &entries).into_iter().map(Value::List).collect();
    let field = |name: &str, array: &ArrayRef, nullable| {
        Field::new(name, array.data_type().clone(), nullable)
    };
    let fields =
        Fields::from(vec![field("key", &keys.array, false), field("value", &values.array, true)]);
    let entries = StructArray::new(fields.clone(), vec![keys.array, values.array], None);
    let field = Arc::new(Field::new("entries", DataType::Struct(fields), false));
    Ok(Column::masked(MapArray::new(field, offsets, entries, nulls.clone(), false), maps, nulls))
}
