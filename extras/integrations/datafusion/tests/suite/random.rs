//! Random columns. As a property test: a fuzzer would compile the engine a second time.

use std::sync::Arc;

use datafusion_arrow::array::{ArrayRef, BinaryArray, StringArray};
use datafusion_arrow::compute::cast;
use datafusion_arrow::datatypes::DataType;
use datafusion_expr::ColumnarValue;
use datafusion_functions::crypto;
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::call::{assert_same, constant};
use crate::types::{NAMES, pairs};

const TEXT: [DataType; 3] = [DataType::Utf8, DataType::LargeUtf8, DataType::Utf8View];
const BYTES: [DataType; 3] = [DataType::Binary, DataType::LargeBinary, DataType::BinaryView];

/// A column of text or of bytes, of any length, and a slice of it.
fn column() -> impl Strategy<Value = ArrayRef> {
    let length = prop_oneof![4 => 0..20_usize, 4 => 50..140_usize, 1 => 0..5000_usize];
    let value = length.prop_flat_map(|length| vec(any::<u8>(), length));
    let values = vec(option::weighted(0.9, value), 0..300);
    (values, any::<bool>(), 0..3_usize, any::<(prop::sample::Index, prop::sample::Index)>())
        .prop_map(|(values, text, layout, (start, end))| {
            let column: ArrayRef = if text {
                let text = |value: &Vec<u8>| String::from_utf8_lossy(value).into_owned();
                let strings = values.iter().map(|value| value.as_ref().map(text));
                cast(&strings.collect::<StringArray>(), &TEXT[layout]).unwrap()
            } else {
                let bytes: BinaryArray = values.iter().map(|value| value.as_deref()).collect();
                cast(&bytes, &BYTES[layout]).unwrap()
            };
            let start = start.index(column.len() + 1);
            column.slice(start, end.index(column.len() - start + 1))
        })
}

proptest! {
    #[test]
    fn random_columns_have_the_digests_of_the_engine(column in column()) {
        for [ours, theirs] in pairs() {
            assert_same(&ours, &theirs, &[ColumnarValue::Array(Arc::clone(&column))]);
        }
        for name in NAMES {
            let args = [ColumnarValue::Array(Arc::clone(&column)), constant(name)];
            assert_same(&datafusion_hashlanes::digest(), &crypto::digest(), &args);
        }
    }
}
