//! Kernels as functions with the calling convention of C, for the chore `cargo xtask go-assembly`,
//! which turns each into Go assembly. Programs that use the library do not have this module.
//!
//! Each row has two symbols: `hashlanes_FAMILY_ROW`, its function, and `about_FAMILY_ROW`, an
//! [`About`]. Some have `long_FAMILY_ROW`, a function for long runs of blocks. A function takes the
//! states, the pointers of the lanes, a number of blocks and the family's mode: those of one
//! [`Span`]. It needs no memory but its stack.

use core::arch::asm;
use core::ptr::null;

use super::contract::{Kernel, Kernels};
use super::cpu::Features;
use crate::family::{
    blake2::{Blake2bFamily, Blake2sFamily},
    blake3::{Blake3Family, Blake3Output},
    keccak::Keccak,
    md5::Md5Family,
    sha1::Sha1Family,
    sha256::Sha256Family,
    sha512::Sha512Family,
    sm3::Sm3Family,
};
use crate::input::{Compress, Span};

/// What the chore must know of a row.
#[repr(C)]
struct About {
    lanes: u16,
    /// Bits by their place in [`NEEDS`].
    needs: u16,
    /// Those of Intel, AMD, Zen 3, Zen 4 and Arm.
    cycles: [u16; 5],
}

/// The features that kernels need, in the order that the chore knows.
#[cfg(target_arch = "x86_64")]
const NEEDS: [Features; 10] = [
    Features::SSE41,
    Features::AVX2,
    Features::AVX512,
    Features::VBMI2,
    Features::SHA_NI,
    Features::BMI2,
    Features::MOVBE,
    Features::SHA512_NI,
    Features::SM3_NI,
    Features::MIXED_ENCODINGS,
];
#[cfg(target_arch = "aarch64")]
const NEEDS: [Features; 3] = [Features::NEON, Features::ARM_SHA2, Features::ARM_SHA3];

const fn about<W>(row: &Kernel<W>) -> About {
    let (mut needs, mut i) = (0, 0);
    while i < NEEDS.len() {
        if row.needs.contain(NEEDS[i]) {
            needs |= 1 << i;
        }
        i += 1;
    }
    About { lanes: row.lanes as u16, needs, cycles: row.cycles.of_cores() }
}

/// The row of this name.
///
/// # Panics
/// If there is none.
const fn row<W>(rows: &'static [Kernel<W>], name: &str) -> &'static Kernel<W> {
    let mut r = 0;
    while r < rows.len() {
        let (other, name) = (rows[r].name.as_bytes(), name.as_bytes());
        let mut i = 0;
        while i < other.len() && i < name.len() && other[i] == name[i] {
            i += 1;
        }
        if i == other.len() && i == name.len() {
            return &rows[r];
        }
        r += 1;
    }
    panic!("the table has no such row")
}

/// Compresses one span.
///
/// # Safety
/// As for [`Compress`], whose span has these parts, or `blocks` is 0.
#[inline(always)]
unsafe fn run<W>(compress: Compress<W>, states: *mut W, data: *const *const u8, blocks: usize) {
    if blocks > 0 {
        let span = Span { from: states, to: states, data, blocks, known: null() };
        // SAFETY: the caller promises what `Compress` asks for.
        unsafe { compress(&[span]) };
    }
}

/// Exports rows of a family, by name. The families behind it, by their modes, have the same rows.
macro_rules! export {
    (
        $family:literal, $word:ty, $first:ty, $modes:tt, [$($row:literal),+ $(,)?]
        $(, long [$($long:literal),+])?
    ) => {
        $(export!(@row $family, $word, $first, $modes, $row);)+
        $($(
            export!(
                @function "long_", |row| row.for_long_runs(), $family, $word, $first, $modes, $long
            );
        )+)?
    };
    (@row $family:literal, $word:ty, $first:ty, $modes:tt, $row:literal) => {
        const _: () = {
            #[unsafe(export_name = concat!("about_", $family, "_", $row))]
            static ABOUT: About = about(row(<$first as Kernels>::TABLE, $row));
        };
        export!(@function "hashlanes_", |row| row.compress, $family, $word, $first, $modes, $row);
    };
    (
        @function $prefix:literal, |$kernel:ident| $compress:expr, $family:literal, $word:ty,
        $first:ty, [$($mode:literal: $other:ty),*], $row:literal
    ) => {
        const _: () = {
            #[unsafe(export_name = concat!($prefix, $family, "_", $row))]
            unsafe extern "C" fn exported(
                states: *mut $word,
                data: *const *const u8,
                blocks: usize,
                mode: usize,
            ) {
                // SAFETY: it is a comment. With it, no two of these functions are the same one.
                unsafe {
                    asm!(
                        concat!("/* ", $prefix, $family, "_", $row, " */"),
                        options(nomem, nostack, preserves_flags)
                    )
                };
                // Not a table of functions, which would be addresses.
                $(if mode == $mode {
                    let compress = const {
                        let $kernel = row(<$other as Kernels>::TABLE, $row);
                        $compress
                    };
                    // SAFETY: the caller promises what `Compress` asks for.
                    return unsafe { run(compress, states, data, blocks) };
                })*
                let _ = mode;
                let compress = const {
                    let $kernel = row(<$first as Kernels>::TABLE, $row);
                    $compress
                };
                // SAFETY: the caller promises what `Compress` asks for.
                unsafe { run(compress, states, data, blocks) }
            }
        };
    };
}

#[cfg(target_arch = "x86_64")]
mod rows {
    use super::*;

    export!(
        "md5",
        u32,
        Md5Family,
        [],
        [
            "portable",
            "avx2",
            "avx2-x2",
            "avx2-copy-x2",
            "avx512-256",
            "avx512",
            "avx512-x2",
            "avx512-copy-x2",
            "avx512-copy-lines-x2"
        ],
        long ["avx2-copy-x2", "avx512-copy-x2", "avx512-copy-lines-x2"]
    );
    export!(
        "sha1",
        u32,
        Sha1Family,
        [],
        [
            "portable",
            "sha-ni",
            "sha-ni-x2",
            "sha-ni-x4",
            "avx2",
            "avx512-256",
            "avx512",
            "avx512-copy"
        ]
    );
    export!(
        "sha256",
        u32,
        Sha256Family,
        [],
        [
            "portable",
            "sha-ni",
            "sha-ni-x2",
            "sha-ni-x4",
            "sha-ni-avx512-x4",
            "avx2",
            "avx512-256",
            "avx512",
            "avx512-copy"
        ],
        long["avx512-copy"]
    );
    export!(
        "sha512",
        u64,
        Sha512Family,
        [],
        ["portable", "avx2-one", "avx2", "avx512-256", "avx512", "avx512-copy"]
    );
    export!("sm3", u32, Sm3Family, [], ["portable", "bmi2", "avx2", "avx512-256", "avx512"]);
    export!("keccak", u64,
        Keccak<136, 24>, [1: Keccak<168, 24>, 2: Keccak<144, 24>, 3: Keccak<104, 24>,
            4: Keccak<72, 24>, 5: Keccak<168, 12>, 6: Keccak<136, 12>],
        ["portable", "bmi2", "avx2", "avx512-256", "avx512"]);
    export!("blake2b", u64, Blake2bFamily, [], ["portable", "avx2", "avx512-256", "avx512"]);
    export!("blake2s", u32, Blake2sFamily, [], ["portable", "avx2", "avx512-256", "avx512"]);
    export!("blake3", u32, Blake3Family, [1: Blake3Output],
        ["portable", "sse41", "avx2", "avx2-copy", "avx512-256", "avx512", "avx512-copy"]);
}

#[cfg(target_arch = "aarch64")]
mod rows {
    use super::*;

    export!("md5", u32, Md5Family, [], ["portable", "neon-x2", "neon-x4"]);
    export!("sha1", u32, Sha1Family, [], ["portable", "arm-sha", "arm-sha-x2", "neon"]);
    export!("sha256", u32, Sha256Family, [], ["portable", "arm-sha", "arm-sha-x2", "neon"]);
    export!("sha512", u64, Sha512Family, [], ["portable", "arm-sha512", "arm-sha512-x2"]);
    export!("sm3", u32, Sm3Family, [], ["portable", "neon"]);
    export!("keccak", u64,
        Keccak<136, 24>, [1: Keccak<168, 24>, 2: Keccak<144, 24>, 3: Keccak<104, 24>,
            4: Keccak<72, 24>, 5: Keccak<168, 12>, 6: Keccak<136, 12>],
        ["portable", "neon-sha3"]);
    export!("blake2b", u64, Blake2bFamily, [], ["portable"]);
    export!("blake2s", u32, Blake2sFamily, [], ["portable", "neon"]);
    export!("blake3", u32, Blake3Family, [1: Blake3Output], ["portable", "neon"]);
}
