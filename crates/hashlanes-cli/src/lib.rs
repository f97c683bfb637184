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

use std::borrow::Cow;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use clap::{CommandFactory, Parser, Subcommand};

use commands::{check, completions, dedup, info, man, manifest, random, slh_dsa, sum, tree};
use hashlanes_files::name::{for_terminal, quote_name};
use process::{arguments, inherited};
use terminal::{message, output};

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
    let arguments: Vec<_> = arguments::arguments().collect();
    if let Some(tool) = arguments.first().and_then(|program| gnu::tool(program)) {
        return gnu::run(tool, arguments);
    }
    let cli = match Cli::try_parse_from(arguments::rewrite(arguments)) {
        Ok(cli) => cli,
        Err(mut error) => {
            advise(&mut error);
            return shown(&error);
        }
    };
    match cli.command {
        Command::Sum(args) => sum::run(args),
        Command::Check(args) => check::run(args),
        Command::Tree(args) => tree::run(*args),
        Command::Manifest(args) => manifest::run(args),
        Command::Random(args) => random::run(&args),
        Command::SlhDsa(args) => slh_dsa::run(&args),
        Command::Dedup(args) => dedup::census::run(args),
        Command::Info(args) => info::run(args),
        Command::InstallLinks(args) => gnu::links::run(&args),
        Command::InstallCompletions(args) => completions::run(args, Cli::command()),
        Command::Man(args) => man::run(&args, Cli::command()),
    }
}

/// Adds a tip for what is easily mistaken.
fn advise(error: &mut clap::Error) {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let command = match context(ContextKind::InvalidSubcommand) {
        "verify" | "validate" | "audit" => &["check"][..],
        "diff" | "compare" => &["manifest diff", "check --report"],
        "hash" | "digest" | "hashsum" => &["sum"],
        _ => &[],
    };
    let file = context(ContextKind::InvalidValue);
    let is_format = context(ContextKind::InvalidArg) == "<FORMATS>";
    let tip = (is_format && Path::new(file).exists()).then(|| {
        format!("the format comes first: hashlanes tree s3-etag {}", quote_name(file.as_bytes()))
    });
    let argument = context(ContextKind::InvalidArg);
    let tip = tip.or_else(|| objects::missing(argument).map(str::to_owned));
    if !command.is_empty() {
        let commands = command.iter().map(|command| (*command).to_owned()).collect();
        error.insert(ContextKind::SuggestedSubcommand, ContextValue::Strings(commands));
    }
    if let Some(tip) = tip {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// Prints clap's help and version on the standard output, and wrong usage on the standard error
/// with exit status 2. clap itself ignores a failure of the output.
fn shown(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let is_plain = |argument: OsString| {
            matches!(for_terminal(argument.as_encoded_bytes()), Cow::Borrowed(_))
        };
        if arguments::arguments().all(is_plain) {
            let _ = error.print();
        } else {
            // Without colour, which cannot be told from control characters of arguments.
            let text = error.render().to_string();
            let _ = io::stderr().write_all(&for_terminal(text.as_bytes()));
        }
        return message::usage();
    }
    let text = if io::stdout().is_terminal() {
        error.render().ansi().to_string()
    } else {
        error.render().to_string()
    };
    match output::write(text.as_bytes()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => message::output_failed(&error),
    }
}
