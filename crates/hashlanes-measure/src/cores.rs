//! The core types for which bounds have been counted, and their detection.

use std::fmt;

use serde::Serialize;

/// A core type for which [bounds](crate::bound) have been counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Core {
    /// Intel's Golden Cove in Xeons: Sapphire Rapids and Emerald Rapids. Later cores with the same
    /// features are treated as Golden Cove.
    GoldenCove,
    /// AMD's Zen 3.
    Zen3,
    /// AMD's Zen 4: AVX-512 in units of 256 bits.
    Zen4,
    /// AMD's Zen 5 in servers and desktops: units of 512 bits. In laptops they have 256.
    Zen5,
}

impl fmt::Display for Core {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::GoldenCove => "Golden Cove",
            Self::Zen3 => "Zen 3",
            Self::Zen4 => "Zen 4",
            Self::Zen5 => "Zen 5",
        })
    }
}

/// How the core type was determined.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToldBy {
    /// From CPUID's vendor, family and model.
    Model,
    /// From the features that the CPU reports, because the model is hidden or unknown here.
    Features,
    /// Named by the user.
    Name,
}

/// The CPUID fields that distinguish core types.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Identity<'a> {
    pub(crate) vendor: &'a str,
    pub(crate) family: u8,
    pub(crate) model: u8,
    /// AVX-512 VBMI2. AMD cores have it since Zen 4.
    pub(crate) avx512: bool,
    /// AES on 256-bit registers. AMD cores have it since Zen 3.
    pub(crate) vaes: bool,
    /// VNNI without AVX-512. AMD cores have it since Zen 5.
    pub(crate) avx_vnni: bool,
    /// 16-bit floats in AVX-512, or tiles (AMX). Intel cores have them since Golden Cove.
    pub(crate) fp16_or_amx: bool,
}

impl Core {
    /// All core types.
    pub const ALL: [Self; 4] = [Self::GoldenCove, Self::Zen3, Self::Zen4, Self::Zen5];

    /// The name for command lines, reports and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::GoldenCove => "golden-cove",
            Self::Zen3 => "zen3",
            Self::Zen4 => "zen4",
            Self::Zen5 => "zen5",
        }
    }

    /// The core of this [name](Self::name).
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|core| core.name() == name)
    }

    /// The type of a CPU's cores: from the model if that is known, otherwise from the features.
    pub(crate) fn of(identity: &Identity<'_>) -> Option<(Self, ToldBy)> {
        let by_model = Self::by_model(identity).map(|core| (core, ToldBy::Model));
        by_model.or_else(|| Some((Self::by_features(identity)?, ToldBy::Features)))
    }

    fn by_model(identity: &Identity<'_>) -> Option<Self> {
        match (identity.vendor, identity.family, identity.model) {
            ("GenuineIntel", 0x06, 0x8f | 0xcf) => Some(Self::GoldenCove),
            // A virtual machine may report the number of an older model. Zen 3 has no AVX-512.
            ("AuthenticAMD", 0x19, 0x00..=0x0f | 0x20..=0x5f) if !identity.avx512 => {
                Some(Self::Zen3)
            }
            ("AuthenticAMD", 0x19, 0x10..=0x1f | 0x60..=0x7f | 0xa0..=0xaf) => Some(Self::Zen4),
            ("AuthenticAMD", 0x1a, 0x00..=0x1f | 0x40..=0x4f) => Some(Self::Zen5),
            _ => None,
        }
    }

    /// The core type with these features. AMD's later cores have those of Zen 4 too, and features
    /// do not tell how wide the units of Zen 5 are.
    fn by_features(identity: &Identity<'_>) -> Option<Self> {
        match identity.vendor {
            "GenuineIntel" if identity.fp16_or_amx => Some(Self::GoldenCove),
            "AuthenticAMD" if identity.family >= 0x1a || identity.avx_vnni => None,
            "AuthenticAMD" if identity.avx512 => Some(Self::Zen4),
            // Or a Zen 4 whose AVX-512 is hidden. Its other counts are the same.
            "AuthenticAMD" if identity.vaes => Some(Self::Zen3),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INTEL: Identity<'_> = Identity {
        vendor: "GenuineIntel",
        family: 6,
        model: 0,
        avx512: true,
        vaes: true,
        avx_vnni: false,
        fp16_or_amx: false,
    };
    const AMD: Identity<'_> =
        Identity { vendor: "AuthenticAMD", family: 0x19, avx512: false, ..INTEL };

    #[test]
    fn cores_are_told_by_family_and_model() {
        let of = |identity| Core::of(&identity);
        let by_model = |core| Some((core, ToldBy::Model));
        assert_eq!(of(Identity { model: 0xcf, ..INTEL }), by_model(Core::GoldenCove));
        assert_eq!(of(Identity { model: 0x01, ..AMD }), by_model(Core::Zen3));
        assert_eq!(of(Identity { model: 0x11, avx512: true, ..AMD }), by_model(Core::Zen4));
        assert_eq!(of(Identity { model: 0x61, ..AMD }), by_model(Core::Zen4), "AVX-512 is hidden");
        let zen5 = Identity { family: 0x1a, avx512: true, avx_vnni: true, ..AMD };
        assert_eq!(of(Identity { model: 0x02, ..zen5 }), by_model(Core::Zen5));
        assert_eq!(of(Identity { model: 0x24, ..zen5 }), None, "Zen 5 in laptops");
        assert_eq!(of(Identity { model: 0x6a, ..INTEL }), None, "Ice Lake");
    }

    #[test]
    fn a_hidden_model_is_told_by_features() {
        let of = |identity| Core::of(&identity);
        let by_features = |core| Some((core, ToldBy::Features));
        let hidden = Identity { model: 0xf0, ..AMD };
        assert_eq!(of(Identity { fp16_or_amx: true, ..INTEL }), by_features(Core::GoldenCove));
        assert_eq!(of(Identity { avx512: true, ..hidden }), by_features(Core::Zen4));
        assert_eq!(of(hidden), by_features(Core::Zen3));
        // The model number of a Zen 3, but the features of a Zen 4.
        let masked = Identity { model: 0x01, avx512: true, ..AMD };
        assert_eq!(of(masked), by_features(Core::Zen4));
        for (other, what) in [
            (Identity { vaes: false, ..hidden }, "Zen 2"),
            (Identity { family: 0x1a, avx512: true, ..hidden }, "Zen 5"),
            (Identity { avx_vnni: true, avx512: true, ..hidden }, "Zen 5 in disguise"),
            (Identity { vendor: "HygonGenuine", ..hidden }, "Dhyana"),
            (Identity { vendor: "", fp16_or_amx: true, ..hidden }, "no vendor"),
        ] {
            assert_eq!(of(other), None, "{what}");
        }
    }

    #[test]
    fn names_name_their_cores() {
        for core in Core::ALL {
            assert_eq!(Core::from_name(core.name()), Some(core));
        }
        assert_eq!(Core::from_name("zen1"), None);
    }
}
