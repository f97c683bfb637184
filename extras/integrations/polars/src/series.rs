//! A Series that crosses the border between Polars and a plug-in.

use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::ptr::{null_mut, slice_from_raw_parts};

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, from_ffi, to_ffi};
use arrow_array::{Array, ArrayRef, make_array};
use arrow_schema::{ArrowError, DataType, Field};

/// The chunks of a Series, by the C data interface, with the fields of `SeriesExport` in version 0
/// of the crate `polars-ffi`.
///
/// Whoever takes the chunks moves the structs out of `arrays`. `release` frees the memory in which
/// they were, and the field.
#[repr(C)]
pub(crate) struct SeriesExport {
    field: *mut FFI_ArrowSchema,
    arrays: *mut *mut FFI_ArrowArray,
    count: usize,
    release: Option<unsafe extern "C" fn(*mut SeriesExport)>,
    private_data: *mut c_void,
}

impl Drop for SeriesExport {
    fn drop(&mut self) {
        if let Some(release) = self.release {
            // SAFETY: the maker's own function, which has not been called: it resets itself.
            unsafe { release(self) }
        }
    }
}

/// What `private_data` points to.
struct Owned {
    field: FFI_ArrowSchema,
    /// Each array is moved out by the receiver, so it is not dropped here.
    arrays: Vec<ManuallyDrop<FFI_ArrowArray>>,
    pointers: Vec<*mut FFI_ArrowArray>,
}

impl SeriesExport {
    pub(crate) fn new(field: &Field, chunks: &[ArrayRef]) -> Result<Self, ArrowError> {
        let field = FFI_ArrowSchema::try_from(field)?;
        let array = |chunk: &ArrayRef| Ok(to_ffi(&chunk.to_data())?.0);
        let arrays = chunks.iter().map(array).collect::<Result<Vec<_>, ArrowError>>()?;
        let arrays: Vec<_> = arrays.into_iter().map(ManuallyDrop::new).collect();
        let count = arrays.len();
        let owned = Box::into_raw(Box::new(Owned { field, arrays, pointers: Vec::new() }));
        // SAFETY: `owned` is the only pointer to what was just allocated. Its vectors stay as they
        // are until `release`, so pointers into them stay valid.
        unsafe {
            let first = (*owned).arrays.as_mut_ptr().cast::<FFI_ArrowArray>();
            (*owned).pointers = (0..count).map(|index| first.add(index)).collect();
            Ok(Self {
                field: &raw mut (*owned).field,
                arrays: (*owned).pointers.as_mut_ptr(),
                count,
                release: Some(release),
                private_data: owned.cast(),
            })
        }
    }

    /// The field and the chunks.
    ///
    /// # Safety
    /// Polars has made it, and nobody else takes the chunks.
    pub(crate) unsafe fn import(self) -> Result<(Field, Vec<ArrayRef>), ArrowError> {
        // SAFETY: Polars has made the field and as many arrays as `count`, and they live until
        // `self` is dropped. Each array is moved out once, also if an earlier one is refused.
        let (schema, arrays) = unsafe {
            let pointers = &*slice_from_raw_parts(self.arrays, self.count);
            let arrays = pointers.iter().map(|array| array.read()).collect::<Vec<_>>();
            (&*self.field, arrays)
        };
        let field = field(schema)?;
        let chunk = |mut array: FFI_ArrowArray| -> Result<ArrayRef, ArrowError> {
            // SAFETY: `field` describes the array.
            unsafe { Layout::take_buffers_of_nulls((&raw mut array).cast(), field.data_type()) };
            // SAFETY: Polars describes its own arrays, which are valid.
            unsafe { from_ffi(array, schema) }.map(make_array)
        };
        let chunks = arrays.into_iter().map(chunk).collect::<Result<_, _>>()?;
        Ok((field, chunks))
    }
}

/// Frees what `SeriesExport::new` has allocated, except the arrays' own memory.
///
/// # Safety
/// `series` was made by `SeriesExport::new`.
unsafe extern "C" fn release(series: *mut SeriesExport) {
    // SAFETY: `private_data` is from `Box::into_raw`, and freed only here: the function is reset.
    unsafe {
        drop(Box::from_raw((*series).private_data.cast::<Owned>()));
        (*series).release = None;
        (*series).private_data = null_mut();
    }
}

/// The field that Polars describes. It has types that other users of Arrow do not know.
pub(crate) fn field(schema: &FFI_ArrowSchema) -> Result<Field, ArrowError> {
    Field::try_from(schema).map_err(|error| {
        let reason = "the column has a type that only Polars knows: cast it";
        ArrowError::CDataInterface(format!("{reason} ({error})"))
    })
}

/// The fields of an `FFI_ArrowArray`, which the C data interface lays down.
#[repr(C)]
struct Layout {
    length: i64,
    null_count: i64,
    offset: i64,
    buffers: i64,
    children: i64,
    buffer: *mut *const c_void,
    child: *mut *mut Self,
    dictionary: *mut Self,
    release: *mut c_void,
    private_data: *mut c_void,
}

const _: () = assert!(size_of::<Layout>() == size_of::<FFI_ArrowArray>());

impl Layout {
    /// Sets the number of buffers of all arrays of nulls to 0. Polars gives them one, which
    /// arrow-rs refuses. What frees an array does not look at the number.
    ///
    /// # Safety
    /// `array` is an array that Polars has made, of type `kind`, and nobody else uses it.
    unsafe fn take_buffers_of_nulls(array: *mut Self, kind: &DataType) {
        // SAFETY: `# Safety` above asks the caller for an array of Polars that nobody else uses. By
        // the C data interface it owns its children, as many as its type has fields, which is
        // asserted.
        unsafe {
            let child = |index: usize, field: &Field| {
                assert!((index as i64) < (*array).children);
                Self::take_buffers_of_nulls(*(*array).child.add(index), field.data_type());
            };
            match kind {
                DataType::Null => (*array).buffers = 0,
                DataType::List(field)
                | DataType::LargeList(field)
                | DataType::FixedSizeList(field, _) => child(0, field),
                DataType::Struct(fields) => {
                    fields.iter().enumerate().for_each(|(index, field)| child(index, field));
                }
                _ => {}
            }
        }
    }
}
