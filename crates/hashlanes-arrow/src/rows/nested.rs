//! Lists, maps and structs.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, GenericListViewArray, OffsetSizeTrait};
use arrow_buffer::{ArrowNativeType, OffsetBuffer};
use arrow_schema::DataType;

use super::frame::{self, Framed, Group};
use super::{Framer, FramerOf};
use crate::Error;

/// A framer for rows that are not null. `framer_of` returns the framer of a column of any type.
pub(super) fn framer(array: &ArrayRef, framer_of: FramerOf) -> Result<Framer<'_>, Error> {
    match array.data_type() {
        DataType::List(_) => {
            let array = array.as_list::<i32>();
            lists(array.offsets(), array.values(), framer_of)
        }
        DataType::LargeList(_) => {
            let array = array.as_list::<i64>();
            lists(array.offsets(), array.values(), framer_of)
        }
        DataType::Map(_, _) => map(array, framer_of),
        DataType::ListView(_) => list_views(array.as_list_view::<i32>(), framer_of),
        DataType::LargeListView(_) => list_views(array.as_list_view::<i64>(), framer_of),
        DataType::FixedSizeList(_, _) => fixed_size_lists(array, framer_of),
        DataType::Struct(_) => structs(array, framer_of),
        other => Err(Error::NotFramed(other.clone())),
    }
}

const OUTSIDE: &str = "the list extends beyond the column's values";

/// Frames a list of the values `rows` of `child`, which has `length` values.
fn list(child: &Framer<'_>, length: usize, rows: Range<usize>, to: &mut Vec<u8>) -> Framed {
    if rows.start > rows.end || rows.end > length {
        return Err(OUTSIDE);
    }
    frame::group(Group::List, rows.len(), to);
    rows.clone().try_for_each(|row| child(row, to))
}

fn lists<'a, O: OffsetSizeTrait>(
    offsets: &'a OffsetBuffer<O>,
    values: &'a ArrayRef,
    framer_of: FramerOf,
) -> Result<Framer<'a>, Error> {
    let child = framer_of(values)?;
    Ok(Box::new(move |row, to| {
        let rows = offsets[row].as_usize()..offsets[row + 1].as_usize();
        list(&child, values.len(), rows, to)
    }))
}

/// A list of entries, each a struct of a key and a value.
fn map(array: &ArrayRef, framer_of: FramerOf) -> Result<Framer<'_>, Error> {
    let array = array.as_map();
    let (offsets, entries) = (array.offsets(), array.entries());
    let [keys, values] = [framer_of(array.keys())?, framer_of(array.values())?];
    let entry: Framer<'_> = Box::new(move |row, to| {
        frame::group(Group::Struct, 2, to);
        keys(row, to)?;
        values(row, to)
    });
    Ok(Box::new(move |row, to| {
        let rows = offsets[row].as_usize()..offsets[row + 1].as_usize();
        list(&entry, entries.len(), rows, to)
    }))
}

fn list_views<O: OffsetSizeTrait>(
    array: &GenericListViewArray<O>,
    framer_of: FramerOf,
) -> Result<Framer<'_>, Error> {
    let (offsets, sizes) = (array.offsets(), array.sizes());
    let child = framer_of(array.values())?;
    let length = array.values().len();
    Ok(Box::new(move |row, to| {
        let start = offsets[row].as_usize();
        let end = start.checked_add(sizes[row].as_usize()).ok_or(OUTSIDE)?;
        list(&child, length, start..end, to)
    }))
}

fn fixed_size_lists(array: &ArrayRef, framer_of: FramerOf) -> Result<Framer<'_>, Error> {
    let array = array.as_fixed_size_list();
    let child = framer_of(array.values())?;
    let (size, length) = (array.value_length().as_usize(), array.values().len());
    Ok(Box::new(move |row, to| list(&child, length, row * size..(row + 1) * size, to)))
}

fn structs(array: &ArrayRef, framer_of: FramerOf) -> Result<Framer<'_>, Error> {
    let fields: Vec<_> =
        array.as_struct().columns().iter().map(framer_of).collect::<Result<_, _>>()?;
    Ok(Box::new(move |row, to| {
        frame::group(Group::Struct, fields.len(), to);
        fields.iter().try_for_each(|field| field(row, to))
    }))
}
