//! Options for the use of the machine: threads, readers, kernels.

use std::borrow::Cow;
use std::fmt;
use std::num::NonZeroUsize;
use std::thread;

use hashlanes::kernels::{KernelError, KernelErrorKind, kernel_from_environment};
use hashlanes_files::{Engine, Function};

/// Maximum number of threads of a run that mostly waits for files. Each takes up to 2 MiB of
/// memory.
const MOST_THREADS: usize = 32;

/// Options for the use of the machine.
#[derive(clap::Args)]
pub(crate) struct Machine {
    /// Threads that read and hash [default: one per core]
    #[arg(long, value_name = "N", help_heading = "Speed")]
    threads: Option<NonZeroUsize>,

    /// Large files to read from disks at the same time; files in memory do not count [default: one
    /// on a rotational disk, no limit on others]
    #[arg(long, value_name = "N", help_heading = "Speed")]
    readers: Option<NonZeroUsize>,

    /// Threads to add while the others mostly wait for files, as on a network file system [default:
    /// up to 32 threads in total, and none with --threads]
    #[arg(long, value_name = "N", help_heading = "Speed")]
    added_threads: Option<usize>,

    /// Use only this kernel, whatever the number of files (see `hashlanes info`); the environment
    /// variable HASHLANES_KERNEL has the same effect
    #[arg(long, value_name = "NAME", help_heading = "Speed")]
    kernel: Option<String>,
}

impl Machine {
    /// The number of threads. Without the option, the system is asked, which takes some 25 calls.
    pub(crate) fn threads(&self) -> usize {
        self.threads.or_else(|| thread::available_parallelism().ok()).map_or(1, NonZeroUsize::get)
    }

    /// The most threads to add to these.
    pub(crate) fn added_threads(&self, threads: usize) -> usize {
        match (self.added_threads, self.threads) {
            (Some(added), _) => added,
            (None, Some(_)) => 0,
            (None, None) => MOST_THREADS.saturating_sub(threads),
        }
    }

    pub(crate) fn readers(&self) -> Option<NonZeroUsize> {
        self.readers
    }

    /// Engines for the functions, with the requested kernel.
    ///
    /// # Errors
    /// If one of the functions does not have that kernel, or this CPU cannot run it.
    pub(crate) fn engines(&self, functions: &[Function]) -> Result<Vec<Engine>, NoKernel> {
        functions.iter().map(|&function| self.engine(function)).collect()
    }

    /// Engines for functions of which only some may be needed. Those that have the requested kernel
    /// use it.
    ///
    /// # Errors
    /// If none of the functions has that kernel, or this CPU cannot run it.
    pub(crate) fn engines_for_any(&self, functions: &[Function]) -> Result<Vec<Engine>, NoKernel> {
        let engines: Vec<_> = functions.iter().map(|&function| self.engine(function)).collect();
        let has_lanes = |engine: &Result<Engine, NoKernel>| {
            engine.as_ref().is_ok_and(|engine| engine.function().has_lanes())
        };
        if !engines.iter().any(has_lanes) {
            // If a function has the kernel and this CPU cannot run it, that is the most helpful
            // error.
            let mut errors: Vec<_> = engines.into_iter().filter_map(Result::err).collect();
            let index = errors.iter().position(NoKernel::is_unsupported).unwrap_or(0);
            return Err(errors.swap_remove(index));
        }
        let or_default = |(&function, engine): (&Function, Result<_, _>)| {
            engine.unwrap_or(Engine::new(function))
        };
        Ok(functions.iter().zip(engines).map(or_default).collect())
    }

    /// The functions that do not have the kernel of `--kernel`, and the warning to print where they
    /// run anyway.
    pub(crate) fn without_kernel(
        &self,
        functions: &[Function],
    ) -> impl Iterator<Item = (Function, String)> {
        let error = |&function: &Function| Some((function, self.engine(function).err()?));
        let errors = functions.iter().filter(|_| self.kernel.is_some()).filter_map(error);
        errors.map(|(function, error)| (function, format!("WARNING: --kernel is ignored: {error}")))
    }

    fn engine(&self, function: Function) -> Result<Engine, NoKernel> {
        let algorithm = match (function, &self.kernel) {
            (Function::Lanes(algorithm), _) => algorithm,
            // The environment variable is meant for functions that have kernels.
            (Function::Single(_), None) => return Ok(Engine::new(function)),
            (Function::Single(_), Some(_)) => return Err(NoKernel::OneAtATime(function)),
        };
        let name = match &self.kernel {
            Some(name) => Some(Cow::Borrowed(name.as_str())),
            None => kernel_from_environment(),
        };
        Ok(Engine::Lanes(match name {
            Some(name) => hashlanes::Engine::of(algorithm).kernel(&name).map_err(NoKernel::Of)?,
            None => hashlanes::Engine::of(algorithm),
        }))
    }
}

/// Why the requested kernel does not run.
#[derive(Debug)]
pub(crate) enum NoKernel {
    Of(KernelError),
    OneAtATime(Function),
}

impl NoKernel {
    fn is_unsupported(&self) -> bool {
        matches!(self, Self::Of(error) if error.kind() == KernelErrorKind::Unsupported)
    }
}

impl fmt::Display for NoKernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Of(error) => error.fmt(f),
            Self::OneAtATime(function) => {
                write!(f, "{function} has no kernels: it hashes one file at a time")
            }
        }
    }
}
