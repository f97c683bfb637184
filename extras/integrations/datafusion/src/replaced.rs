//! The engine's function, with another way to hash a column.

use std::sync::Arc;

use datafusion_arrow::array::new_empty_array;
use datafusion_arrow::datatypes::{DataType, FieldRef};
use datafusion_common::types::logical_boolean;
use datafusion_common::{Result, ScalarValue, exec_err, plan_err};
use datafusion_expr::{
    Coercion, ColumnarValue, Documentation, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF,
    ScalarUDFImpl, Signature, TypeSignature, TypeSignatureClass,
};
use hashlanes_arrow::Algorithm;

use crate::columns;
use crate::constants::constant;

/// The last parameter of each function, which the original lacks: text, or else bytes.
const HEX: &str = "hex";

/// Where a function gets its algorithm from.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) enum Choice {
    /// It has one.
    Fixed(Algorithm),
    /// The second argument is its name.
    Name,
    /// The second argument is the size of the digests of SHA-2.
    #[cfg(feature = "spark")]
    Bits,
}

impl Choice {
    /// The names of the original's parameters.
    fn parameters(&self) -> &'static [&'static str] {
        match self {
            Self::Fixed(_) => &["expression"],
            Self::Name => &["expression", "algorithm"],
            #[cfg(feature = "spark")]
            Self::Bits => &["expression", "bit_length"],
        }
    }

    /// The algorithm, or `None` if there is no such one, or not one for all rows.
    fn algorithm(&self, argument: Option<&ScalarValue>) -> Option<Algorithm> {
        match (self, argument) {
            (Self::Fixed(algorithm), _) => Some(*algorithm),
            (Self::Name, Some(name)) => named(name.try_as_str()??),
            #[cfg(feature = "spark")]
            (Self::Bits, Some(ScalarValue::Int32(Some(bits)))) => sha2(*bits),
            // As it is before DataFusion has brought it to the type of the parameter.
            #[cfg(feature = "spark")]
            (Self::Bits, Some(ScalarValue::Int64(Some(bits)))) => sha2(i32::try_from(*bits).ok()?),
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
        "blake2b" => Some(Algorithm::Blake2b512),
        "blake2s" => Some(Algorithm::Blake2s256),
        "blake3" => Some(Algorithm::Blake3),
        _ => None,
    }
}

/// Spark's numbers.
#[cfg(feature = "spark")]
fn sha2(bits: i32) -> Option<Algorithm> {
    match bits {
        224 => Some(Algorithm::Sha224),
        0 | 256 => Some(Algorithm::Sha256),
        384 => Some(Algorithm::Sha384),
        512 => Some(Algorithm::Sha512),
        _ => None,
    }
}

/// `original`, except for how it hashes a column, and with the parameter `hex`.
pub(crate) fn replaced(original: Arc<ScalarUDF>, choice: Choice) -> Arc<ScalarUDF> {
    let signature = with_hex(original.signature(), choice.parameters());
    Arc::new(ScalarUDF::new_from_impl(Replaced { original, choice, signature }))
}

/// The same parameters with and without `hex` after them, all of which can be named.
fn with_hex(original: &Signature, parameters: &[&str]) -> Signature {
    let alternatives = match &original.type_signature {
        TypeSignature::OneOf(alternatives) => alternatives.clone(),
        only => vec![only.clone()],
    };
    let boolean = [Coercion::new_exact(TypeSignatureClass::Native(logical_boolean()))];
    let longer = alternatives.iter().filter_map(|alternative| match alternative {
        TypeSignature::Coercible(types) => {
            Some(TypeSignature::Coercible([types, &boolean[..]].concat()))
        }
        _ => None,
    });
    let all = alternatives.iter().cloned().chain(longer).collect();
    let names = parameters.iter().chain([&HEX]).map(|&name| name.to_owned());
    let mut signature = Signature::one_of(all, original.volatility);
    signature.parameter_names = Some(names.collect());
    signature
}

/// The original decides about names, types and errors, and hashes if each row has an algorithm of
/// its own.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Replaced {
    original: Arc<ScalarUDF>,
    choice: Choice,
    signature: Signature,
}

impl ScalarUDFImpl for Replaced {
    fn name(&self) -> &str {
        self.original.name()
    }

    fn aliases(&self) -> &[String] {
        self.original.aliases()
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, types: &[DataType]) -> Result<DataType> {
        self.original.return_type(types)
    }

    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let of_original = args.arg_fields.len().min(self.choice.parameters().len());
        let (scalars, hex) = args.scalar_arguments.split_at(of_original);
        let arg_fields = &args.arg_fields[..of_original];
        let field = self
            .original
            .return_field_from_args(ReturnFieldArgs { arg_fields, scalar_arguments: scalars })?;
        let hex = match hex {
            [] => return Ok(field),
            [Some(ScalarValue::Boolean(Some(hex)))] => *hex,
            _ => return plan_err!("{}: {HEX} has to be true or false", self.name()),
        };
        let argument = scalars.get(1).copied().flatten();
        // A number may be in a cast that DataFusion has not computed yet.
        let is_final = argument.is_some() || self.choice == Choice::Name;
        if is_final && self.choice.algorithm(argument).is_none() {
            return plan_err!("{}: {HEX} needs one algorithm for all rows", self.name());
        }
        let to = match (hex, field.data_type()) {
            (false, _) => DataType::Binary,
            (true, DataType::Binary) => DataType::Utf8View,
            (true, text) => text.clone(),
        };
        Ok(Arc::new(field.as_ref().clone().with_data_type(to)))
    }

    fn documentation(&self) -> Option<&Documentation> {
        self.original.documentation()
    }

    fn invoke_with_args(&self, mut args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        // The type to return says what `hex` is.
        let has_hex = args.args.len() > self.choice.parameters().len();
        args.args.truncate(self.choice.parameters().len());
        args.arg_fields.truncate(self.choice.parameters().len());
        if let [_, argument] = args.args.as_mut_slice()
            && let Some(scalar) = constant(argument)?
        {
            *argument = ColumnarValue::Scalar(scalar);
        }
        let scalar = match args.args.get(1) {
            Some(ColumnarValue::Scalar(scalar)) => Some(scalar),
            _ => None,
        };
        let digest = |values, algorithm| columns::digest(values, algorithm, args.return_type());
        match (args.args.first(), self.choice.algorithm(scalar)) {
            (Some(ColumnarValue::Array(values)), Some(algorithm)) => {
                Ok(ColumnarValue::Array(digest(values, algorithm)?))
            }
            (Some(ColumnarValue::Scalar(value)), Some(algorithm)) => {
                let digest = digest(&value.to_array()?, algorithm)?;
                Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&digest, 0)?))
            }
            // Of an algorithm that is in an array, there is nothing to know without rows.
            (Some(ColumnarValue::Array(values)), None) if scalar.is_none() && values.is_empty() => {
                Ok(ColumnarValue::Array(new_empty_array(args.return_type())))
            }
            _ if has_hex => exec_err!("{}: {HEX} needs one algorithm for all rows", self.name()),
            _ => self.original.invoke_with_args(args),
        }
    }
}
