//! Dictionaries: the digests of the values are a dictionary with the same keys.

use std::sync::Arc;

use arrow_array::types::ArrowDictionaryKeyType;
use arrow_array::{Array, ArrayRef, DictionaryArray, downcast_dictionary_array};
use arrow_buffer::{ArrowNativeType, BooleanBuffer, BooleanBufferBuilder, NullBuffer};

use crate::Error;

/// The digests of a dictionary's values, each hashed once by `hash`, with the keys of `array`.
/// `hash` gets the values, and which of them are null.
///
/// A value that no key refers to is not hashed, and its digest is null. Short slices of a column
/// often have a long dictionary.
pub(crate) fn digest(
    array: &dyn Array,
    hash: impl FnOnce(&dyn Array, Option<NullBuffer>) -> Result<ArrayRef, Error>,
) -> Result<ArrayRef, Error> {
    downcast_dictionary_array!(
        array => digest_values(array, hash),
        other => Err(Error::NotBytes(other.clone())),
    )
}

fn digest_values<K: ArrowDictionaryKeyType>(
    array: &DictionaryArray<K>,
    hash: impl FnOnce(&dyn Array, Option<NullBuffer>) -> Result<ArrayRef, Error>,
) -> Result<ArrayRef, Error> {
    let values = array.values();
    let used = NullBuffer::new(used(array)?);
    // A `NullArray` has no null buffer.
    let nulls = NullBuffer::union(Some(&used), values.logical_nulls().as_ref());
    let digests = hash(values, nulls)?;
    Ok(Arc::new(array.with_values(digests)))
}

/// The values that a key refers to.
///
/// # Errors
/// If a key is out of range.
fn used<K: ArrowDictionaryKeyType>(array: &DictionaryArray<K>) -> Result<BooleanBuffer, Error> {
    let values = array.values().len();
    let mut used = BooleanBufferBuilder::new(values);
    used.append_n(values, false);
    let keys = array.keys().values();
    let mut mark = |row: usize| match keys[row].to_usize() {
        Some(key) if key < values => {
            used.set_bit(key, true);
            Ok(())
        }
        _ => Err(Error::Invalid { column: 0, row, reason: NO_VALUE }),
    };
    match array.nulls() {
        None => (0..keys.len()).try_for_each(&mut mark)?,
        Some(nulls) => nulls.valid_indices().try_for_each(&mut mark)?,
    }
    Ok(used.finish())
}

pub(crate) const NO_VALUE: &str = "the key is not an index of the dictionary";
