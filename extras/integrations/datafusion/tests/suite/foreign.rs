//! Functions behind DataFusion's foreign function interface, where its Python package calls them.

use std::sync::Arc;

use datafusion_arrow::array::{ArrayRef, StringArray};
use datafusion_expr::{ColumnarValue, ScalarUDF, ScalarUDFImpl};
use datafusion_ffi::udf::FFI_ScalarUDF;
use datafusion_functions::crypto;
use datafusion_hashlanes::spark;
use datafusion_spark::function::hash;

use crate::call::{array, assert_same, call, constant};
use crate::types::{BITS, NAMES, arguments, columns, pairs};

/// The function as another library sees it.
fn foreign(function: Arc<ScalarUDF>) -> ScalarUDF {
    extern "C" fn another_library() -> usize {
        0
    }
    let mut function = FFI_ScalarUDF::from(function);
    function.library_marker_id = another_library;
    let function: Arc<dyn ScalarUDFImpl> = function.into();
    ScalarUDF::new_from_shared_impl(function)
}

#[test]
fn digests_are_the_engines() {
    let (digest, sha2) = (foreign(datafusion_hashlanes::digest()), foreign(spark::sha2()));
    let pairs = pairs().map(|[ours, theirs]| (foreign(ours), theirs));
    for argument in columns().iter().flat_map(arguments) {
        for (ours, theirs) in &pairs {
            assert_same(ours, theirs, std::slice::from_ref(&argument));
        }
        for name in NAMES.into_iter().filter(|&name| name != "md6") {
            assert_same(&digest, &crypto::digest(), &[argument.clone(), constant(name)]);
        }
        for bits in BITS {
            assert_same(&sha2, &hash::sha2(), &[argument.clone(), constant(bits)]);
        }
    }
}

#[test]
fn rows_are_framed() {
    let values: ArrayRef = Arc::new(StringArray::from(vec![Some("ab"), None, Some("")]));
    for rows in [values.slice(0, 3), values.slice(1, 0)] {
        let args = [ColumnarValue::Array(rows), constant(5_i64), constant("sha256")];
        let [one, other] = [foreign, Arc::unwrap_or_clone]
            .map(|face| array(call(&face(datafusion_hashlanes::digest_rows()), &args).unwrap()));
        assert_eq!(&one, &other);
    }
}
