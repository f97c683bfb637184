//! Many hashers of one thread that have bytes at the same time, as in an event loop that learns of
//! many finished reads at once.

use std::vec::Vec;

use super::owner::Owner;
use super::policy::MOST;
use super::round::Round;
use super::shared::Shared;
use super::sync::Arc;
use super::{HashServer, ServerHasher};
use crate::api::hasher::Under;
use crate::function::Function;

impl<A: Function> HashServer<A> {
    /// Appends bytes to many messages. The effect is that of `hasher.update(bytes)` for each pair,
    /// hashed side by side without a copy before this returns.
    ///
    /// ```
    /// use hashlanes::server::HashServer;
    /// use hashlanes::Md5;
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
    pub fn update_many<K: Under<A>>(&self, writes: &mut [(&mut ServerHasher<A, K>, &[u8])]) {
        for (hasher, _) in &*writes {
            self.check_mine(hasher);
        }
        for round in writes.chunks_mut(self.round_size()) {
            let mut pieces = [(); MOST].map(|()| &[][..]);
            for (piece, (hasher, bytes)) in pieces.iter_mut().zip(&mut *round) {
                hasher.owner.length += bytes.len() as u128;
                *piece = bytes;
            }
            let mut owners = round.iter().map(|(hasher, _)| &hasher.owner);
            hash_many(&self.shared, core::array::from_fn(|_| owners.next()), pieces);
        }
    }

    /// The digests of many messages, in the same order. Their deferred bytes are hashed side by
    /// side. Each hasher then begins a new, empty message.
    ///
    /// # Panics
    /// Like [`ServerHasher::finalize`], and if a hasher is of another server.
    pub fn finalize_many<K: Under<A>>(
        &self,
        hashers: &mut [&mut ServerHasher<A, K>],
    ) -> Vec<A::Digest> {
        for hasher in &*hashers {
            self.check_mine(hasher);
        }
        for round in hashers.chunks(self.round_size()) {
            let mut owners = round.iter().map(|hasher| &hasher.owner);
            let nothing = [(); MOST].map(|()| &[][..]);
            hash_many(&self.shared, core::array::from_fn(|_| owners.next()), nothing);
        }
        hashers.iter_mut().map(|hasher| hasher.finalize_reset()).collect()
    }

    /// The most messages of a round.
    fn round_size(&self) -> usize {
        self.shared.limits.policy.batch.min(MOST)
    }

    fn check_mine<K>(&self, hasher: &ServerHasher<A, K>) {
        let (owner, shared) = (&hasher.owner, &self.shared);
        assert!(Arc::ptr_eq(shared, &owner.shared), "the hasher belongs to another server");
        owner.check_updated();
        // Panics for a lost message before any other one is taken.
        drop(owner.writer().lock().wait().check());
    }
}

/// Hashes what is deferred of each message and then the bytes of the same place.
fn hash_many(shared: &Shared, mut owners: [Option<&Owner>; MOST], mut rest: [&[u8]; MOST]) {
    loop {
        // Those with something to hash come first.
        let mut count = 0;
        for i in 0..MOST {
            let Some(owner) = owners[i] else { break };
            let deferred = || owner.writer().lock().wait().deferred() > 0;
            if !rest[i].is_empty() || deferred() {
                owners.swap(i, count);
                rest.swap(i, count);
                count += 1;
            }
        }
        owners[count..].fill(None);
        let writers = owners.iter().flatten().map(|owner| owner.writer());
        let taken = shared.limits.policy.round(count);
        let homes = writers.clone().take(taken).map(|writer| writer.wait_home(writer.lock()));
        let own = rest;
        let hashed = |i: usize, hashed: usize| rest[i] = &rest[i][hashed..];
        if taken > 1 && Round::run_own(shared, homes, &own[..taken], hashed) {
            continue;
        }
        for (writer, bytes) in writers.zip(rest) {
            drop(writer.hash_all(writer.lock(), bytes));
        }
        return;
    }
}
