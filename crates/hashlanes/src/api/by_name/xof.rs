//! Output of any length, of a function chosen at run time.

use core::fmt;

use crate::api::kangaroo::{Kt128, Kt256};
use crate::api::kmac::KmacKey;
use crate::api::xof::{Xof, XofReader};
#[cfg(feature = "blake3")]
use crate::function::Blake3;
use crate::function::is_spelled;
use crate::function::{
    Shake128, Shake256, ShakeFunction, TurboShake128, TurboShake256, TurboShakeFunction,
};
use crate::wipe;

/// An extendable-output function (XOF), chosen at run time.
///
/// ```
/// use hashlanes::xof::XofAlgorithm;
///
/// let mut outputs = [[0; 4], [0; 4]];
/// let kt128 = XofAlgorithm::from_name("KT128").unwrap();
/// kt128.output_many(&["", "another message"], &mut outputs);
/// assert_eq!(outputs[0], [0x1a, 0xc2, 0xd4, 0x50]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum XofAlgorithm {
    /// SHAKE128 (FIPS 202).
    Shake128,
    /// SHAKE256 (FIPS 202).
    Shake256,
    /// TurboSHAKE128 (RFC 9861).
    TurboShake128,
    /// TurboSHAKE256 (RFC 9861).
    TurboShake256,
    /// KangarooTwelve's KT128 (RFC 9861).
    Kt128,
    /// KangarooTwelve's KT256 (RFC 9861).
    Kt256,
    /// BLAKE3.
    #[cfg(feature = "blake3")]
    Blake3,
}

impl XofAlgorithm {
    /// All functions. Later versions may add others at the end.
    pub const ALL: &'static [Self] = &[
        Self::Shake128,
        Self::Shake256,
        Self::TurboShake128,
        Self::TurboShake256,
        Self::Kt128,
        Self::Kt256,
        #[cfg(feature = "blake3")]
        Self::Blake3,
    ];

    /// The function with this name, as [`name`](Self::name) gives it, or with a `-`, `_` or `/`
    /// before the number. Case does not matter.
    pub fn from_name(name: &str) -> Option<Self> {
        let spelling = |xof: &Self| match xof {
            Self::Shake128 => "shake-128",
            Self::Shake256 => "shake-256",
            Self::TurboShake128 => "turbo-shake-128",
            Self::TurboShake256 => "turbo-shake-256",
            Self::Kt128 => "kt-128",
            Self::Kt256 => "kt-256",
            #[cfg(feature = "blake3")]
            Self::Blake3 => "blake-3",
        };
        Self::ALL.iter().find(|xof| is_spelled(name, spelling(xof))).copied()
    }

    /// The name in lower case: `shake128`, `shake256`, `turboshake128`, `turboshake256`, `kt128`,
    /// `kt256`, `blake3`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Shake128 => "shake128",
            Self::Shake256 => "shake256",
            Self::TurboShake128 => "turboshake128",
            Self::TurboShake256 => "turboshake256",
            Self::Kt128 => "kt128",
            Self::Kt256 => "kt256",
            #[cfg(feature = "blake3")]
            Self::Blake3 => "blake3",
        }
    }

    /// Fills `outputs[i]` with the output for `messages[i]`, for each `i`, side by side. Messages
    /// and outputs may have any lengths. Allocates nothing.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn output_many(self, messages: &[impl AsRef<[u8]>], outputs: &mut [impl AsMut<[u8]>]) {
        AnyXof::from(self).output_many(messages, outputs);
    }

    /// The function with these parameters.
    ///
    /// # Errors
    /// If the function does not take one of them, as [`XofParams`] says.
    pub fn with_params<'p>(self, params: &XofParams<'p>) -> Result<AnyXof<'p>, XofParamsError> {
        wipe::call::<{ wipe::TREE }, _>(|| self.prepared(params))
    }

    fn prepared<'p>(self, params: &XofParams<'p>) -> Result<AnyXof<'p>, XofParamsError> {
        let XofParams { key, customization, function_name, domain } = *params;
        let refused = |problem| Err(XofParamsError { xof: self, problem });
        let (takes_key, takes_customization, takes_name, takes_domain) = match self {
            Self::Shake128 | Self::Shake256 => (true, true, true, false),
            Self::TurboShake128 | Self::TurboShake256 => (false, false, false, true),
            Self::Kt128 | Self::Kt256 => (false, true, false, false),
            #[cfg(feature = "blake3")]
            Self::Blake3 => (true, true, false, false),
        };
        for (is_given, is_taken, parameter) in [
            (key.is_some(), takes_key, "key"),
            (customization.is_some(), takes_customization, "customization string"),
            (function_name.is_some(), takes_name, "function name"),
            (domain.is_some(), takes_domain, "domain separation byte"),
        ] {
            if is_given && !is_taken {
                return refused(Problem::NotTaken(parameter));
            }
        }
        let string = customization.unwrap_or_default();
        let of_function = match self {
            Self::Shake128 | Self::Shake256 if key.is_some() && function_name.is_some() => {
                return refused(Problem::NamedKmac);
            }
            Self::Shake128 => {
                shake(Xof::<Shake128>::customized, params, Any::Shake128, Any::Kmac128)
            }
            Self::Shake256 => {
                shake(Xof::<Shake256>::customized, params, Any::Shake256, Any::Kmac256)
            }
            Self::TurboShake128 => Any::TurboShake128(self.turbo_shake(domain)?),
            Self::TurboShake256 => Any::TurboShake256(self.turbo_shake(domain)?),
            Self::Kt128 => Any::Kt128(Kt128::new(), string),
            Self::Kt256 => Any::Kt256(Kt256::new(), string),
            #[cfg(feature = "blake3")]
            Self::Blake3 => Any::Blake3(match (key, customization) {
                (None, None) => Xof::new(),
                (None, Some(context)) => Xof::derive_key(context),
                (Some(key), None) => match key.try_into() {
                    Ok(key) => Xof::<Blake3>::keyed(key),
                    Err(_) => return refused(Problem::KeyLength(key.len())),
                },
                (Some(_), Some(_)) => return refused(Problem::Both),
            }),
        };
        Ok(AnyXof(of_function))
    }

    fn turbo_shake<X: TurboShakeFunction>(
        self,
        domain: Option<u8>,
    ) -> Result<Xof<X>, XofParamsError> {
        match domain {
            None => Ok(Xof::new()),
            Some(domain @ 1..0x80) => Ok(Xof::with_domain(domain)),
            Some(other) => Err(XofParamsError { xof: self, problem: Problem::Domain(other) }),
        }
    }
}

/// SHAKE, cSHAKE or KMACXOF.
fn shake<'p, X: ShakeFunction>(
    customized: impl Fn(&'p [u8], &'p [u8]) -> Xof<X>,
    params: &XofParams<'p>,
    without_key: impl Fn(Xof<X>) -> Any<'p>,
    with_key: impl Fn(KmacKey<X>) -> Any<'p>,
) -> Any<'p> {
    let customization = params.customization.unwrap_or_default();
    match params.key {
        Some(key) => with_key(KmacKey::new(key, customization)),
        None => without_key(customized(params.function_name.unwrap_or_default(), customization)),
    }
}

/// The parameters that an [`XofAlgorithm`] takes besides messages. Those that are not set are not
/// used.
///
/// | function | parameters |
/// |---|---|
/// | SHAKE | `customization`, `function_name`: cSHAKE (NIST SP 800-185 section 3) |
/// | SHAKE | `key`, `customization`: KMACXOF (NIST SP 800-185 section 4.3.1) |
/// | TurboSHAKE | `domain`, 0x1f by default |
/// | KT128, KT256 | `customization` |
/// | BLAKE3 | `key` of 32 bytes, or `customization`: the context to derive keys for |
///
/// ```
/// use hashlanes::xof::{XofAlgorithm, XofParams};
///
/// let params = XofParams::new().customization(b"example.org sessions");
/// let mut outputs = [[0; 40]; 2];
/// XofAlgorithm::Kt128.with_params(&params)?.output_many(&["one", "another"], &mut outputs);
///
/// let error = XofAlgorithm::Kt128.with_params(&params.key(b"secret")).unwrap_err();
/// assert_eq!(error.to_string(), "kt128 takes no key");
/// # Ok::<(), hashlanes::xof::XofParamsError>(())
/// ```
#[derive(Clone, Copy, Default)]
pub struct XofParams<'p> {
    /// See [`key`](Self::key).
    pub key: Option<&'p [u8]>,
    /// See [`customization`](Self::customization).
    pub customization: Option<&'p [u8]>,
    /// See [`function_name`](Self::function_name).
    pub function_name: Option<&'p [u8]>,
    /// See [`domain`](Self::domain).
    pub domain: Option<u8>,
}

impl<'p> XofParams<'p> {
    /// None.
    pub const fn new() -> Self {
        Self { key: None, customization: None, function_name: None, domain: None }
    }

    /// A secret key. An empty key counts as a key.
    #[must_use]
    pub const fn key(self, key: &'p [u8]) -> Self {
        Self { key: Some(key), ..self }
    }

    /// A string that customizes the function: with each string, it is a different function.
    #[must_use]
    pub const fn customization(self, string: &'p [u8]) -> Self {
        Self { customization: Some(string), ..self }
    }

    /// The name of a function that is defined by cSHAKE. NIST reserves it for its own functions.
    #[must_use]
    pub const fn function_name(self, name: &'p [u8]) -> Self {
        Self { function_name: Some(name), ..self }
    }

    /// A domain separation byte from 0x01 to 0x7f.
    #[must_use]
    pub const fn domain(self, byte: u8) -> Self {
        Self { domain: Some(byte), ..self }
    }
}

impl fmt::Debug for XofParams<'_> {
    /// Shows nothing of the key.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("XofParams")
            .field("customization", &self.customization)
            .field("function_name", &self.function_name)
            .field("domain", &self.domain)
            .finish_non_exhaustive()
    }
}

/// The error for parameters that an extendable-output function does not take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct XofParamsError {
    xof: XofAlgorithm,
    problem: Problem,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Problem {
    /// The parameter with this name.
    NotTaken(&'static str),
    NamedKmac,
    Domain(u8),
    KeyLength(usize),
    Both,
}

impl fmt::Display for XofParamsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.xof.name();
        match self.problem {
            Problem::NotTaken(parameter) => write!(f, "{name} takes no {parameter}"),
            Problem::NamedKmac => {
                write!(f, "{name} with a key is KMAC, which takes no function name")
            }
            Problem::Domain(byte) => {
                write!(f, "a domain separation byte must be from 1 to 127, not {byte}")
            }
            Problem::KeyLength(given) => {
                write!(f, "the key of {name} must have 32 bytes, not {given}")
            }
            Problem::Both => {
                write!(f, "{name} takes a key or a customization string, but not both")
            }
        }
    }
}

impl core::error::Error for XofParamsError {}

/// An extendable-output function with its parameters, prepared for any number of messages: see
/// [`XofAlgorithm::with_params`].
///
/// If there is a key, its state is as secret as the key: with the feature `zeroize`, it is wiped
/// when it is dropped.
#[derive(Clone)]
pub struct AnyXof<'p>(Any<'p>);

#[derive(Clone)]
#[allow(
    clippy::large_enum_variant,
    reason = "it lives on the stack, as the library allocates none"
)]
enum Any<'p> {
    Shake128(Xof<Shake128>),
    Shake256(Xof<Shake256>),
    Kmac128(KmacKey<Shake128>),
    Kmac256(KmacKey<Shake256>),
    TurboShake128(Xof<TurboShake128>),
    TurboShake256(Xof<TurboShake256>),
    /// A message and the customization string that follows it.
    Kt128(Kt128, &'p [u8]),
    Kt256(Kt256, &'p [u8]),
    #[cfg(feature = "blake3")]
    Blake3(Xof<Blake3>),
}

/// Evaluates an expression with what is in [`Any`].
macro_rules! each {
    ($any:expr, $xof:ident => $result:expr, ($kt:ident, $string:pat) => $of_kt:expr) => {
        match $any {
            Any::Shake128($xof) => $result,
            Any::Shake256($xof) => $result,
            Any::Kmac128($xof) => $result,
            Any::Kmac256($xof) => $result,
            Any::TurboShake128($xof) => $result,
            Any::TurboShake256($xof) => $result,
            Any::Kt128($kt, $string) => $of_kt,
            Any::Kt256($kt, $string) => $of_kt,
            #[cfg(feature = "blake3")]
            Any::Blake3($xof) => $result,
        }
    };
}

impl From<XofAlgorithm> for AnyXof<'_> {
    fn from(xof: XofAlgorithm) -> Self {
        Self(match xof {
            XofAlgorithm::Shake128 => Any::Shake128(Xof::new()),
            XofAlgorithm::Shake256 => Any::Shake256(Xof::new()),
            XofAlgorithm::TurboShake128 => Any::TurboShake128(Xof::new()),
            XofAlgorithm::TurboShake256 => Any::TurboShake256(Xof::new()),
            XofAlgorithm::Kt128 => Any::Kt128(Kt128::new(), &[]),
            XofAlgorithm::Kt256 => Any::Kt256(Kt256::new(), &[]),
            #[cfg(feature = "blake3")]
            XofAlgorithm::Blake3 => Any::Blake3(Xof::new()),
        })
    }
}

impl<'p> AnyXof<'p> {
    /// Fills `outputs[i]` with the output for `messages[i]`, for each `i`, side by side. Messages
    /// and outputs may have any lengths. Allocates nothing.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn output_many(&self, messages: &[impl AsRef<[u8]>], outputs: &mut [impl AsMut<[u8]>]) {
        each!(
            &self.0,
            xof => xof.output_many(messages, outputs),
            (kt, string) => kt.same_output_many(messages, string, outputs)
        );
    }

    /// An empty message in pieces.
    #[inline]
    pub fn message(&self) -> AnyXofMessage<'p> {
        AnyXofMessage(self.0.clone())
    }
}

impl fmt::Debug for AnyXof<'_> {
    /// Shows nothing of the parameters.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyXof").finish_non_exhaustive()
    }
}

/// A message of an [`AnyXof`] in pieces.
///
/// ```
/// use hashlanes::xof::{XofAlgorithm, XofParams};
///
/// let kmac = XofAlgorithm::Shake256.with_params(&XofParams::new().key(b"secret"))?;
/// let (mut pieces, mut whole) = ([0; 40], [[0; 40]]);
/// let mut reader = kmac.message().update("a ").update("message").finalize();
/// pieces.chunks_mut(9).for_each(|piece| reader.read(piece));
/// kmac.output_many(&["a message"], &mut whole);
/// assert_eq!(pieces, whole[0]);
/// # Ok::<(), hashlanes::xof::XofParamsError>(())
/// ```
#[derive(Clone)]
pub struct AnyXofMessage<'p>(Any<'p>);

impl AnyXofMessage<'_> {
    /// Appends bytes to the message.
    #[inline]
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        let bytes = bytes.as_ref();
        each!(&mut self.0, xof => _ = xof.update(bytes), (kt, _) => _ = kt.update(bytes));
        self
    }

    /// Ends the message and returns its output. `self` is unchanged.
    #[inline]
    pub fn finalize(&self) -> AnyXofReader {
        wipe::call::<{ wipe::TREE }, _>(|| {
            let any = &self.0;
            each!(any, xof => xof.finalize().into(), (kt, string) => kt.finalize(string).into())
        })
    }
}

impl fmt::Debug for AnyXofMessage<'_> {
    /// Shows nothing of the message.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyXofMessage").finish_non_exhaustive()
    }
}

/// The output for an [`AnyXofMessage`].
#[derive(Clone)]
pub struct AnyXofReader(Reader);

impl AnyXofReader {
    /// Fills `output` with the next bytes.
    #[inline]
    pub fn read(&mut self, output: &mut [u8]) {
        wipe::call::<{ wipe::ALONE }, _>(|| self.0.read(output));
    }
}

macro_rules! reader {
    ($($(#[$condition:meta])? $function:ident,)*) => {
        #[derive(Clone)]
        enum Reader {
            $($(#[$condition])? $function(XofReader<$function>),)*
        }

        impl Reader {
            #[inline]
            fn read(&mut self, output: &mut [u8]) {
                match self {
                    $($(#[$condition])? Self::$function(reader) => reader.read(output),)*
                }
            }
        }

        $($(#[$condition])? impl From<XofReader<$function>> for AnyXofReader {
            fn from(reader: XofReader<$function>) -> Self {
                Self(Reader::$function(reader))
            }
        })*
    };
}

reader! {
    Shake128,
    Shake256,
    TurboShake128,
    TurboShake256,
    #[cfg(feature = "blake3")]
    Blake3,
}

impl fmt::Debug for AnyXofReader {
    /// Shows nothing of the output.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyXofReader").finish_non_exhaustive()
    }
}
