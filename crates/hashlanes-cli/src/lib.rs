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

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use commands::{check, completions, dedup, info, man, manifest, random, slh_dsa, sum, tree};
use process::inherited;
use terminal::usage;

/// Hash many files side by side in the SIMD lanes of each core.
#[derive(Parser)]
#[command(name = "hashlanes", version, max_term_width = 100, args_override_self = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Sum(sum::Args),
    Check(check::Args),
    Tree(Box<tree::Args>),
    Manifest(manifest::Args),
    Random(random::Args),
    SlhDsa(slh_dsa::Args),
    Dedup(dedup::census::Args),
    Info(info::Args),
    InstallLinks(gnu::links::Args),
    InstallCompletions(completions::Args),
    Man(man::Args),
}

/// Runs the program `hashlanes` with the arguments of this process.
pub fn main() -> ExitCode {
    inherited::restore();
    hashlanes_files::system::raise_descriptor_limit();
    let arguments = arguments();
    if let Some(tool) = arguments.first().and_then(|program| gnu::tool(program)) {
        return gnu::run(tool, arguments);
    }
    let cli = match Cli::try_parse_from(as_check(arguments)) {
        Ok(cli) => cli,
        Err(mut error) => {
            usage::advise(&mut error);
            return usage::shown(&error);
        }
    };
    let ended = match cli.command {
        Command::Sum(args) => sum::run(args),
        Command::Check(args) => check::run(args),
        Command::Tree(args) => tree::run(*args),
        Command::Manifest(args) => Ok(manifest::run(args)),
        Command::Random(args) => Ok(random::run(&args)),
        Command::SlhDsa(args) => slh_dsa::run(&args),
        Command::Dedup(args) => dedup::census::run(args),
        Command::Info(args) => Ok(info::run(args)),
        Command::InstallLinks(args) => Ok(gnu::links::run(&args)),
        Command::InstallCompletions(args) => Ok(completions::run(args, Cli::command())),
        Command::Man(args) => Ok(man::run(&args, Cli::command())),
    };
    ended.unwrap_or_else(|status| status)
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
