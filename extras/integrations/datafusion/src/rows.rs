//! `digest_rows`: one digest of several columns.

use std::sync::Arc;

use datafusion_arrow::array::new_empty_array;
use datafusion_arrow::datatypes::{DataType, Field, FieldRef};
use datafusion_common::{Result, ScalarValue, internal_err, plan_err};
use datafusion_expr::{
    ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDFImpl, Signature, Volatility,
};
use hashlanes_arrow::Algorithm;

use crate::columns;
use crate::constants::constant;

const NAME: &str = "digest_rows";

#[derive(Debug, PartialEq, Eq, Hash)]
pub(crate) struct DigestRows {
    signature: Signature,
}

impl DigestRows {
    pub(crate) fn new() -> Self {
        Self { signature: Signature::variadic_any(Volatility::Immutable) }
    }
}

impl ScalarUDFImpl for DigestRows {
    fn name(&self) -> &str {
        NAME
    }

    fn signature(&self) -> &Signature {
        &self.signature
    }

    fn return_type(&self, _types: &[DataType]) -> Result<DataType> {
        internal_err!("the type depends on the arguments: return_field_from_args")
    }

    /// Checks the algorithm and, with columns without rows, the types.
    fn return_field_from_args(&self, args: ReturnFieldArgs) -> Result<FieldRef> {
        let (Some(name), Some((_, fields))) =
            (args.scalar_arguments.last(), args.arg_fields.split_last())
        else {
            return plan_err!("{NAME} takes columns and the name of an algorithm");
        };
        let empty: Vec<_> = fields.iter().map(|field| new_empty_array(field.data_type())).collect();
        columns::digest_rows(&empty, algorithm(*name)?)?;
        Ok(Arc::new(Field::new(NAME, DataType::Binary, false)))
    }

    fn invoke_with_args(&self, args: ScalarFunctionArgs) -> Result<ColumnarValue> {
        let Some((name, columns)) = args.args.split_last() else {
            return plan_err!("{NAME} takes columns and the name of an algorithm");
        };
        if args.number_rows == 0 {
            return Ok(ColumnarValue::Array(new_empty_array(args.return_type())));
        }
        let algorithm = algorithm(constant(name)?.as_ref())?;
        let is_constant = columns.iter().all(|value| matches!(value, ColumnarValue::Scalar(_)));
        let rows = if is_constant { 1 } else { args.number_rows };
        let columns =
            columns.iter().map(|value| value.to_array(rows)).collect::<Result<Vec<_>>>()?;
        let digests = columns::digest_rows(&columns, algorithm)?;
        if is_constant {
            return Ok(ColumnarValue::Scalar(ScalarValue::try_from_array(&digests, 0)?));
        }
        Ok(ColumnarValue::Array(digests))
    }
}

/// The algorithm of the last argument.
fn algorithm(argument: Option<&ScalarValue>) -> Result<Algorithm> {
    match argument.and_then(|scalar| scalar.try_as_str()).flatten().map(Algorithm::from_name) {
        Some(Ok(algorithm)) => Ok(algorithm),
        Some(Err(error)) => plan_err!("{NAME}: {error}"),
        None => plan_err!("{NAME}: the last argument has to be the name of an algorithm"),
    }
}
