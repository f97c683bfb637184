//! An [`Algorithm`] as a hash function: a choice between the types of rules, of which there are
//! fewer than functions.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;
use core::any::Any;

use super::digest::AnyDigest;
use crate::family::Rules;
#[cfg(feature = "blake2")]
use crate::family::blake2::{Blake2bFamily, Blake2sFamily};
#[cfg(feature = "blake3")]
use crate::family::blake3::Blake3Family;
#[cfg(feature = "std")]
use crate::function::choice::VisitStream;
#[cfg(feature = "alloc")]
use crate::function::choice::add_macs;
use crate::function::choice::{Before, Choice, InPieces, KeyState, Many, Visit, hash_each};
use crate::function::sealed::Typed;
use crate::function::{Algorithm, Function};
use crate::input::Chains;
use crate::kernel::KernelInfo;
#[cfg(feature = "alloc")]
use crate::schedule::Rounds;
#[cfg(feature = "sha3")]
use crate::schedule::Sponge;
use crate::schedule::{Md, Midstate, Output, Stream};
use crate::with_function;

/// Declares an enum with a variant for each type of rules.
macro_rules! any {
    ($(#[$doc:meta])* $name:ident $(<$life:lifetime>)? of $of:ident) => {
        any! {
            $(#[$doc])* $name [$(<$life>)?]
            Md32 $of<$($life,)? Md<u32>>,
                any(feature = "md5", feature = "sha1", feature = "sha2", feature = "sm3");
            Md64 $of<$($life,)? Md<u64>>, feature = "sha2";
            Sponge $of<$($life,)? Sponge>, feature = "sha3";
            Blake2b $of<$($life,)? Blake2bFamily>, feature = "blake2";
            Blake2s $of<$($life,)? Blake2sFamily>, feature = "blake2";
            Blake3 $of<$($life,)? Blake3Family>, feature = "blake3";
        }
    };
    ($(#[$doc:meta])* $name:ident $life:tt $($variant:ident $of:ty, $feature:meta;)*) => {
        any! { @enum $(#[$doc])* $name $life $($variant $of, $feature;)* }
        $(#[cfg($feature)]
        any! { @from $name $life $variant $of })*
    };
    (@enum
        $(#[$doc:meta])* $name:ident [$($life:tt)*] $($variant:ident $of:ty, $feature:meta;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone)]
        #[allow(
            clippy::large_enum_variant,
            reason = "nothing is allocated, and BLAKE3 keeps a value for each subtree"
        )]
        pub enum $name $($life)* {
            $(#[cfg($feature)] $variant($of),)*
        }
    };
    (@from $name:ident [$($life:tt)*] $variant:ident $of:ty) => {
        impl $($life)* From<$of> for $name $($life)* {
            #[inline(always)]
            fn from(value: $of) -> Self {
                Self::$variant(value)
            }
        }
    };
}

/// Evaluates an expression with what is in such an enum.
macro_rules! by_rules {
    ($value:expr, $name:ident($it:ident) => $result:expr) => {
        match $value {
            #[cfg(any(feature = "md5", feature = "sha1", feature = "sha2", feature = "sm3"))]
            $name::Md32($it) => $result,
            #[cfg(feature = "sha2")]
            $name::Md64($it) => $result,
            #[cfg(feature = "sha3")]
            $name::Sponge($it) => $result,
            #[cfg(feature = "blake2")]
            $name::Blake2b($it) => $result,
            #[cfg(feature = "blake2")]
            $name::Blake2s($it) => $result,
            #[cfg(feature = "blake3")]
            $name::Blake3($it) => $result,
        }
    };
}

any! {
    /// What precedes messages.
    #[derive(Copy)]
    AnyMidstate<'m> of Midstate
}

any! {
    /// A message in pieces.
    AnyStream of Stream
}

any! {
    /// The state after a block of a key.
    AnyKeyState of KeyState
}

impl AnyKeyState {
    /// The state, which must be of these rules.
    #[inline]
    pub(crate) fn of<R: Rules>(&self) -> &KeyState<R> {
        self.typed().expect("all keys must be of one algorithm")
    }

    /// The state, if it is of these rules.
    #[inline]
    fn typed<R: Rules>(&self) -> Option<&KeyState<R>> {
        // In each arm the type is known, so this compares nothing but the variant.
        by_rules!(self, AnyKeyState(state) => (state as &dyn Any).downcast_ref())
    }
}

impl Choice for Algorithm {
    type Midstate<'m> = AnyMidstate<'m>;
    type Stream = AnyStream;
    type KeyState = AnyKeyState;

    #[inline]
    fn algorithm(self) -> Algorithm {
        self
    }

    fn beginning(self) -> AnyMidstate<'static> {
        with_function!(self, A => <A as Typed>::BEGINNING.into())
    }

    // For short messages, each function has its own call, as with a type.
    fn put_digest(self, message: &[u8], forced: Option<usize>, digest: &mut [u8]) {
        with_function!(self, A => <A as Typed>::BEGINNING.digest(message, forced, digest));
    }

    fn put_digests(self, many: Many<'_, '_>, output: &mut Output<'_>) {
        with_function!(self, A => <A as Typed>::BEGINNING.hash_many(many, output));
    }

    fn visit<V: Visit>(self, visit: V) -> V::Output {
        by_rules!(self.beginning(), AnyMidstate(before) => visit.visit(before))
    }

    fn stream(self) -> AnyStream {
        by_rules!(self.beginning(), AnyMidstate(before) => before.stream().into())
    }

    #[cfg(feature = "alloc")]
    fn of_value(algorithm: Algorithm) -> Result<Self, Algorithm> {
        Ok(algorithm)
    }

    #[cfg(feature = "alloc")]
    fn restore(self, length: u128, saved: &[u8]) -> Option<AnyStream> {
        by_rules!(self.stream(), AnyStream(stream) => Some(stream.restored(length, saved)?.into()))
    }

    fn midstate(stream: &AnyStream) -> AnyMidstate<'_> {
        by_rules!(stream, AnyStream(stream) => stream.midstate().into())
    }

    fn key_states(self, key: &[u8], forced: Option<usize>) -> [AnyKeyState; 2] {
        by_rules!(self.beginning(), AnyMidstate(before) => {
            KeyState::of_key(before, self.digest_len(), key, forced).map(AnyKeyState::from)
        })
    }

    fn after_key(state: &AnyKeyState) -> AnyMidstate<'_> {
        by_rules!(state, AnyKeyState(state) => state.midstate().into())
    }

    fn stream_after_key(state: &AnyKeyState) -> AnyStream {
        by_rules!(state, AnyKeyState(state) => state.stream().into())
    }

    fn hash_each<'s>(
        before: AnyMidstate<'s>,
        each: impl Fn(usize) -> &'s AnyKeyState,
        many: Many<'s, '_>,
        output: &mut Output<'_>,
    ) {
        by_rules!(before, AnyMidstate(before) => {
            hash_each(before, |i| each(i).of(), many, output);
        });
    }

    #[cfg(feature = "alloc")]
    fn add_macs<'k>(
        self,
        keys: impl Iterator<Item = [&'k AnyKeyState; 2]>,
        rounds: &mut Rounds<'_>,
        totals: &mut [u8],
        forced: Option<usize>,
    ) -> bool {
        by_rules!(self.beginning(), AnyMidstate(before) => {
            let keys = keys.map(|states| states.map(AnyKeyState::of));
            add_macs(before.rules, keys, rounds, totals, self.digest_len(), forced)
        })
    }
}

impl Before for AnyMidstate<'_> {
    fn digest(self, message: &[u8], forced: Option<usize>, digest: &mut [u8]) {
        by_rules!(self, AnyMidstate(before) => before.digest(message, forced, digest));
    }

    fn hash_many(self, many: Many<'_, '_>, output: &mut Output<'_>) {
        by_rules!(self, AnyMidstate(before) => before.hash_many(many, output));
    }

    fn continue_chains(self, chains: &mut Chains<'_>, digest_len: usize, forced: Option<usize>) {
        by_rules!(self, AnyMidstate(before) => before.continue_chains(chains, digest_len, forced));
    }

    fn kernel(self, row: usize) -> Option<KernelInfo> {
        by_rules!(self, AnyMidstate(before) => before.kernel(row))
    }

    fn row(self, messages: usize, forced: Option<usize>) -> usize {
        by_rules!(self, AnyMidstate(before) => before.row(messages, forced))
    }

    fn row_of_environment(self) -> Option<usize> {
        by_rules!(self, AnyMidstate(before) => before.row_of_environment())
    }
}

impl InPieces for AnyStream {
    fn update(&mut self, piece: &[u8], forced: Option<usize>) {
        by_rules!(self, AnyStream(stream) => stream.update(piece, forced));
    }

    fn write_digest(&self, forced: Option<usize>, digest: &mut [u8]) {
        by_rules!(self, AnyStream(stream) => stream.write_digest(forced, digest));
    }

    fn length(&self) -> u128 {
        by_rules!(self, AnyStream(stream) => stream.length())
    }

    #[cfg(feature = "alloc")]
    fn save(&self, saved: &mut Vec<u8>) {
        by_rules!(self, AnyStream(stream) => stream.save(saved));
    }

    #[cfg(feature = "alloc")]
    fn holds_key(&self) -> bool {
        by_rules!(self, AnyStream(stream) => stream.holds_key())
    }

    #[cfg(feature = "std")]
    fn visit<V: VisitStream>(self, visit: V) -> V::Output {
        by_rules!(self, AnyStream(stream) => visit.visit(stream))
    }
}

impl Function for Algorithm {
    type Digest = AnyDigest;
    type Digests = [u8];

    fn zero(self) -> AnyDigest {
        AnyDigest::zero(self.digest_len())
    }

    fn digest_bytes(digest: &mut AnyDigest) -> &mut [u8] {
        digest.bytes_mut()
    }

    #[inline]
    fn bytes(digests: &[u8]) -> &[u8] {
        digests
    }

    #[inline]
    fn bytes_mut(digests: &mut [u8]) -> &mut [u8] {
        digests
    }

    #[cfg(feature = "alloc")]
    fn collect(self, count: usize, fill: impl FnOnce(&mut [u8])) -> Vec<AnyDigest> {
        let length = self.digest_len();
        let mut digests = alloc::vec![0; count * length];
        fill(&mut digests);
        digests.chunks(length).map(|digest| AnyDigest::new(&digest)).collect()
    }
}
