//! `sum --resume`: completes a manifest.

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::SystemTime;

use hashlanes_files::manifest::{Digits, Format, Writer};
use hashlanes_files::name::quote_name;
use hashlanes_files::replace::Own;
use hashlanes_files::source::Stores;
use hashlanes_files::system::LastingNumbers;
use hashlanes_files::walk::Walk;
use hashlanes_files::{Plan, Settings, hash_files};

use super::Args;
use super::lines::{Journal, Lines};
use crate::options::names::Names;
use crate::resume::{Change, Finished, Form, Known, Outcome, Resumed, Tell};
use crate::terminal::message::{failed, output_failed, reason, say, say_of};
use crate::terminal::output::{Output, write_named};
use crate::terminal::summary::{DAMAGED, State, Tally, UNWRITTEN, kept_damaged};

/// Completes a manifest.
pub(super) fn run(
    args: &Args,
    manifest: &Path,
    form: &Form,
    walk: &Walk,
    (names, plan): (Names, Plan),
    stores: Arc<dyn Stores>,
) -> Result<ExitCode, ExitCode> {
    let fail = |why: String| failed(manifest, why);
    let begin = SystemTime::now();
    let (recorded, accepts_damaged) = (args.recorded(&form.writer), args.accept_damaged);
    let begun = Resumed::begin(manifest, recorded, names.is_sorted, accepts_damaged);
    let resumed = begun.map_err(fail)?;
    if let Some(doubt) = resumed.doubt() {
        say_of(manifest, doubt);
    }
    let kept = resumed.kept().map_err(|error| fail(reason(&error)))?;
    let journal = resumed.journal().map_err(|error| fail(reason(&error)))?;
    let functions = form.writer.functions.clone();
    let (digits, zero, binary) = (Digits::Hex, false, false);
    let writer = Writer { format: Format::Json, functions, digits, zero, binary };
    let mut lines = Lines {
        form: Form { writer, base: None },
        raw: false,
        journal: Some(Journal { begin, numbers: LastingNumbers::default() }),
        output: Output::file(journal),
        own: args.summary.own().and(Own::outputs()),
        walk: walk.clone(),
        tally: Tally::default(),
        write_back: None,
    };
    let watched = args.inputs.progress.watch(names.total());
    let every = args.save_every.bytes().max(1);
    let partials =
        resumed.partials(begin, every, args.quiet).map_err(|error| fail(reason(&error)))?;
    let settings = args.load.settings(&watched, &args.inputs.machine);
    let settings = Settings { partial: Some(partials), ..settings };
    let names = names.resume(kept);
    let outcome = lines
        .begin()
        .and_then(|()| hash_files(names.ahead(stores), &[plan], &mut lines, settings))
        .and_then(|()| lines.end());
    let work = watched.finish();
    args.say_skipped(walk);
    outcome.map_err(|error| output_failed(&error))?;
    let roots = if args.inputs.list.is_given() { &[][..] } else { &args.inputs.files };
    let mut tally = lines.tally;
    let (is_clean, prune) = (tally.is_good(), args.prune);
    let outcome = Outcome { is_clean, prune, roots, form };
    let mut header = Vec::new();
    form.writer.header(&mut header);
    let write = |known: &Known, is_damaged: bool, lines: &mut Vec<u8>| {
        if is_damaged {
            tally.damage();
            say(format_args!("{}: {UNWRITTEN}", quote_name(&form.named(&known.name))));
        }
        if let Err((path, why)) = form.line(known, lines) {
            say_of(&path, why);
            tally.faults += 1;
        }
        Ok(())
    };
    let mut changes = Changes { form, output: None, printed: Ok(()) };
    if args.changes {
        changes.output = Some(Output::stdout().map_err(|error| output_failed(&error))?);
    }
    let mut tell = |name: &[u8], change| changes.tell(name, change);
    let tell = args.changes.then_some(&mut tell as &mut Tell<'_>);
    let finished = resumed.finish(&outcome, &header, write, tell);
    let failure = finished.as_ref().ok().and_then(|finished| what_was_kept(finished, args.prune));
    tally.faults += u64::from(finished.is_err() || failure.is_some());
    let told = args.summary.tell("sum", (&tally, &work), (args.quiet, false));
    match finished {
        Err(error) => return Err(fail(reason(&error))),
        Ok(Finished { damaged: 0, .. }) => {}
        Ok(Finished { damaged, .. }) => {
            let what = "of MANIFEST.resume ignored: damaged";
            say_of(manifest, format_args!("{} {what}", lines_of(damaged)));
        }
    }
    changes.finish().map_err(|error| output_failed(&error))?;
    let damaged = tally.of(State::Damaged);
    if damaged > 0 && !accepts_damaged {
        say_of(manifest, kept_damaged(damaged));
    }
    let has_failed = failure.is_some() || !told;
    failure.into_iter().for_each(|why| say_of(manifest, why));
    Ok(match damaged {
        1.. => ExitCode::from(DAMAGED),
        0 if has_failed || !tally.is_good() => ExitCode::FAILURE,
        0 => ExitCode::SUCCESS,
    })
}

/// The message about kept lines, whose files were not found.
fn what_was_kept(finished: &Finished, prune: bool) -> Option<String> {
    let &Finished { kept, unsure, .. } = finished;
    if unsure > 0 {
        return Some(format!(
            "not replaced: {} of files that were not found would be lost; remove or repair the \
             manifest, or make the files readable",
            lines_of(unsure)
        ));
    }
    let why = if prune {
        "they exist but were not selected, or their state is unknown"
    } else {
        "something was unreadable, missing or empty; --prune drops the lines of files \
         that are gone"
    };
    (kept > 0).then(|| format!("kept {} of files that were not found: {why}", lines_of(kept)))
}

fn lines_of(count: u64) -> String {
    format!("{count} {}", if count == 1 { "line" } else { "lines" })
}

/// Prints what has changed.
struct Changes<'f> {
    form: &'f Form,
    /// `None` if nothing is printed.
    output: Option<Output>,
    printed: io::Result<()>,
}

impl Changes<'_> {
    fn tell(&mut self, name: &[u8], change: Change) -> io::Result<()> {
        // The manifest does not depend on whether anybody reads this.
        if let (Some(output), Ok(())) = (&mut self.output, &self.printed) {
            let name = self.form.named(name);
            self.printed = output.line(|line| write_named(line, &name, change.word(), b""));
        }
        Ok(())
    }

    fn finish(self) -> io::Result<()> {
        self.printed?;
        self.output.map_or(Ok(()), |mut output| output.flush())
    }
}
