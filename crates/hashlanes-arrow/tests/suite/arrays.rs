//! Columns of every type, compared with RustCrypto.

use std::num::NonZero;
use std::sync::Arc;

use crate::common::{digests, expected};
use arrow_array::cast::AsArray;
use arrow_array::types::{Int8Type, UInt32Type};
use arrow_array::{
    Array, ArrayRef, BinaryArray, BinaryViewArray, DictionaryArray, FixedSizeBinaryArray,
    Int8Array, Int64Array, LargeBinaryArray, LargeStringArray, NullArray, StringArray,
    StringViewArray, UInt32Array,
};
use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};
use arrow_schema::DataType;
use hashlanes_arrow::{Algorithm, ColumnHasher, DigestBuilder, Error, Output, digest_array};

const OUTPUTS: [Output; 2] = [Output::Binary, Output::Hex];

/// Strings of lengths around every boundary, some of them null.
fn texts(rows: usize, seed: u64) -> Vec<Option<String>> {
    let mut random = fastrand::Rng::with_seed(seed);
    let text = |random: &mut fastrand::Rng| {
        let length = match random.u8(..20) {
            0 => 0,
            1 => random.usize(..2000),
            2..6 => random.usize(..14),
            _ => random.usize(..130),
        };
        (0..length).map(|_| random.char('a'..='ÿ')).collect::<String>()
    };
    (0..rows).map(|_| (random.u8(..7) > 0).then(|| text(&mut random))).collect()
}

fn as_bytes(texts: &[Option<String>]) -> Vec<Option<&[u8]>> {
    texts.iter().map(|text| text.as_ref().map(String::as_bytes)).collect()
}

/// The same values in each type of strings and bytes.
fn columns(texts: &[Option<String>]) -> Vec<ArrayRef> {
    let (strings, bytes) = (texts.iter().map(Option::as_deref), as_bytes(texts));
    let bytes = bytes.iter().copied();
    vec![
        Arc::new(strings.clone().collect::<StringArray>()),
        Arc::new(strings.clone().collect::<LargeStringArray>()),
        Arc::new(strings.collect::<StringViewArray>()),
        Arc::new(bytes.clone().collect::<BinaryArray>()),
        Arc::new(bytes.clone().collect::<LargeBinaryArray>()),
        Arc::new(bytes.collect::<BinaryViewArray>()),
    ]
}

#[test]
fn every_type_function_and_output() {
    let texts = texts(300, 1);
    for array in columns(&texts) {
        for &algorithm in Algorithm::ALL {
            for output in OUTPUTS {
                let hashed = digest_array(&array, algorithm, output).unwrap();
                assert_eq!(hashed.data_type(), &output.data_type(algorithm));
                let expected = expected(algorithm, output, as_bytes(&texts));
                assert_eq!(digests(&hashed, output), expected, "{algorithm} {array:?}");
            }
        }
    }
}

#[test]
fn slices_of_any_offset() {
    let texts = texts(200, 2);
    for array in columns(&texts) {
        for (start, length) in [(0, 0), (0, 1), (1, 1), (3, 64), (7, 193), (199, 1), (200, 0)] {
            for output in OUTPUTS {
                let slice = array.slice(start, length);
                let hashed = digest_array(&slice, Algorithm::Md5, output).unwrap();
                let texts = as_bytes(&texts[start..start + length]);
                let expected = expected(Algorithm::Md5, output, texts);
                assert_eq!(digests(&hashed, output), expected, "{start} {length} {array:?}");
            }
        }
    }
}

#[test]
fn a_fixed_size_of_any_length_with_nulls_and_slices() {
    for length in [1, 16, 55, 56, 64, 200] {
        let mut random = fastrand::Rng::with_seed(3);
        let values: Vec<Option<Vec<u8>>> = (0..100)
            .map(|_| {
                let value = (0..length).map(|_| random.u8(..)).collect();
                (random.u8(..5) > 0).then_some(value)
            })
            .collect();
        let array =
            FixedSizeBinaryArray::try_from_sparse_iter_with_size(values.iter().cloned(), length)
                .unwrap();
        for (start, rows) in [(0, 100), (9, 50), (99, 1)] {
            for output in OUTPUTS {
                let slice = array.slice(start, rows);
                let hashed = digest_array(&slice, Algorithm::Sha1, output).unwrap();
                let values = values[start..start + rows].iter().map(Option::as_deref);
                assert_eq!(digests(&hashed, output), expected(Algorithm::Sha1, output, values));
            }
        }
    }
}

#[test]
fn digests_do_not_depend_on_windows_or_threads() {
    let texts = texts(30_000, 4);
    let array: StringArray = texts.iter().map(Option::as_deref).collect();
    let none_null: StringArray = texts.iter().map(|text| text.as_deref().or(Some(""))).collect();
    for output in OUTPUTS {
        let expected = expected(Algorithm::Md5, output, as_bytes(&texts));
        for threads in [1, 2, 3, 100] {
            let hasher = ColumnHasher::new(Algorithm::Md5).output(output);
            let hasher = hasher.threads(NonZero::new(threads).unwrap());
            let hashed = hasher.digest_array(&array).unwrap();
            assert_eq!(digests(&hashed, output), expected, "{threads} threads");
            let hashed = hasher.digest_array(&none_null).unwrap();
            assert_eq!(hashed.null_count(), 0);
            for (row, digest) in digests(&hashed, output).iter().enumerate() {
                assert!(expected[row].is_none() || digest == &expected[row], "row {row}");
            }
        }
    }
}

#[test]
fn empty_columns_and_only_nulls() {
    let nulls = [None::<&str>; 10];
    for array in [&StringArray::from(nulls.to_vec()) as &dyn Array, &NullArray::new(10)] {
        for output in OUTPUTS {
            let hashed = digest_array(array, Algorithm::Sha512, output).unwrap();
            assert_eq!((hashed.len(), hashed.null_count()), (10, 10));
            let hashed = digest_array(&array.slice(4, 0), Algorithm::Sha512, output).unwrap();
            assert_eq!(hashed.len(), 0);
            assert_eq!(hashed.data_type(), &output.data_type(Algorithm::Sha512));
        }
    }
}

#[test]
fn a_dictionary_keeps_its_keys_and_hashes_only_used_values() {
    let values = StringArray::from(vec![Some("never"), Some("a"), None, Some("b")]);
    let keys = Int8Array::from(vec![Some(3), None, Some(1), Some(3), Some(2)]);
    let array = DictionaryArray::<Int8Type>::new(keys.clone(), Arc::new(values));
    for output in OUTPUTS {
        let hashed = digest_array(&array, Algorithm::Sha256, output).unwrap();
        let hasher = ColumnHasher::new(Algorithm::Sha256).output(output);
        assert_eq!(hashed.data_type(), &hasher.digest_type(array.data_type()).unwrap());
        let hashed = hashed.as_dictionary::<Int8Type>();
        assert_eq!(hashed.keys(), &keys);
        let values = [None, Some(&b"a"[..]), None, Some(b"b")];
        assert_eq!(digests(hashed.values(), output), expected(Algorithm::Sha256, output, values));

        // A slice hashes only the values that its own keys refer to.
        let hashed = hasher.digest_array(&array.slice(1, 2)).unwrap();
        let hashed = hashed.as_dictionary::<Int8Type>();
        assert_eq!((hashed.len(), hashed.values().null_count()), (2, 3));
    }
}

#[test]
fn a_dictionary_of_nulls_has_no_digests() {
    let keys = Int8Array::from(vec![Some(1), None, Some(0)]);
    let array = DictionaryArray::<Int8Type>::new(keys, Arc::new(NullArray::new(2)));
    for output in OUTPUTS {
        let hashed = digest_array(&array, Algorithm::Md5, output).unwrap();
        assert_eq!(hashed.as_dictionary::<Int8Type>().values().null_count(), 2);
    }
}

#[test]
fn dictionaries_of_every_type_of_values() {
    let texts = texts(50, 5);
    for values in columns(&texts) {
        let keys = UInt32Array::from_iter_values((0..200).map(|row| row * 7 % 50));
        let array = DictionaryArray::<UInt32Type>::new(keys, values);
        let hashed = digest_array(&array, Algorithm::Md5, Output::Hex).unwrap();
        let hashed = hashed.as_dictionary::<UInt32Type>();
        let expected = expected(Algorithm::Md5, Output::Hex, as_bytes(&texts));
        assert_eq!(digests(hashed.values(), Output::Hex), expected);
    }
}

#[test]
fn unsupported_types_are_named_in_errors() {
    let message = |array: &dyn Array| {
        digest_array(array, Algorithm::Md5, Output::Binary).unwrap_err().to_string()
    };
    let begins = "a column of type Int64 has no bytes to hash: ";
    assert!(message(&Int64Array::from(vec![1])).starts_with(begins));
    let values = Arc::new(Int64Array::from(vec![1]));
    let array = DictionaryArray::<Int8Type>::new(Int8Array::from(vec![0]), values);
    assert!(message(&array).starts_with(begins));
}

/// Arrays of other programs can have any offsets.
#[test]
fn invalid_offsets_are_errors() {
    let outside =
        |row| Error::Invalid { column: 0, row, reason: "the value lies outside the column's data" };
    for offsets in [vec![0, 2, 9], vec![0, 2, 1], vec![0, 2, -1]] {
        let offsets = ScalarBuffer::from(offsets);
        // SAFETY: the offsets are invalid on purpose. Only the code under test reads values through
        // them, and it checks each one.
        let offsets = unsafe { OffsetBuffer::new_unchecked(offsets) };
        let data = Buffer::from(b"abcd");
        // SAFETY: as above: only the code under test uses the offsets, and it checks them.
        let array = unsafe { BinaryArray::new_unchecked(offsets, data, None) };
        let result = digest_array(&array, Algorithm::Md5, Output::Binary);
        assert_eq!(result.unwrap_err(), outside(1));
    }

    let view = |length: u128, buffer: u128, offset: u128| length | buffer << 64 | offset << 96;
    let good = view(20, 0, 0);
    for wrong in [view(20, 1, 0), view(20, 0, 90), view(u32::MAX.into(), 0, u32::MAX.into())] {
        let views = ScalarBuffer::from(vec![good, wrong]);
        // SAFETY: the views are invalid on purpose. Only the code under test reads values through
        // them, and it checks each one.
        let array = unsafe {
            BinaryViewArray::new_unchecked(views, [Buffer::from(vec![7_u8; 100])].into(), None)
        };
        let result = digest_array(&array, Algorithm::Md5, Output::Hex);
        assert_eq!(result.unwrap_err(), outside(1));
    }

    // SAFETY: the keys are invalid on purpose. Only the code under test uses them, and it checks
    // each one.
    let array = unsafe {
        DictionaryArray::<Int8Type>::new_unchecked(
            Int8Array::from(vec![0, 1, -1]),
            Arc::new(StringArray::from(vec!["a"])),
        )
    };
    let error = digest_array(&array, Algorithm::Md5, Output::Hex).unwrap_err();
    assert_eq!(error.to_string(), "column 0, row 1: the key is not an index of the dictionary");
}

/// No address space has room for them.
#[test]
fn too_many_rows_for_memory_are_an_error() {
    let rows = 1 << 60;
    let nulls = NullArray::new(rows);
    for output in OUTPUTS {
        let hasher = ColumnHasher::new(Algorithm::Md5).output(output);
        assert_eq!(hasher.digest_array(&nulls).unwrap_err(), Error::NoMemory { rows });
        let mut builder = DigestBuilder::new(Algorithm::Md5, output);
        assert_eq!(builder.reserve(rows), Err(Error::NoMemory { rows }));
        assert_eq!(builder.reserve(3), Ok(()));
    }
}

#[test]
fn too_many_digits_for_a_string_array_are_an_error() {
    // 33,554,432 digests of 64 digits are 2^31 bytes. The column itself is small: empty strings.
    let rows = 1 << 25;
    let array = FixedSizeBinaryArray::new_null(0, 0);
    assert_eq!(array.data_type(), &DataType::FixedSizeBinary(0));
    let offsets = OffsetBuffer::new_zeroed(rows);
    let array = BinaryArray::new(offsets, Buffer::default(), None);
    let error = digest_array(&array, Algorithm::Sha256, Output::Hex).unwrap_err();
    assert_eq!(error, Error::TooManyDigits { at_most: rows - 1, digests: rows });
}
