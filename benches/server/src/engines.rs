//! The engines that are measured, behind one trait.

use std::fmt;

use clap::ValueEnum;
use digest::DynDigest;
use hashlanes::server::{HashServer, ServerHasher, ServerOptions, ServerStats};
use hashlanes::{Algorithm, HashFunction, Hasher, Md5, Sha1, Sha256, Sha512};

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum AlgorithmName {
    Md5,
    Sha1,
    Sha256,
    Sha512,
}

#[derive(Clone, Copy, ValueEnum, PartialEq, Eq, Debug)]
pub(crate) enum EngineName {
    /// Hashers of one `HashServer`
    Server,
    /// `hashlanes::Hasher`: our single-message code
    Hasher,
    /// RustCrypto's crates
    #[value(name = "rustcrypto")]
    RustCrypto,
    /// OpenSSL's EVP
    #[value(name = "openssl")]
    OpenSsl,
    /// minio's md5-simd and sha256-simd, in the Go program that `--minio` names
    Minio,
}

macro_rules! display {
    ($($name:ident),*) => { $(
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.to_possible_value().expect("no value is skipped").get_name())
            }
        }
    )* };
}

display!(AlgorithmName, EngineName);

impl AlgorithmName {
    /// Whether the engine has the algorithm.
    pub(crate) fn is_in(self, engine: EngineName) -> bool {
        engine != EngineName::Minio || matches!(self, Self::Md5 | Self::Sha256)
    }

    pub(crate) fn algorithm(self) -> Algorithm {
        match self {
            Self::Md5 => Algorithm::Md5,
            Self::Sha1 => Algorithm::Sha1,
            Self::Sha256 => Algorithm::Sha256,
            Self::Sha512 => Algorithm::Sha512,
        }
    }
}

/// A streaming hasher of any engine.
pub(crate) trait Stream: Send {
    fn update(&mut self, bytes: &[u8]);
    /// Returns the digest. The next update begins a new message.
    fn finish(&mut self) -> Vec<u8>;
}

/// Creates the hashers of a run.
pub(crate) struct Engine {
    algorithm: AlgorithmName,
    name: EngineName,
    server: HashServer,
}

impl Engine {
    pub(crate) fn new(algorithm: AlgorithmName, name: EngineName, options: ServerOptions) -> Self {
        Self {
            algorithm,
            name,
            server: HashServer::with_engine(hashlanes::Engine::of(algorithm.algorithm()), options),
        }
    }

    pub(crate) fn stream(&self) -> Box<dyn Stream> {
        use openssl::hash::{Hasher as Evp, MessageDigest};
        use {AlgorithmName as A, EngineName as E};
        match (self.name, self.algorithm) {
            (E::Server, _) => Box::new(Shared(self.server.hasher())),
            (E::Hasher, A::Md5) => Box::new(Alone(Hasher::<Md5>::new())),
            (E::Hasher, A::Sha1) => Box::new(Alone(Hasher::<Sha1>::new())),
            (E::Hasher, A::Sha256) => Box::new(Alone(Hasher::<Sha256>::new())),
            (E::Hasher, A::Sha512) => Box::new(Alone(Hasher::<Sha512>::new())),
            (E::RustCrypto, A::Md5) => Box::new(Dyn(Box::new(md5::Md5::default()))),
            (E::RustCrypto, A::Sha1) => Box::new(Dyn(Box::new(sha1::Sha1::default()))),
            (E::RustCrypto, A::Sha256) => Box::new(Dyn(Box::new(sha2::Sha256::default()))),
            (E::RustCrypto, A::Sha512) => Box::new(Dyn(Box::new(sha2::Sha512::default()))),
            (E::OpenSsl, algorithm) => {
                let digest = match algorithm {
                    A::Md5 => MessageDigest::md5(),
                    A::Sha1 => MessageDigest::sha1(),
                    A::Sha256 => MessageDigest::sha256(),
                    A::Sha512 => MessageDigest::sha512(),
                };
                Box::new(OpenSsl(Evp::new(digest).expect("OpenSSL has the algorithm")))
            }
            (E::Minio, _) => unreachable!("minio has a process of its own"),
        }
    }

    pub(crate) fn stats(&self) -> ServerStats {
        self.server.stats()
    }
}

struct Shared(ServerHasher);

impl Stream for Shared {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self) -> Vec<u8> {
        self.0.finalize_reset().as_bytes().to_vec()
    }
}

struct Alone<A: HashFunction>(Hasher<A>);

impl<A: HashFunction> Stream for Alone<A> {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self) -> Vec<u8> {
        self.0.finalize_reset().as_ref().to_vec()
    }
}

struct Dyn(Box<dyn DynDigest + Send>);

impl Stream for Dyn {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    fn finish(&mut self) -> Vec<u8> {
        self.0.finalize_reset().into_vec()
    }
}

struct OpenSsl(openssl::hash::Hasher);

impl Stream for OpenSsl {
    fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes).expect("hashing does not fail");
    }

    fn finish(&mut self) -> Vec<u8> {
        // The next update begins a new message.
        self.0.finish().expect("hashing does not fail").to_vec()
    }
}

/// Compares the engines' digests of several interleaved messages with those of OpenSSL.
pub(crate) fn verify(algorithm: AlgorithmName, engines: &[EngineName]) {
    let data: Vec<u8> =
        (0..3_000_000_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect();
    let digests = |name| {
        let engine = Engine::new(algorithm, name, ServerOptions::new());
        let mut streams: Vec<_> = (0..20).map(|_| engine.stream()).collect();
        for (k, piece) in data.chunks(70_001).enumerate() {
            for (i, stream) in streams.iter_mut().enumerate() {
                stream.update(&piece[(i * k) % 3000..]);
            }
        }
        streams.iter_mut().map(|stream| stream.finish()).collect::<Vec<_>>()
    };
    let expected = digests(EngineName::OpenSsl);
    // The Go program verifies itself.
    for &name in engines.iter().filter(|&&name| name != EngineName::Minio) {
        assert_eq!(digests(name), expected, "{name} of {algorithm} differs from OpenSSL");
    }
}
