//! `serde`'s traits for digests, algorithms and hashers.

#[cfg(feature = "alloc")]
use alloc::{string::String, vec::Vec};
use core::fmt;
#[cfg(feature = "alloc")]
use core::marker::PhantomData;

use serde_core::de::{self, EnumAccess, Unexpected, VariantAccess, Visitor};
#[cfg(feature = "alloc")]
use serde_core::ser;
use serde_core::{Deserialize, Deserializer, Serialize, Serializer};

use super::digest::AnyDigest;
#[cfg(feature = "alloc")]
use crate::api::hasher::Hasher;
use crate::function::Algorithm;
#[cfg(feature = "alloc")]
use crate::function::Function;
#[cfg(feature = "alloc")]
use crate::wipe;

/// Hexadecimal in human-readable formats, bytes in others.
impl Serialize for AnyDigest {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            serializer.collect_str(self)
        } else {
            serializer.serialize_bytes(self.as_bytes())
        }
    }
}

impl<'de> Deserialize<'de> for AnyDigest {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(Hex)
        } else {
            deserializer.deserialize_bytes(Bytes)
        }
    }
}

struct Hex;

impl Visitor<'_> for Hex {
    type Value = AnyDigest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a digest in hexadecimal")
    }

    fn visit_str<E: de::Error>(self, hex: &str) -> Result<AnyDigest, E> {
        hex.parse().map_err(E::custom)
    }
}

struct Bytes;

impl Visitor<'_> for Bytes {
    type Value = AnyDigest;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the bytes of a digest")
    }

    fn visit_bytes<E: de::Error>(self, bytes: &[u8]) -> Result<AnyDigest, E> {
        AnyDigest::try_from(bytes).map_err(E::custom)
    }
}

/// What [`Hasher::save`] returns: in hexadecimal in human-readable formats, bytes in others. It
/// fails if the message is under a key of BLAKE2 or BLAKE3.
#[cfg(feature = "alloc")]
impl<A: Function> Serialize for Hasher<A> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut saved = self.save().map_err(ser::Error::custom)?;
        let result = if serializer.is_human_readable() {
            let digits = saved.iter().flat_map(|byte| [byte >> 4, byte & 15]);
            let digits = digits.map(|digit| char::from_digit(digit.into(), 16).unwrap_or_default());
            // What grows would leave copies behind.
            let mut hex = String::with_capacity(2 * saved.len());
            hex.extend(digits);
            let result = serializer.serialize_str(&hex);
            wipe::clear(&mut hex.into_bytes());
            result
        } else {
            serializer.serialize_bytes(&saved)
        };
        wipe::clear(&mut saved);
        result
    }
}

/// Accepts no state that has a key.
#[cfg(feature = "alloc")]
impl<'de, A: Function> Deserialize<'de> for Hasher<A> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            deserializer.deserialize_str(State(PhantomData))
        } else {
            deserializer.deserialize_bytes(State(PhantomData))
        }
    }
}

#[cfg(feature = "alloc")]
struct State<A>(PhantomData<A>);

#[cfg(feature = "alloc")]
impl<A: Function> Visitor<'_> for State<A> {
    type Value = Hasher<A>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the saved state of a hasher")
    }

    fn visit_str<E: de::Error>(self, hex: &str) -> Result<Hasher<A>, E> {
        let digit = |&digit: &u8| char::from(digit).to_digit(16);
        let byte = |pair: &[u8; 2]| Some((digit(&pair[0])? << 4 | digit(&pair[1])?) as u8);
        let (pairs, []) = hex.as_bytes().as_chunks() else {
            return Err(E::invalid_length(hex.len(), &"an even number of hexadecimal digits"));
        };
        let mut bytes = Vec::with_capacity(pairs.len());
        bytes.extend(pairs.iter().map_while(byte));
        let result = match bytes.len() == pairs.len() {
            true => self.visit_bytes(&bytes),
            false => Err(E::invalid_value(Unexpected::Str(hex), &self)),
        };
        wipe::clear(&mut bytes);
        result
    }

    fn visit_bytes<E: de::Error>(self, saved: &[u8]) -> Result<Hasher<A>, E> {
        let hasher = Hasher::restore(saved).map_err(E::custom)?;
        // As `serialize` saves no key, this is a forgery.
        wipe::clear(&mut hasher.save().map_err(E::custom)?);
        Ok(hasher)
    }
}

/// A unit variant: formats identify it by its [`name`](Algorithm::name) or by its index in
/// [`Algorithm::ALL`].
impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_unit_variant("Algorithm", *self as u32, self.name())
    }
}

/// Accepts the index and any name that [`Algorithm::from_name`] accepts.
impl<'de> Deserialize<'de> for Algorithm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        const NAMES: &[&str] = &{
            let mut names = [""; Algorithm::ALL.len()];
            let mut i = 0;
            while i < names.len() {
                names[i] = Algorithm::ALL[i].name();
                i += 1;
            }
            names
        };
        deserializer.deserialize_enum("Algorithm", NAMES, Variant)
    }
}

struct Variant;

impl<'de> Visitor<'de> for Variant {
    type Value = Algorithm;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an algorithm")
    }

    fn visit_enum<A: EnumAccess<'de>>(self, access: A) -> Result<Algorithm, A::Error> {
        let (Identifier(algorithm), variant) = access.variant()?;
        variant.unit_variant()?;
        Ok(algorithm)
    }
}

/// The identifier of a variant.
struct Identifier(Algorithm);

impl<'de> Deserialize<'de> for Identifier {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_identifier(IdentifierVisitor)
    }
}

struct IdentifierVisitor;

impl Visitor<'_> for IdentifierVisitor {
    type Value = Identifier;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name or the number of an algorithm")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Identifier, E> {
        Algorithm::from_name(name).map(Identifier).map_err(E::custom)
    }

    fn visit_u64<E: de::Error>(self, number: u64) -> Result<Identifier, E> {
        usize::try_from(number)
            .ok()
            .and_then(|number| Algorithm::ALL.get(number))
            .map(|&algorithm| Identifier(algorithm))
            .ok_or_else(|| E::invalid_value(Unexpected::Unsigned(number), &self))
    }
}
