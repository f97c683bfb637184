//! A long message or a long output of an extendable-output function, a piece at a time.

#![forbid(unsafe_code)]

use hashlanes::xof::{
    KangarooTwelve, TurboShake128, TurboShake256, TurboShakeFunction, Xof, XofAlgorithm,
    XofFunction, XofReader,
};
use hashlanes::{Blake3, Shake128, Shake256};
use zeroize::Zeroizing;

use crate::digests::output::Unfilled;

/// Bytes of a piece: enough for the functions that fill the lanes with one message.
const PIECE: usize = 1 << 20;

/// What a function takes besides a message. The library has accepted it.
#[derive(Clone, Copy, Default)]
pub(super) struct Given<'p> {
    pub(super) key: Option<&'p [u8]>,
    pub(super) customization: Option<&'p [u8]>,
    pub(super) function_name: Option<&'p [u8]>,
    pub(super) domain: Option<u8>,
}

/// A message, and the place of its output.
pub(super) struct Work<'w, 'o> {
    pub(super) message: &'w [u8],
    pub(super) output: &'w mut Unfilled<'o>,
    /// Asked between pieces.
    pub(super) go_on: &'w mut dyn FnMut() -> bool,
}

/// Computes the output, unless it is no longer wanted.
pub(super) fn output(function: XofAlgorithm, given: Given<'_>, work: Work<'_, '_>) {
    let Given { key, customization, function_name, domain } = given;
    let string = customization.unwrap_or_default();
    // KMAC is cSHAKE with this name (NIST SP 800-185 section 4.3.1).
    let name: &[u8] = if key.is_some() { b"KMAC" } else { function_name.unwrap_or_default() };
    match function {
        XofAlgorithm::Shake128 => {
            work.shake(Xof::<Shake128>::customized(name, string), key, 168);
        }
        XofAlgorithm::Shake256 => {
            work.shake(Xof::<Shake256>::customized(name, string), key, 136);
        }
        XofAlgorithm::TurboShake128 => work.with(turbo_shake::<TurboShake128>(domain), &[]),
        XofAlgorithm::TurboShake256 => work.with(turbo_shake::<TurboShake256>(domain), &[]),
        XofAlgorithm::Kt128 => work.kangaroo::<TurboShake128>(string),
        XofAlgorithm::Kt256 => work.kangaroo::<TurboShake256>(string),
        _ => work.with(blake3(key, customization), &[]),
    }
}

fn turbo_shake<X: TurboShakeFunction>(domain: Option<u8>) -> Xof<X> {
    domain.map_or_else(Xof::new, Xof::with_domain)
}

fn blake3(key: Option<&[u8]>, context: Option<&[u8]>) -> Xof<Blake3> {
    match (key.and_then(|key| key.try_into().ok()), context) {
        (Some(key), _) => Xof::<Blake3>::keyed(key),
        (None, Some(context)) => Xof::derive_key(context),
        (None, None) => Xof::new(),
    }
}

impl Work<'_, '_> {
    fn shake<X: XofFunction>(self, mut xof: Xof<X>, key: Option<&[u8]>, rate: usize) {
        let Some(key) = key else { return self.with(xof, &[]) };
        // `bytepad` of `encode_string`, and `right_encode(0)` behind the message.
        let mut padded = Zeroizing::new(Vec::with_capacity(key.len() + 2 * rate));
        padded.extend_from_slice(&[1, rate as u8]);
        let bits = (8 * key.len() as u64).to_be_bytes();
        let first = bits.iter().position(|&byte| byte != 0).unwrap_or(bits.len() - 1);
        padded.push((bits.len() - first) as u8);
        padded.extend_from_slice(&bits[first..]);
        padded.extend_from_slice(key);
        let length = padded.len().next_multiple_of(rate);
        padded.resize(length, 0);
        xof.update(&*padded);
        self.with(xof, &[0, 1]);
    }

    fn kangaroo<X: TurboShakeFunction>(self, customization: &[u8]) {
        let mut message = KangarooTwelve::<X>::new();
        for piece in self.message.chunks(PIECE) {
            if !(self.go_on)() {
                return;
            }
            message.update(piece);
        }
        self.read(message.finalize(customization));
    }

    fn with<X: XofFunction>(self, mut xof: Xof<X>, ending: &[u8]) {
        for piece in self.message.chunks(PIECE) {
            if !(self.go_on)() {
                return;
            }
            xof.update(piece);
        }
        self.read(xof.update(ending).finalize());
    }

    fn read<X: XofFunction>(self, mut reader: XofReader<X>) {
        let mut memory = Zeroizing::new(vec![0; PIECE.min(self.output.len())]);
        while self.output.len() > 0 {
            if !(self.go_on)() {
                return;
            }
            let piece = &mut memory[..PIECE.min(self.output.len())];
            reader.read(piece);
            self.output.push(piece);
        }
    }
}
