//! The library as a WebAssembly module: files in progress, side by side in lanes.
//!
//! The interface has only functions of numbers; bytes are passed in the module's memory. Each
//! worker of a page has one instance of the module, and an instance has one session:
//!
//! 1. [`begin`] selects the algorithm, and creates places for files and a buffer for their pieces.
//! 2. The page writes pieces of files to the [`buffer`], and their locations to [`pieces`]. Then
//!    [`update`] hashes all of them at once.
//! 3. [`finish`] puts the digest of a file into [`answer`], and its place can be used for another
//!    file.
//!
//! An invalid call returns 0 and changes nothing.

use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlanes::{Algorithm, AnyEngine, AnyHashers};

/// Bytes in the longest answer: a SHA-512 digest.
const ANSWER: usize = 64;

/// The location of the next piece of a file: its offset and length in the buffer. The length is 0
/// for a file without a piece.
type Piece = [u32; 2];

struct Session {
    engine: AnyEngine,
    hashers: AnyHashers,
    buffer: Vec<u8>,
    /// One per place.
    pieces: Vec<Piece>,
    answer: [u8; ANSWER],
}

static SESSION: Mutex<Option<Session>> = Mutex::new(None);

/// Calls `work` with the session, if there is one.
fn with_session<T: Default>(work: impl FnOnce(&mut Session) -> T) -> T {
    session().as_mut().map(work).unwrap_or_default()
}

fn session() -> MutexGuard<'static, Option<Session>> {
    SESSION.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Session {
    /// Stores an answer of at most [`ANSWER`] bytes, and returns its length.
    fn set_answer(&mut self, answer: &[u8]) -> u32 {
        let length = answer.len().min(ANSWER);
        self.answer[..length].copy_from_slice(&answer[..length]);
        length as u32
    }

    fn update(&mut self) -> Option<()> {
        let piece =
            |&[first, length]: &Piece| self.buffer.get(first as usize..)?.get(..length as usize);
        let pieces: Option<Vec<_>> = self.pieces.iter().map(piece).collect();
        self.hashers.update(&pieces?);
        Some(())
    }
}

/// Begins a session and ends the previous one. `algorithm` is an index into [`Algorithm::ALL`],
/// `places` the number of files in progress, and `bytes` the size of the buffer. Returns the length
/// of a digest in bytes, or 0 if there is no such algorithm.
#[unsafe(no_mangle)]
pub extern "C" fn begin(algorithm: u32, places: u32, bytes: u32) -> u32 {
    let Some(&algorithm) = Algorithm::ALL.get(algorithm as usize) else { return 0 };
    let engine = AnyEngine::new(algorithm);
    *session() = Some(Session {
        engine,
        hashers: engine.hashers(places as usize),
        buffer: vec![0; bytes as usize],
        pieces: vec![[0, 0]; places as usize],
        answer: [0; ANSWER],
    });
    algorithm.digest_len() as u32
}

/// The address of the buffer, which is valid until the next [`begin`].
#[unsafe(no_mangle)]
pub extern "C" fn buffer() -> *mut u8 {
    session().as_mut().map_or(std::ptr::null_mut(), |session| session.buffer.as_mut_ptr())
}

/// The address of the pieces, two 32-bit numbers for each place.
#[unsafe(no_mangle)]
pub extern "C" fn pieces() -> *mut [u32; 2] {
    session().as_mut().map_or(std::ptr::null_mut(), |session| session.pieces.as_mut_ptr())
}

/// The address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    session().as_mut().map_or(std::ptr::null(), |session| session.answer.as_ptr())
}

/// Appends the pieces to their files. Returns 1, or 0 if a piece is outside the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn update() -> u32 {
    with_session(|session| session.update().map_or(0, |()| 1))
}

/// Ends the file in a place, and stores its digest as the answer. Returns the length of the digest.
#[unsafe(no_mangle)]
pub extern "C" fn finish(place: u32) -> u32 {
    with_session(|session| {
        if place as usize >= session.pieces.len() {
            return 0;
        }
        let digest = session.hashers.finalize_reset(place as usize);
        session.set_answer(digest.as_bytes())
    })
}

/// Discards the file in a place. Returns 1, or 0 if there is no such place.
#[unsafe(no_mangle)]
pub extern "C" fn abandon(place: u32) -> u32 {
    with_session(|session| {
        if place as usize >= session.pieces.len() {
            return 0;
        }
        session.hashers.reset(place as usize);
        1
    })
}

/// Returns the number of lanes of the kernel that hashes this many files. The answer is the name of
/// the kernel, and its length is in the upper 16 bits of the result.
#[unsafe(no_mangle)]
pub extern "C" fn kernel(files: u32) -> u32 {
    with_session(|session| {
        let name = session.engine.kernel_for(files as usize);
        let mut kernels = session.engine.algorithm().kernels();
        let lanes = kernels.find(|kernel| kernel.name == name).map_or(1, |kernel| kernel.lanes);
        session.set_answer(name.as_bytes()) << 16 | lanes as u32
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A single test, because there is only one session.
    #[test]
    fn a_session_hashes_files_in_pieces_and_rejects_invalid_calls() {
        assert_eq!((update(), finish(0), abandon(0), kernel(1)), (0, 0, 0, 0));
        assert!(buffer().is_null() && pieces().is_null() && answer().is_null());
        assert_eq!(begin(Algorithm::ALL.len() as u32, 1, 1), 0);
        for (number, &algorithm) in Algorithm::ALL.iter().enumerate() {
            assert_eq!(begin(number as u32, 3, 8) as usize, algorithm.digest_len());
            with_session(|session| {
                session.buffer.copy_from_slice(b"abcdefgh");
                session.pieces.copy_from_slice(&[[0, 3], [8, 0], [1, 7]]);
            });
            assert_eq!(update(), 1);
            assert_eq!(abandon(2), 1);
            // The pieces extend past the end of the buffer or overflow.
            for wrong in [[0, 9], [9, 0], [1, u32::MAX]] {
                with_session(|session| session.pieces[2] = wrong);
                assert_eq!(update(), 0);
            }
            with_session(|session| session.pieces.copy_from_slice(&[[3, 1], [0, 0], [7, 1]]));
            assert_eq!(update(), 1);
            for (place, message) in [(0, "abcd"), (1, ""), (2, "h"), (0, "")] {
                assert_eq!(finish(place) as usize, algorithm.digest_len());
                let digest = with_session(|session| session.answer.to_vec());
                assert_eq!(algorithm.digest(message), digest[..algorithm.digest_len()]);
            }
            assert_eq!((finish(3), abandon(3)), (0, 0));
            let (length, lanes) = (kernel(1000) >> 16, kernel(1000) & 0xffff);
            let name = with_session(|session| session.answer[..length as usize].to_vec());
            let kernel = algorithm.kernels().find(|kernel| kernel.name.as_bytes() == name);
            assert_eq!(kernel.unwrap().lanes as u32, lanes);
        }
    }
}
