//! Reference digests, and those in arrays.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use hashlanes_arrow::{Algorithm, Output};

mod oracle;

pub(crate) use oracle::oracle;

/// The expected digests, as strings or bytes.
pub(crate) fn expected<'a>(
    algorithm: Algorithm,
    output: Output,
    messages: impl IntoIterator<Item = Option<&'a [u8]>>,
) -> Vec<Option<Vec<u8>>> {
    let digest = |message: &[u8]| {
        let digest = oracle(algorithm, message);
        match output {
            Output::Binary => digest,
            Output::Hex => digest.iter().flat_map(|b| format!("{b:02x}").into_bytes()).collect(),
        }
    };
    messages.into_iter().map(|message| message.map(digest)).collect()
}

/// The digests in an array.
pub(crate) fn digests(array: &ArrayRef, output: Output) -> Vec<Option<Vec<u8>>> {
    match output {
        Output::Binary => {
            let array = array.as_fixed_size_binary();
            array.iter().map(|digest| digest.map(<[u8]>::to_vec)).collect()
        }
        Output::Hex => {
            let array = array.as_string::<i32>();
            array.iter().map(|digest| digest.map(|digits| digits.as_bytes().to_vec())).collect()
        }
    }
}
