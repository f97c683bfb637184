//! The hash functions as types: a family, an initial state and a digest length.

use core::fmt::Debug;
use core::hash::Hash;

use crate::algorithm::{State, write_digest};

mod algorithm;
mod dispatch;
mod given_name;
mod types;

pub use algorithm::{Algorithm, UnknownAlgorithm};
pub(crate) use dispatch::with_function;
pub(crate) use given_name::GivenName;
pub use types::{Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256};

/// A hash function, chosen at compile time: [`Md5`], [`Sha1`], [`Sha224`], [`Sha256`], [`Sha384`],
/// [`Sha512`] or [`Sha512_256`].
///
/// The trait is sealed: it names the functions of this crate. To choose at run time, use
/// [`Algorithm`].
pub trait HashFunction: sealed::Function {
    /// The digest: an array of bytes.
    type Digest: AsRef<[u8]> + AsMut<[u8]> + Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static;

    /// The same function as a value.
    const ALGORITHM: Algorithm;

    #[doc(hidden)]
    const ZERO: Self::Digest;
}

pub(crate) mod sealed {
    use crate::algorithm::State;
    use crate::kernel::Kernels;

    /// What the crate needs to know of a hash function. Public, as its types must be, only because
    /// [`HashFunction`] is; nobody outside can name them, so nobody else can implement it.
    ///
    /// [`HashFunction`]: super::HashFunction
    pub trait Function: Copy + Send + Sync + 'static {
        #[doc(hidden)]
        type Family: Kernels;

        #[doc(hidden)]
        const INITIAL: State<Self::Family>;

        /// Bytes in a digest, as a type.
        #[cfg(feature = "digest")]
        type OutputSize: digest::array::ArraySize;

        /// Bytes in a block, as a type.
        #[cfg(feature = "digest")]
        type BlockSize: digest::array::ArraySize;
    }
}

/// The digest that a final state stands for.
pub(crate) fn digest_of<A: HashFunction>(state: &State<A::Family>, digest: &mut A::Digest) {
    write_digest::<A::Family>(state, digest.as_mut());
}
