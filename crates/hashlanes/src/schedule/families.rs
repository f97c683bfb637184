//! The rules of each family, and what is compiled for each: the digest of one message.

use super::batch::alone::{digest_alone, digest_whole};
#[cfg(feature = "sha2")]
use super::batch::twice;
use super::rules::{Md, MdValues, Ruled, Sponge, SpongeValues, Tabled};
use super::stream::midstate::Midstate;
#[cfg(feature = "blake2")]
use crate::family::blake2::{Blake2bFamily, Blake2sFamily};
#[cfg(feature = "blake3")]
use crate::family::blake3::Blake3Family;
#[cfg(feature = "sha3")]
use crate::family::keccak::Keccak;
use crate::family::{Family, MerkleDamgard};
use crate::kernel::{Choices, Kernels, Table};

/// Gives a family of the MD4 kind its rules, with the kernels and numbers of a family.
macro_rules! md {
    ($ruled:ty, $choices:ident) => {
        // Not inlined, so that callers can wipe what it leaves on the stack.
        md!($ruled, $ruled, $choices, false, {
            #[inline(never)]
            fn digest(
                before: &Midstate<'_, <$ruled as Ruled>::Rules>,
                message: &[u8],
                forced: Option<usize>,
                digest: &mut [u8],
            ) {
                let before = Midstate { rules: <$ruled>::RULES, ..*before };
                digest_whole(&before, message, forced, digest);
            }
            digest
        });
    };
    ($ruled:ty, $family:ty, $choices:ident, $again:literal, $digest:expr) => {
        impl Ruled for $ruled {
            type Rules = Md<<$ruled as Family>::Word>;

            const RULES: Self::Rules = {
                static VALUES: MdValues<<$ruled as Family>::Word> = MdValues {
                    table: Table::new(<$family>::TABLE, Choices::$choices),
                    state_words: <$family>::STATE_WORDS,
                    big_endian: <$family>::BIG_ENDIAN,
                    padding_sums: <$family>::PADDING_SUMS,
                    sums: <$family>::sums,
                    again: $again,
                    digest: $digest,
                };
                Md(&VALUES)
            };
        }
    };
}

#[cfg(feature = "md5")]
md!(crate::family::md5::Md5Family, Md5);
#[cfg(feature = "sha1")]
md!(crate::family::sha1::Sha1Family, Sha1);
#[cfg(feature = "sha2")]
md!(crate::family::sha256::Sha256Family, Sha256);
#[cfg(feature = "sha2")]
md!(twice::Sha256dFamily, crate::family::sha256::Sha256Family, Sha256, true, twice::digest);
#[cfg(feature = "sha2")]
md!(crate::family::sha512::Sha512Family, Sha512);
#[cfg(feature = "sm3")]
md!(crate::family::sm3::Sm3Family, Sm3);

/// Gives sponges their rules.
macro_rules! sponges {
    ($($family:ty)*) => {
        $(impl Ruled for $family {
            type Rules = Sponge;

            const RULES: Sponge = {
                static VALUES: SpongeValues = SpongeValues {
                    // All sponges have the same kernels.
                    table: Table::new(<$family>::TABLE, Choices::Keccak),
                    rate: <$family>::BLOCK,
                    reciprocal: (1_u64 << 32).div_ceil(<$family>::BLOCK as u64),
                    digest,
                };
                // Not inlined, so that callers can wipe what it leaves on the stack.
                #[inline(never)]
                fn digest(
                    before: &Midstate<'_, Sponge>,
                    message: &[u8],
                    forced: Option<usize>,
                    digest: &mut [u8],
                ) {
                    let before = Midstate { rules: Sponge(&VALUES), ..*before };
                    digest_alone(&before, message, forced, digest);
                }
                Sponge(&VALUES)
            };
        })*
    };
}

#[cfg(feature = "sha3")]
sponges!(Keccak<72> Keccak<104> Keccak<136> Keccak<144> Keccak<168>);
#[cfg(feature = "sha3")]
sponges!(Keccak<136, 12> Keccak<168, 12>);

/// Rules that are a family's own.
macro_rules! own {
    ($($family:ident: $choices:ident),*) => {
        $(impl Tabled for $family {
            #[inline(always)]
            fn table(self) -> &'static Table<Self::Word> {
                static TABLE: Table<<$family as Family>::Word> =
                    Table::new(<$family>::TABLE, Choices::$choices);
                &TABLE
            }
        }

        impl Ruled for $family {
            type Rules = Self;
            const RULES: Self = Self;
        })*
    };
}

#[cfg(feature = "blake2")]
own!(Blake2bFamily: Blake2b, Blake2sFamily: Blake2s);
#[cfg(feature = "blake3")]
own!(Blake3Family: Blake3);

#[cfg(all(test, feature = "all"))]
mod tests {
    use super::*;
    use crate::family::Rules;

    #[test]
    fn full_blocks_of_sponges_are_a_quotient() {
        let sponges = [
            Keccak::<72>::RULES,
            Keccak::<104>::RULES,
            Keccak::<136>::RULES,
            Keccak::<144>::RULES,
            Keccak::<168>::RULES,
        ];
        for rules in sponges {
            let multiples = (0..1 << 18).map(|blocks| blocks * rules.block());
            let far = [1 << 24, 1 << 32, usize::MAX - 1000];
            for length in multiples.chain(far).flat_map(|at| [at.saturating_sub(1), at, at + 1]) {
                assert_eq!(rules.full_blocks(length), length / rules.block(), "{length}");
            }
        }
    }
}
