//! Engines that are C libraries. Each has a shim of some fifty lines in `shims/`, which is compiled
//! when it is needed against the library's own headers, so that no layout of a structure is
//! guessed.

use std::ffi::{CStr, OsString, c_char, c_int};
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use hashlanes::Algorithm;
use libloading::Library;
use tempfile::TempDir;

use crate::engine::{Engine, Found, Missing, USUAL};

/// A library with a shim.
struct Source {
    name: &'static str,
    /// The file in `shims/`.
    shim: &'static str,
    /// The compiler's arguments after the shim: usually the library's name.
    arguments: &'static [&'static str],
    /// The library's folder, if it is not a system package.
    folder: Option<Folder>,
    /// How to install it.
    remedy: &'static str,
}

struct Folder {
    /// The environment variable that names it.
    variable: &'static str,
    /// Its folder of headers.
    headers: &'static str,
    /// Files in it that are compiled with the shim, if it has no library.
    sources: &'static [&'static str],
}

const SOURCES: [Source; 6] = [
    Source {
        name: "hashlanes by ISA-L's interface",
        shim: "isal_crypto.c",
        arguments: &["-lhashlanes_isal"],
        folder: Some(Folder {
            variable: "HASHLANES_ISAL_DIR",
            headers: "include/hashlanes-isal",
            sources: &[],
        }),
        remedy: "`cargo xtask peers` installs it (on Linux), and sets the variable",
    },
    Source {
        name: "ISA-L crypto",
        shim: "isal_crypto.c",
        arguments: &["-lisal_crypto"],
        folder: Some(Folder { variable: "ISAL_CRYPTO_DIR", headers: "include", sources: &[] }),
        remedy: "let ISAL_CRYPTO_DIR name a folder with its include/isa-l_crypto and its \
                 libisal_crypto.so (in the folder itself, in lib/ or in bin/)",
    },
    Source {
        name: "Firedancer",
        shim: "firedancer.c",
        arguments: &[
            "-O3",
            "-march=native",
            "-DFD_HAS_HOSTED=1",
            "-DFD_HAS_INT128=1",
            "-DFD_HAS_DOUBLE=1",
            "-DFD_HAS_ALLOCA=1",
            "-DFD_HAS_X86=1",
            "-DFD_HAS_SSE=1",
            "-DFD_HAS_AVX=1",
            "-DFD_HAS_AVX512=1",
            "-DFD_HAS_SHANI=__SHA__",
        ],
        folder: Some(Folder {
            variable: "FIREDANCER_DIR",
            headers: "src",
            sources: &[
                "src/ballet/sha256/fd_sha256.c",
                "src/ballet/sha256/fd_sha256_batch_avx.c",
                "src/ballet/sha256/fd_sha256_batch_avx512.c",
            ],
        }),
        remedy: "let FIREDANCER_DIR name a checkout of Firedancer, on a CPU with AVX-512",
    },
    Source {
        name: "hashtree",
        shim: "hashtree.c",
        arguments: &["-lhashtree"],
        folder: Some(Folder { variable: "HASHTREE_DIR", headers: "src", sources: &[] }),
        remedy: "let HASHTREE_DIR name a checkout of hashtree, built by `make CFLAGS='-O3 -fPIC'`",
    },
    Source {
        name: "ipsec-mb",
        shim: "ipsec_mb.c",
        arguments: &["-lIPSec_MB"],
        folder: None,
        remedy: "Debian: apt-get install gcc libipsec-mb-dev",
    },
    Source {
        name: "OpenSSL",
        shim: "openssl.c",
        arguments: &["-lcrypto"],
        folder: None,
        remedy: "Debian: apt-get install gcc libssl-dev",
    },
];

pub(crate) fn all() -> Vec<Found> {
    SOURCES
        .iter()
        .map(|source| match Shim::build(source) {
            Ok(shim) => Found::Engine(Box::new(shim)),
            Err(error) => Found::Missing(Missing {
                name: source.name,
                reason: format!("{error:#}"),
                remedy: source.remedy,
            }),
        })
        .collect()
}

type Version = unsafe extern "C" fn() -> *const c_char;
type Supports = unsafe extern "C" fn(c_int) -> c_int;
type Hash =
    unsafe extern "C" fn(c_int, *const *const u8, *const usize, usize, *mut u8) -> *const c_char;

struct Shim {
    name: &'static str,
    version: String,
    supported: Vec<Algorithm>,
    hash: Hash,
    /// The messages as C requires them. Kept to reuse its memory.
    pointers: Vec<*const u8>,
    lengths: Vec<usize>,
    /// The library with the code of `hash`, which must stay loaded as long as `hash` is used.
    _library: Library,
    _folder: TempDir,
}

impl Shim {
    fn build(source: &Source) -> Result<Self> {
        let shims = Path::new(env!("CARGO_MANIFEST_DIR")).join("shims");
        let folder = tempfile::tempdir()?;
        let object = folder.path().join("shim.so");
        let mut compiler =
            Command::new(std::env::var_os("CC").unwrap_or_else(|| OsString::from("cc")));
        compiler
            .args(["-O2", "-Wall", "-shared", "-fPIC", "-o"])
            .arg(&object)
            .arg(shims.join(source.shim));
        let mut checkout = None;
        if let Some(Folder { variable, headers, sources }) = &source.folder {
            let Some(library) = std::env::var_os(variable).filter(|folder| !folder.is_empty())
            else {
                bail!("{variable} is not set")
            };
            let library = PathBuf::from(library);
            compiler.arg("-I").arg(library.join(headers));
            compiler.args(sources.iter().map(|source| library.join(source)));
            for part in ["", "lib", "bin", ".libs", "build/lib"] {
                let part = library.join(part);
                compiler.arg("-L").arg(&part).arg("-Wl,-rpath").arg("-Xlinker").arg(&part);
            }
            checkout = Some(library);
        }
        compiler.args(source.arguments);
        let output = compiler.output().context("the C compiler cannot be run")?;
        if !output.status.success() {
            let errors = String::from_utf8_lossy(&output.stderr).into_owned();
            // Use the first error, without its file and line.
            let first = errors
                .lines()
                .find_map(|line| line.split_once("error: ").map(|(_, reason)| reason));
            let link = || {
                errors
                    .lines()
                    .find(|line| line.contains("cannot find"))
                    .and_then(|line| line.rsplit(": ").next())
            };
            bail!(
                "its shim does not compile: {}",
                first.or_else(link).unwrap_or("no reason given").trim()
            );
        }

        // SAFETY: loading runs the initialisers of the shim, which has none, and of its library, a
        // well-known one that the user installed in order to run it.
        let library = unsafe { Library::new(&object) }?;
        // SAFETY: the three types match the functions in engine.h, which the shim was just compiled
        // with. The copied pointers do not outlive the library, since the same structure owns it.
        let (version, supports, hash) = unsafe {
            (
                *library.get::<Version>(b"engine_version")?,
                *library.get::<Supports>(b"engine_supports")?,
                *library.get::<Hash>(b"engine_hash")?,
            )
        };
        // SAFETY: engine.h promises that the function takes nothing and returns a static string.
        let mut version = unsafe { CStr::from_ptr(version()) }.to_string_lossy().into_owned();
        if let (true, Some(checkout)) = (version.is_empty(), checkout) {
            version = described(&checkout)?;
        }
        let supported = |algorithm: &Algorithm| {
            // SAFETY: engine.h requires a number of its enumeration, which `number` gives.
            unsafe { supports(number(*algorithm)?) != 0 }.then_some(*algorithm)
        };
        Ok(Self {
            name: source.name,
            version,
            supported: USUAL.iter().filter_map(supported).collect(),
            hash,
            pointers: Vec::new(),
            lengths: Vec::new(),
            _library: library,
            _folder: folder,
        })
    }
}

/// The version of a checkout, by git.
fn described(checkout: &Path) -> Result<String> {
    let mut git = Command::new("git");
    let output = git.arg("-C").arg(checkout).args(["describe", "--tags", "--always"]).output()?;
    Ok(String::from_utf8(output.stdout)?.trim().to_owned())
}

/// An algorithm's number in engine.h.
fn number(algorithm: Algorithm) -> Option<c_int> {
    USUAL.iter().position(|other| *other == algorithm).map(|number| number as c_int)
}

impl Engine for Shim {
    fn name(&self) -> &str {
        self.name
    }

    fn version(&self) -> &str {
        &self.version
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.supported.contains(&algorithm)
    }

    fn hash(&mut self, algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        let Some(number) = number(algorithm).filter(|_| self.supports(algorithm)) else {
            bail!("{algorithm} is not supported")
        };
        assert_eq!(digests.len(), messages.len() * algorithm.digest_len());
        self.pointers.clear();
        self.pointers.extend(messages.iter().map(|message| message.as_ptr()));
        self.lengths.clear();
        self.lengths.extend(messages.iter().map(|message| message.len()));
        // SAFETY: these are the arguments that engine.h requires: a number of its enumeration; as
        // many pointers as lengths, each readable for its length; and room for all digests, as
        // asserted above.
        let error = unsafe {
            (self.hash)(
                number,
                self.pointers.as_ptr(),
                self.lengths.as_ptr(),
                messages.len(),
                digests.as_mut_ptr(),
            )
        };
        if error.is_null() {
            return Ok(());
        }
        // SAFETY: engine.h promises that a result that is not null is a static string.
        bail!("{}", unsafe { CStr::from_ptr(error) }.to_string_lossy())
    }
}
