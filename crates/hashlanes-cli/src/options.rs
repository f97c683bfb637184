//! Options that several subcommands share.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use clap::builder::{OsStringValueParser, TypedValueParser};
use hashlanes::{Algorithm, AnyEngine, KernelError, KernelErrorKind, kernel_from_environment};

/// A parser for clap that takes any file name. Clap's own parser for paths refuses the empty name,
/// which is just the name of a file that does not exist.
pub(crate) fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// Options for the use of the machine.
#[derive(clap::Args)]
pub(crate) struct Machine {
    /// Threads that read and hash [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Speed")]
    threads: Option<NonZeroUsize>,

    /// Use only this kernel, whatever the number of files (see `hashlanes info`); the environment
    /// variable HASHLANES_KERNEL does the same
    #[arg(long, value_name = "NAME", help_heading = "Speed")]
    kernel: Option<String>,
}

impl Machine {
    pub(crate) fn threads(&self) -> usize {
        self.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// Engines for the algorithms, with the kernel that was asked for.
    ///
    /// # Errors
    /// If one of the algorithms does not have that kernel, or this CPU cannot run it.
    pub(crate) fn engines(&self, algorithms: &[Algorithm]) -> Result<Vec<AnyEngine>, KernelError> {
        algorithms.iter().map(|&algorithm| self.engine(algorithm)).collect()
    }

    /// Engines for algorithms of which only some may be needed. Those that have the kernel that was
    /// asked for use it.
    ///
    /// # Errors
    /// If none of the algorithms has that kernel, or this CPU cannot run it.
    pub(crate) fn engines_for_any(
        &self,
        algorithms: &[Algorithm],
    ) -> Result<Vec<AnyEngine>, KernelError> {
        let engines: Vec<_> = algorithms.iter().map(|&algorithm| self.engine(algorithm)).collect();
        if engines.iter().all(Result::is_err) {
            // If an algorithm has the kernel and this CPU cannot run it, that error tells most.
            let of_interest = |error: &KernelError| error.kind() == KernelErrorKind::Unsupported;
            let mut errors: Vec<_> = engines.into_iter().filter_map(Result::err).collect();
            let index = errors.iter().position(of_interest).unwrap_or(0);
            return Err(errors.swap_remove(index));
        }
        let or_default = |(&algorithm, engine): (&Algorithm, Result<_, _>)| {
            engine.unwrap_or(AnyEngine::new(algorithm))
        };
        Ok(algorithms.iter().zip(engines).map(or_default).collect())
    }

    fn engine(&self, algorithm: Algorithm) -> Result<AnyEngine, KernelError> {
        let name = match &self.kernel {
            Some(name) => Some(Cow::Borrowed(name.as_str())),
            None => kernel_from_environment(),
        };
        match name {
            Some(name) => AnyEngine::with_kernel(algorithm, &name),
            None => Ok(AnyEngine::new(algorithm)),
        }
    }
}
