//! Checks what a producer's structures say, before arrow-rs follows their pointers.
//!
//! Of a malformed structure, arrow-rs would follow null pointers and negative lengths, or panic.

use std::ffi::{CStr, c_char, c_void};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema};
use arrow_schema::{DataType, UnionMode};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

/// The most values, bytes or buffers of an array.
const MOST: i64 = 1 << 48;

/// The most levels of types within types.
const DEEPEST: usize = 64;

/// The structure of the C data interface, whose layout is fixed.
#[repr(C)]
struct Schema {
    format: *const c_char,
    name: *const c_char,
    metadata: *const c_char,
    flags: i64,
    children_count: i64,
    children: *const *const Self,
    dictionary: *const Self,
    release: *const c_void,
    private: *const c_void,
}

/// The structure of the C data interface, whose layout is fixed.
#[repr(C)]
struct Array {
    length: i64,
    null_count: i64,
    offset: i64,
    buffers_count: i64,
    children_count: i64,
    buffers: *const *const c_void,
    children: *const *const Self,
    dictionary: *const Self,
    release: *const c_void,
    private: *const c_void,
}

pub(super) fn malformed(reason: &str) -> PyErr {
    PyValueError::new_err(format!("the producer's Arrow array is malformed: {reason}"))
}

/// Checks a schema and all below it.
pub(super) fn schema(schema: &FFI_ArrowSchema) -> PyResult<()> {
    // SAFETY: `Schema` and `FFI_ArrowSchema` are `repr(C)` with the members of the C data
    // interface. The new reference lives no longer than `schema`.
    let schema = unsafe { &*std::ptr::from_ref(schema).cast::<Schema>() };
    schema.check(0).map_err(|reason| malformed(&reason))
}

/// Checks an array of this type, and all below it.
pub(super) fn array(array: &FFI_ArrowArray, data_type: &DataType) -> PyResult<()> {
    // SAFETY: `Array` and `FFI_ArrowArray` are `repr(C)` with the members of the C data interface.
    // The new reference lives no longer than `array`.
    let array = unsafe { &*std::ptr::from_ref(array).cast::<Array>() };
    array.check(data_type).map_err(|reason| malformed(&reason))
}

type Checked = Result<(), String>;

fn ensure(holds: bool, reason: impl Fn() -> String) -> Checked {
    if holds { Ok(()) } else { Err(reason()) }
}

/// The child with this number.
///
/// # Safety
/// `children` is null, or points to more than `number` pointers, which are null or valid during
/// `'a`.
unsafe fn child<'a, T>(children: *const *const T, number: usize) -> Result<&'a T, String> {
    if children.is_null() {
        return Err("the pointer to its children is null".to_owned());
    }
    // SAFETY: `children` is not null, so `# Safety` above asks the caller that there is a pointer
    // with this number, which is null or valid.
    let child = unsafe { (*children.add(number)).as_ref() };
    child.ok_or_else(|| format!("child {number} is null"))
}

impl Schema {
    fn check(&self, depth: usize) -> Checked {
        ensure(depth < DEEPEST, || format!("its type has more than {DEEPEST} levels"))?;
        // SAFETY: by the C data interface, the string ends with a zero and lives until the schema
        // is released, which is borrowed here.
        let format = unsafe { text(self.format) }?.ok_or("its format is null")?;
        // SAFETY: as for the format.
        unsafe { text(self.name) }?;
        let (count, least) = (self.children_count, least_children(format));
        ensure((least..MOST).contains(&count), || {
            format!("the type {format} has {count} children")
        })?;
        for number in 0..count as usize {
            // SAFETY: by the C data interface, there are `children_count` pointers to schemas that
            // live as long as this one.
            unsafe { child(self.children, number) }?.check(depth + 1)?;
        }
        // SAFETY: by the C data interface, the pointer is null, or leads to a schema that lives as
        // long as this one.
        let Some(dictionary) = (unsafe { self.dictionary.as_ref() }) else { return Ok(()) };
        let is_integer = matches!(format, "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L");
        ensure(is_integer, || format!("the keys of a dictionary have the type {format}"))?;
        dictionary.check(depth + 1)
    }
}

/// A string of a schema.
///
/// # Safety
/// A non-null pointer points to a string that ends with a zero and is not freed during `'a`.
unsafe fn text<'a>(text: *const c_char) -> Result<Option<&'a str>, String> {
    if text.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, so `# Safety` above asks the caller for a string that ends with a zero and
    // lives during `'a`.
    let text = unsafe { CStr::from_ptr(text) };
    text.to_str().map(Some).map_err(|_| format!("{text:?} is not UTF-8"))
}

/// The least number of children of a type that is not a struct or a union.
fn least_children(format: &str) -> i64 {
    match format.as_bytes() {
        [b'+', b'r', ..] => 2,
        [b'+', b's' | b'u', ..] => 0,
        [b'+', ..] => 1,
        _ => 0,
    }
}

impl Array {
    fn check(&self, data_type: &DataType) -> Checked {
        let size = |what: &str, size: i64, least: i64| {
            ensure((least..=MOST).contains(&size), || format!("its {what} is {size}"))
        };
        size("length", self.length, 0)?;
        size("offset", self.offset, 0)?;
        ensure((-1..=self.length).contains(&self.null_count), || {
            format!("{} of its {} values are null", self.null_count, self.length)
        })?;
        self.check_buffers(data_type)?;
        let children = children(data_type);
        ensure(self.children_count == children.len() as i64, || {
            format!("{data_type} has {} children, not {}", children.len(), self.children_count)
        })?;
        for (number, data_type) in children.into_iter().enumerate() {
            // SAFETY: by the C data interface, there are `children_count` pointers to arrays, and
            // that number was compared with the type's.
            unsafe { child(self.children, number) }?.check(data_type)?;
        }
        // SAFETY: by the C data interface, the pointer is null, or leads to an array that lives as
        // long as this one.
        match (data_type, unsafe { self.dictionary.as_ref() }) {
            (DataType::Dictionary(_, values), Some(dictionary)) => dictionary.check(values),
            (DataType::Dictionary(..), None) => Err("it has no dictionary".to_owned()),
            (_, None) => Ok(()),
            (_, Some(_)) => Err(format!("{data_type} has no dictionary")),
        }
    }

    fn check_buffers(&self, data_type: &DataType) -> Checked {
        use DataType::*;
        let Some((least, most)) = buffers(data_type) else { return Ok(()) };
        let count = self.buffers_count;
        ensure((least..=most).contains(&count), || {
            format!("{data_type} has {least} buffers, not {count}")
        })?;
        ensure(count == 0 || !self.buffers.is_null(), || {
            "the pointer to its buffers is null".to_owned()
        })?;
        let values = self.length + self.offset;
        match data_type {
            Utf8 | Binary | List(_) | Map(..) => self.check_offsets::<i32>(values),
            LargeUtf8 | LargeBinary | LargeList(_) => self.check_offsets::<i64>(values),
            Utf8View | BinaryView => self.check_lengths(),
            FixedSizeBinary(width) => {
                let bytes = i64::from(*width).checked_mul(values);
                ensure(*width >= 0 && bytes.is_some_and(|bytes| bytes <= MOST), || {
                    format!("its {values} values have {width} bytes each")
                })
            }
            _ => Ok(()),
        }
    }

    /// The buffer with this number as numbers.
    fn numbers<T>(&self, buffer: usize) -> Result<*const T, String> {
        // SAFETY: by the C data interface, there are `buffers_count` pointers. `check_buffers` has
        // compared that number with the type's before it asks for one of these.
        let numbers = unsafe { *self.buffers.add(buffer) }.cast::<T>();
        ensure(!numbers.is_null(), || format!("buffer {buffer} is null"))?;
        ensure(numbers.is_aligned(), || format!("buffer {buffer} is not aligned"))?;
        Ok(numbers)
    }

    /// Checks the last of the offsets of so many values: arrow-rs takes it for the length of the
    /// next buffer.
    fn check_offsets<T: Copy + Into<i64>>(&self, values: i64) -> Checked {
        if values == 0 {
            return Ok(());
        }
        let offsets = self.numbers::<T>(1)?;
        // SAFETY: the buffer is neither null nor misaligned. By the C data interface it has one
        // offset more than there are values, up to the end of the array, as `values` counts them.
        let last: i64 = unsafe { *offsets.add(values as usize) }.into();
        ensure((0..=MOST).contains(&last), || format!("its last offset is {last}"))
    }

    /// Checks the lengths of the buffers of views, which are in the last buffer.
    fn check_lengths(&self) -> Checked {
        let count = self.buffers_count as usize - 3;
        if count == 0 {
            return Ok(());
        }
        let lengths = self.numbers::<i64>(count + 2)?;
        (0..count).try_for_each(|number| {
            // SAFETY: the buffer is neither null nor misaligned. By the C data interface it has a
            // length for each buffer between the second and the last.
            let length = unsafe { *lengths.add(number) };
            ensure((0..=MOST).contains(&length), || {
                format!("buffer {} has {length} bytes", number + 2)
            })
        })
    }
}

/// The least and the greatest number of buffers in an array of a type (Arrow's columnar format,
/// "Buffer Listing for Each Layout"; views have one more in the C data interface).
fn buffers(data_type: &DataType) -> Option<(i64, i64)> {
    use DataType::*;
    let count = match data_type {
        // Some producers export one, which is not used.
        Null => return None,
        BinaryView | Utf8View => return Some((3, MOST)),
        RunEndEncoded(..) => 0,
        Struct(_) | FixedSizeList(..) | Union(_, UnionMode::Sparse) => 1,
        Binary | LargeBinary | Utf8 | LargeUtf8 | ListView(_) | LargeListView(_) => 3,
        _ => 2,
    };
    Some((count, count))
}

/// The types of an array's child arrays.
fn children(data_type: &DataType) -> Vec<&DataType> {
    use DataType::*;
    match data_type {
        List(child)
        | LargeList(child)
        | ListView(child)
        | LargeListView(child)
        | FixedSizeList(child, _)
        | Map(child, _) => vec![child.data_type()],
        Struct(fields) => fields.iter().map(|field| field.data_type()).collect(),
        Union(fields, _) => fields.iter().map(|(_, field)| field.data_type()).collect(),
        RunEndEncoded(ends, values) => vec![ends.data_type(), values.data_type()],
        _ => Vec::new(),
    }
}
