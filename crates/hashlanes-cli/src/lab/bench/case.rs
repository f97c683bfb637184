//! The lines of the result that the arguments ask for.

use clap::error::ErrorKind;
use hashlanes::kernels::KernelInfo;
use hashlanes::{Algorithm, Engine};
use hashlanes_measure::messages::Lengths;

use crate::options::size::Size;

use super::options::{Args, Counts, Mixed};

/// The most bytes of messages per thread.
const MEMORY: usize = 4 << 30;

/// More than any cache holds.
const OUT_OF_CACHE: (Lengths, usize) = (Lengths::Uniform(1 << 20), 512);

/// One line of the result.
#[derive(Clone, Copy)]
pub(super) struct Case<'a> {
    pub(super) algorithm: Algorithm,
    /// `None` for the library's choice.
    pub(super) kernel: Option<&'a str>,
    pub(super) lengths: Lengths,
    pub(super) messages: usize,
}

/// The kernels that the command line names, or else the environment.
pub(super) fn kernel_names(args: &Args) -> Vec<String> {
    let Some(environment) = hashlanes::kernels::kernel_from_environment() else {
        return args.kernels.clone();
    };
    if args.kernels.iter().any(|name| name == "auto") {
        refuse(format!("--kernel auto: HASHLANES_KERNEL={environment} leaves no choice"));
    }
    if args.kernels.is_empty() { vec![environment.into_owned()] } else { args.kernels.clone() }
}

/// The cases that the arguments describe. All of them can run here.
pub(super) fn cases<'a>(args: &Args, kernels: &'a [String]) -> Vec<Case<'a>> {
    let algorithms = if args.algorithms.is_empty() {
        &[Algorithm::Md5, Algorithm::Sha1, Algorithm::Sha256, Algorithm::Sha512]
    } else {
        args.algorithms.as_slice()
    };
    if args.sizes.iter().chain(&args.manager).any(|size| size.bytes() == 0) {
        refuse("--size and --manager must be at least 1 byte");
    }
    if args.plot.is_some() && args.sizes.is_empty() && !args.mixed.is_empty() {
        refuse("--plot needs messages of one length, and --mixed has none; add --size");
    }

    let mut cases = Vec::new();
    for &algorithm in algorithms {
        for kernel in kernels_of(algorithm, kernels) {
            let mut add = |lengths: Lengths, counts: &[Counts]| {
                for messages in counts.iter().flat_map(|counts| counts.0..=counts.1) {
                    if lengths.at_most(messages) > MEMORY {
                        let longest = Size::new(lengths.at_most(1) as u64);
                        let most = Size::new(MEMORY as u64);
                        refuse(format!(
                            "{messages} messages of up to {longest} are more than the {most} \
                             that a thread may use"
                        ));
                    }
                    cases.push(Case { algorithm, kernel, lengths, messages });
                }
            };
            if args.out_of_cache {
                add(OUT_OF_CACHE.0, &[Counts(OUT_OF_CACHE.1, OUT_OF_CACHE.1)]);
                continue;
            }
            let counts = |default: usize| {
                if args.messages.is_empty() {
                    vec![Counts(default, default)]
                } else {
                    args.messages.clone()
                }
            };
            let default = [16, 64, 256, 1024, 4096, 65536].map(Size::new);
            let sizes = if args.sizes.is_empty() && args.mixed.is_empty() {
                &default
            } else {
                args.sizes.as_slice()
            };
            for size in sizes {
                add(Lengths::Uniform(size.in_memory()), &counts(64));
            }
            for Mixed(low, high) in &args.mixed {
                add(Lengths::LogUniform(low.in_memory(), high.in_memory()), &counts(4096));
            }
        }
    }
    cases
}

/// The kernels of an algorithm with these names. `None` is the library's choice.
fn kernels_of(algorithm: Algorithm, names: &[String]) -> Vec<Option<&str>> {
    if names.is_empty() {
        return vec![None];
    }
    let mut kernels = Vec::new();
    for name in names {
        match name.as_str() {
            "auto" => kernels.push(None),
            "all" => kernels.extend(
                algorithm
                    .kernels()
                    .filter(KernelInfo::is_available)
                    .map(|kernel| Some(kernel.name)),
            ),
            _ => match Engine::of(algorithm).kernel(name) {
                Ok(_) => kernels.push(Some(name)),
                Err(error) => refuse(error),
            },
        }
    }
    kernels
}

/// Ends the program as clap does for wrong usage.
pub(super) fn refuse(reason: impl std::fmt::Display) -> ! {
    clap::Error::raw(ErrorKind::ValueValidation, format!("{reason}\n")).exit()
}
