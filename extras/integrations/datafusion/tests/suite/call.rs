//! Calls of functions, as the engine makes them when it plans and runs a query.

use std::sync::Arc;

use datafusion_arrow::array::{Array, ArrayRef};
use datafusion_arrow::datatypes::{Field, FieldRef};
use datafusion_common::config::ConfigOptions;
use datafusion_common::{Result, ScalarValue};
use datafusion_expr::type_coercion::functions::fields_with_udf;
use datafusion_expr::{ColumnarValue, ReturnFieldArgs, ScalarFunctionArgs, ScalarUDF};

/// A column, as an argument.
pub(crate) fn column(array: impl Array + 'static) -> ColumnarValue {
    ColumnarValue::Array(Arc::new(array))
}

/// A constant, as an argument.
pub(crate) fn constant(value: impl Into<ScalarValue>) -> ColumnarValue {
    ColumnarValue::Scalar(value.into())
}

/// The result of a call, after the conversions that the function's signature asks for.
pub(crate) fn call(function: &ScalarUDF, args: &[ColumnarValue]) -> Result<ColumnarValue> {
    let field = |arg: &ColumnarValue| -> FieldRef { Field::new("a", arg.data_type(), true).into() };
    let fields: Vec<_> = args.iter().map(field).collect();
    let arg_fields = fields_with_udf(&fields, function)?;
    let convert = |(arg, field): (&ColumnarValue, &FieldRef)| arg.cast_to(field.data_type(), None);
    let args = args.iter().zip(&arg_fields).map(convert).collect::<Result<Vec<_>>>()?;
    let scalars: Vec<_> = args.iter().map(scalar).collect();
    let return_field = function.return_field_from_args(ReturnFieldArgs {
        arg_fields: &arg_fields,
        scalar_arguments: &scalars,
    })?;
    let number_rows = args.iter().find_map(rows).unwrap_or(1);
    let config_options = Arc::new(ConfigOptions::new());
    function.invoke_with_args(ScalarFunctionArgs {
        args,
        arg_fields,
        number_rows,
        return_field,
        config_options,
    })
}

fn scalar(arg: &ColumnarValue) -> Option<&ScalarValue> {
    match arg {
        ColumnarValue::Scalar(scalar) => Some(scalar),
        ColumnarValue::Array(_) => None,
    }
}

fn rows(arg: &ColumnarValue) -> Option<usize> {
    match arg {
        ColumnarValue::Array(array) => Some(array.len()),
        ColumnarValue::Scalar(_) => None,
    }
}

/// The result of a call that is made with one column or constant, as an array.
pub(crate) fn array(result: ColumnarValue) -> ArrayRef {
    let array = result.into_array(1).unwrap();
    array.to_data().validate_full().unwrap();
    array
}

/// Fails unless both functions give the same result, or refuse the arguments. Ours have one more
/// parameter, which errors name.
pub(crate) fn assert_same(ours: &ScalarUDF, theirs: &ScalarUDF, args: &[ColumnarValue]) {
    let types: Vec<_> = args.iter().map(ColumnarValue::data_type).collect();
    match (call(ours, args), call(theirs, args)) {
        (Ok(ours), Ok(theirs)) => assert_eq!(&array(ours), &array(theirs), "{types:?}"),
        (Err(_), Err(_)) => {}
        (ours, theirs) => panic!("{types:?}: {ours:?}, but {theirs:?}"),
    }
}
