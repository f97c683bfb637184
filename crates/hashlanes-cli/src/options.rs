//! The options that several subcommands have.

use std::borrow::Cow;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::thread;

use clap::builder::{OsStringValueParser, TypedValueParser};
use hashlanes::{Algorithm, AnyEngine, KernelError, KernelErrorKind, kernel_from_environment};

/// Takes any file name, for clap: its own parser for paths refuses the empty one, which is just a
/// file that does not exist.
pub(crate) fn path() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

/// How to use the machine.
#[derive(clap::Args)]
pub(crate) struct Machine {
    /// Threads that read and hash [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Speed")]
    threads: Option<NonZeroUsize>,

    /// Hash in this kernel only, whatever the number of files (see `hashlanes info`); the
    /// environment variable HASHLANES_KERNEL does the same
    #[arg(long, value_name = "NAME", help_heading = "Speed")]
    kernel: Option<String>,
}

impl Machine {
    pub(crate) fn threads(&self) -> usize {
        self.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// Engines for the algorithms, in the kernel that was asked for.
    ///
    /// # Errors
    /// If a kernel was asked for that one of them does not have or this CPU cannot run.
    pub(crate) fn engines(&self, algorithms: &[Algorithm]) -> Result<Vec<AnyEngine>, KernelError> {
        algorithms.iter().map(|&algorithm| self.engine(algorithm)).collect()
    }

    /// Engines for all algorithms of which some may be needed. The kernel that was asked for is
    /// used where there is one.
    ///
    /// # Errors
    /// If a kernel was asked for that none of them has, or that this CPU cannot run.
    pub(crate) fn engines_for_any(
        &self,
        algorithms: &[Algorithm],
    ) -> Result<Vec<AnyEngine>, KernelError> {
        let engines: Vec<_> = algorithms.iter().map(|&algorithm| self.engine(algorithm)).collect();
        if engines.iter().all(Result::is_err) {
            // The one that has the kernel, if this CPU cannot run it, tells more.
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
