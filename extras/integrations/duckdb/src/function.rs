//! The SQL functions: their names, their types and their calls.

use std::ffi::CString;
use std::ops::Range;
use std::sync::LazyLock;

use hashlanes::Algorithm;

use crate::api::{self, Handle, kind};
use crate::column::{Column, Results, Type};
use crate::digest::{Digests, Output};
use crate::{guarded, message, rows};

struct Function {
    name: CString,
    /// `None` if the second argument names it.
    algorithm: Option<Algorithm>,
    input: Input,
    output: Output,
}

#[derive(Clone, Copy)]
enum Input {
    /// Text or bytes.
    Values,
    /// Structs, each framed as a row.
    Rows,
}

static FUNCTIONS: LazyLock<Vec<Function>> = LazyLock::new(|| {
    let of_algorithm = |algorithm: &Algorithm| {
        let name = algorithm.name().replace(['-', '/'], "_");
        (name, Some(*algorithm), Input::Values)
    };
    let by_name = [("digest", Input::Values), ("digest_rows", Input::Rows)];
    let by_name = by_name.map(|(name, input)| (name.to_owned(), None, input));
    let all = Algorithm::ALL.iter().map(of_algorithm).chain(by_name);
    all.flat_map(|(name, algorithm, input)| {
        [("", Output::Hex), ("_blob", Output::Blob)].map(|(ending, output)| {
            let name = message(format!("hashlanes_{name}{ending}"));
            Function { name, algorithm, input, output }
        })
    })
    .collect()
});

/// Registers all functions.
///
/// # Safety
/// It is a connection, and the API has been kept.
pub(crate) unsafe fn register(connection: Handle) -> Result<(), String> {
    for function in FUNCTIONS.iter() {
        // SAFETY: `# Safety` above asks the caller for a connection, and that the API has been
        // kept. The set is a new one, which is destroyed here; DuckDB copies what it registers.
        let state = unsafe {
            let mut set = api::create_scalar_function_set(function.name.as_ptr());
            let types: &[u32] = match function.input {
                Input::Values => &[kind::VARCHAR, kind::BLOB],
                Input::Rows => &[kind::ANY],
            };
            for &argument in types {
                function.add_to(set, argument);
            }
            let state = api::register_scalar_function_set(connection, set);
            api::destroy_scalar_function_set(&mut set);
            state
        };
        if state != api::SUCCESS {
            return Err(format!("DuckDB refuses the function {}", function.name.to_string_lossy()));
        }
    }
    Ok(())
}

impl Function {
    /// Adds the signature with this type of the first argument.
    ///
    /// # Safety
    /// It is a set of functions.
    unsafe fn add_to(&'static self, set: Handle, argument: u32) {
        let result = match self.output {
            Output::Hex => kind::VARCHAR,
            Output::Blob => kind::BLOB,
        };
        // SAFETY: the function is a new one, and is destroyed. DuckDB copies it and the types. It
        // keeps a pointer to what is static.
        unsafe {
            let mut function = api::create_scalar_function();
            api::scalar_function_set_name(function, self.name.as_ptr());
            api::scalar_function_add_parameter(function, Type::of(argument).handle());
            if self.algorithm.is_none() {
                api::scalar_function_add_parameter(function, Type::of(kind::VARCHAR).handle());
            }
            api::scalar_function_set_return_type(function, Type::of(result).handle());
            let info: *const Self = self;
            api::scalar_function_set_extra_info(function, info.cast_mut().cast(), None);
            api::scalar_function_set_function(function, call);
            api::add_scalar_function_to_set(set, function);
            api::destroy_scalar_function(&mut function);
        }
    }

    /// # Safety
    /// DuckDB has called this function with this chunk of arguments, and for these results.
    unsafe fn run(&self, chunk: Handle, results: Handle) -> Result<(), String> {
        // SAFETY: DuckDB has made the arguments flat, and changes them only after the call.
        let (columns, results) = unsafe {
            let rows = api::data_chunk_get_size(chunk) as usize;
            let column = move |index| Column::new(api::data_chunk_get_vector(chunk, index), rows);
            (column, Results::new(results))
        };
        let values = columns(0);
        let mut digests = Digests { output: self.output, results };
        if let Some(algorithm) = self.algorithm {
            return self.put(&mut digests, algorithm, values, 0..values.rows());
        }
        // SAFETY: the second argument was registered as text.
        let names = unsafe { columns(1).texts() };
        // A constant name makes a single run.
        let mut start = 0;
        while start < values.rows() {
            let name = names.get(start);
            let run = (start..values.rows()).take_while(|&row| names.get(row) == name);
            let range = start..start + run.count();
            start = range.end;
            match name {
                Some(name) => self.put(&mut digests, algorithm(name)?, values, range)?,
                None => digests.results.put_nulls(range),
            }
        }
        Ok(())
    }

    fn put(
        &self,
        digests: &mut Digests,
        algorithm: Algorithm,
        values: Column<'_>,
        range: Range<usize>,
    ) -> Result<(), String> {
        match self.input {
            // SAFETY: only text and bytes were registered for it.
            Input::Values => digests.put_values(algorithm, &unsafe { values.texts() }, range),
            Input::Rows => rows::put(digests, algorithm, values, range)?,
        }
        Ok(())
    }
}

fn algorithm(name: &[u8]) -> Result<Algorithm, String> {
    let name = String::from_utf8_lossy(name);
    Algorithm::from_name(&name).map_err(|error| error.to_string())
}

/// What DuckDB calls for each chunk.
///
/// # Safety
/// DuckDB calls it, for a function that has been registered.
unsafe extern "C" fn call(info: Handle, chunk: Handle, results: Handle) {
    // SAFETY: `add_to` registered each function with a pointer to its entry in `FUNCTIONS`, which
    // is static and never changes.
    let function = unsafe { &*api::scalar_function_get_extra_info(info).cast::<Function>() };
    // SAFETY: `# Safety` above: DuckDB calls this, with a chunk of arguments of the registered
    // types and a vector for as many results, and changes neither during the call.
    if let Err(error) = guarded(|| unsafe { function.run(chunk, results) }) {
        let error = message(format!("{}: {error}", function.name.to_string_lossy()));
        // SAFETY: DuckDB copies the error.
        unsafe { api::scalar_function_set_error(info, error.as_ptr()) };
    }
}
