//! Expands the matrices of ML-KEM (FIPS 203) and ML-DSA (FIPS 204) from a seed, and prints the
//! SHA-256 of their coefficients. Most of the time to make a key goes into this.
//!
//! ```sh
//! cargo run --release --example lattice -- [SEED]
//! ```
//!
//! The seed has 64 hexadecimal digits. Each polynomial of a matrix is the output of SHAKE128 for
//! the seed and the polynomial's place, without the candidates that are too large. So all of them
//! are absorbed side by side, and squeezed until each has enough coefficients.

use std::env;
use std::process::ExitCode;

use hashlanes::xof::{Xof, squeeze_many};
use hashlanes::{AnyDigest, Sha256, Shake128};

/// Coefficients of a polynomial.
const N: usize = 256;

/// Bytes of a block of SHAKE128's output.
const BLOCK: usize = 168;

/// A set of parameters.
struct Parameters {
    name: &'static str,
    rows: u8,
    columns: u8,
    /// Coefficients are less than this.
    modulus: u32,
    /// The candidates for coefficients in three bytes.
    candidates: fn([u32; 3]) -> [Option<u32>; 2],
    /// The blocks of output that suffice for nearly all polynomials.
    blocks: usize,
}

const fn ml_kem(name: &'static str, k: u8) -> Parameters {
    let candidates = two_of_twelve_bits;
    Parameters { name, rows: k, columns: k, modulus: 3329, candidates, blocks: 3 }
}

const fn ml_dsa(name: &'static str, rows: u8, columns: u8) -> Parameters {
    let candidates = one_of_23_bits;
    Parameters { name, rows, columns, modulus: 8_380_417, candidates, blocks: 5 }
}

const ALL: [Parameters; 6] = [
    ml_kem("ML-KEM-512", 2),
    ml_kem("ML-KEM-768", 3),
    ml_kem("ML-KEM-1024", 4),
    ml_dsa("ML-DSA-44", 4, 4),
    ml_dsa("ML-DSA-65", 6, 5),
    ml_dsa("ML-DSA-87", 8, 7),
];

/// FIPS 203, algorithm 7 (SampleNTT).
fn two_of_twelve_bits([b0, b1, b2]: [u32; 3]) -> [Option<u32>; 2] {
    [Some(b0 + 256 * (b1 % 16)), Some(b1 / 16 + 16 * b2)]
}

/// FIPS 204, algorithms 14 and 30 (CoeffFromThreeBytes, RejNTTPoly).
fn one_of_23_bits([b0, b1, b2]: [u32; 3]) -> [Option<u32>; 2] {
    [Some(b0 + (b1 << 8) + ((b2 & 0x7f) << 16)), None]
}

/// The polynomials of the matrix, row by row.
fn expand(parameters: &Parameters, seed: &[u8; 32]) -> Vec<Vec<u32>> {
    let Parameters { rows, columns, modulus, candidates, blocks, .. } = *parameters;
    let places: Vec<[u8; 2]> =
        (0..rows).flat_map(|row| (0..columns).map(move |column| [column, row])).collect();
    let mut readers = Xof::<Shake128>::new().update(seed).absorb_many(&places);
    let mut outputs = vec![vec![0; blocks * BLOCK]; places.len()];
    let mut matrix = vec![Vec::with_capacity(N); places.len()];
    while outputs.iter().any(|output| !output.is_empty()) {
        squeeze_many(&mut readers, &mut outputs);
        for (polynomial, output) in matrix.iter_mut().zip(&mut outputs) {
            let three = output.as_chunks().0.iter().map(|bytes| bytes.map(u32::from));
            let small = three.flat_map(candidates).flatten().filter(|&number| number < modulus);
            polynomial.extend(small.take(N - polynomial.len()));
            // A polynomial that lacks coefficients gets another block, the others nothing.
            output.resize(if polynomial.len() < N { BLOCK } else { 0 }, 0);
        }
    }
    matrix
}

/// The seed with these hexadecimal digits.
fn parse(digits: &str) -> Option<[u8; 32]> {
    digits.parse::<AnyDigest>().ok()?.as_bytes().try_into().ok()
}

fn main() -> ExitCode {
    let seed = match env::args().nth(1) {
        None => Some([0; 32]),
        Some(digits) => parse(&digits),
    };
    let Some(seed) = seed else {
        eprintln!("lattice: the seed must have 64 hexadecimal digits");
        return ExitCode::FAILURE;
    };
    for parameters in &ALL {
        let matrix = expand(parameters, &seed);
        let bytes: Vec<u8> = matrix.iter().flatten().flat_map(|c| c.to_le_bytes()).collect();
        println!("{}  {}", AnyDigest::from(Sha256::digest(bytes)), parameters.name);
    }
    ExitCode::SUCCESS
}
