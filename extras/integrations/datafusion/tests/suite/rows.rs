//! `digest_rows`, beside digests of frames that are written by hand.

use std::sync::Arc;

use datafusion_arrow::array::{Array, ArrayRef, AsArray, BinaryArray, Int32Array, StringArray};
use datafusion_arrow::datatypes::DataType;
use datafusion_expr::ColumnarValue;
use datafusion_functions::crypto;

use crate::call::{array, call, column, constant};

/// The frames of a text and of the number 5.
const FRAMES: [&[u8]; 3] = [
    b"\x06\x02\0\0\0\0\0\0\0ab\x03\x05\0\0\0\0\0\0\0",
    b"\0\x03\x05\0\0\0\0\0\0\0",
    b"\x06\0\0\0\0\0\0\0\0\x03\x05\0\0\0\0\0\0\0",
];

fn texts() -> ColumnarValue {
    column(StringArray::from(vec![Some("ab"), None, Some("")]))
}

fn digest_rows(args: &[ColumnarValue]) -> datafusion_common::Result<ColumnarValue> {
    call(&datafusion_hashlanes::digest_rows(), args)
}

#[test]
fn rows_are_framed() {
    let frames = column(BinaryArray::from(FRAMES.to_vec()));
    let right = array(call(&crypto::sha256(), &[frames]).unwrap());
    for five in [constant(5_i64), column(Int32Array::from(vec![5; 3]))] {
        let digests = array(digest_rows(&[texts(), five, constant("sha256")]).unwrap());
        assert_eq!(digests.data_type(), &DataType::Binary);
        assert_eq!(&digests, &right);
    }
}

#[test]
fn constants_and_columns_without_rows() {
    let constants = [constant("ab"), constant(5_i64), constant("sha256")];
    let Ok(ColumnarValue::Scalar(digest)) = digest_rows(&constants) else { panic!("no constant") };
    let frame = column(BinaryArray::from(vec![FRAMES[0]]));
    let right = array(call(&crypto::sha256(), &[frame]).unwrap());
    assert_eq!(&digest.to_array().unwrap(), &right);
    let empty: ArrayRef = Arc::new(StringArray::from(Vec::<&str>::new()));
    let digests = array(digest_rows(&[ColumnarValue::Array(empty), constant("md5")]).unwrap());
    assert!(digests.as_binary::<i32>().is_empty());
}

#[test]
fn wrong_arguments_are_refused() {
    for (args, message) in [
        (vec![], "digest_rows"),
        (vec![constant("md5")], "at least one column"),
        (vec![texts(), constant("md6")], "unknown algorithm 'md6'"),
        (vec![texts(), constant(5_i64)], "the last argument has to be the name of an algorithm"),
        (vec![texts(), texts()], "the last argument has to be the name of an algorithm"),
    ] {
        let error = digest_rows(&args).unwrap_err().to_string();
        assert!(error.contains(message), "{message}: {error}");
    }
}
