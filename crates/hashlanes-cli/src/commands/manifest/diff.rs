//! `hashlanes manifest diff`: how two manifests differ.

use std::cmp::Ordering;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use hashlanes_files::is_stdin;
use hashlanes_files::name::{quote, quote_name};

use super::super::check::manifests::How;
use super::{Input, Item, Trouble};
use crate::terminal::message::{output_failed, usage, wrong_usage};
use crate::terminal::output::{Output, write_named};

/// If the manifests cannot be compared, the exit status is 2 as for wrong usage, as with `diff`.
pub(super) fn run(how: &How, manifests: &[PathBuf]) -> ExitCode {
    if manifests.iter().all(|path| is_stdin(path)) {
        return wrong_usage("the standard input cannot be both manifests");
    }
    let trouble = Trouble::default();
    let inputs = manifests.iter().map(|path| {
        let mut input = Input::open(path, how, &trouble);
        input.must_be_sorted();
        input
    });
    let mut inputs: Vec<_> = inputs.collect();
    // Two such lists are compared as what they say of their own folders.
    if !inputs.iter().all(Input::is_of_folder) {
        inputs.iter_mut().for_each(Input::resolve);
    }
    let only = manifests.iter().map(|path| format!("only in {}", quote(path))).collect();
    let compared = Output::stdout().and_then(|output| {
        let mut diff = Diff { inputs, only, output, differs: false };
        diff.compare(&trouble)?;
        Ok(diff.differs)
    });
    match compared {
        Err(error) => {
            output_failed(&error);
            usage()
        }
        Ok(_) if trouble.is_there() => usage(),
        Ok(true) => ExitCode::FAILURE,
        Ok(false) => ExitCode::SUCCESS,
    }
}

struct Diff {
    /// Two inputs.
    inputs: Vec<Input>,
    /// The message for a file that only this manifest has.
    only: Vec<String>,
    output: Output,
    differs: bool,
}

impl Diff {
    fn compare(&mut self, trouble: &Trouble) -> io::Result<()> {
        loop {
            let name = |index: usize| self.inputs[index].peek().map(Item::key);
            let order = match (name(0), name(1)) {
                (None, None) => return self.output.flush(),
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.cmp(b),
            };
            match order {
                Ordering::Less => self.tell_of_one(0, trouble)?,
                Ordering::Greater => self.tell_of_one(1, trouble)?,
                Ordering::Equal => {
                    let both = (self.inputs[0].next(), self.inputs[1].next());
                    if let (Some(a), Some(b)) = both {
                        self.tell_of_both(&a, &b, trouble)?;
                    }
                }
            }
        }
    }

    fn tell_of_one(&mut self, index: usize, trouble: &Trouble) -> io::Result<()> {
        let Some(item) = self.inputs[index].next() else { return Ok(()) };
        // The other manifest may list it in a line that could not be read.
        if trouble.is_there() {
            return Ok(());
        }
        let what = self.only[index].clone();
        self.line(&item.entry.name, &what)
    }

    fn tell_of_both(&mut self, a: &Item, b: &Item, trouble: &Trouble) -> io::Result<()> {
        let common = || a.functions().filter(|&function| b.digest(function).is_some());
        if common().next().is_none() {
            self.output.flush()?;
            let name = quote_name(&a.entry.name);
            trouble
                .of(&b.from, format_args!("{name}: the manifests have no hash function in common"));
            return Ok(());
        }
        if common().any(|function| a.digest(function) != b.digest(function)) {
            return self.line(&a.entry.name, "differs");
        }
        Ok(())
    }

    fn line(&mut self, name: &[u8], what: &str) -> io::Result<()> {
        self.differs = true;
        self.output.line(|line| write_named(line, name, what, b""))
    }
}
