//! The functions of DuckDB's C API that this extension calls.
//!
//! DuckDB gives an extension a table of function pointers. The first 357 slots of the table have
//! been the same in all versions since 1.2.0, whose API is asked for here, and DuckDB promises that
//! they stay. Only those are used.

use std::ffi::{c_char, c_void};
use std::sync::OnceLock;

/// What DuckDB's pointers lead to is known to DuckDB only.
pub(crate) type Handle = *mut c_void;
pub(crate) type Callback = unsafe extern "C" fn(Handle, Handle, Handle);

/// The version of the API whose table has the slots below.
pub(crate) const VERSION: &std::ffi::CStr = c"v1.2.0";

/// What `duckdb_state` is after a success.
pub(crate) const SUCCESS: u32 = 0;

/// What DuckDB gives to an extension while it loads it: `duckdb_extension_access`.
#[repr(C)]
pub(crate) struct Access {
    pub(crate) set_error: unsafe extern "C" fn(Handle, *const c_char),
    pub(crate) get_database: unsafe extern "C" fn(Handle) -> *mut Handle,
    pub(crate) get_api: unsafe extern "C" fn(Handle, *const c_char) -> *const Handle,
}

static API: OnceLock<Api> = OnceLock::new();

/// Keeps the functions of a table for as long as the process runs.
///
/// # Errors
/// If another DuckDB in this process has loaded this file: its functions are others.
///
/// # Safety
/// `table` is what DuckDB returned for [`VERSION`].
pub(crate) unsafe fn keep(table: *const Handle) -> Result<(), &'static str> {
    // SAFETY: `# Safety` above asks the caller for DuckDB's table of this version, which has the
    // functions in the slots that `api!` lists.
    let api = unsafe { Api::read(table) };
    let kept = API.get_or_init(|| api);
    if kept.connect as usize != api.connect as usize {
        return Err("another DuckDB in this process has loaded this file: load a copy of it");
    }
    Ok(())
}

macro_rules! api {
    ($($slot:literal $name:ident($($parameter:ident: $type:ty),*) $(-> $result:ty)?;)*) => {
        #[derive(Clone, Copy)]
        struct Api {
            $($name: unsafe extern "C" fn($($type),*) $(-> $result)?,)*
        }

        impl Api {
            /// # Safety
            /// `table` has these functions in these slots.
            unsafe fn read(table: *const Handle) -> Self {
                // SAFETY: `# Safety` above asks the caller for a table with these functions in
                // these slots. A slot holds a pointer to a function.
                unsafe { Self { $($name: std::ptr::read(table.add($slot).cast()),)* } }
            }
        }

        $(
            /// # Safety
            /// As `duckdb.h` says for the function of this name.
            pub(crate) unsafe fn $name($($parameter: $type),*) $(-> $result)? {
                let api = API.get().expect("the table is kept before anything is called");
                // SAFETY: the caller keeps to the function's rules.
                unsafe { (api.$name)($($parameter),*) }
            }
        )*
    };
}

api! {
    3 connect(database: Handle, connection: *mut Handle) -> u32;
    6 disconnect(connection: *mut Handle);
    156 create_logical_type(kind: u32) -> Handle;
    166 get_type_id(of: Handle) -> u32;
    168 decimal_scale(of: Handle) -> u8;
    169 decimal_internal_type(of: Handle) -> u32;
    175 array_type_array_size(of: Handle) -> u64;
    178 struct_type_child_count(of: Handle) -> u64;
    184 destroy_logical_type(of: *mut Handle);
    190 data_chunk_get_vector(chunk: Handle, column: u64) -> Handle;
    191 data_chunk_get_size(chunk: Handle) -> u64;
    193 vector_get_column_type(vector: Handle) -> Handle;
    194 vector_get_data(vector: Handle) -> *mut c_void;
    195 vector_get_validity(vector: Handle) -> *mut u64;
    196 vector_ensure_validity_writable(vector: Handle);
    198 vector_assign_string_element_len(
        vector: Handle, row: u64, text: *const c_char, length: u64
    );
    199 list_vector_get_child(vector: Handle) -> Handle;
    200 list_vector_get_size(vector: Handle) -> u64;
    203 struct_vector_get_child(vector: Handle, index: u64) -> Handle;
    204 array_vector_get_child(vector: Handle) -> Handle;
    209 create_scalar_function() -> Handle;
    210 destroy_scalar_function(function: *mut Handle);
    211 scalar_function_set_name(function: Handle, name: *const c_char);
    215 scalar_function_add_parameter(function: Handle, of: Handle);
    216 scalar_function_set_return_type(function: Handle, of: Handle);
    217 scalar_function_set_extra_info(
        function: Handle, info: *mut c_void, delete: Option<unsafe extern "C" fn(*mut c_void)>
    );
    218 scalar_function_set_function(function: Handle, callback: Callback);
    220 scalar_function_get_extra_info(info: Handle) -> *mut c_void;
    221 scalar_function_set_error(info: Handle, error: *const c_char);
    222 create_scalar_function_set(name: *const c_char) -> Handle;
    223 destroy_scalar_function_set(set: *mut Handle);
    224 add_scalar_function_to_set(set: Handle, function: Handle) -> u32;
    225 register_scalar_function_set(connection: Handle, set: Handle) -> u32;
}

/// The numbers of DuckDB's types: `duckdb_type`.
pub(crate) mod kind {
    pub(crate) const BOOLEAN: u32 = 1;
    pub(crate) const TINYINT: u32 = 2;
    pub(crate) const SMALLINT: u32 = 3;
    pub(crate) const INTEGER: u32 = 4;
    pub(crate) const BIGINT: u32 = 5;
    pub(crate) const UTINYINT: u32 = 6;
    pub(crate) const USMALLINT: u32 = 7;
    pub(crate) const UINTEGER: u32 = 8;
    pub(crate) const UBIGINT: u32 = 9;
    pub(crate) const FLOAT: u32 = 10;
    pub(crate) const DOUBLE: u32 = 11;
    pub(crate) const TIMESTAMP: u32 = 12;
    pub(crate) const DATE: u32 = 13;
    pub(crate) const TIME: u32 = 14;
    pub(crate) const INTERVAL: u32 = 15;
    pub(crate) const HUGEINT: u32 = 16;
    pub(crate) const VARCHAR: u32 = 17;
    pub(crate) const BLOB: u32 = 18;
    pub(crate) const DECIMAL: u32 = 19;
    pub(crate) const TIMESTAMP_S: u32 = 20;
    pub(crate) const TIMESTAMP_MS: u32 = 21;
    pub(crate) const TIMESTAMP_NS: u32 = 22;
    pub(crate) const ENUM: u32 = 23;
    pub(crate) const LIST: u32 = 24;
    pub(crate) const STRUCT: u32 = 25;
    pub(crate) const MAP: u32 = 26;
    pub(crate) const TIMESTAMP_TZ: u32 = 31;
    pub(crate) const ARRAY: u32 = 33;
    pub(crate) const ANY: u32 = 34;
    pub(crate) const NULL: u32 = 36;
    pub(crate) const TIME_NS: u32 = 39;
}
