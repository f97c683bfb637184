//! Many hashers of one thread that have bytes at the same time, as in an event loop that learns of
//! many finished reads at once.

use std::vec::Vec;

use super::policy::MOST;
use super::round::Round;
use super::{HashServer, ServerHasher};
use crate::function::HashFunction;

impl<A: HashFunction> HashServer<A> {
    /// Appends bytes to many messages. The effect is that of `hasher.update(bytes)` for each pair,
    /// hashed side by side without a copy before this returns.
    ///
    /// ```
    /// use hashlanes::{HashServer, Md5};
    ///
    /// let server = HashServer::<Md5>::new();
    /// let mut hashers = [(); 16].map(|()| server.hasher());
    /// let buffer = [1; 10_000];
    /// server.update_many(&mut hashers.each_mut().map(|hasher| (hasher, &buffer[..])));
    /// let digests = server.finalize_many(&mut hashers.each_mut());
    /// assert_eq!(digests[3], Md5::digest(&buffer));
    /// ```
    ///
    /// # Panics
    /// Like [`ServerHasher::update`], and if a hasher is of another server.
    pub fn update_many(&self, writes: &mut [(&mut ServerHasher<A>, &[u8])]) {
        for (hasher, _) in &*writes {
            self.check_mine(hasher);
        }
        for round in writes.chunks_mut(self.round_size()) {
            let mut pieces = [(); MOST].map(|()| &[][..]);
            for (piece, (hasher, bytes)) in pieces.iter_mut().zip(&mut *round) {
                hasher.length += bytes.len() as u128;
                *piece = bytes;
            }
            let mut hashers = round.iter().map(|(hasher, _)| &**hasher);
            let hashers = core::array::from_fn(|_| hashers.next());
            self.hash_many(hashers, pieces);
        }
    }

    /// The digests of many messages, in their order, whose deferred bytes are hashed side by side.
    /// Each hasher then begins a new, empty message.
    ///
    /// # Panics
    /// Like [`ServerHasher::finalize`], and if a hasher is of another server.
    pub fn finalize_many(&self, hashers: &mut [&mut ServerHasher<A>]) -> Vec<A::Digest> {
        for hasher in &*hashers {
            self.check_mine(hasher);
        }
        for round in hashers.chunks(self.round_size()) {
            let mut hashers = round.iter().map(|hasher| &**hasher);
            let hashers = core::array::from_fn(|_| hashers.next());
            self.hash_many(hashers, [(); MOST].map(|()| &[][..]));
        }
        hashers.iter_mut().map(|hasher| hasher.finalize_reset()).collect()
    }

    /// The most messages of a round.
    fn round_size(&self) -> usize {
        self.shared.limits.policy.batch.min(MOST)
    }

    fn check_mine(&self, hasher: &ServerHasher<A>) {
        let same = core::ptr::eq(&*self.shared, &*hasher.server.shared);
        assert!(same, "a hasher of another server");
        hasher.check_updated();
        // Panics for a lost message before any other one is taken.
        drop(hasher.writer().lock().wait().check());
    }

    /// Hashes what is deferred of each message and then the bytes of the same place.
    fn hash_many(&self, mut hashers: [Option<&ServerHasher<A>>; MOST], mut rest: [&[u8]; MOST]) {
        loop {
            // Those with something to hash come first.
            let mut count = 0;
            for i in 0..MOST {
                let Some(hasher) = hashers[i] else { break };
                let deferred = || hasher.writer().lock().wait().deferred() > 0;
                if !rest[i].is_empty() || deferred() {
                    hashers.swap(i, count);
                    rest.swap(i, count);
                    count += 1;
                }
            }
            hashers[count..].fill(None);
            let writers = hashers.iter().flatten().map(|hasher| hasher.writer());
            let taken = self.shared.limits.policy.round(count);
            let homes = writers.clone().take(taken).map(|writer| writer.wait_home(writer.lock()));
            let own = rest;
            let hashed = |i: usize, hashed: usize| rest[i] = &rest[i][hashed..];
            if taken > 1 && Round::run_own(&self.shared, homes, &own[..taken], hashed) {
                continue;
            }
            for (writer, bytes) in writers.zip(rest) {
                drop(writer.hash_all(writer.lock(), bytes));
            }
            return;
        }
    }
}
