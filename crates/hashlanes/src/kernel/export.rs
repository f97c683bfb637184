//! Kernels as functions with the calling convention of C, for the chore `cargo xtask go-assembly`,
//! which turns each into Go assembly. Programs that use the library do not have this module.
//!
//! Each row has two symbols: `hashlanes_FAMILY_ROW`, its function, and `about_FAMILY_ROW`, an
//! [`About`]. Some have `long_FAMILY_ROW`, a function for long runs of blocks. A function takes the
//! states, the pointers of the lanes, a number of blocks and the family's mode: those of one
//! [`Span`]. `whole_FAMILY_ROW`, if there is one, takes [`Messages`]. They need no memory but their
//! stack.

use core::arch::asm;
use core::ptr::null;

use super::contract::{Kernel, Kernels};
use super::cores::Cores;
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
#[cfg(target_arch = "x86_64")]
use crate::{
    family::MerkleDamgard,
    input::{Digests, HashWhole, Initial, Lengths, Padding, WholeMessages},
};

/// What the chore must know of a row.
#[repr(C)]
struct About {
    lanes: u16,
    /// Bits by their place in [`NEEDS`].
    needs: u16,
    /// Those of all [`Cores`] but WebAssembly's.
    cycles: [u16; Cores::Wasm as usize],
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

/// Messages that Go has: those of [`WholeMessages`], with nothing before them.
#[cfg(target_arch = "x86_64")]
#[repr(C)]
struct Messages<W> {
    initial: *const [W; 8],
    messages: *const *const u8,
    count: usize,
    /// Null if each has `length` bytes.
    lengths: *const u32,
    length: usize,
    digests: *mut u8,
    size: usize,
    places: *const u16,
}

/// Hashes whole messages of a family.
///
/// # Safety
/// As for [`HashWhole`], whose messages these are.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn hash<F: MerkleDamgard>(
    row: &Kernel<F::Word>,
    hash_whole: HashWhole<F::Word>,
    messages: &Messages<F::Word>,
) {
    let &Messages { count, length, size, places, .. } = messages;
    let (padding, sums);
    let lengths = if messages.lengths.is_null() {
        padding = Padding::<F::Word>::new(F::BIG_ENDIAN, length, length as u64);
        let known = match &padding.end {
            Some(end) if length > 0 && count >= (4 * row.lanes).min(64) => {
                sums = F::sums(end);
                Some(&sums)
            }
            _ => None,
        };
        Lengths::Equal { padding: &padding, known }
    } else {
        Lengths::Each(messages.lengths)
    };
    let digests = Digests { base: messages.digests, size, places };
    // SAFETY: the caller promises a state.
    let initial = Initial::Same(unsafe { &*messages.initial });
    let messages =
        WholeMessages { initial, before: 0, messages: messages.messages, count, lengths, digests };
    // SAFETY: the caller promises what `HashWhole` asks for.
    unsafe { hash_whole(&messages) };
}

/// A comment in assembly. With it, no two functions are the same one.
macro_rules! comment {
    ($text:expr) => {
        // SAFETY: it is a comment.
        unsafe { asm!(concat!("/* ", $text, " */"), options(nomem, nostack, preserves_flags)) }
    };
}

/// Exports rows of a family, by name. The families behind it, by their modes, have the same rows.
macro_rules! export {
    (
        $family:literal, $word:ty, $first:ty, $modes:tt, [$($row:literal),+ $(,)?]
        $(, long [$($long:literal),+])? $(, whole [$($whole:literal),+])?
    ) => {
        $(export!(@row $family, $word, $first, $modes, $row);)+
        $($(
            export!(
                @function "long_", |row| row.for_long_runs(), $family, $word, $first, $modes, $long
            );
        )+)?
        $($(
            const _: () = {
                #[unsafe(export_name = concat!("whole_", $family, "_", $whole))]
                unsafe extern "C" fn exported(messages: &Messages<$word>) {
                    comment!(concat!("whole_", $family, "_", $whole));
                    const ROW: &Kernel<$word> = row(<$first as Kernels>::TABLE, $whole);
                    // SAFETY: the caller promises what `HashWhole` asks for.
                    unsafe { hash::<$first>(ROW, const { ROW.for_whole_messages() }, messages) }
                }
            };
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
                comment!(concat!($prefix, $family, "_", $row));
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
            "bmi2-x2",
            "avx2",
            "avx2-x2",
            "avx2-copy-x2",
            "avx512-256",
            "avx512-256-x2",
            "avx512",
            "avx512-x2",
            "avx512-copy-x2",
            "avx512-copy-lines-x2"
        ],
        long ["avx2-copy-x2", "avx512-copy-x2", "avx512-copy-lines-x2"],
        whole ["avx512", "avx512-x2", "avx512-copy-x2", "avx512-copy-lines-x2"]
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
        ],
        whole ["avx512", "avx512-copy"]
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
            "avx512-copy",
            "avx512-x2"
        ],
        long ["avx512-copy"],
        whole ["sha-ni", "sha-ni-avx512-x4", "avx512", "avx512-copy", "avx512-x2"]
    );
    export!(
        "sha512",
        u64,
        Sha512Family,
        [],
        ["portable", "avx2-one", "avx2", "avx512-256", "avx512", "avx512-copy", "avx512-x2"],
        whole ["avx512", "avx512-copy", "avx512-x2"]
    );
    export!(
        "sm3",
        u32,
        Sm3Family,
        [],
        ["portable", "bmi2", "avx2", "avx512-256", "avx512"],
        whole["avx512"]
    );
    export!("keccak", u64,
        Keccak<136, 24>, [1: Keccak<168, 24>, 2: Keccak<144, 24>, 3: Keccak<104, 24>,
            4: Keccak<72, 24>, 5: Keccak<168, 12>, 6: Keccak<136, 12>],
        ["portable", "bmi2", "avx2", "avx512-256", "avx512"]);
    export!("blake2b", u64, Blake2bFamily, [], ["portable", "avx2", "avx512-256", "avx512"]);
    export!("blake2s", u32, Blake2sFamily, [], ["portable", "avx2", "avx512-256", "avx512"]);
    export!("blake3", u32, Blake3Family, [1: Blake3Output],
        ["portable", "avx2-one", "avx512-one", "avx2-two", "avx512-two", "avx2-two-x2",
            "avx512-four", "sse41", "avx2", "avx2-copy", "avx512-256", "avx512-256-copy", "avx512",
            "avx512-copy"], long ["avx512"]);
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
