//! The hash function chosen at run time: by a name on a command line, in a file or in a protocol.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::str::FromStr;

use crate::engine::Engine;
use crate::function::{
    HashFunction, Md5, Sha1, Sha224, Sha256, Sha384, Sha512, Sha512_256, sealed::Function,
};
use crate::hasher::Hasher;
use crate::kernel::{Kernel, KernelError, Kernels};

/// Evaluates an expression with the type `$function` that stands for the value `$algorithm`.
macro_rules! with_function {
    ($algorithm:expr, $function:ident => $body:expr) => {
        match $algorithm {
            Algorithm::Md5 => {
                type $function = Md5;
                $body
            }
            Algorithm::Sha1 => {
                type $function = Sha1;
                $body
            }
            Algorithm::Sha224 => {
                type $function = Sha224;
                $body
            }
            Algorithm::Sha256 => {
                type $function = Sha256;
                $body
            }
            Algorithm::Sha384 => {
                type $function = Sha384;
                $body
            }
            Algorithm::Sha512 => {
                type $function = Sha512;
                $body
            }
            Algorithm::Sha512_256 => {
                type $function = Sha512_256;
                $body
            }
        }
    };
}

#[cfg(feature = "std")]
pub(crate) use with_function;

/// A hash function, chosen at run time.
///
/// ```
/// use hashlanes::Algorithm;
///
/// let algorithm = Algorithm::from_name("SHA-256")?;
/// let digests = algorithm.digest_many(&["", "abc"]);
/// assert_eq!(
///     digests[1].to_string(),
///     "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
/// );
/// # Ok::<(), hashlanes::UnknownAlgorithm>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// MD5 (RFC 1321), 16 bytes.
    Md5,
    /// SHA-1 (FIPS 180-4), 20 bytes.
    Sha1,
    /// SHA-224 (FIPS 180-4), 28 bytes.
    Sha224,
    /// SHA-256 (FIPS 180-4), 32 bytes.
    Sha256,
    /// SHA-384 (FIPS 180-4), 48 bytes.
    Sha384,
    /// SHA-512 (FIPS 180-4), 64 bytes.
    Sha512,
    /// SHA-512/256 (FIPS 180-4), 32 bytes.
    Sha512_256,
}

impl Algorithm {
    /// All of them.
    pub const ALL: [Algorithm; 7] = [
        Self::Md5,
        Self::Sha1,
        Self::Sha224,
        Self::Sha256,
        Self::Sha384,
        Self::Sha512,
        Self::Sha512_256,
    ];

    /// The algorithm with this name. Case does not matter, nor do `-`, `_`, `/` and spaces:
    /// `sha256`, `SHA-256`, `sha2-256` and `SHA_256` are all the same, as are `sha512/256`,
    /// `SHA-512/256`, `sha512-256` and `sha512t256`; `sha` is SHA-1.
    ///
    /// # Errors
    /// If no algorithm of this crate has the name. The message lists those there are.
    pub fn from_name(name: &str) -> Result<Self, UnknownAlgorithm> {
        let plain: String = name
            .chars()
            .filter(|c| !matches!(c, '-' | '_' | '/' | ' '))
            .map(|c| c.to_ascii_lowercase())
            .collect();
        match plain.as_str() {
            "md5" => Ok(Self::Md5),
            "sha1" | "sha" | "sha160" => Ok(Self::Sha1),
            "sha224" | "sha2224" => Ok(Self::Sha224),
            "sha256" | "sha2256" => Ok(Self::Sha256),
            "sha384" | "sha2384" => Ok(Self::Sha384),
            "sha512" | "sha2512" => Ok(Self::Sha512),
            "sha512256" | "sha2512256" | "sha512t256" => Ok(Self::Sha512_256),
            _ => Err(UnknownAlgorithm { name: name.into() }),
        }
    }

    /// The name in lower case: `md5`, `sha1`, `sha224`, `sha256`, `sha384`, `sha512`, `sha512-256`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Md5 => "md5",
            Self::Sha1 => "sha1",
            Self::Sha224 => "sha224",
            Self::Sha256 => "sha256",
            Self::Sha384 => "sha384",
            Self::Sha512 => "sha512",
            Self::Sha512_256 => "sha512-256",
        }
    }

    /// The name in tagged checksum lines (`SHA256 (file) = ..`), as coreutils and, for SHA512/256,
    /// Perl's shasum write it.
    pub const fn tag(self) -> &'static str {
        match self {
            Self::Md5 => "MD5",
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
            Self::Sha512_256 => "SHA512/256",
        }
    }

    /// Bytes of a digest.
    pub const fn digest_len(self) -> usize {
        match self {
            Self::Md5 => 16,
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 | Self::Sha512_256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
        }
    }

    /// Bytes of a message block: 64 or 128.
    pub const fn block_len(self) -> usize {
        match self {
            Self::Md5 | Self::Sha1 | Self::Sha224 | Self::Sha256 => 64,
            Self::Sha384 | Self::Sha512 | Self::Sha512_256 => 128,
        }
    }

    /// The digest of one message.
    pub fn digest(self, message: &[u8]) -> Digest {
        with_function!(self, A => Digest::new(&Engine::<A>::new().digest(message)))
    }

    /// The digests of many independent messages, in their order. See
    /// [`digest_many`](crate::digest_many).
    pub fn digest_many<T: AsRef<[u8]>>(self, messages: &[T]) -> Vec<Digest> {
        AnyEngine::new(self).digest_many(messages)
    }

    /// The kernels that this crate has for the algorithm on this architecture, the CPU being able
    /// to run them or not.
    pub fn kernels(self) -> impl ExactSizeIterator<Item = KernelInfo> {
        fn info<W>(kernel: &'static Kernel<W>) -> KernelInfo {
            KernelInfo {
                name: kernel.name,
                lanes: kernel.lanes,
                missing: kernel.missing().names().collect(),
            }
        }
        let rows: Vec<_> =
            with_function!(self, A => <A as Function>::Family::TABLE.iter().map(info).collect());
        rows.into_iter()
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for Algorithm {
    type Err = UnknownAlgorithm;

    fn from_str(name: &str) -> Result<Self, UnknownAlgorithm> {
        Self::from_name(name)
    }
}

/// A name that no algorithm of this crate has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownAlgorithm {
    name: String,
}

impl fmt::Display for UnknownAlgorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown algorithm '{}'; there are ", self.name)?;
        for (i, algorithm) in Algorithm::ALL.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{algorithm}")?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownAlgorithm {}

/// One kernel of an algorithm.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct KernelInfo {
    /// The name by which it is chosen.
    pub name: &'static str,
    /// Messages that it hashes side by side.
    pub lanes: usize,
    /// What it needs and this CPU, or the operating system, lacks; empty if it can run here.
    pub missing: Vec<&'static str>,
}

impl KernelInfo {
    /// Whether it can run here.
    pub fn is_available(&self) -> bool {
        self.missing.is_empty()
    }
}

/// The CPU features that kernels ask for, each with whether this CPU has it and the operating
/// system allows it.
pub fn cpu_features() -> impl ExactSizeIterator<Item = (&'static str, bool)> {
    use crate::cpu::Features;
    let seen = Features::detected();
    Features::NAMED.into_iter().map(move |(feature, name)| (name, seen.contain(feature)))
}

/// A digest of any algorithm: 16 to 64 bytes. Shows itself in lower-case hexadecimal.
#[derive(Clone, Copy)]
pub struct Digest {
    bytes: [u8; 64],
    len: u8,
}

impl Digest {
    pub(crate) fn new(digest: &impl AsRef<[u8]>) -> Self {
        let digest = digest.as_ref();
        let mut bytes = [0; 64];
        bytes[..digest.len()].copy_from_slice(digest);
        Self { bytes, len: digest.len() as u8 }
    }

    /// The digest's bytes.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.len)]
    }
}

impl AsRef<[u8]> for Digest {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

impl PartialEq for Digest {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for Digest {}

impl core::hash::Hash for Digest {
    fn hash<H: core::hash::Hasher>(&self, hasher: &mut H) {
        self.as_bytes().hash(hasher);
    }
}

impl fmt::LowerHex for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut hex = [0; 128];
        for (pair, byte) in hex.chunks_exact_mut(2).zip(self.as_bytes()) {
            pair[0] = b"0123456789abcdef"[usize::from(byte >> 4)];
            pair[1] = b"0123456789abcdef"[usize::from(byte & 15)];
        }
        f.pad(str::from_utf8(&hex[..2 * usize::from(self.len)]).map_err(|_| fmt::Error)?)
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::LowerHex::fmt(self, f)
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

/// An [`Engine`] whose algorithm is chosen at run time.
#[derive(Clone, Copy, Debug)]
pub struct AnyEngine {
    algorithm: Algorithm,
    /// The kernel that was asked for by name, which this CPU can run.
    forced: Option<&'static str>,
}

impl AnyEngine {
    /// As [`Engine::new`].
    pub fn new(algorithm: Algorithm) -> Self {
        Self {
            algorithm,
            forced: with_function!(algorithm, A => Engine::<A>::new().forced_kernel()),
        }
    }

    /// As [`Engine::with_kernel`].
    ///
    /// # Errors
    /// If the algorithm has no kernel of that name, or this CPU or operating system cannot run it.
    pub fn with_kernel(algorithm: Algorithm, name: &str) -> Result<Self, KernelError> {
        let forced =
            with_function!(algorithm, A => Engine::<A>::with_kernel(name)?.forced_kernel());
        Ok(Self { algorithm, forced })
    }

    /// The algorithm.
    pub fn algorithm(&self) -> Algorithm {
        self.algorithm
    }

    /// As [`Engine::kernel_for`].
    pub fn kernel_for(&self, messages: usize) -> &'static str {
        with_function!(self.algorithm, A => self.typed::<A>().kernel_for(messages))
    }

    /// As [`Engine::digest_many`].
    pub fn digest_many<T: AsRef<[u8]>>(&self, messages: &[T]) -> Vec<Digest> {
        with_function!(self.algorithm, A => {
            self.typed::<A>().digest_many(messages).iter().map(Digest::new).collect()
        })
    }

    /// Hashers of `count` empty messages, to be continued side by side.
    pub fn hashers(&self, count: usize) -> AnyHashers {
        AnyHashers {
            inner: with_function!(self.algorithm, A => Box::new(TypedHashers::<A>::new(self.typed(), count))),
        }
    }

    fn typed<A: HashFunction>(&self) -> Engine<A> {
        match self.forced {
            // The name was accepted when this engine was made, and the CPU is still the same.
            Some(name) => Engine::with_kernel(name).unwrap_or_default(),
            None => Engine::new(),
        }
    }
}

/// A fixed number of messages in progress, of one algorithm chosen at run time, that are continued
/// side by side in lanes.
///
/// ```
/// use hashlanes::{Algorithm, AnyEngine};
///
/// let engine = AnyEngine::new(Algorithm::Md5);
/// let mut hashers = engine.hashers(2);
/// hashers.update(&[b"a", b"mess"]);
/// hashers.update(&[b"", b"age"]);
/// assert_eq!(hashers.finalize(1), Algorithm::Md5.digest(b"message"));
/// ```
pub struct AnyHashers {
    inner: Box<dyn ErasedHashers>,
}

impl AnyHashers {
    /// Appends `pieces[i]` to message `i`, for each message.
    ///
    /// # Panics
    /// If there are not as many pieces as messages.
    pub fn update(&mut self, pieces: &[&[u8]]) {
        self.inner.update(pieces);
    }

    /// The digest of message `index` so far; the message can go on.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn finalize(&self, index: usize) -> Digest {
        self.inner.finalize(index)
    }

    /// Begins message `index` anew, empty.
    ///
    /// # Panics
    /// If there is no such message.
    pub fn reset(&mut self, index: usize) {
        self.inner.reset(index);
    }
}

impl fmt::Debug for AnyHashers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AnyHashers").finish_non_exhaustive()
    }
}

trait ErasedHashers: Send + Sync {
    fn update(&mut self, pieces: &[&[u8]]);
    fn finalize(&self, index: usize) -> Digest;
    fn reset(&mut self, index: usize);
}

struct TypedHashers<A: HashFunction> {
    engine: Engine<A>,
    hashers: Vec<Hasher<A>>,
}

impl<A: HashFunction> TypedHashers<A> {
    fn new(engine: Engine<A>, count: usize) -> Self {
        Self { engine, hashers: alloc::vec![Hasher::with_engine(engine); count] }
    }
}

impl<A: HashFunction> ErasedHashers for TypedHashers<A> {
    fn update(&mut self, pieces: &[&[u8]]) {
        self.engine.update_many(&mut self.hashers, pieces);
    }

    fn finalize(&self, index: usize) -> Digest {
        Digest::new(&self.hashers[index].finalize())
    }

    fn reset(&mut self, index: usize) {
        self.hashers[index].reset();
    }
}
