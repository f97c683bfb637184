//! Columns that break Arrow's rules: offsets, views and keys that point anywhere.

use std::sync::Arc;

use arrow_array::types::*;
use arrow_array::*;
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::Field;
use hashlanes_arrow::{ColumnHasher, Error};
use libfuzzer_sys::arbitrary::{Result, Unstructured};

use crate::column::{Column, nulls, several};
use crate::layout::view;

/// The length of all data here.
const DATA: usize = 100;

/// Checks that an invalid column gives digests or an error.
pub(crate) fn try_all(input: &mut Unstructured, hasher: &ColumnHasher) -> Result<()> {
    let rows = input.int_in_range(0..=20)?;
    let array = column(input, rows)?;
    match hasher.digest_array(&array) {
        Ok(hashed) => assert_eq!(hashed.len(), rows),
        Err(Error::Invalid { row, .. }) => assert!(row < rows.max(DATA)),
        Err(_) => {}
    }
    match hasher.digest_rows(&[array]) {
        Ok(hashed) => assert_eq!((hashed.len(), hashed.null_count()), (rows, 0)),
        Err(Error::Invalid { column, row, .. }) => assert!(column == 0 && row < rows),
        Err(error) => panic!("{error}"),
    }
    Ok(())
}

/// A number that is mostly within the data.
fn number(input: &mut Unstructured) -> Result<i64> {
    Ok(match input.int_in_range(0..=9)? {
        0 => input.arbitrary()?,
        1 => input.int_in_range(-2..=1)?,
        2 => input.int_in_range(DATA as i64 - 1..=DATA as i64 + 1)?,
        _ => input.int_in_range(0..=DATA as i64)?,
    })
}

fn numbers(input: &mut Unstructured, count: usize) -> Result<Vec<i64>> {
    (0..count).map(|_| number(input)).collect()
}

fn narrow(numbers: Vec<i64>) -> ScalarBuffer<i32> {
    numbers.into_iter().map(|number| number as i32).collect()
}

/// A view of any length, to any buffer and offset.
fn any_view(input: &mut Unstructured) -> Result<u128> {
    let (buffer, offset) = (number(input)? as usize / 30, number(input)? as usize);
    let view = view(&[7; 13], buffer, offset);
    Ok(view & !u128::from(u32::MAX) | u128::from(number(input)? as u32))
}

fn column(input: &mut Unstructured, rows: usize) -> Result<ArrayRef> {
    let nulls = nulls(input, rows)?;
    let data = Buffer::from(vec![7_u8; DATA]);
    let kind = input.int_in_range(0..=8)?;
    // SAFETY: these arrays are invalid on purpose, so nothing may trust them. Only the code under
    // test reads their values, and it checks each offset, view and key before it uses it.
    Ok(unsafe {
        match kind {
            0 => {
                let offsets = OffsetBuffer::new_unchecked(narrow(numbers(input, rows + 1)?));
                Arc::new(BinaryArray::new_unchecked(offsets, data, nulls))
            }
            1 => {
                let offsets = OffsetBuffer::new_unchecked(numbers(input, rows + 1)?.into());
                Arc::new(LargeBinaryArray::new_unchecked(offsets, data, nulls))
            }
            2 | 3 => {
                let views = (0..rows).map(|_| any_view(input));
                let views = views.collect::<Result<Vec<_>>>()?.into();
                Arc::new(BinaryViewArray::new_unchecked(views, [data.clone(), data].into(), nulls))
            }
            4 => {
                let keys = Int64Array::new(numbers(input, rows)?.into(), nulls);
                let values = Column::new(input, DATA, 1)?.array;
                Arc::new(DictionaryArray::<Int64Type>::new_unchecked(keys, values))
            }
            5 => {
                let keys = Int8Array::new(several::<i8>(input, rows)?.into(), nulls);
                let values = Column::new(input, 30, 0)?.array;
                Arc::new(DictionaryArray::<Int8Type>::new_unchecked(keys, values))
            }
            6 => {
                let offsets = OffsetBuffer::new_unchecked(narrow(numbers(input, rows + 1)?));
                let (field, child) = child(input)?;
                Arc::new(ListArray::new_unchecked(field, offsets, child, nulls))
            }
            7 => {
                let offsets = OffsetBuffer::new_unchecked(numbers(input, rows + 1)?.into());
                let (field, child) = child(input)?;
                Arc::new(LargeListArray::new_unchecked(field, offsets, child, nulls))
            }
            _ => {
                let (offsets, sizes) = (numbers(input, rows)?, numbers(input, rows)?);
                let (field, child) = child(input)?;
                Arc::new(LargeListViewArray::new_unchecked(
                    field,
                    offsets.into(),
                    sizes.into(),
                    child,
                    nulls,
                ))
            }
        }
    })
}

fn child(input: &mut Unstructured) -> Result<(Arc<Field>, ArrayRef)> {
    let child = Column::new(input, DATA, 0)?.array;
    Ok((Arc::new(Field::new_list_field(child.data_type().clone(), true)), child))
}
