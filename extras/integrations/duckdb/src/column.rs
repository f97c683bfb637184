//! DuckDB's vectors: the arguments of a call, and its result.

use std::marker::PhantomData;

use crate::api::{self, Handle};

/// `duckdb_string_t`: text or bytes, with up to 12 of them in the structure itself.
#[repr(C)]
#[derive(Clone, Copy)]
pub(crate) struct Text {
    length: u32,
    prefix: [u8; 4],
    bytes: *const u8,
}

const INLINED: usize = 12;

impl Text {
    /// # Safety
    /// DuckDB wrote this value, and does not change its memory during `'a`.
    unsafe fn bytes<'a>(value: *const Self) -> &'a [u8] {
        // SAFETY: a short string follows its length within the structure, a longer one is where the
        // pointer leads.
        unsafe {
            let length = (*value).length as usize;
            let bytes = if length <= INLINED {
                value.cast::<u8>().add(size_of::<u32>())
            } else {
                (*value).bytes
            };
            std::slice::from_raw_parts(bytes, length)
        }
    }
}

/// A vector that a callback may read, or one that it contains. DuckDB has made it flat: row *n* has
/// the value *n*.
#[derive(Clone, Copy)]
pub(crate) struct Column<'a> {
    vector: Handle,
    rows: usize,
    /// A bit for each row that is not null. Null if all are.
    validity: *const u64,
    memory: PhantomData<&'a [u8]>,
}

impl<'a> Column<'a> {
    /// # Safety
    /// `vector` is flat, has at least `rows` rows, and does not change during `'a`.
    pub(crate) unsafe fn new(vector: Handle, rows: usize) -> Self {
        // SAFETY: `# Safety` above asks the caller for a vector.
        let validity = unsafe { api::vector_get_validity(vector) };
        Self { vector, rows, validity, memory: PhantomData }
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    #[inline]
    pub(crate) fn is_valid(&self, row: usize) -> bool {
        assert!(row < self.rows);
        // SAFETY: DuckDB's mask has a bit for each row of the vector, and `row` is one of them.
        self.validity.is_null() || unsafe { *self.validity.add(row / 64) } >> (row % 64) & 1 == 1
    }

    /// The values of a column of numbers.
    ///
    /// # Safety
    /// DuckDB stores the column's values as `T`.
    pub(crate) unsafe fn values<T: Stored>(&self) -> Values<'a, T> {
        // SAFETY: `new` was given a vector, which does not change during `'a`.
        let values = unsafe { api::vector_get_data(self.vector) }.cast();
        Values { column: *self, values }
    }

    /// The values of a column of text or bytes.
    ///
    /// # Safety
    /// It is such a column.
    pub(crate) unsafe fn texts(&self) -> Texts<'a> {
        // SAFETY: `new` was given a vector, which does not change during `'a`.
        let values = unsafe { api::vector_get_data(self.vector) }.cast();
        Texts { column: *self, values }
    }

    pub(crate) fn kind(&self) -> Type {
        // SAFETY: `new` was given a vector. The type that DuckDB makes belongs to the caller, and
        // `Type` frees it.
        Type(unsafe { api::vector_get_column_type(self.vector) })
    }

    /// A field of a struct.
    ///
    /// # Safety
    /// It is a column of structs with more than `index` fields.
    pub(crate) unsafe fn field(&self, index: u64) -> Self {
        // SAFETY: the fields of a flat vector are flat, and have as many rows.
        unsafe { Self::new(api::struct_vector_get_child(self.vector, index), self.rows) }
    }

    /// The values of all lists.
    ///
    /// # Safety
    /// It is a column of lists.
    pub(crate) unsafe fn list_values(&self) -> Self {
        // SAFETY: the child of a flat vector is flat, and has this size.
        unsafe {
            let rows = api::list_vector_get_size(self.vector) as usize;
            Self::new(api::list_vector_get_child(self.vector), rows)
        }
    }

    /// The values of all arrays.
    ///
    /// # Safety
    /// It is a column of arrays of this length.
    pub(crate) unsafe fn array_values(&self, length: usize) -> Self {
        // SAFETY: the child of a flat vector is flat, and has the values of all rows.
        unsafe { Self::new(api::array_vector_get_child(self.vector), self.rows * length) }
    }
}

/// A column of numbers.
#[derive(Clone, Copy)]
pub(crate) struct Values<'a, T> {
    column: Column<'a>,
    values: *const T,
}

impl<T: Stored> Values<'_, T> {
    /// The value of a row, unless it is null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<T> {
        // SAFETY: `is_valid` checks that there is such a row. The vector is flat, so there is
        // memory for each row, aligned for its type. DuckDB has written each value that is not
        // null, and may have left others uninitialised.
        self.column.is_valid(row).then(|| unsafe { self.values.add(row).read() })
    }
}

/// A column of text or bytes.
#[derive(Clone, Copy)]
pub(crate) struct Texts<'a> {
    column: Column<'a>,
    values: *const Text,
}

impl<'a> Texts<'a> {
    /// The text or bytes of a row, unless it is null.
    #[inline]
    pub(crate) fn get(&self, row: usize) -> Option<&'a [u8]> {
        // SAFETY: `is_valid` checks that there is such a row. A value that is not null has been
        // written.
        self.column.is_valid(row).then(|| unsafe { Text::bytes(self.values.add(row)) })
    }
}

/// A number or an array of numbers.
///
/// # Safety
/// Any initialised bytes are a value of the type.
pub(crate) unsafe trait Stored: Copy + Default {}

macro_rules! stored {
    ($($number:ty)*) => {
        // SAFETY: any bytes are a number, or an array of numbers.
        $(unsafe impl Stored for $number {})*
    };
}

stored!(u8 u16 u32 u64 i8 i16 i32 i64 f32 f64 [u64; 2] [u32; 4]);

/// A type, which is freed in the end.
pub(crate) struct Type(Handle);

impl Type {
    pub(crate) fn of(kind: u32) -> Self {
        // SAFETY: any number may be passed. `kind` is one of `api::kind`, for which DuckDB makes a
        // type, which `drop` frees.
        Self(unsafe { api::create_logical_type(kind) })
    }

    pub(crate) fn handle(&self) -> Handle {
        self.0
    }

    pub(crate) fn id(&self) -> u32 {
        // SAFETY: the handle is that of a type, which lives until `drop`.
        unsafe { api::get_type_id(self.0) }
    }

    /// The integer that a decimal is stored as.
    pub(crate) fn decimal_storage(&self) -> u32 {
        // SAFETY: the handle is that of a type, which lives until `drop`. DuckDB returns 0 for a
        // type that is not a decimal.
        unsafe { api::decimal_internal_type(self.0) }
    }

    pub(crate) fn decimal_scale(&self) -> u8 {
        // SAFETY: the handle is that of a type, which lives until `drop`. DuckDB returns 0 for a
        // type that is not a decimal.
        unsafe { api::decimal_scale(self.0) }
    }

    pub(crate) fn array_length(&self) -> usize {
        // SAFETY: the handle is that of a type, which lives until `drop`. DuckDB returns 0 for a
        // type that is not an array.
        unsafe { api::array_type_array_size(self.0) as usize }
    }

    /// The number of a struct's fields.
    pub(crate) fn fields(&self) -> u64 {
        // SAFETY: the handle is that of a type, which lives until `drop`. DuckDB returns 0 for a
        // type that is not a struct.
        unsafe { api::struct_type_child_count(self.0) }
    }
}

impl Drop for Type {
    fn drop(&mut self) {
        // SAFETY: the handle is that of a type, which nothing else frees and nothing uses after
        // this.
        unsafe { api::destroy_logical_type(&mut self.0) }
    }
}

/// The result of a call: a flat vector of text or bytes.
pub(crate) struct Results {
    vector: Handle,
}

impl Results {
    /// # Safety
    /// `vector` is the one that DuckDB passed to a callback for its results.
    pub(crate) unsafe fn new(vector: Handle) -> Self {
        Self { vector }
    }

    /// Makes rows null.
    pub(crate) fn put_nulls(&mut self, rows: impl IntoIterator<Item = usize>) {
        let mut rows = rows.into_iter().peekable();
        if rows.peek().is_none() {
            return;
        }
        // SAFETY: `new` was given the vector for the results of this call, which nobody else
        // writes. After the first call here it has a bit for each row, and callers pass rows of the
        // call.
        unsafe {
            api::vector_ensure_validity_writable(self.vector);
            let validity = api::vector_get_validity(self.vector);
            for row in rows {
                *validity.add(row / 64) &= !(1 << (row % 64));
            }
        }
    }

    /// Writes the values of rows, which are `length` bytes each, more than a string has inlined.
    ///
    /// All values become one string of DuckDB, and the rows refer to its parts. To make a string of
    /// each value would take a call for each, and DuckDB would check each for UTF-8.
    pub(crate) fn put(&mut self, rows: &[usize], values: &[u8], length: usize) {
        assert!(length > INLINED && values.len() == rows.len() * length);
        let Some(&first) = rows.first() else { return };
        // SAFETY: `new` was given the vector for the results of this call, which nobody else
        // writes, and callers pass rows of the call. DuckDB copies the bytes of `values` to memory
        // that lives as long as the vector. The string is longer than an inlined one, as asserted,
        // so the structure points to the copy, which has `length` bytes for each row.
        unsafe {
            let (text, bytes) = (values.as_ptr().cast(), values.len() as u64);
            api::vector_assign_string_element_len(self.vector, first as u64, text, bytes);
            let texts: *mut Text = api::vector_get_data(self.vector).cast();
            let copy = (*texts.add(first)).bytes;
            for (value, &row) in rows.iter().enumerate() {
                let bytes = copy.add(value * length);
                let prefix = bytes.cast::<[u8; 4]>().read();
                texts.add(row).write(Text { length: length as u32, prefix, bytes });
            }
        }
    }
}
