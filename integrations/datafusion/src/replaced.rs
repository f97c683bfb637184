//! The engine's function, with another way to hash a column.

use std::sync::Arc;

use datafusion_arrow::datatypes::{DataType, FieldRef};
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::{
    ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF, ScalarUDFImpl,
    Signature,
};
use hashlanes_arrow::Algorithm;

use crate::columns;
use crate::constants::constant;

/// Where a function gets its algorithm from.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Choice {
    /// It has one.
    Fixed(Algorithm),
    /// The second argument is its name.
    Name,
}

impl Choice {
    /// The algorithm, or `None` if it is not ours, or not the same for all rows.
    fn algorithm(&self, argument: Option<&ScalarValue>) -> Option<Algorithm> {
        match (self, argument) {
            (Self::Fixed(algorithm), _) => Some(*algorithm),
            (Self::Name, Some(name)) => named(name.try_as_str()??),
            _ => None,
        }
    }
}

/// DataFusion's names.
fn named(name: &str) -> Option<Algorithm> {
    match name {
        "md5" => Some(Algorithm::Md5),
        "sha224" => Some(Algorithm::Sha224),
        "sha256" => Some(Algorithm::Sha256),
        "sha384" => Some(Algorithm::Sha384),
        "sha512" => Some(Algorithm::Sha512),
        _ => None,
    }
}

/// `original`, except for how it hashes a column.
pub(crate) fn replaced(original: Arc<ScalarUDF>, choice: Choice) -> Arc<ScalarUDF> {
    Arc::new(ScalarUDF::new_from_impl(Replaced { original, choice }))
}

/// The original decides about names, types and errors, hashes constants, and hashes with the
/// algorithms that are not ours.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Replaced {
    original: Arc<ScalarUDF>,
    choice: Choice,
}

impl ScalarUDFImpl for Replaced {
    fn name(&self) -> &str {
        self.original.name()
    }

    fn aliases(&self) -> &[String] {
        self.original.aliases()
    }

    fn signature(&self) -> &Signature {
        self.original.signature()
    }

    fn coerce_types(&self, types: &[DataType]) -> Result<Vec<DataType>> {
        self.original.coerce_types(types)
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.original.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        self.original.return_field_from_args(args)
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.original.documentation()
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        if let [_, argument] = args.args.as_mut_slice()
            && let Some(scalar) = constant(argument)?
        {
            *argument = ColumnarValue::Scalar(scalar);
        }
        let scalar = match args.args.get(1) {
            Some(ColumnarValue::Scalar(scalar)) => Some(scalar),
            _ => None,
        };
        match (args.args.first(), self.choice.algorithm(scalar)) {
            (Some(ColumnarValue::Array(values)), Some(algorithm)) => {
                let digests = columns::digest(values, algorithm, args.return_type())?;
                Ok(ColumnarValue::Array(digests))
            }
            _ => self.original.invoke_with_args(args),
        }
    }
}
