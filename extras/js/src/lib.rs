//! The library as a WebAssembly module, for JavaScript.
//!
//! The interface has only functions of numbers; bytes are passed in the module's memory:
//!
//! 1. [`reserve`] makes room for bytes and for their locations. JavaScript writes messages to the
//!    [`buffer`], and where they are to [`pieces`].
//! 2. [`digest_many`] hashes complete messages, and leaves their digests in [`answer`].
//! 3. [`open`] creates places for messages that come in pieces. [`update`] hashes a piece of each,
//!    side by side in lanes, and [`finish`] leaves the digest of one in [`answer`]. [`save`] leaves
//!    its state there, from which [`restore`] continues it.
//!
//! Addresses are valid until the next call of another function. An invalid call returns 0 and
//! changes nothing. Algorithms are indices into [`Algorithm::ALL`].

use std::sync::{Mutex, MutexGuard, PoisonError};

use hashlanes::{Algorithm, Engine, Hasher, Hashers};

/// The location of a message or of its next piece: its offset and length in the buffer.
type Piece = [u32; 2];

struct State {
    buffer: Vec<u8>,
    pieces: Vec<Piece>,
    answer: Vec<u8>,
    /// By number, less one. Numbers of closed sessions are given out again.
    sessions: Vec<Option<Session>>,
}

/// Messages in progress.
struct Session {
    hashers: Hashers,
    places: usize,
}

static STATE: Mutex<State> = Mutex::new(State {
    buffer: Vec::new(),
    pieces: Vec::new(),
    answer: Vec::new(),
    sessions: Vec::new(),
});

fn state() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn engine(algorithm: u32) -> Option<Engine> {
    Algorithm::ALL.get(algorithm as usize).map(|&algorithm| Engine::of(algorithm))
}

/// The messages at the first pieces, if all of them are in the buffer.
fn messages<'b>(buffer: &'b [u8], pieces: &[Piece], count: usize) -> Option<Vec<&'b [u8]>> {
    let message = |&[first, length]: &Piece| buffer.get(first as usize..)?.get(..length as usize);
    pieces.get(..count)?.iter().map(message).collect()
}

impl State {
    fn reserve(&mut self, bytes: usize, pieces: usize) -> Option<()> {
        let more = bytes.saturating_sub(self.buffer.len());
        self.buffer.try_reserve_exact(more).ok()?;
        self.buffer.resize(self.buffer.len() + more, 0);
        let more = pieces.saturating_sub(self.pieces.len());
        self.pieces.try_reserve_exact(more).ok()?;
        self.pieces.resize(self.pieces.len() + more, [0, 0]);
        Some(())
    }

    fn session(&mut self, number: u32) -> Option<&mut Session> {
        self.sessions.get_mut((number as usize).checked_sub(1)?)?.as_mut()
    }

    /// The session with this number, if it has this place.
    fn with_place(&mut self, number: u32, place: u32) -> Option<&mut Session> {
        self.session(number).filter(|session| (place as usize) < session.places)
    }

    fn open(&mut self, algorithm: u32, places: u32) -> Option<u32> {
        let hashers = engine(algorithm)?.hashers(places as usize);
        self.add(Session { hashers, places: places as usize })
    }

    /// The number of a new session.
    fn add(&mut self, session: Session) -> Option<u32> {
        let free = self.sessions.iter().position(Option::is_none);
        let index = free.unwrap_or(self.sessions.len());
        if free.is_none() {
            self.sessions.push(None);
        }
        self.sessions[index] = Some(session);
        u32::try_from(index + 1).ok()
    }

    fn digest_many(&mut self, algorithm: u32, count: u32) -> Option<u32> {
        let engine = engine(algorithm)?;
        let messages = messages(&self.buffer, &self.pieces, count as usize)?;
        let length = engine.algorithm().digest_len();
        let size = length.checked_mul(messages.len())?;
        self.answer.clear();
        self.answer.try_reserve_exact(size).ok()?;
        self.answer.resize(size, 0);
        engine.digest_many_into(&messages, &mut self.answer);
        Some(length as u32)
    }

    fn update(&mut self, number: u32) -> Option<()> {
        let index = (number as usize).checked_sub(1)?;
        let session = self.sessions.get_mut(index)?.as_mut()?;
        session.hashers.update(&messages(&self.buffer, &self.pieces, session.places)?);
        Some(())
    }

    fn finish(&mut self, number: u32, place: u32) -> Option<u32> {
        let digest = self.with_place(number, place)?.hashers.finalize_reset(place as usize);
        Some(self.set_answer(digest.as_bytes()))
    }

    fn save(&mut self, number: u32, place: u32) -> Option<u32> {
        let saved = self.with_place(number, place)?.hashers.save(place as usize);
        Some(self.set_answer(&saved))
    }

    /// The session that continues the message whose saved state is at the start of the buffer, or
    /// why there is none.
    fn restore(&mut self, length: u32) -> Result<u32, String> {
        let saved = self.buffer.get(..length as usize).unwrap_or_default().to_vec();
        let hasher = Hasher::<Algorithm>::restore(&saved).map_err(|error| error.to_string())?;
        let mut hashers = Engine::of(hasher.algorithm()).hashers(1);
        hashers.restore(0, &saved).map_err(|error| error.to_string())?;
        self.add(Session { hashers, places: 1 }).ok_or_else(|| "too many sessions".into())
    }

    /// Stores a short answer, and returns its length.
    fn set_answer(&mut self, answer: &[u8]) -> u32 {
        self.answer.clear();
        self.answer.extend_from_slice(answer);
        answer.len() as u32
    }
}

/// Hashes known messages in every kernel. Returns 0, or the length of the [`answer`], which says
/// what is wrong.
#[unsafe(no_mangle)]
pub extern "C" fn self_test() -> u32 {
    let result = hashlanes::kernels::self_test();
    result.map_or_else(|error| state().set_answer(error.to_string().as_bytes()), |()| 0)
}

/// Makes room for this many bytes and pieces, and never for less than before. Returns 1, or 0 if
/// there is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn reserve(bytes: u32, pieces: u32) -> u32 {
    state().reserve(bytes as usize, pieces as usize).map_or(0, |()| 1)
}

/// The address of the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn buffer() -> *mut u8 {
    state().buffer.as_mut_ptr()
}

/// The address of the pieces, two 32-bit numbers for each.
#[unsafe(no_mangle)]
pub extern "C" fn pieces() -> *mut [u32; 2] {
    state().pieces.as_mut_ptr()
}

/// The address of the answer.
#[unsafe(no_mangle)]
pub extern "C" fn answer() -> *const u8 {
    state().answer.as_ptr()
}

/// Stores the name of an algorithm as the answer. Returns its length, or 0 after the last
/// algorithm.
#[unsafe(no_mangle)]
pub extern "C" fn name(algorithm: u32) -> u32 {
    let Some(algorithm) = Algorithm::ALL.get(algorithm as usize) else { return 0 };
    state().set_answer(algorithm.name().as_bytes())
}

/// Hashes the messages at the first `count` pieces, and stores their digests as the answer. Returns
/// the length of a digest, or 0 if there is no such algorithm, a message is outside the buffer, or
/// there is not enough memory.
#[unsafe(no_mangle)]
pub extern "C" fn digest_many(algorithm: u32, count: u32) -> u32 {
    state().digest_many(algorithm, count).unwrap_or(0)
}

/// Creates places for messages in progress. Returns the number of the session, or 0 if there is no
/// such algorithm.
#[unsafe(no_mangle)]
pub extern "C" fn open(algorithm: u32, places: u32) -> u32 {
    state().open(algorithm, places).unwrap_or(0)
}

/// Ends a session. Returns 1, or 0 if there is none with this number.
#[unsafe(no_mangle)]
pub extern "C" fn close(session: u32) -> u32 {
    let mut state = state();
    if state.session(session).is_none() {
        return 0;
    }
    state.sessions[session as usize - 1] = None;
    1
}

/// Appends the first pieces to the messages of a session, one to each place. Returns 1, or 0 if a
/// piece is outside the buffer.
#[unsafe(no_mangle)]
pub extern "C" fn update(session: u32) -> u32 {
    state().update(session).map_or(0, |()| 1)
}

/// Ends the message in a place, and stores its digest as the answer. Returns the length of the
/// digest. The place is ready for another message.
#[unsafe(no_mangle)]
pub extern "C" fn finish(session: u32, place: u32) -> u32 {
    state().finish(session, place).unwrap_or(0)
}

/// Stores the saved state of the message in a place as the answer. Returns its length.
#[unsafe(no_mangle)]
pub extern "C" fn save(session: u32, place: u32) -> u32 {
    state().save(session, place).unwrap_or(0)
}

/// Creates a place for the message whose saved state is the first `length` bytes of the buffer.
/// Returns the number of the session. Otherwise the answer is the reason, and the result its
/// negative length.
#[unsafe(no_mangle)]
pub extern "C" fn restore(length: u32) -> i32 {
    let mut state = state();
    match state.restore(length) {
        Ok(session) => session as i32,
        Err(reason) => -(state.set_answer(reason.as_bytes()) as i32),
    }
}

/// Discards the message in a place. Returns 1, or 0 if there is no such place.
#[unsafe(no_mangle)]
pub extern "C" fn abandon(session: u32, place: u32) -> u32 {
    let mut state = state();
    let Some(session) = state.with_place(session, place) else { return 0 };
    session.hashers.reset(place as usize);
    1
}

/// Returns the number of lanes of the kernel that hashes this many messages. The answer is the name
/// of the kernel, and its length is in the upper 16 bits of the result.
#[unsafe(no_mangle)]
pub extern "C" fn kernel(algorithm: u32, messages: u32) -> u32 {
    let Some(engine) = engine(algorithm) else { return 0 };
    let name = engine.kernel_for(messages as usize);
    let mut kernels = engine.algorithm().kernels();
    let lanes = kernels.find(|kernel| kernel.name == name).map_or(1, |kernel| kernel.lanes);
    state().set_answer(name.as_bytes()) << 16 | lanes as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const NONE: u32 = Algorithm::ALL.len() as u32;

    fn write(bytes: &[u8], pieces: &[Piece]) {
        assert_eq!(reserve(bytes.len() as u32, pieces.len() as u32), 1);
        let mut state = state();
        state.buffer[..bytes.len()].copy_from_slice(bytes);
        state.pieces[..pieces.len()].copy_from_slice(pieces);
    }

    fn answered() -> Vec<u8> {
        state().answer.clone()
    }

    /// A single test, because there is only one state.
    #[test]
    fn messages_are_hashed_whole_and_in_pieces_and_invalid_calls_rejected() {
        assert_eq!((name(NONE), kernel(NONE, 1)), (0, 0));
        assert_eq!((open(NONE, 1), digest_many(NONE, 0)), (0, 0));
        for (number, &algorithm) in (0..).zip(Algorithm::ALL) {
            assert_eq!(name(number) as usize, algorithm.name().len());
            assert_eq!(answered(), algorithm.name().as_bytes());
            let length = algorithm.digest_len();
            whole(number, algorithm, length);
            in_pieces(number, algorithm, length);
            let (name_length, lanes) = (kernel(number, 1000) >> 16, kernel(number, 1000) & 0xffff);
            let name = answered();
            assert_eq!(name.len(), name_length as usize);
            let kernel = algorithm.kernels().find(|kernel| kernel.name.as_bytes() == name);
            assert_eq!(kernel.unwrap().lanes as u32, lanes);
        }
    }

    fn whole(number: u32, algorithm: Algorithm, length: usize) {
        write(b"abcdefgh", &[[0, 3], [8, 0], [1, 7]]);
        assert_eq!(digest_many(number, 3) as usize, length);
        let digests: Vec<_> = ["abc", "", "bcdefgh"]
            .iter()
            .flat_map(|message| algorithm.digest(message).as_bytes().to_vec())
            .collect();
        assert_eq!(answered(), digests);
        // More messages than there are pieces.
        assert_eq!(digest_many(number, 4), 0);
    }

    fn in_pieces(number: u32, algorithm: Algorithm, length: usize) {
        let (first, second) = (open(number, 3), open(number, 0));
        assert_ne!(first, second);
        write(b"abcdefgh", &[[0, 3], [8, 0], [1, 7]]);
        assert_eq!(update(first), 1);
        assert_eq!(abandon(first, 2), 1);
        // The pieces extend past the end of the buffer or overflow.
        let beyond = state().buffer.len() as u32 + 1;
        for wrong in [[0, beyond], [beyond, 0], [1, u32::MAX]] {
            state().pieces[2] = wrong;
            assert_eq!((update(first), digest_many(number, 3)), (0, 0));
        }
        write(b"", &[[3, 1], [0, 0], [7, 1]]);
        assert_eq!(update(first), 1);
        for (place, message) in [(0, "abcd"), (1, ""), (2, "h"), (0, "")] {
            assert_eq!(finish(first, place) as usize, length);
            assert_eq!(algorithm.digest(message), answered()[..]);
        }
        write(b"ab", &[[0, 2], [2, 0], [2, 0]]);
        assert_eq!(update(first), 1);
        let size = save(first, 0);
        let saved = answered();
        assert_eq!(size as usize, saved.len());
        write(&saved, &[]);
        let third = restore(size) as u32;
        write(b"c", &[[0, 1]]);
        assert_eq!((update(third), finish(third, 0) as usize), (1, length));
        assert_eq!(algorithm.digest("abc"), answered()[..]);
        write(&saved, &[]);
        assert_eq!((restore(size - 1), close(third), save(first, 3)), (-26, 1, 0));
        assert_eq!(answered(), b"the saved state is damaged"[..]);
        assert_eq!(abandon(first, 0), 1);
        assert_eq!((finish(first, 3), abandon(first, 3), finish(second, 0)), (0, 0, 0));
        assert_eq!((close(first), close(first), update(first)), (1, 0, 0));
        // The number is given out again, for messages that are new.
        assert_eq!(open(number, 1), first);
        assert_eq!(finish(first, 0) as usize, length);
        assert_eq!(algorithm.digest(""), answered()[..]);
        assert_eq!((close(first), close(second), close(0), close(99)), (1, 1, 0, 0));
    }
}
