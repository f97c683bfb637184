//! Wrong usage, help and the version, as clap words them.

use std::borrow::Cow;
use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal, Write};
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue};
use hashlanes_files::name::{for_terminal, quote_name};

use super::{message, output};
use crate::objects;

/// What to say of something that needs a feature with which the program was not built.
macro_rules! lacks {
    ($feature:literal, $what:literal) => {
        concat!(
            "this program was built without the feature `",
            $feature,
            "`, which ",
            $what,
            ": cargo install --path crates/hashlanes-cli --features ",
            $feature
        )
    };
}
#[cfg(not(feature = "objects"))]
pub(crate) use lacks;

/// Adds a tip for what is easily mistaken.
pub(crate) fn advise(error: &mut clap::Error) {
    let context = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => text.as_str(),
        _ => "",
    };
    let given = context(ContextKind::InvalidSubcommand);
    let command = match given {
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
    let lacks_signatures = given == "slh-dsa" && !cfg!(feature = "slh-dsa");
    let missing = match lacks_signatures {
        true => Some(lacks!("slh-dsa", "signs files")),
        false => objects::missing(argument),
    };
    let tip = tip.or_else(|| missing.map(str::to_owned));
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
pub(crate) fn shown(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        let is_plain = |argument: OsString| {
            matches!(for_terminal(argument.as_encoded_bytes()), Cow::Borrowed(_))
        };
        if env::args_os().all(is_plain) {
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
    message::exit_status(output::write(text.as_bytes()).map(|()| true))
}
