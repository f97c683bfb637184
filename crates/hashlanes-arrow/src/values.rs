//! The bytes of a column's values, read in place.
//!
//! Arrays may come from other programs, with unchecked offsets. Each offset is therefore checked
//! here when it is used.

use std::ops::Range;

use arrow_array::cast::AsArray;
use arrow_array::types::{BinaryType, LargeBinaryType, LargeUtf8Type, Utf8Type};
use arrow_array::types::{BinaryViewType, ByteArrayType, ByteViewType, StringViewType};
use arrow_array::{Array, GenericByteViewArray};
use arrow_buffer::{Buffer, NullBuffer, OffsetBuffer, ToByteSlice};
use arrow_schema::DataType;

/// Bytes of a view, and the maximum bytes of a value that is stored inline in its view.
const VIEW: usize = 16;
const INLINE: usize = 12;

/// The location of a column's values.
pub(crate) enum Values<'a> {
    Short { offsets: &'a [i32], data: &'a [u8] },
    Long { offsets: &'a [i64], data: &'a [u8] },
    Views { views: &'a [u128], buffers: &'a [Buffer] },
    Fixed { length: usize, data: &'a [u8] },
}

/// Whether a column of this type has [`Values`].
pub(crate) fn has_values(data_type: &DataType) -> bool {
    use DataType::*;
    matches!(
        data_type,
        Null | Binary | LargeBinary | BinaryView | Utf8 | LargeUtf8 | Utf8View | FixedSizeBinary(_)
    )
}

impl<'a> Values<'a> {
    /// `None` if [`has_values`] is false for the column's type.
    pub(crate) fn of(array: &'a dyn Array) -> Option<Self> {
        Some(match array.data_type() {
            DataType::Binary => Self::short::<BinaryType>(array),
            DataType::Utf8 => Self::short::<Utf8Type>(array),
            DataType::LargeBinary => Self::long::<LargeBinaryType>(array),
            DataType::LargeUtf8 => Self::long::<LargeUtf8Type>(array),
            DataType::BinaryView => Self::views::<BinaryViewType>(array.as_byte_view()),
            DataType::Utf8View => Self::views::<StringViewType>(array.as_byte_view()),
            DataType::FixedSizeBinary(length) => {
                let data = array.as_fixed_size_binary().value_data();
                Self::Fixed { length: usize::try_from(*length).ok()?, data }
            }
            // All values are null, so none is read.
            DataType::Null => Self::Fixed { length: 0, data: &[] },
            _ => return None,
        })
    }

    fn short<T: ByteArrayType<Offset = i32>>(array: &'a dyn Array) -> Self {
        let array = array.as_bytes::<T>();
        Self::Short { offsets: numbers(array.offsets()), data: array.value_data() }
    }

    fn long<T: ByteArrayType<Offset = i64>>(array: &'a dyn Array) -> Self {
        let array = array.as_bytes::<T>();
        Self::Long { offsets: numbers(array.offsets()), data: array.value_data() }
    }

    fn views<T: ByteViewType>(array: &'a GenericByteViewArray<T>) -> Self {
        Self::Views { views: array.views(), buffers: array.data_buffers() }
    }

    /// Value number `row`. `None` if it lies outside the column's data.
    #[inline(always)]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        match *self {
            Self::Short { offsets, data } => {
                let [start, end] = *offsets.get(row..)?.first_chunk()?;
                data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            }
            Self::Long { offsets, data } => {
                let [start, end] = *offsets.get(row..)?.first_chunk()?;
                data.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
            }
            Self::Views { views, buffers } => viewed(views, buffers, row),
            Self::Fixed { length, data } => data.get(row * length..(row + 1) * length),
        }
    }

    /// Appends the values of `rows` that are not null to `messages`.
    ///
    /// # Errors
    /// The first row whose value lies outside the column's data.
    pub(crate) fn gather(
        &self,
        rows: Range<usize>,
        nulls: Option<&NullBuffer>,
        messages: &mut Vec<&'a [u8]>,
    ) -> Result<(), usize> {
        // A separate loop for each layout, so that the layout is not tested for each value.
        match self {
            Self::Short { .. } => gather(rows, nulls, messages, |row| self.get(row)),
            Self::Long { .. } => gather(rows, nulls, messages, |row| self.get(row)),
            Self::Views { .. } => gather(rows, nulls, messages, |row| self.get(row)),
            Self::Fixed { .. } => gather(rows, nulls, messages, |row| self.get(row)),
        }
    }
}

#[inline(always)]
fn gather<'a>(
    rows: Range<usize>,
    nulls: Option<&NullBuffer>,
    messages: &mut Vec<&'a [u8]>,
    value: impl Fn(usize) -> Option<&'a [u8]>,
) -> Result<(), usize> {
    match nulls {
        None => {
            for row in rows {
                messages.push(value(row).ok_or(row)?);
            }
        }
        Some(nulls) => {
            for row in nulls.slice(rows.start, rows.len()).valid_indices() {
                let row = rows.start + row;
                messages.push(value(row).ok_or(row)?);
            }
        }
    }
    Ok(())
}

fn numbers<O: arrow_buffer::ArrowNativeType>(offsets: &OffsetBuffer<O>) -> &[O] {
    offsets
}

/// The value of view number `row` (Arrow's columnar format, "Variable-size Binary View Layout"): 4
/// bytes of length, then either the value itself, or 4 bytes of it, the index of its buffer and the
/// offset in the buffer.
#[inline(always)]
fn viewed<'a>(views: &'a [u128], buffers: &'a [Buffer], row: usize) -> Option<&'a [u8]> {
    let view = *views.get(row)?;
    let length = view as u32 as usize;
    if length <= INLINE {
        // A `u128` has the byte order of the machine. The value is at the lower addresses only on
        // little-endian machines, and arrow-rs supports no others.
        return views.to_byte_slice().get(row * VIEW + 4..row * VIEW + 4 + length);
    }
    let (buffer, offset) = ((view >> 64) as u32 as usize, (view >> 96) as u32 as usize);
    buffers.get(buffer)?.as_slice().get(offset..offset.checked_add(length)?)
}
