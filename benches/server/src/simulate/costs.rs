//! The costs of rounds: tables for CPUs, or measured on this one.

use std::hint::black_box;
use std::time::Instant;

use clap::ValueEnum;

use super::policy::{Costs, MOST};
use crate::engines::AlgorithmName;

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum Cpu {
    /// This one: measured before the simulation
    This,
    /// AMD Zen 3: AVX2 and the SHA extensions
    Zen3,
    /// Intel Golden Cove with AVX-512, with rows for 256-bit and 512-bit registers
    #[value(name = "intel-avx512")]
    IntelAvx512,
}

/// Lanes of a row, and cycles for one block of all of them.
type Rows = &'static [(usize, u64)];

impl Cpu {
    /// Picoseconds for one block of each of this many messages.
    pub(super) fn costs(self, algorithm: AlgorithmName) -> Costs {
        use AlgorithmName as A;
        let (gigahertz, rows): (f64, Rows) = match (self, algorithm) {
            (Self::This, _) => return measured(algorithm),
            (Self::Zen3, A::Md5) => (3.4, &[(1, 300), (2, 340), (4, 375), (8, 380), (16, 490)]),
            (Self::Zen3, A::Sha1) => (3.4, &[(1, 122), (2, 136), (8, 430)]),
            (Self::Zen3, A::Sha256) => (3.4, &[(1, 130), (2, 138)]),
            (Self::Zen3, A::Sha512) => (3.4, &[(1, 540), (4, 1200)]),
            (Self::IntelAvx512, A::Md5) => {
                (3.45, &[(1, 305), (2, 342), (8, 283), (16, 304), (32, 439)])
            }
            (Self::IntelAvx512, A::Sha1) => (3.45, &[(1, 124), (2, 209), (8, 360), (16, 433)]),
            (Self::IntelAvx512, A::Sha256) => {
                (3.45, &[(1, 135), (2, 211), (4, 397), (8, 691), (16, 857)])
            }
            (Self::IntelAvx512, A::Sha512) => (3.45, &[(1, 662), (4, 859), (8, 1104)]),
        };
        std::array::from_fn(|messages| {
            let cycles = |&(lanes, cycles): &(usize, u64)| cycles * messages.div_ceil(lanes) as u64;
            let least = rows.iter().map(cycles).min().expect("no table is empty");
            (least as f64 * 1000.0 / gigahertz) as u64
        })
    }
}

/// Length of each measured message: long enough that mainly blocks count, and short enough for the
/// caches.
const MEASURED: usize = 16 << 10;

/// The costs on this CPU: `digest_many` in one thread, the best of several turns.
fn measured(algorithm: AlgorithmName) -> Costs {
    // Not adjacent in memory: buffers of a server may be anywhere.
    let messages: Vec<Vec<u8>> = (0..MOST).map(|i| vec![i as u8; MEASURED + 64 * i]).collect();
    let blocks = (MEASURED / super::block_length(algorithm)) as f64;
    std::array::from_fn(|count| {
        let messages: Vec<&[u8]> = messages[..count].iter().map(|m| &m[..MEASURED]).collect();
        let turn = |_| {
            let begin = Instant::now();
            black_box(algorithm.algorithm().digest_many(&messages));
            begin.elapsed().as_secs_f64()
        };
        // Enough turns to warm up, and to find one that nothing disturbed.
        let best = (0..40).map(turn).fold(f64::INFINITY, f64::min);
        (best * 1e12 / blocks) as u64
    })
}
