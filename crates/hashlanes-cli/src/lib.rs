//! The program `hashlanes`, and `hashlanes-lab`, which measures. This is not an interface for other
//! crates.
//!
//! | folder | what |
//! |---|---|
//! | `commands/` | the subcommands, a module each |
//! | `gnu/` | the program called by the name of a GNU tool, such as `md5sum` |
//! | `lab/` | `hashlanes-lab`, if the package has that feature |
//! | `objects/` | URLs of objects in stores, if the program has that feature |
//! | `options/` | options that several commands share |
//! | `process/` | arguments, signals, memory: the process and its environment |
//! | `resume/` | manifests that a later run completes |
//! | `terminal/` | output, messages, the bar |
//! | `url.rs` | URLs among paths |

#![deny(unsafe_code)]

mod commands;
mod gnu;
#[cfg(feature = "lab")]
pub mod lab;
#[cfg_attr(not(feature = "objects"), path = "objects/absent.rs")]
mod objects;
mod options;
mod process;
mod resume;
mod terminal;
mod url;

use std::ffi::{OsStr, OsString};
use std::process::ExitCode;

use clap::{ArgMatches, Args, FromArgMatches};

#[cfg(feature = "slh-dsa")]
use commands::slh_dsa;
use commands::{check, completions, dedup, info, man, manifest, random, sum, tree};
use process::inherited;
use terminal::usage;

/// A subcommand.
struct Subcommand {
    name: &'static str,
    /// Adds its help and its options.
    options: fn(clap::Command) -> clap::Command,
    /// Runs it. The error is clap's, for wrong usage.
    run: fn(&mut ArgMatches) -> Result<Ended, clap::Error>,
}

/// The exit status. The error is one that has been reported.
type Ended = Result<ExitCode, ExitCode>;

/// `subcommand!(NAME, the type of its arguments, a function of these)`.
macro_rules! subcommand {
    ($name:literal, $args:ty, $run:expr) => {
        Subcommand {
            name: $name,
            options: <$args>::augment_args,
            run: |matches| <$args>::from_arg_matches_mut(matches).map($run),
        }
    };
}

const SUBCOMMANDS: &[Subcommand] = &[
    subcommand!("sum", sum::Args, sum::run),
    subcommand!("check", check::Args, check::run),
    subcommand!("tree", tree::Args, tree::run),
    subcommand!("manifest", manifest::Args, |args| Ok(manifest::run(args))),
    subcommand!("random", random::Args, |args| Ok(random::run(&args))),
    #[cfg(feature = "slh-dsa")]
    subcommand!("slh-dsa", slh_dsa::Args, |args| slh_dsa::run(&args)),
    subcommand!("dedup", dedup::census::Args, dedup::census::run),
    subcommand!("info", info::Args, |args| Ok(info::run(args))),
    subcommand!("install-links", gnu::links::Args, |args| Ok(gnu::links::run(&args))),
    subcommand!("install-completions", completions::Args, |args| {
        Ok(completions::run(args, program(None)))
    }),
    subcommand!("man", man::Args, |args| Ok(man::run(&args, program(None)))),
];

/// What clap knows of the program and its subcommands, or of only the one that is called. To know
/// all of them takes as long as everything else that the program does before it opens a file.
fn program(called: Option<&OsStr>) -> clap::Command {
    let program = clap::Command::new("hashlanes")
        .about("Hash many files side by side in the SIMD lanes of each core")
        .version(env!("CARGO_PKG_VERSION"))
        .max_term_width(100)
        .args_override_self(true)
        .subcommand_required(true)
        .arg_required_else_help(true);
    let called = called.filter(|called| SUBCOMMANDS.iter().any(|known| *called == known.name));
    SUBCOMMANDS
        .iter()
        .filter(|known| called.is_none_or(|called| *called == *known.name))
        .fold(program, |program, known| {
            program.subcommand((known.options)(clap::Command::new(known.name)))
        })
}

/// Runs the program `hashlanes` with the arguments of this process.
pub fn main() -> ExitCode {
    inherited::restore();
    hashlanes_files::system::raise_descriptor_limit();
    let arguments = arguments();
    if let Some(tool) = arguments.first().and_then(|program| gnu::tool(program)) {
        return gnu::run(tool, arguments);
    }
    match run(as_check(arguments)) {
        Ok(ended) => ended.unwrap_or_else(|status| status),
        Err(mut error) => {
            usage::advise(&mut error);
            usage::shown(&error)
        }
    }
}

fn run(arguments: Vec<OsString>) -> Result<Ended, clap::Error> {
    let mut program = program(arguments.get(1).map(OsString::as_os_str));
    let mut matches = program.try_get_matches_from_mut(arguments)?;
    let (name, mut matches) = matches.remove_subcommand().expect("clap requires a subcommand");
    let subcommand = SUBCOMMANDS.iter().find(|known| known.name == name);
    let subcommand = subcommand.expect("clap knows only these subcommands");
    let ended = (subcommand.run)(&mut matches).map_err(|error| error.format(&mut program));
    // The process is about to end, so this memory need not be freed.
    std::mem::forget(program);
    ended
}

/// The program's name and arguments. On Windows, as a Unix shell does, an unquoted argument with
/// `*` or `?` is replaced by the files that it matches, or kept if there are none.
fn arguments() -> Vec<OsString> {
    #[cfg(not(windows))]
    let arguments = std::env::args_os();
    #[cfg(windows)]
    let arguments = wild::args_os();
    arguments.collect()
}

/// Turns the arguments of `sum` into those of `check` if they include `-c` or `--check`, for users
/// of `sha256sum -c`.
fn as_check(arguments: Vec<OsString>) -> Vec<OsString> {
    if arguments.get(1).is_none_or(|command| command != "sum") {
        return arguments;
    }
    let options = arguments.iter().position(|argument| argument == "--");
    let options = options.unwrap_or(arguments.len());
    if !arguments[2..options].iter().any(|argument| without_check(argument).is_some()) {
        return arguments;
    }
    let mut rewritten = Vec::with_capacity(arguments.len());
    for (index, argument) in arguments.into_iter().enumerate() {
        match index {
            1 => rewritten.push("check".into()),
            _ if index < 2 || index >= options => rewritten.push(argument),
            _ => match without_check(&argument) {
                Some(rest) => rewritten.extend(rest),
                None => rewritten.push(argument),
            },
        }
    }
    rewritten
}

/// The rest of an argument that requests `check`: `-w` of `-cw`, nothing of `-c`. `None` for other
/// arguments.
fn without_check(argument: &OsString) -> Option<Option<OsString>> {
    let text = argument.to_str()?;
    if text == "--check" {
        return Some(None);
    }
    let letters = text.strip_prefix('-')?;
    let before = letters.split('c').next()?;
    // `-a` takes the rest as its argument. Two dashes begin a long option.
    let asks = letters.contains('c') && !before.contains(['a', '-']);
    asks.then(|| {
        let rest = letters.replacen('c', "", 1);
        (!rest.is_empty()).then(|| format!("-{rest}").into())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_an_option_of_sum_makes_it_check() {
        let rewritten = |line: &str| {
            let words = as_check(line.split(' ').map(OsString::from).collect());
            words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" ")
        };
        for (given, expected) in [
            ("hashlanes sum -c S", "hashlanes check S"),
            ("hashlanes sum S --check --quiet", "hashlanes check S --quiet"),
            ("hashlanes sum -cw -a md5 S", "hashlanes check -w -a md5 S"),
            ("hashlanes sum -wc S", "hashlanes check -w S"),
            ("hashlanes sum -c -- -c", "hashlanes check -- -c"),
        ] {
            assert_eq!(rewritten(given), expected);
        }
        for other in [
            "hashlanes sum -- -c",
            "hashlanes sum -acrc32 c",
            "hashlanes sum --exclude c - abc",
            "hashlanes info -c",
            "hashlanes",
        ] {
            assert_eq!(rewritten(other), other);
        }
    }
}
