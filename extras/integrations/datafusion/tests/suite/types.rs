//! Every type of column, with nulls, in slices and empty, and constants.

use std::sync::Arc;

use datafusion_arrow::array::{Array, ArrayRef, Int32Array, NullArray, StringArray};
use datafusion_arrow::compute::cast;
use datafusion_arrow::datatypes::DataType;
use datafusion_common::ScalarValue;
use datafusion_expr::{ColumnarValue, ScalarUDF};
use datafusion_functions::crypto;
use datafusion_hashlanes::spark;
use datafusion_spark::function::hash;

use crate::call::{array, assert_same, call, column, constant};

/// Ours and theirs.
pub(crate) fn pairs() -> [[Arc<ScalarUDF>; 2]; 6] {
    [
        [datafusion_hashlanes::md5(), crypto::md5()],
        [datafusion_hashlanes::sha224(), crypto::sha224()],
        [datafusion_hashlanes::sha256(), crypto::sha256()],
        [datafusion_hashlanes::sha384(), crypto::sha384()],
        [datafusion_hashlanes::sha512(), crypto::sha512()],
        [spark::sha1(), hash::sha1()],
    ]
}

pub(crate) const NAMES: [&str; 9] =
    ["md5", "sha224", "sha256", "sha384", "sha512", "blake2s", "blake2b", "blake3", "md6"];

/// The numbers of bits of Spark's `sha2`, and a wrong one.
pub(crate) const BITS: [i32; 6] = [0, 224, 256, 384, 512, 128];

/// Columns of strings of five bytes, since some types have only values of one length.
pub(crate) fn columns() -> Vec<ArrayRef> {
    let strings = (0..3000).map(|i| (i % 7 > 0).then(|| format!("{i:05}")));
    let strings: ArrayRef = Arc::new(strings.collect::<StringArray>());
    let binary = cast(&strings, &DataType::Binary).unwrap();
    let dictionary = |values| DataType::Dictionary(DataType::Int32.into(), Box::new(values));
    let types = [
        DataType::Utf8,
        DataType::LargeUtf8,
        DataType::Utf8View,
        DataType::Binary,
        DataType::LargeBinary,
        DataType::BinaryView,
        DataType::FixedSizeBinary(5),
        dictionary(DataType::Utf8),
        dictionary(DataType::LargeUtf8),
    ];
    let column = |to: &DataType| cast(&strings, to).or_else(|_| cast(&binary, to)).unwrap();
    let null: ArrayRef = Arc::new(NullArray::new(10));
    let numbers = cast(&strings, &DataType::Int64).unwrap();
    types.iter().map(column).chain([null, numbers]).collect()
}

/// A column, slices that begin anywhere, none of its rows, and constants.
pub(crate) fn arguments(column: &ArrayRef) -> Vec<ColumnarValue> {
    let middle = column.len() / 3;
    let arrays = [
        column.clone(),
        column.slice(1, middle),
        column.slice(middle, column.len() - middle),
        column.slice(3, 0),
    ];
    let constants = [0, 1].map(|row| ScalarValue::try_from_array(column, row).unwrap());
    arrays.into_iter().map(ColumnarValue::Array).chain(constants.map(constant)).collect()
}

#[test]
fn columns_and_constants_of_all_types() {
    for column in columns() {
        for argument in arguments(&column) {
            for [ours, theirs] in pairs() {
                assert_same(&ours, &theirs, std::slice::from_ref(&argument));
            }
            for name in NAMES {
                let args = [argument.clone(), constant(name)];
                assert_same(&datafusion_hashlanes::digest(), &crypto::digest(), &args);
            }
            for bits in BITS.map(ScalarValue::from).into_iter().chain([ScalarValue::Int32(None)]) {
                assert_same(&spark::sha2(), &hash::sha2(), &[argument.clone(), constant(bits)]);
            }
        }
    }
}

#[test]
fn wrong_numbers_and_types_of_arguments() {
    let text = || constant("a");
    for args in [vec![], vec![text(), text()], vec![text(), text(), text()], vec![constant(1.5)]] {
        for [ours, theirs] in pairs() {
            assert_same(&ours, &theirs, &args);
        }
    }
    let names = || column(StringArray::from(vec!["md5", "sha256"]));
    let null = || constant(ScalarValue::Utf8(None));
    for args in [vec![text()], vec![text(), null()], vec![text(), names()], vec![names(), names()]]
    {
        assert_same(&datafusion_hashlanes::digest(), &crypto::digest(), &args);
    }
}

/// DataFusion's foreign function interface makes an array of a constant.
#[test]
fn a_constant_may_be_an_array() {
    let values = || column(StringArray::from(vec![Some("a"), None, Some("")]));
    for name in ["sha384", "blake3"] {
        let names = column(StringArray::from(vec![name; 3]));
        let digest = datafusion_hashlanes::digest();
        let [one, other] =
            [names, constant(name)].map(|name| array(call(&digest, &[values(), name]).unwrap()));
        assert_eq!(&one, &other);
    }
    for bits in [[Some(256); 3], [Some(5); 3], [Some(0), None, Some(224)]] {
        let args = [values(), column(Int32Array::from(bits.to_vec()))];
        assert_same(&spark::sha2(), &hash::sha2(), &args);
    }
}

#[test]
fn names_and_documentation_are_the_engines() {
    for [ours, theirs] in pairs() {
        assert_eq!(ours.name(), theirs.name());
        assert_eq!(ours.aliases(), theirs.aliases());
        assert_eq!(ours.documentation(), theirs.documentation());
        assert_ne!(ours, theirs);
    }
}
