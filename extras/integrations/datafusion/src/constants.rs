//! Arguments that are the same for all rows.

use datafusion_common::{Result, ScalarValue};
use datafusion_expr::ColumnarValue;

/// The value, if it is the same for all rows, of which there is at least one.
///
/// DataFusion's foreign function interface makes arrays of constants.
pub(crate) fn constant(value: &ColumnarValue) -> Result<Option<ScalarValue>> {
    match value {
        ColumnarValue::Scalar(scalar) => Ok(Some(scalar.clone())),
        ColumnarValue::Array(array) if array.is_empty() => Ok(None),
        ColumnarValue::Array(array) => {
            let data = array.to_data();
            let (first, others) = (data.slice(0, data.len() - 1), data.slice(1, data.len() - 1));
            // All values equal the next one.
            let same = first == others;
            same.then(|| ScalarValue::try_from_array(array, 0)).transpose()
        }
    }
}
