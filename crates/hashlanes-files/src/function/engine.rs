//! Runs a function in lanes, or one message at a time.

use super::in_pieces::Hasher;
use super::{Digest, Function, Single};

/// Hashes many messages with one function.
#[derive(Clone, Copy, Debug)]
pub enum Engine {
    /// Side by side, in lanes.
    Lanes(hashlanes::Engine),
    /// One after the other.
    Single(Single),
}

impl Engine {
    /// An engine for this function, with the kernel that is best for this CPU.
    pub fn new(function: Function) -> Self {
        match function {
            Function::Lanes(algorithm) => Self::Lanes(hashlanes::Engine::of(algorithm)),
            Function::Single(single) => Self::Single(single),
        }
    }

    /// The function.
    pub fn function(&self) -> Function {
        match self {
            Self::Lanes(engine) => Function::Lanes(engine.algorithm()),
            Self::Single(single) => Function::Single(*single),
        }
    }

    /// The digest of one message.
    pub fn digest(&self, message: &[u8]) -> Digest {
        match self {
            Self::Lanes(engine) => engine.digest(message).into(),
            Self::Single(single) => {
                let mut hasher = single.hasher();
                hasher.update(message);
                hasher.finish()
            }
        }
    }

    /// Passes the digest of each message to `each`, in order.
    pub(crate) fn digest_many(&self, messages: &[&[u8]], mut each: impl FnMut(Digest)) {
        match self {
            Self::Lanes(engine) => {
                engine.digest_many(messages).into_iter().for_each(|digest| each(digest.into()));
            }
            Self::Single(_) => messages.iter().for_each(|message| each(self.digest(message))),
        }
    }

    /// Hashers of `count` empty messages.
    pub fn hashers(&self, count: usize) -> Hashers {
        Hashers(match self {
            Self::Lanes(engine) => Kind::Lanes(engine.hashers(count)),
            Self::Single(single) => {
                Kind::Single(*single, (0..count).map(|_| single.hasher()).collect())
            }
        })
    }

    /// The number of messages that the engine hashes side by side.
    pub fn lanes(&self) -> usize {
        match self {
            Self::Lanes(engine) => engine.lanes(),
            Self::Single(_) => 1,
        }
    }
}

impl From<hashlanes::Engine> for Engine {
    fn from(engine: hashlanes::Engine) -> Self {
        Self::Lanes(engine)
    }
}

/// Messages in progress, of one function. [`Engine::hashers`] makes them.
pub struct Hashers(Kind);

enum Kind {
    Lanes(hashlanes::Hashers),
    Single(Single, Vec<Box<dyn Hasher>>),
}

impl Hashers {
    /// Appends `pieces[i]` to message `i`, for each message. A piece may be empty.
    ///
    /// # Panics
    /// If there are not as many pieces as messages.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        match &mut self.0 {
            Kind::Lanes(hashers) => hashers.update(pieces),
            Kind::Single(_, hashers) => {
                assert_eq!(pieces.len(), hashers.len(), "there is a piece for each message");
                hashers.iter_mut().zip(pieces).for_each(|(hasher, piece)| hasher.update(piece));
            }
        }
    }

    /// The digest of message `index`, which is replaced by a new, empty message.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn finalize_reset(&mut self, index: usize) -> Digest {
        match &mut self.0 {
            Kind::Lanes(hashers) => hashers.finalize_reset(index).into(),
            Kind::Single(single, hashers) => {
                std::mem::replace(&mut hashers[index], single.hasher()).finish()
            }
        }
    }

    /// The state of message `index`, if the function has [saved
    /// states](hashlanes::Hasher::save).
    ///
    /// # Panics
    /// If there is no such message.
    pub(crate) fn save(&self, index: usize) -> Option<Vec<u8>> {
        match &self.0 {
            Kind::Lanes(hashers) => Some(hashers.save(index)),
            Kind::Single(_, hashers) => hashers[index].save(),
        }
    }

    /// Continues a message that was saved, in place of message `index`. Returns whether that was
    /// possible.
    ///
    /// # Panics
    /// If there is no such message.
    pub(crate) fn restore(&mut self, index: usize, saved: &[u8]) -> bool {
        match &mut self.0 {
            Kind::Lanes(hashers) => hashers.restore(index, saved).is_ok(),
            Kind::Single(single, hashers) => match single.restored(saved) {
                Some(restored) => {
                    hashers[index] = restored;
                    true
                }
                None => false,
            },
        }
    }

    /// Abandons message `index`, which is replaced by a new, empty message.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn reset(&mut self, index: usize) {
        match &mut self.0 {
            Kind::Lanes(hashers) => hashers.reset(index),
            Kind::Single(single, hashers) => hashers[index] = single.hasher(),
        }
    }
}
