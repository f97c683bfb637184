//! Large columns, and many threads.

use std::sync::Arc;
use std::thread;

use datafusion_arrow::array::{ArrayRef, LargeBinaryArray, StringArray};
use datafusion_arrow::buffer::{Buffer, NullBuffer, OffsetBuffer, ScalarBuffer};
use datafusion_expr::ColumnarValue;
use datafusion_functions::crypto;

use crate::call::assert_same;

/// The first value is null, so that nobody hashes its two gibibytes, which are never touched.
#[test]
fn values_beyond_2_gib() {
    const LARGE: i64 = (1 << 31) + 5;
    let mut bytes = vec![0_u8; LARGE as usize + 300];
    bytes.iter_mut().rev().take(310).zip(0..).for_each(|(byte, value)| *byte = value as u8);
    let offsets = [0, LARGE, LARGE + 1, LARGE + 100, LARGE + 100, LARGE + 300];
    let offsets = OffsetBuffer::new(ScalarBuffer::from(offsets.to_vec()));
    let nulls = NullBuffer::from(vec![false, true, true, true, true]);
    let column: ArrayRef =
        Arc::new(LargeBinaryArray::new(offsets, Buffer::from_vec(bytes), Some(nulls)));
    let args = [ColumnarValue::Array(column)];
    assert_same(&datafusion_hashlanes::md5(), &crypto::md5(), &args);
    assert_same(&datafusion_hashlanes::sha256(), &crypto::sha256(), &args);
}

#[test]
fn many_threads_share_a_function() {
    let column: ArrayRef =
        Arc::new((0..20_000).map(|i| Some(i.to_string())).collect::<StringArray>());
    let (ours, theirs) = (datafusion_hashlanes::sha512(), crypto::sha512());
    thread::scope(|scope| {
        for start in 0..16 {
            let (column, ours, theirs) = (column.slice(start * 1000, 5000), &ours, &theirs);
            scope.spawn(move || assert_same(ours, theirs, &[ColumnarValue::Array(column)]));
        }
    });
}
