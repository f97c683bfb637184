//! Opens records with OpenSSL's primitives, to verify what was measured.

use anyhow::{Context, Result, ensure};
use hashlanes_records::CipherSuite;
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Signer;
use openssl::symm::{Cipher, Crypter, Mode};

/// The plaintext of TLS 1.2 application data records, MAC-then-encrypt, starting at a record
/// number.
pub(crate) fn open(
    suite: CipherSuite,
    key: &[u8],
    mac_key: &[u8],
    first: u64,
    mut wire: &[u8],
) -> Result<Vec<u8>> {
    let mut all = Vec::new();
    for number in first.. {
        if wire.is_empty() {
            break;
        }
        let (header, rest) = wire.split_at_checked(5).context("no header")?;
        ensure!(header[..3] == [23, 3, 3], "a header of {header:?}");
        let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
        let (record, rest) = rest.split_at_checked(length).context("cut off")?;
        wire = rest;
        let mut plaintext = decrypt(suite, key, record)?;
        let padding = usize::from(*plaintext.last().context("empty")?) + 1;
        let end = plaintext.len().checked_sub(padding + suite.mac_len()).context("too short")?;
        let mac = plaintext[end..end + suite.mac_len()].to_vec();
        plaintext.truncate(end);
        let mut message = number.to_be_bytes().to_vec();
        message.extend_from_slice(&header[..3]);
        message.extend_from_slice(&(end as u16).to_be_bytes());
        message.extend_from_slice(&plaintext);
        ensure!(hmac(suite, mac_key, &message)? == mac, "record {number} has a wrong MAC");
        all.extend_from_slice(&plaintext);
    }
    Ok(all)
}

fn decrypt(suite: CipherSuite, key: &[u8], record: &[u8]) -> Result<Vec<u8>> {
    let cipher = match suite.encryption_key_len() {
        16 => Cipher::aes_128_cbc(),
        _ => Cipher::aes_256_cbc(),
    };
    let (iv, encrypted) = record.split_at_checked(16).context("no IV")?;
    let mut crypter = Crypter::new(cipher, Mode::Decrypt, key, Some(iv))?;
    crypter.pad(false);
    let mut plaintext = vec![0; encrypted.len() + 16];
    let length = crypter.update(encrypted, &mut plaintext)?;
    let length = length + crypter.finalize(&mut plaintext[length..])?;
    plaintext.truncate(length);
    Ok(plaintext)
}

fn hmac(suite: CipherSuite, key: &[u8], message: &[u8]) -> Result<Vec<u8>> {
    let digest = match suite.mac_len() {
        20 => MessageDigest::sha1(),
        _ => MessageDigest::sha256(),
    };
    let key = PKey::hmac(key)?;
    Ok(Signer::new(digest, &key)?.sign_oneshot_to_vec(message)?)
}
