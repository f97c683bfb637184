//! AES-CBC with the vectors of NIST, in every kernel that the CPU has.
//!
//! Those of SP 800-38A are below. Those of the CAVP are in the Python package
//! `cryptography-vectors`: `HASHLANES_CAVP` names its folder `hashes`, and they are in the folder
//! `ciphers` beside it. In the repository `.cargo/config.toml` sets the variable, and
//! `cargo xtask setup` gets the package. Where it is not set, they are not run.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

use crate::common::engines;
use hashlanes_records::{AesKey, CbcBuffer};

#[derive(Default, Clone)]
struct Vector {
    key: Vec<u8>,
    iv: [u8; 16],
    plain: Vec<u8>,
    encrypted: Vec<u8>,
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = hex.as_bytes().chunks(2);
    digits.map(|pair| u8::from_str_radix(str::from_utf8(pair).unwrap(), 16).unwrap()).collect()
}

/// Encrypts all vectors in one call.
fn check(vectors: &[Vector]) {
    let keys: Vec<_> = vectors.iter().map(|vector| AesKey::new(&vector.key).unwrap()).collect();
    for engine in engines() {
        let mut data: Vec<_> = vectors.iter().map(|vector| vector.plain.clone()).collect();
        let mut buffers: Vec<_> = vectors
            .iter()
            .zip(&keys)
            .zip(&mut data)
            .map(|((vector, key), data)| CbcBuffer { key, iv: vector.iv, data })
            .collect();
        engine.encrypt_many(&mut buffers).unwrap();
        for (i, (vector, data)) in vectors.iter().zip(&data).enumerate() {
            assert!(*data == vector.encrypted, "vector {i}, {engine:?}");
        }
    }
}

/// SP 800-38A, F.2.1, F.2.3 and F.2.5: key and ciphertext.
const SP_800_38A: [(&str, [&str; 4]); 3] = [
    (
        "2b7e151628aed2a6abf7158809cf4f3c",
        [
            "7649abac8119b246cee98e9b12e9197d",
            "5086cb9b507219ee95db113a917678b2",
            "73bed6b8e3c1743b7116e69e22229516",
            "3ff1caa1681fac09120eca307586e1a7",
        ],
    ),
    (
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        [
            "4f021db243bc633d7178183a9fa071e8",
            "b4d9ada9ad7dedf4e5e738763f69145a",
            "571b242012fb7ae07fa9baac3df102e0",
            "08b0e27988598881d920a9e64f5615cd",
        ],
    ),
    (
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        [
            "f58c4c04d6e5f1ba779eabfb5f7bfbd6",
            "9cfc4e967edb808d679f777bc6702c7d",
            "39f23369a9d9bacfa530e26304231461",
            "b2eb05e2c39be9fcda6c19078c6a9d1b",
        ],
    ),
];

const PLAIN: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                     30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";

#[test]
fn sp_800_38a() {
    let vectors = SP_800_38A.map(|(key, encrypted)| Vector {
        key: bytes(key),
        iv: std::array::from_fn(|i| i as u8),
        plain: bytes(PLAIN),
        encrypted: bytes(&encrypted.concat()),
    });
    check(&vectors);
}

/// The vectors for encryption of a file of the CAVP.
fn parsed(text: &str) -> Vec<Vector> {
    let (_, encrypt) = text.split_once("[ENCRYPT]").unwrap();
    let encrypt = encrypt.split("[DECRYPT]").next().unwrap();
    let mut vectors = Vec::new();
    let mut vector = Vector::default();
    for (name, value) in encrypt.lines().filter_map(|line| line.split_once(" = ")) {
        match name {
            "KEY" => vector.key = bytes(value.trim()),
            "IV" => vector.iv = bytes(value.trim()).try_into().unwrap(),
            "PLAINTEXT" => vector.plain = bytes(value.trim()),
            "CIPHERTEXT" => {
                vector.encrypted = bytes(value.trim());
                vectors.push(std::mem::take(&mut vector));
            }
            _ => {}
        }
    }
    vectors
}

#[test]
fn cavp() {
    let Some(hashes) = std::env::var_os("HASHLANES_CAVP").filter(|folder| !folder.is_empty())
    else {
        let _ =
            writeln!(std::io::stderr(), "NIST's vectors: NOT RUN HERE: HASHLANES_CAVP is not set");
        return;
    };
    let folder = PathBuf::from(hashes).join("../ciphers/AES/CBC");
    let files = fs::read_dir(&folder).unwrap_or_else(|error| {
        panic!("{}: {error}; cargo xtask setup gets NIST's vectors", folder.display())
    });
    let mut vectors = Vec::new();
    for path in files.map(|file| file.unwrap().path()) {
        if path.extension() == Some(OsStr::new("rsp")) {
            vectors.extend(parsed(&fs::read_to_string(path).unwrap()));
        }
    }
    // Known answers of four kinds, and messages of several blocks.
    assert!(vectors.len() > 1000, "{}", vectors.len());
    assert!(vectors.iter().any(|vector| vector.plain.len() == 160));
    check(&vectors);
}
