//! Messages in progress, for functions that hash one at a time.

use crc_fast::{CrcAlgorithm, Digest as Crc};
use hashlanes::xof::{
    InParts, KangarooTwelve, Kt128, Kt256, Part, TurboShake128, TurboShake256, TurboShakeFunction,
    Xof, XofFunction,
};
use hashlanes::{Algorithm, Blake3};
use twox_hash::{XxHash3_64, XxHash3_128, XxHash64};

use super::checksum::{Bsd, Sysv};
use super::in_pieces::{Hasher, Joined};
use super::{Digest, Engine, Single};

impl Engine {
    /// The hasher of an empty message, or of one that was saved, whose parts may be hashed apart.
    /// `None` if the function does not allow that, or there is no such message.
    pub(crate) fn joined(&self, saved: Option<&[u8]>) -> Option<Box<dyn Joined>> {
        Some(match (self, saved) {
            (Self::Lanes(engine), None) if engine.algorithm() == Algorithm::Blake3 => {
                Box::new(Beginning::<_, 32>(Xof::<Blake3>::with_engine(engine.typed())))
            }
            (Self::Lanes(engine), Some(saved)) if engine.algorithm() == Algorithm::Blake3 => {
                Box::new(Beginning::<_, 32>(Xof::<Blake3>::restore(saved).ok()?))
            }
            (Self::Single(Single::Kt128), None) => Box::new(Beginning::<_, 32>(Kt128::new())),
            (Self::Single(Single::Kt256), None) => Box::new(Beginning::<_, 64>(Kt256::new())),
            (Self::Single(Single::Kt128), Some(saved)) => {
                Box::new(Beginning::<_, 32>(Kt128::restore(saved).ok()?))
            }
            (Self::Single(Single::Kt256), Some(saved)) => {
                Box::new(Beginning::<_, 64>(Kt256::restore(saved).ok()?))
            }
            _ => return None,
        })
    }
}

impl Single {
    /// The hasher of an empty message.
    pub(super) fn hasher(self) -> Box<dyn Hasher> {
        match self {
            Self::Blake2b { bits } => Box::new(blake2b(bits)),
            Self::Crc32 => Box::new(CrcOf::<4>::new(CrcAlgorithm::Crc32IsoHdlc)),
            Self::Crc32c => Box::new(CrcOf::<4>::new(CrcAlgorithm::Crc32Iscsi)),
            Self::Crc64Nvme => Box::new(CrcOf::<8>::new(CrcAlgorithm::Crc64Nvme)),
            Self::Xxh3 => Box::new(Xx(XxHash3_64::new())),
            Self::Xxh64 => Box::new(Xx(XxHash64::with_seed(0))),
            Self::Xxh128 => Box::new(XxHash3_128::new()),
            Self::TurboShake128 => Box::new(Beginning::<_, 32>(Xof::<TurboShake128>::new())),
            Self::TurboShake256 => Box::new(Beginning::<_, 64>(Xof::<TurboShake256>::new())),
            Self::Kt128 => Box::new(Beginning::<_, 32>(Kt128::new())),
            Self::Kt256 => Box::new(Beginning::<_, 64>(Kt256::new())),
            Self::PosixCrc => {
                Box::new(PosixCrc { crc: CrcOf::new(CrcAlgorithm::Crc32Cksum), length: 0 })
            }
            Self::BsdSum => Box::new(Bsd::default()),
            Self::SysvSum => Box::new(Sysv::default()),
        }
    }

    /// The hasher of a message that was saved. `None` if there is no such message, or the function
    /// has no saved states.
    pub(super) fn restored(self, saved: &[u8]) -> Option<Box<dyn Hasher>> {
        match self {
            Self::TurboShake128 => {
                Some(Box::new(Beginning::<_, 32>(Xof::<TurboShake128>::restore(saved).ok()?)))
            }
            Self::TurboShake256 => {
                Some(Box::new(Beginning::<_, 64>(Xof::<TurboShake256>::restore(saved).ok()?)))
            }
            Self::Kt128 | Self::Kt256 => Some(Engine::Single(self).joined(Some(saved))?),
            _ => None,
        }
    }

    /// The CRC of a message from the CRCs of its two parts. `length` is the length of the second
    /// part in bytes. `None` if the function is not CRC-32, CRC-32C or CRC-64.
    ///
    /// ```
    /// use hashlanes_files::{Engine, Single};
    ///
    /// let crc = |message: &[u8]| Engine::Single(Single::Crc32c).digest(message);
    /// let combined = Single::Crc32c.combine(&crc(b"abc"), &crc(b"de"), 2);
    /// assert_eq!(combined, Some(crc(b"abcde")));
    /// ```
    pub fn combine(self, first: &Digest, second: &Digest, length: u64) -> Option<Digest> {
        let algorithm = match self {
            Self::Crc32 => CrcAlgorithm::Crc32IsoHdlc,
            Self::Crc32c => CrcAlgorithm::Crc32Iscsi,
            Self::Crc64Nvme => CrcAlgorithm::Crc64Nvme,
            _ => return None,
        };
        let number = |crc: &Digest| {
            crc.as_bytes().iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
        };
        let crc = crc_fast::checksum_combine(algorithm, number(first), number(second), length);
        Some(Digest::new(&crc.to_be_bytes()[8 - self.digest_len()..]))
    }
}

fn blake2b(bits: u16) -> blake2b_simd::State {
    blake2b_simd::Params::new().hash_length(usize::from(bits / 8)).to_state()
}

impl Hasher for blake2b_simd::State {
    fn update(&mut self, piece: &[u8]) {
        blake2b_simd::State::update(self, piece);
    }

    fn finish(self: Box<Self>) -> Digest {
        Digest::new(self.finalize().as_bytes())
    }
}

/// A message of a function whose output has any length, of which the digest is the first `N` bytes.
struct Beginning<T, const N: usize>(T);

impl<T: InParts, const N: usize> InParts for Beginning<T, N> {
    fn hash_part(&self, bytes: &[u8], offset: u64) -> Part {
        self.0.hash_part(bytes, offset)
    }

    fn append(&mut self, part: &Part) {
        self.0.append(part);
    }
}

impl<X: XofFunction, const N: usize> Hasher for Beginning<Xof<X>, N> {
    fn save(&self) -> Option<Vec<u8>> {
        self.0.save().ok()
    }

    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>) -> Digest {
        let mut output = [0; N];
        self.0.finalize().read(&mut output);
        Digest::new(&output)
    }
}

impl<X: TurboShakeFunction, const N: usize> Hasher for Beginning<KangarooTwelve<X>, N> {
    fn save(&self) -> Option<Vec<u8>> {
        Some(self.0.save())
    }

    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>) -> Digest {
        let mut output = [0; N];
        self.0.finalize("").read(&mut output);
        Digest::new(&output)
    }
}

/// A CRC of the last `N` bytes: `crc-fast` returns every CRC as a `u64`.
struct CrcOf<const N: usize>(Crc);

impl<const N: usize> CrcOf<N> {
    fn new(algorithm: CrcAlgorithm) -> Self {
        Self(Crc::new(algorithm))
    }
}

impl<const N: usize> Hasher for CrcOf<N> {
    fn update(&mut self, piece: &[u8]) {
        self.0.update(piece);
    }

    fn finish(self: Box<Self>) -> Digest {
        Digest::new(&self.0.finalize().to_be_bytes()[8 - N..])
    }
}

/// A hash of 64 bits, by the trait of the standard library.
struct Xx<H>(H);

impl<H: std::hash::Hasher + Send + Sync> Hasher for Xx<H> {
    fn update(&mut self, piece: &[u8]) {
        self.0.write(piece);
    }

    fn finish(self: Box<Self>) -> Digest {
        Digest::new(&self.0.finish().to_be_bytes())
    }
}

impl Hasher for XxHash3_128 {
    fn update(&mut self, piece: &[u8]) {
        self.write(piece);
    }

    fn finish(self: Box<Self>) -> Digest {
        Digest::new(&self.finish_128().to_be_bytes())
    }
}

/// The instructions that compute the CRC of POSIX on this CPU, as `cksum --debug` names them:
/// `avx512`, `pclmul` or `vmull`. `None` if none of them is used.
pub fn crc_support() -> Option<&'static str> {
    let target = crc_fast::get_calculator_target(CrcAlgorithm::Crc32Cksum);
    let known = [("avx512", "avx512"), ("pclmul", "pclmul"), ("neon", "vmull")];
    known.into_iter().find(|(part, _)| target.contains(part)).map(|(_, name)| name)
}

/// The CRC of POSIX, over the message followed by its length.
struct PosixCrc {
    crc: CrcOf<4>,
    length: u64,
}

impl Hasher for PosixCrc {
    fn update(&mut self, piece: &[u8]) {
        self.crc.update(piece);
        self.length += piece.len() as u64;
    }

    /// The length is appended with its lowest byte first, without trailing zeros.
    fn finish(mut self: Box<Self>) -> Digest {
        let bytes = self.length.to_le_bytes();
        let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        self.crc.update(&bytes[..used]);
        Box::new(self.crc).finish()
    }
}
