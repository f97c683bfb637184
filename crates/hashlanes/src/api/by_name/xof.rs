//! Output of any length, of a function chosen at run time.

use crate::api::kangaroo::KangarooTwelve;
use crate::api::xof::{Xof, XofReader, squeeze_many};
use crate::function::{Blake3, Shake128, Shake256, TurboShake128, TurboShake256};
use crate::function::{TurboShakeFunction, XofFunction, is_spelled};

/// Messages that are absorbed together: their readers are on the stack.
const AT_ONCE: usize = 128;

/// An extendable-output function (XOF), chosen at run time.
///
/// ```
/// use hashlanes::XofAlgorithm;
///
/// let mut outputs = [[0; 4], [0; 4]];
/// let kt128 = XofAlgorithm::from_name("KT128").unwrap();
/// kt128.output_many(&["", "another message"], &mut outputs);
/// assert_eq!(outputs[0], [0x1a, 0xc2, 0xd4, 0x50]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum XofAlgorithm {
    /// SHAKE128 (FIPS 202).
    Shake128,
    /// SHAKE256 (FIPS 202).
    Shake256,
    /// TurboSHAKE128 (RFC 9861) with the domain separation byte 0x1f.
    TurboShake128,
    /// TurboSHAKE256 (RFC 9861) with the domain separation byte 0x1f.
    TurboShake256,
    /// KangarooTwelve's KT128 (RFC 9861) without a customization string.
    Kt128,
    /// KangarooTwelve's KT256 (RFC 9861) without a customization string.
    Kt256,
    /// BLAKE3.
    Blake3,
}

impl XofAlgorithm {
    /// All of them. Later versions may add others, at the end.
    pub const ALL: &'static [Self] = &[
        Self::Shake128,
        Self::Shake256,
        Self::TurboShake128,
        Self::TurboShake256,
        Self::Kt128,
        Self::Kt256,
        Self::Blake3,
    ];

    /// The function with this name, as [`name`](Self::name) gives it, or with a `-`, `_` or `/`
    /// before the number. Case does not matter.
    pub fn from_name(name: &str) -> Option<Self> {
        const SPELLINGS: [&str; 7] = [
            "shake-128",
            "shake-256",
            "turbo-shake-128",
            "turbo-shake-256",
            "kt-128",
            "kt-256",
            "blake-3",
        ];
        let place = SPELLINGS.iter().position(|spelling| is_spelled(name, spelling));
        place.map(|place| Self::ALL[place])
    }

    /// The name in lower case: `shake128`, `shake256`, `turboshake128`, `turboshake256`, `kt128`,
    /// `kt256`, `blake3`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shake128 => "shake128",
            Self::Shake256 => "shake256",
            Self::TurboShake128 => "turboshake128",
            Self::TurboShake256 => "turboshake256",
            Self::Kt128 => "kt128",
            Self::Kt256 => "kt256",
            Self::Blake3 => "blake3",
        }
    }

    /// Fills `outputs[i]` with the output for `messages[i]`, for each `i`, side by side. Messages
    /// and outputs may have any lengths. Allocates nothing.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn output_many(self, messages: &[impl AsRef<[u8]>], outputs: &mut [impl AsMut<[u8]>]) {
        match self {
            Self::Shake128 => of_function::<Shake128>(messages, outputs),
            Self::Shake256 => of_function::<Shake256>(messages, outputs),
            Self::TurboShake128 => of_function::<TurboShake128>(messages, outputs),
            Self::TurboShake256 => of_function::<TurboShake256>(messages, outputs),
            Self::Kt128 => of_kangaroo::<TurboShake128>(messages, outputs),
            Self::Kt256 => of_kangaroo::<TurboShake256>(messages, outputs),
            Self::Blake3 => of_function::<Blake3>(messages, outputs),
        }
    }
}

fn of_function<X: XofFunction>(messages: &[impl AsRef<[u8]>], outputs: &mut [impl AsMut<[u8]>]) {
    in_parts::<X, _>(messages, outputs, |part, readers| {
        Xof::new().absorb_many_into(part, readers);
    });
}

fn of_kangaroo<X: TurboShakeFunction>(
    messages: &[impl AsRef<[u8]>],
    outputs: &mut [impl AsMut<[u8]>],
) {
    in_parts::<X, _>(messages, outputs, |part, readers| {
        KangarooTwelve::absorb_many_into(part, "", readers);
    });
}

fn in_parts<X: XofFunction, M>(
    messages: &[M],
    outputs: &mut [impl AsMut<[u8]>],
    absorb: impl Fn(&[M], &mut [XofReader<X>]),
) {
    assert_eq!(
        messages.len(),
        outputs.len(),
        "every message has an output: the slices must have the same length"
    );
    for (messages, outputs) in messages.chunks(AT_ONCE).zip(outputs.chunks_mut(AT_ONCE)) {
        let mut readers = core::array::from_fn::<_, AT_ONCE, _>(|_| XofReader::empty());
        let readers = &mut readers[..messages.len()];
        absorb(messages, readers);
        squeeze_many(readers, outputs);
    }
}
