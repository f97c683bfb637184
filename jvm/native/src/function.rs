//! Functions of many messages.

use hashlanes::server::{HashServer, ServerHasher, ServerOptions};
use hashlanes::xof::{AnyXof, XofAlgorithm, XofParams, XofParamsError};
use hashlanes::{Algorithm, AnyDigest, Engine, HmacKey};
use jni_sys::{jint, jintArray, jlong, jobjectArray};

use crate::border::{Bytes, Env, Error, buffer, memory};
use crate::stream::Stream;

/// Bytes of each long message that are hashed at a time: 32 of them are in the second cache.
const PIECE: usize = 8 << 10;

/// Bytes of a long message that is hashed alone: enough for the functions that fill the lanes with
/// one.
const LONG_PIECE: usize = 256 << 10;

/// What Java prepares once and uses for many messages.
#[allow(clippy::large_enum_variant, reason = "one place, which is overwritten when it is freed")]
pub(crate) enum Function {
    /// Messages in pieces share lanes.
    Digest(Engine, HashServer),
    Hmac(HmacKey),
    Xof(Xof),
}

/// An extendable-output function, its parameters and the length of its output.
pub(crate) struct Xof {
    function: XofAlgorithm,
    key: Option<Bytes>,
    customization: Option<Bytes>,
    function_name: Option<Bytes>,
    domain: Option<u8>,
    length: usize,
}

/// The version, then the name and the lengths of each algorithm.
pub(crate) fn describe() -> String {
    let mut text = format!("{}\n", env!("CARGO_PKG_VERSION"));
    for algorithm in Algorithm::ALL {
        let (digest, block) = (algorithm.digest_len(), algorithm.block_len());
        text += &format!("{algorithm} {digest} {block}\n");
    }
    text
}

fn algorithm(name: &[u8]) -> Result<Algorithm, Error> {
    let name = String::from_utf8_lossy(name);
    Algorithm::from_name(&name).map_err(|error| Error::Argument(error.to_string()))
}

fn no_length() -> Error {
    Error::Argument("not for output of any length".to_owned())
}

impl Function {
    /// A message in pieces.
    pub(crate) fn stream(&self) -> Result<Stream, Error> {
        match self {
            Self::Digest(_, server) => server
                .try_hasher()
                .map(Stream::Digest)
                .map_err(|_| Error::Memory(size_of::<ServerHasher>())),
            Self::Hmac(key) => Ok(Stream::Hmac(key.hasher())),
            Self::Xof(_) => Err(no_length()),
        }
    }

    pub(crate) fn digest(name: &[u8]) -> Result<Self, Error> {
        let engine = Engine::of(algorithm(name)?);
        Ok(Self::Digest(engine, HashServer::with_engine(engine, ServerOptions::new())))
    }

    pub(crate) fn hmac(name: &[u8], key: &[u8]) -> Result<Self, Error> {
        Ok(Self::Hmac(HmacKey::of(algorithm(name)?, key)))
    }

    pub(crate) fn xof(
        name: &[u8],
        length: jint,
        strings: [Option<Bytes>; 3],
        domain: jint,
    ) -> Result<Self, Error> {
        let name = String::from_utf8_lossy(name);
        let unknown = || {
            let names: Vec<_> = XofAlgorithm::ALL.iter().map(|xof| xof.name()).collect();
            let names = names.join(", ");
            Error::Argument(format!("unknown function '{name}'; expected one of {names}"))
        };
        let function = XofAlgorithm::from_name(&name).ok_or_else(unknown)?;
        let [key, customization, function_name] = strings;
        let domain = Some(domain).filter(|&domain| domain != 0).map(|domain| domain as u8);
        let length = length as usize;
        let xof = Xof { function, key, customization, function_name, domain, length };
        xof.prepared().map_err(|error| Error::Argument(error.to_string()))?;
        Ok(Self::Xof(xof))
    }

    /// Bytes of the output for each message.
    pub(crate) fn output_len(&self) -> usize {
        match self {
            Self::Digest(engine, _) => engine.algorithm().digest_len(),
            Self::Hmac(key) => key.algorithm().digest_len(),
            Self::Xof(xof) => xof.length,
        }
    }

    /// The digest of one message.
    pub(crate) fn one(&self, message: &[u8]) -> Result<AnyDigest, Error> {
        match self {
            Self::Digest(engine, _) => Ok(engine.digest(message)),
            Self::Hmac(key) => Ok(key.mac(message)),
            Self::Xof(_) => Err(no_length()),
        }
    }

    /// Writes the outputs for messages, in the same order.
    pub(crate) fn many(&self, messages: &[&[u8]], output: &mut [u8]) {
        match self {
            Self::Digest(engine, _) => engine.digest_many_into(messages, output),
            Self::Hmac(key) => key.mac_many_into(messages, output),
            Self::Xof(xof) => xof.many(messages, output),
        }
    }

    /// Writes the outputs for long messages. Digests are computed side by side, a piece of each
    /// message at a time.
    pub(crate) fn large(&self, ranges: &Ranges, output: &mut [u8]) -> Result<(), Error> {
        if let Self::Digest(engine, _) = self {
            return ranges.digest(engine, output);
        }
        let mut memory = buffer(LONG_PIECE)?;
        for (i, place) in output.chunks_exact_mut(self.output_len().max(1)).enumerate() {
            let Some(&length) = ranges.lengths.get(i) else { break };
            let mut in_pieces = |add: &mut dyn FnMut(&[u8])| {
                for offset in (0..length).step_by(LONG_PIECE) {
                    let piece = &mut memory[..LONG_PIECE.min(length - offset)];
                    ranges.copy(i, offset, piece)?;
                    add(piece);
                }
                Ok(())
            };
            if let Self::Xof(xof) = self {
                let mut message = xof.prepared().expect("accepted before").message();
                in_pieces(&mut |piece| _ = message.update(piece))?;
                message.finalize().read(place);
            } else {
                let mut stream = self.stream()?;
                in_pieces(&mut |piece| stream.update(piece))?;
                place.copy_from_slice(stream.finish().as_bytes());
            }
        }
        Ok(())
    }
}

impl Xof {
    fn prepared(&self) -> Result<AnyXof<'_>, XofParamsError> {
        self.function.with_params(&XofParams {
            key: self.key.as_deref(),
            customization: self.customization.as_deref(),
            function_name: self.function_name.as_deref(),
            domain: self.domain,
        })
    }

    fn many(&self, messages: &[&[u8]], output: &mut [u8]) {
        if self.length == 0 {
            return;
        }
        let mut places: Vec<_> = output.chunks_exact_mut(self.length).collect();
        self.prepared().expect("accepted before").output_many(messages, &mut places);
    }
}

/// A message in memory, as Java writes it into a table.
#[repr(C)]
pub(crate) struct Message {
    address: jlong,
    length: jlong,
}

impl Message {
    /// # Safety
    /// There are `length` bytes at `address`, which nobody changes during `'a`.
    pub(crate) unsafe fn bytes<'a>(&self) -> &'a [u8] {
        // SAFETY: as asked for above.
        unsafe { memory(self.address, self.length as usize) }
    }
}

/// Messages that are parts of Java's arrays.
pub(crate) struct Ranges {
    env: Env,
    arrays: jobjectArray,
    offsets: Vec<jint>,
    lengths: Vec<usize>,
}

impl Ranges {
    /// # Safety
    /// The references are valid while the value is used, and `arrays` has arrays of bytes.
    pub(crate) unsafe fn new(
        env: Env,
        arrays: jobjectArray,
        offsets: jintArray,
        lengths: jintArray,
        count: jint,
    ) -> Result<Self, Error> {
        // SAFETY: the references are valid, as asked for above.
        let (offsets, lengths) = unsafe { (env.ints(offsets, count)?, env.ints(lengths, count)?) };
        let lengths = lengths.into_iter().map(|length| length as usize).collect();
        Ok(Self { env, arrays, offsets, lengths })
    }

    /// Copies the bytes at an offset of a message.
    fn copy(&self, index: usize, offset: usize, to: &mut [u8]) -> Result<(), Error> {
        let start = self.offsets[index] + offset as jint;
        let copy = |array| {
            // SAFETY: `with_element` calls this with a valid reference.
            unsafe { self.env.region(array, start, to) }
        };
        // SAFETY: `new` was promised a valid reference to arrays of bytes.
        unsafe { self.env.with_element(self.arrays, index, copy) }
    }

    fn digest(&self, engine: &Engine, output: &mut [u8]) -> Result<(), Error> {
        let longest = self.lengths.iter().copied().max().unwrap_or(0);
        let mut hashers = engine.hashers(self.lengths.len());
        let mut memory = buffer(self.lengths.len() * PIECE)?;
        for offset in (0..longest).step_by(PIECE) {
            let mut pieces = Vec::with_capacity(self.lengths.len());
            for (i, (piece, length)) in memory.chunks_mut(PIECE).zip(&self.lengths).enumerate() {
                let piece = &mut piece[..PIECE.min(length.saturating_sub(offset))];
                if !piece.is_empty() {
                    self.copy(i, offset, piece)?;
                }
                pieces.push(&*piece);
            }
            hashers.update(&pieces);
        }
        for (i, place) in output.chunks_exact_mut(engine.algorithm().digest_len()).enumerate() {
            place.copy_from_slice(hashers.finalize_reset(i).as_bytes());
        }
        Ok(())
    }
}
