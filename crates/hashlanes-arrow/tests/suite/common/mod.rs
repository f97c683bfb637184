//! Reference digests, computed with RustCrypto.

use arrow_array::ArrayRef;
use arrow_array::cast::AsArray;
use hashlanes_arrow::{Algorithm, Output};
use md5::Digest;

pub(crate) fn oracle(algorithm: Algorithm, message: &[u8]) -> Vec<u8> {
    match algorithm {
        Algorithm::Md5 => md5::Md5::digest(message).to_vec(),
        Algorithm::Sha1 => sha1::Sha1::digest(message).to_vec(),
        Algorithm::Sha224 => sha2::Sha224::digest(message).to_vec(),
        Algorithm::Sha256 => sha2::Sha256::digest(message).to_vec(),
        Algorithm::Sha384 => sha2::Sha384::digest(message).to_vec(),
        Algorithm::Sha512 => sha2::Sha512::digest(message).to_vec(),
        Algorithm::Sha512_256 => sha2::Sha512_256::digest(message).to_vec(),
        Algorithm::Sm3 => sm3::Sm3::digest(message).to_vec(),
        other => panic!("no oracle for {other}"),
    }
}

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
