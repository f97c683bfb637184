//! The hash functions of the interface.

#![forbid(unsafe_code)]

use hashlanes::hazmat::{MdFunction, State};

/// A hash function, with the layout that its header gives to contexts and managers.
pub trait Function: Sized + 'static {
    /// The library's hash function.
    type Hash: MdFunction;

    /// The type of the block count of a job in the header.
    type Blocks: Copy + From<u32> + Into<u64>;

    /// `[Word; WORDS]`
    type Digest;

    /// `[u8; 2 * BLOCK]`
    type Partial;

    /// Words in a digest, which are all words of the state.
    const WORDS: usize;

    /// Bytes in a block.
    const BLOCK: usize;

    /// Whether an empty piece needs a buffer unless it is exactly the first or the last. In ISA-L,
    /// all functions except SM3 need one.
    const ALWAYS_A_BUFFER: bool;

    /// A digest of zeros, to be overwritten.
    const ZERO: <Self::Hash as hashlanes::Function>::Digest;

    /// The words that a context finally holds, computed from the final state. They are the same,
    /// except that SM3's are stored in the byte order of the digest.
    fn stored(state: State<Self::Hash>) -> State<Self::Hash>;

    /// The final state, computed from the digest.
    fn state_of(digest: &<Self::Hash as hashlanes::Function>::Digest) -> State<Self::Hash>;
}

macro_rules! function {
    (
        $name:ident, $blocks:ty, $word:ty, $from_bytes:ident,
        words: $words:literal, block: $block:literal, sm3: $sm3:literal
    ) => {
        /// The library's hash function of this name.
        pub enum $name {}

        impl Function for $name {
            type Hash = hashlanes::$name;
            type Blocks = $blocks;
            type Digest = [$word; $words];
            type Partial = [u8; 2 * $block];
            const WORDS: usize = $words;
            const BLOCK: usize = $block;
            const ALWAYS_A_BUFFER: bool = !$sm3;

            const ZERO: [u8; $words * size_of::<$word>()] = [0; $words * size_of::<$word>()];

            fn stored(state: State<Self::Hash>) -> State<Self::Hash> {
                if $sm3 { state.map(<$word>::to_be) } else { state }
            }

            fn state_of(digest: &[u8; $words * size_of::<$word>()]) -> State<Self::Hash> {
                let mut words = [0; 8];
                let (bytes, _) = digest.as_chunks();
                for (word, bytes) in words.iter_mut().zip(bytes) {
                    *word = <$word>::$from_bytes(*bytes);
                }
                words
            }
        }

        const _: () = assert!($block == hashlanes::Algorithm::$name.block_len());
    };
}

function!(Md5, u32, u32, from_le_bytes, words: 4, block: 64, sm3: false);
function!(Sha1, u32, u32, from_be_bytes, words: 5, block: 64, sm3: false);
function!(Sha256, u64, u32, from_be_bytes, words: 8, block: 64, sm3: false);
function!(Sha512, u64, u64, from_be_bytes, words: 8, block: 128, sm3: false);
function!(Sm3, u64, u32, from_be_bytes, words: 8, block: 64, sm3: true);
