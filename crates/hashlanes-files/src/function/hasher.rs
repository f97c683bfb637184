//! Messages in progress, for functions that hash one at a time.

use std::hash::Hasher as _;

use crc_fast::{CrcAlgorithm, Digest as Crc};
use hashlanes::xof::{
    InParts, KangarooTwelve, Kt128, Kt256, Part, TurboShake128, TurboShake256, TurboShakeFunction,
    Xof, XofFunction,
};
use hashlanes::{Algorithm, Blake3};
use twox_hash::{XxHash3_64, XxHash3_128, XxHash64};

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
            Self::Blake2b { bits } => of(
                blake2b_simd::Params::new().hash_length(usize::from(bits / 8)).to_state(),
                |state, piece| _ = state.update(piece),
                |state| Digest::new(state.finalize().as_bytes()),
            ),
            Self::Crc32 => crc32(CrcAlgorithm::Crc32IsoHdlc),
            Self::Crc32c => crc32(CrcAlgorithm::Crc32Iscsi),
            Self::Crc64Nvme => of(Crc::new(CrcAlgorithm::Crc64Nvme), Crc::update, |crc| {
                Digest::new(&crc.finalize().to_be_bytes())
            }),
            Self::Xxh3 => of(XxHash3_64::new(), XxHash3_64::write, |state| {
                Digest::new(&state.finish().to_be_bytes())
            }),
            Self::Xxh64 => of(XxHash64::with_seed(0), XxHash64::write, |state| {
                Digest::new(&state.finish().to_be_bytes())
            }),
            Self::Xxh128 => of(XxHash3_128::new(), XxHash3_128::write, |state| {
                Digest::new(&state.finish_128().to_be_bytes())
            }),
            Self::TurboShake128 => Box::new(Beginning::<_, 32>(Xof::<TurboShake128>::new())),
            Self::TurboShake256 => Box::new(Beginning::<_, 64>(Xof::<TurboShake256>::new())),
            Self::Kt128 => Box::new(Beginning::<_, 32>(Kt128::new())),
            Self::Kt256 => Box::new(Beginning::<_, 64>(Kt256::new())),
            Self::PosixCrc => of((Crc::new(CrcAlgorithm::Crc32Cksum), 0), posix_update, posix_crc),
            Self::BsdSum => of(0, bsd_update, |sum| Digest::new(&sum.to_be_bytes())),
            Self::SysvSum => of(0, sysv_update, sysv_sum),
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

/// A hasher that has no saved states: what it knows, how it takes a piece, and how it ends.
struct Plain<S>(S, fn(&mut S, &[u8]), fn(S) -> Digest);

fn of<S: Send + Sync + 'static>(
    state: S,
    update: fn(&mut S, &[u8]),
    finish: fn(S) -> Digest,
) -> Box<dyn Hasher> {
    Box::new(Plain(state, update, finish))
}

impl<S: Send + Sync> Hasher for Plain<S> {
    fn update(&mut self, piece: &[u8]) {
        (self.1)(&mut self.0, piece);
    }

    fn finish(self: Box<Self>) -> Digest {
        (self.2)(self.0)
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

fn crc32(algorithm: CrcAlgorithm) -> Box<dyn Hasher> {
    of(Crc::new(algorithm), Crc::update, last_four)
}

/// The last 4 bytes: `crc-fast` returns every CRC as a `u64`.
fn last_four(crc: Crc) -> Digest {
    Digest::new(&crc.finalize().to_be_bytes()[4..])
}

/// The instructions that compute the CRC of POSIX on this CPU, as `cksum --debug` names them:
/// `avx512`, `pclmul` or `vmull`. `None` if none of them is used.
pub fn crc_support() -> Option<&'static str> {
    let target = crc_fast::get_calculator_target(CrcAlgorithm::Crc32Cksum);
    let known = [("avx512", "avx512"), ("pclmul", "pclmul"), ("neon", "vmull")];
    known.into_iter().find(|(part, _)| target.contains(part)).map(|(_, name)| name)
}

/// The CRC of POSIX is over the message followed by its length.
fn posix_update((crc, length): &mut (Crc, u64), piece: &[u8]) {
    crc.update(piece);
    *length += piece.len() as u64;
}

/// The length is appended with its lowest byte first, without trailing zeros.
fn posix_crc((mut crc, length): (Crc, u64)) -> Digest {
    let bytes = length.to_le_bytes();
    let used = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    crc.update(&bytes[..used]);
    last_four(crc)
}

/// The checksum of the program `sum` on BSD: rotate right by one, add the byte.
fn bsd_update(sum: &mut u16, piece: &[u8]) {
    for &byte in piece {
        *sum = sum.rotate_right(1).wrapping_add(byte.into());
    }
}

/// The checksum of the program `sum` on System V: the sum of all bytes in 32 bits.
fn sysv_update(sum: &mut u32, piece: &[u8]) {
    *sum = piece.iter().fold(*sum, |sum, &byte| sum.wrapping_add(byte.into()));
}

/// It is folded twice to 16 bits: the sum of the halves may have 17. The carry is added once more.
fn sysv_sum(sum: u32) -> Digest {
    let once = (sum & 0xffff) + (sum >> 16);
    Digest::new(&(((once & 0xffff) + (once >> 16)) as u16).to_be_bytes())
}
