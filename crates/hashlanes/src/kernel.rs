//! The table that joins algorithms with instruction sets, and the choice between its rows.
//!
//! A *kernel* is one family's compression function compiled for one instruction set: it advances a
//! fixed number of lanes by a number of blocks. To add an instruction set, name its vector here; to
//! add an algorithm, add its table.

use core::fmt;
use core::sync::atomic::{AtomicU8, Ordering};

use crate::algorithm::{
    Family, md5::Md5Family, sha1::Sha1Family, sha256::Sha256Family, sha512::Sha512Family,
};
use crate::compress::compress_lanes;
use crate::cpu::{Features, Vendor};
#[cfg(target_arch = "x86_64")]
use crate::instruction::{sha_ni, vector_schedule};
use crate::vector::{Interleave, Vector};
#[cfg(target_arch = "x86_64")]
use crate::vector::{avx2, avx512, sse41};

/// A number of blocks for every lane.
///
/// A state of all lanes is word-major: word `w` of lane `l` at `w * lanes + l`.
#[derive(Clone, Copy)]
pub(crate) struct Span<W> {
    /// The state before the blocks.
    pub(crate) from: *const W,
    /// Where the state after them goes; may be the same place.
    pub(crate) to: *mut W,
    /// `data[l]` is where the blocks of lane `l` begin.
    pub(crate) data: *const *const u8,
    /// Blocks of each lane, at least one.
    pub(crate) blocks: usize,
}

/// Compresses spans, one after the other. (Several in one call, so that a kernel can load the first
/// block of the next one while it compresses the last of the one before.)
///
/// # Safety
/// The CPU has the kernel's features. For every span, `from` is readable and `to` is writable for
/// `STATE_WORDS * lanes` words, where `from` may be what a span before it writes; `data` is
/// readable for `lanes` pointers, and each of them for `blocks >= 1` blocks, at any alignment.
/// Lanes may share data.
pub(crate) type Compress<W> = unsafe fn(spans: &[Span<W>]);

/// One row of the table.
pub struct Kernel<W> {
    pub(crate) name: &'static str,
    /// A power of two.
    pub(crate) lanes: usize,
    pub(crate) needs: Features,
    /// Cycles for one block of all lanes on a core of (Intel, AMD). Only ratios matter: they
    /// decide how many messages it takes until a wide kernel with idle lanes beats a narrow
    /// one. `docs/kernels.md` says which are measured and which estimated.
    cycles: (u16, u16),
    pub(crate) compress: Compress<W>,
}

/// The most lanes that a kernel has.
pub(crate) const MAX_LANES: usize = 32;

/// A family's rows in the table, the narrowest first.
pub trait Kernels: Family {
    const TABLE: &'static [Kernel<Self::Word>];

    /// The choice for each number of messages, filled in as it is first needed.
    fn choices() -> &'static Choices;
}

/// For each number of messages (the last entry standing for all larger ones): 1 + the row of the
/// kernel to run, 0 if that has not been decided yet.
pub(crate) type Choices = [AtomicU8; MAX_LANES + 2];

impl<W> Kernel<W> {
    /// Whether this CPU can run it.
    pub(crate) fn available(&self) -> bool {
        Features::detected().contain(self.needs)
    }

    /// Advances every lane by `blocks` blocks, if there are any.
    ///
    /// # Panics
    /// If the state or the data are too short for the kernel's lanes.
    ///
    /// # Safety
    /// Each of the first `lanes` pointers of `data` is readable for `blocks` blocks of the family.
    /// The kernel is [`available`](Kernel::available).
    #[inline]
    pub(crate) unsafe fn run<F: Family<Word = W>>(
        &self,
        state: &mut [W],
        data: &[*const u8],
        blocks: usize,
    ) {
        assert!(state.len() >= F::STATE_WORDS * self.lanes && data.len() >= self.lanes);
        if blocks > 0 {
            let to = state.as_mut_ptr();
            // SAFETY: the state has STATE_WORDS * lanes words and there are `lanes` pointers, as
            // asserted; the rest is the caller's promise.
            unsafe { self.run_spans(&[Span { from: to, to, data: data.as_ptr(), blocks }]) };
        }
    }

    /// Compresses `spans`, one after the other: the one place where a kernel is called.
    ///
    /// # Safety
    /// The kernel is [`available`](Kernel::available); the spans are as [`Compress`] asks for.
    #[inline]
    pub(crate) unsafe fn run_spans(&self, spans: &[Span<W>]) {
        debug_assert!(self.available());
        // SAFETY: the caller's promise.
        unsafe { (self.compress)(spans) };
    }

    /// The features that it needs and this CPU lacks.
    pub(crate) fn missing(&self) -> Features {
        self.needs.without(Features::detected())
    }

    fn cycles(&self) -> u64 {
        u64::from(match Vendor::detected() {
            Vendor::Intel => self.cycles.0,
            Vendor::Amd => self.cycles.1,
        })
    }
}

/// The row of the kernel for `messages >= 1` messages of one family: the available one that takes
/// the fewest cycles per block of all of them.
///
/// Lanes without a message cost as much as full ones, so few messages are faster in few lanes.
fn choose<F: Kernels>(messages: usize) -> usize {
    let choices = F::choices();
    let messages = messages.min(choices.len() - 1);
    match choices[messages].load(Ordering::Relaxed) {
        0 => {
            let row = cheapest::<F>(messages);
            // Threads that race here store the same value.
            choices[messages].store(row as u8 + 1, Ordering::Relaxed);
            row
        }
        row => usize::from(row) - 1,
    }
}

/// Row `forced`, or else the one that [`choose`] chooses.
pub(crate) fn row<F: Kernels>(messages: usize, forced: Option<usize>) -> usize {
    forced.unwrap_or_else(|| choose::<F>(messages))
}

fn cheapest<F: Kernels>(messages: usize) -> usize {
    // More messages than any kernel has lanes: only the cost per lane counts, as for infinitely
    // many.
    let messages = if messages > MAX_LANES { 1 << 20 } else { messages };
    let available = (0..F::TABLE.len()).filter(|&row| F::TABLE[row].available());
    let cost = |row: &usize| {
        let kernel = &F::TABLE[*row];
        kernel.cycles() * messages.div_ceil(kernel.lanes) as u64
    };
    // The portable kernel needs nothing, so there is always one.
    available.min_by_key(cost).unwrap_or(0)
}

/// Cycles for one block of each of `messages >= 1` messages, in the kernel of [`row`].
#[cfg(feature = "std")]
pub(crate) fn cycles<F: Kernels>(messages: usize, forced: Option<usize>) -> u64 {
    let kernel = &F::TABLE[row::<F>(messages, forced)];
    kernel.cycles() * messages.div_ceil(kernel.lanes) as u64
}

/// The row of the kernel with this name, whether this CPU can run it or not.
pub(crate) fn named<F: Kernels>(name: &str) -> Option<usize> {
    F::TABLE.iter().position(|kernel| kernel.name == name)
}

/// The value of the environment variable `HASHLANES_KERNEL`, read when first needed.
#[cfg(feature = "std")]
fn environment() -> Option<&'static std::ffi::OsStr> {
    static VALUE: std::sync::OnceLock<Option<std::ffi::OsString>> = std::sync::OnceLock::new();
    VALUE
        .get_or_init(|| std::env::var_os("HASHLANES_KERNEL").filter(|value| !value.is_empty()))
        .as_deref()
}

/// The row that the environment asks for, if the family has it and this CPU can run it.
#[cfg(feature = "std")]
pub(crate) fn from_environment<F: Kernels>() -> Option<usize> {
    let row = named::<F>(environment()?.to_str()?)?;
    F::TABLE[row].available().then_some(row)
}

/// Without `std` there is no environment.
#[cfg(not(feature = "std"))]
pub(crate) fn from_environment<F: Kernels>() -> Option<usize> {
    None
}

/// The name in the environment variable `HASHLANES_KERNEL`, if it is set and not empty.
///
/// The functions of this crate follow it wherever a hash function has a kernel of that name that
/// this CPU can run, and choose by themselves elsewhere; they have no way to refuse. A program that
/// has one should check at its start, for each algorithm it uses, that
/// [`Engine::with_kernel`](crate::Engine::with_kernel) or
/// [`AnyEngine::with_kernel`](crate::AnyEngine::with_kernel) accepts the name.
#[cfg(feature = "std")]
pub fn kernel_from_environment() -> Option<std::borrow::Cow<'static, str>> {
    environment().map(|value| value.to_string_lossy())
}

/// Compresses whole blocks of a single message with the best kernel for one message, or with row
/// `forced`, which the CPU can run.
pub(crate) fn compress_alone<F: Kernels>(
    state: &mut [F::Word; 8],
    blocks: &[u8],
    forced: Option<usize>,
) {
    let kernel = &F::TABLE[row::<F>(1, forced)];
    assert!(kernel.available());
    let count = blocks.len() / F::BLOCK;
    if kernel.lanes == 1 {
        // SAFETY: available, as asserted; the one pointer is to `count` blocks.
        unsafe { kernel.run::<F>(state, &[blocks.as_ptr()], count) };
    } else {
        // Only when forced: every lane computes the same.
        let mut lanes = [F::Word::default(); 8 * MAX_LANES];
        for w in 0..F::STATE_WORDS {
            lanes[w * kernel.lanes..][..kernel.lanes].fill(state[w]);
        }
        // SAFETY: available, as asserted; all pointers are to `count` blocks.
        unsafe { kernel.run::<F>(&mut lanes, &[blocks.as_ptr(); MAX_LANES], count) };
        for w in 0..F::STATE_WORDS {
            state[w] = lanes[w * kernel.lanes];
        }
    }
}

/// Why a kernel cannot be had by name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelErrorKind {
    /// The algorithm has no kernel of that name.
    Unknown,
    /// The CPU, or the operating system, lacks what the kernel needs.
    Unsupported,
}

/// A kernel was asked for by name and cannot be had.
///
/// The message names the kernel, the algorithm and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelError {
    pub(crate) kind: KernelErrorKind,
    pub(crate) message: alloc::string::String,
}

impl KernelError {
    /// The reason as a value.
    pub fn kind(&self) -> KernelErrorKind {
        self.kind
    }
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl core::error::Error for KernelError {}

/// A row: its name, what it runs (`lanes` of a vector type, `streams` of a hardware function, or
/// `one` message of a function), and its cycles. The instruction set says by which features the CPU
/// is asked and for which the code is compiled; the two must agree.
macro_rules! kernel {
    ($name:literal, $family:ty, lanes portable $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::NONE, , $cycles)
    };
    ($name:literal, $family:ty, lanes bmi2 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::BMI2, "bmi1,bmi2", $cycles)
    };
    ($name:literal, $family:ty, lanes sse41 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::SSE41, "sse4.1,ssse3", $cycles)
    };
    ($name:literal, $family:ty, lanes avx2 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::AVX2, "avx2", $cycles)
    };
    ($name:literal, $family:ty, lanes avx512 $vector:ty, $cycles:expr) => {
        kernel!(@lanes $name, $family, $vector, Features::AVX512,
            "avx512f,avx512bw,avx512dq,avx512vl", $cycles)
    };
    (@lanes $name:literal, $family:ty, $vector:ty, $needs:expr, $($feature:literal)?, $cycles:expr) => {{
        $(#[target_feature(enable = $feature)])?
        unsafe fn run(spans: &[Span<<$family as Family>::Word>]) {
            // SAFETY: the contract of `Compress` is passed on to the caller.
            unsafe { compress_lanes::<$family, $vector>(spans) }
        }
        const { assert!(<$vector as Vector>::LANES.is_power_of_two()) };
        Kernel {
            name: $name,
            lanes: <$vector as Vector>::LANES,
            needs: $needs,
            cycles: $cycles,
            compress: run,
        }
    }};
    ($name:literal, $family:ty, one $compress:path, $cycles:expr) => {{
        #[target_feature(enable = "avx2,bmi1,bmi2")]
        unsafe fn run(spans: &[Span<<$family as Family>::Word>]) {
            for span in spans {
                // SAFETY: the contract of `Compress` is passed on to the caller.
                unsafe { $compress(span) }
            }
        }
        Kernel { name: $name, lanes: 1, needs: Features::AVX2.and(Features::BMI2), cycles: $cycles, compress: run }
    }};
    ($name:literal, $family:ty, streams $n:literal of $compress:ident, $cycles:expr) => {{
        #[target_feature(enable = "sha,sse4.1,ssse3")]
        unsafe fn run(spans: &[Span<u32>]) {
            for span in spans {
                // SAFETY: the contract of `Compress` is passed on to the caller.
                unsafe { sha_ni::$compress::<$n>(span) }
            }
        }
        Kernel {
            name: $name,
            lanes: $n,
            needs: Features::SHA_NI.and(Features::SSE41),
            cycles: $cycles,
            compress: run,
        }
    }};
}

macro_rules! table {
    ($family:ty, portable [$($portable:expr),* $(,)?], x86_64 [$($x86_64:expr),* $(,)?]) => {
        impl Kernels for $family {
            #[cfg(target_arch = "x86_64")]
            const TABLE: &'static [Kernel<Self::Word>] = &[$($portable,)* $($x86_64),*];
            #[cfg(not(target_arch = "x86_64"))]
            const TABLE: &'static [Kernel<Self::Word>] = &[$($portable),*];

            fn choices() -> &'static Choices {
                static CHOICES: Choices = [const { AtomicU8::new(0) }; MAX_LANES + 2];
                &CHOICES
            }
        }
    };
}

table!(Md5Family,
    portable [
        kernel!("portable", Md5Family, lanes portable u32, (310, 300)),
        kernel!("portable-x2", Md5Family, lanes portable Interleave<u32>, (360, 360)),
    ],
    x86_64 [
        kernel!("bmi2", Md5Family, lanes bmi2 u32, (310, 300)),
        kernel!("bmi2-x2", Md5Family, lanes bmi2 Interleave<u32>, (350, 340)),
        kernel!("sse41", Md5Family, lanes sse41 sse41::U32x4, (450, 375)),
        kernel!("sse41-x2", Md5Family, lanes sse41 Interleave<sse41::U32x4>, (530, 445)),
        kernel!("avx2", Md5Family, lanes avx2 avx2::U32x8, (450, 380)),
        kernel!("avx2-x2", Md5Family, lanes avx2 Interleave<avx2::U32x8>, (550, 490)),
        kernel!("avx512", Md5Family, lanes avx512 avx512::U32x16, (290, 290)),
        kernel!("avx512-x2", Md5Family, lanes avx512 Interleave<avx512::U32x16>, (480, 480)),
    ]
);

table!(Sha1Family,
    portable [
        kernel!("portable", Sha1Family, lanes portable u32, (300, 266)),
    ],
    x86_64 [
        kernel!("bmi2", Sha1Family, lanes bmi2 u32, (300, 266)),
        kernel!("sha-ni", Sha1Family, streams 1 of sha1, (121, 122)),
        kernel!("sha-ni-x2", Sha1Family, streams 2 of sha1, (230, 136)),
        kernel!("sse41", Sha1Family, lanes sse41 sse41::U32x4, (560, 416)),
        kernel!("avx2", Sha1Family, lanes avx2 avx2::U32x8, (520, 430)),
        kernel!("avx512", Sha1Family, lanes avx512 avx512::U32x16, (440, 440)),
    ]
);

table!(Sha256Family,
    portable [
        kernel!("portable", Sha256Family, lanes portable u32, (700, 700)),
    ],
    x86_64 [
        kernel!("bmi2", Sha256Family, lanes bmi2 u32, (600, 645)),
        kernel!("sha-ni", Sha256Family, streams 1 of sha256, (133, 130)),
        kernel!("sha-ni-x2", Sha256Family, streams 2 of sha256, (203, 138)),
        kernel!("sse41", Sha256Family, lanes sse41 sse41::U32x4, (1280, 1000)),
        kernel!("avx2", Sha256Family, lanes avx2 avx2::U32x8, (1190, 1000)),
        kernel!("avx512", Sha256Family, lanes avx512 avx512::U32x16, (890, 890)),
    ]
);

table!(Sha512Family,
    portable [
        kernel!("portable", Sha512Family, lanes portable u64, (850, 860)),
    ],
    x86_64 [
        kernel!("bmi2", Sha512Family, lanes bmi2 u64, (750, 790)),
        kernel!("avx2-one", Sha512Family, one vector_schedule::sha512, (600, 540)),
        kernel!("sse41", Sha512Family, lanes sse41 sse41::U64x2, (1700, 1290)),
        kernel!("avx2", Sha512Family, lanes avx2 avx2::U64x4, (1650, 1200)),
        kernel!("avx512", Sha512Family, lanes avx512 avx512::U64x8, (1120, 1120)),
    ]
);
