//! Arrow columns of every type, compared with a plain framing: with nulls, slices, offsets that
//! begin anywhere, views, dictionaries and lists of lists. Then columns with invalid offsets, views
//! and keys, as another program could pass them: they must give an error or any digest, but never a
//! panic.

#![no_main]

#[path = "arrow/column.rs"]
mod column;
#[path = "arrow/layout.rs"]
mod layout;
#[path = "arrow/value.rs"]
mod value;
#[path = "arrow/wrong.rs"]
mod wrong;

use std::num::NonZero;

use arrow_array::cast::AsArray;
use arrow_array::{Array, ArrayRef, downcast_dictionary_array};
use hashlanes::Algorithm;
use hashlanes_arrow::{ColumnHasher, Error, Output};
use hashlanes_fuzz::oracle;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;

use self::column::Column;
use self::value::{Value, frames};

fn hasher(input: &mut Unstructured) -> Result<ColumnHasher> {
    let algorithm = *input.choose(Algorithm::ALL)?;
    let output = *input.choose(&[Output::Binary, Output::Hex])?;
    let threads = NonZero::new(input.int_in_range(1..=3)?).unwrap_or(NonZero::<usize>::MIN);
    Ok(ColumnHasher::new(algorithm).output(output).threads(threads))
}

/// The expected digests.
fn expected(hasher: &ColumnHasher, message: &[u8]) -> Vec<u8> {
    let digest = oracle(hasher.algorithm(), message);
    match hasher.output_kind() {
        Output::Hex => digest.iter().flat_map(|b| format!("{b:02x}").into_bytes()).collect(),
        _ => digest,
    }
}

/// The digests of an array, whatever its layout.
fn digests(array: &dyn Array) -> Vec<Option<Vec<u8>>> {
    if let Some(array) = array.as_fixed_size_binary_opt() {
        return array.iter().map(|digest| digest.map(<[u8]>::to_vec)).collect();
    }
    if let Some(array) = array.as_string_opt::<i32>() {
        return array.iter().map(|digest| digest.map(|text| text.as_bytes().to_vec())).collect();
    }
    downcast_dictionary_array!(
        array => {
            let values = digests(array.values());
            array.keys_iter().map(|key| values[key?].clone()).collect()
        },
        other => panic!("digests of type {other}"),
    )
}

fn check_values(hasher: &ColumnHasher, column: &Column) {
    let array = &column.array;
    let hashed = match hasher.digest_array(array) {
        Ok(hashed) => hashed,
        Err(Error::NotBytes(_)) => {
            assert!(hasher.digest_type(array.data_type()).is_err());
            assert!(!column.has_bytes(), "{array:?}");
            return;
        }
        Err(error) => panic!("{error}: {array:?}"),
    };
    assert_eq!(&hasher.digest_type(array.data_type()), &Ok(hashed.data_type().clone()));
    hashed.to_data().validate_full().expect("a valid array");
    let right = column.values.iter().map(|value| match value {
        Value::Null => None,
        Value::Text(bytes) | Value::Bytes(bytes) => Some(expected(hasher, bytes)),
        other => panic!("a digest of {other:?}"),
    });
    assert_eq!(digests(&hashed), right.collect::<Vec<_>>(), "{array:?}");
}

fn check_rows(hasher: &ColumnHasher, columns: &[Column]) {
    let arrays: Vec<ArrayRef> = columns.iter().map(|column| column.array.clone()).collect();
    let hashed = hasher.digest_rows(&arrays).expect("all types are framed");
    assert_eq!(&hasher.row_digest_type(), hashed.data_type());
    hashed.to_data().validate_full().expect("a valid array");
    let right = (0..arrays[0].len()).map(|row| {
        let frame = frames(columns.iter().map(|column| &column.values[row]));
        Some(expected(hasher, &frame))
    });
    assert_eq!(digests(&hashed), right.collect::<Vec<_>>(), "{arrays:?}");
}

fn run(input: &mut Unstructured) -> Result<()> {
    let hasher = hasher(input)?;
    if input.ratio(1, 4)? {
        return wrong::try_all(input, &hasher);
    }
    let rows = input.int_in_range(0..=40)?;
    let columns = (0..input.int_in_range(1..=3)?)
        .map(|_| Column::sliced(input, rows))
        .collect::<Result<Vec<_>>>()?;
    for column in &columns {
        check_values(&hasher, column);
    }
    check_rows(&hasher, &columns);
    Ok(())
}

fuzz_target!(|input: &[u8]| {
    // The input is too short.
    let _ = run(&mut Unstructured::new(input));
});
