//! Watches a run that may take long: shows a bar or lines, and ends it on a signal.
//!
//! One thread does both. It sleeps until a signal arrives or the bar is due. An interrupted run
//! prints its results so far, in whole lines, and then the signal ends the program as if it had not
//! been caught. A second signal ends it at once.

use std::io::{self, IsTerminal, Write};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::ValueEnum;
use hashlanes_files::{Control, Settings};
use hashlanes_pool::lock;
use indicatif::{HumanBytes, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::options::machine::Machine;
use crate::process::interrupt::{self, Signals};
use crate::terminal::bar::Shown;
use crate::terminal::rate::Rate;

/// Options for showing progress.
#[derive(clap::Args)]
pub(crate) struct Progress {
    /// What to show on the standard error during a run of more than a second [default: a bar if it
    /// is a terminal and the standard output is not a pipe, otherwise nothing]
    #[arg(long, value_name = "STYLE", overrides_with = "no_progress", help_heading = "Progress")]
    progress: Option<Style>,

    /// Show nothing; the same as --progress none
    #[arg(long, overrides_with = "progress", help_heading = "Progress")]
    no_progress: bool,
}

/// What is shown during a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Style {
    /// A bar, if the standard error is a terminal
    Bar,
    /// A line every ten seconds, even if it is not a terminal
    Lines,
    /// Nothing
    None,
}

/// A shorter run has no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time between two lines.
const LINE: Duration = Duration::from_secs(10);

/// The time between two drawings of the bar.
const TICK: Duration = Duration::from_millis(100);

/// How long an interrupted run may take to print its results if a disk does not respond.
const GRACE: Duration = Duration::from_secs(2);

/// The watched run. There is one at a time.
static CONTROL: Control = Control::new();

/// Whether there may be a bar, so that other writers must ask before they write to the terminal.
static HAS_BAR: AtomicBool = AtomicBool::new(false);

static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// The bytes that a run has read, and its duration.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Work {
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
}

/// A watched run.
pub(crate) struct Watched {
    signals: Signals,
    begin: Instant,
}

impl Progress {
    /// Begins to watch. `total` returns the total length of all files, if it can be determined. It
    /// is called when the bar is drawn for the first time.
    pub(crate) fn watch(&self, total: impl FnOnce() -> Option<u64> + Send + 'static) -> Watched {
        self.watch_boxed(Box::new(total))
    }

    fn watch_boxed(&self, total: Total) -> Watched {
        let style = self.style();
        HAS_BAR.store(style == Style::Bar, Ordering::Relaxed);
        let begin = Instant::now();
        let signals = Signals::catch();
        let mine = signals.clone();
        // Without the thread, signals would be caught but ignored.
        let spawned = std::thread::Builder::new()
            .name("watch".into())
            .spawn(move || watch(&mine, Watch { style, begin, rate: Rate::new() }, total));
        if spawned.is_err() {
            signals.give_back();
        }
        Watched { signals, begin }
    }

    fn style(&self) -> Style {
        let is_terminal = io::stderr().is_terminal();
        match self.progress {
            _ if self.no_progress => Style::None,
            Some(Style::Bar) if !is_terminal => Style::None,
            Some(style) => style,
            None if is_terminal && !interrupt::is_pipe() => Style::Bar,
            None => Style::None,
        }
    }
}

impl Watched {
    /// The run's settings.
    pub(crate) fn settings(&self, machine: &Machine) -> Settings<'static> {
        let readers = machine.readers();
        let threads = machine.threads();
        let added_threads = machine.added_threads(threads);
        Settings { readers, added_threads, control: Some(&CONTROL), ..threads.into() }
    }

    /// The handle that reports the run's progress, and stops it.
    pub(crate) fn control(&self) -> &'static Control {
        &CONTROL
    }

    /// Whether a signal has interrupted the run.
    pub(crate) fn is_interrupted(&self) -> bool {
        CONTROL.is_stopped()
    }

    /// Stops watching. If a signal arrived, it ends the program here.
    pub(crate) fn finish(self) -> Work {
        let work = Work { bytes: CONTROL.bytes(), time: self.begin.elapsed() };
        hide_bar();
        if self.is_interrupted() {
            self.signals.die();
            // Whatever stopped the run, the results are incomplete.
            let _ = io::stderr().write_all(b"hashlanes: the run was interrupted\n");
            std::process::exit(1);
        }
        work
    }
}

/// Writes to the terminal, next to the bar if there is one.
pub(crate) fn beside_bar(write: &mut dyn FnMut() -> io::Result<()>) -> io::Result<()> {
    if !HAS_BAR.load(Ordering::Relaxed) {
        return write();
    }
    match &*lock(&BAR) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

/// Determines the total length of all files.
type Total = Box<dyn FnOnce() -> Option<u64> + Send>;

/// How progress is shown.
struct Watch {
    style: Style,
    begin: Instant,
    rate: Rate,
}

fn watch(signals: &Signals, mut watch: Watch, total: Total) {
    let style = watch.style;
    let mut signalled = signals.wait((style != Style::None).then_some(PATIENCE));
    if !signalled && style != Style::None {
        let total = total();
        if style == Style::Bar {
            show_bar();
        }
        let mut next_line = PATIENCE;
        while !signalled && watch.tick(total, &mut next_line) {
            signalled = signals.wait(Some(TICK));
        }
        if !signalled {
            signalled = signals.wait(None);
        }
    }
    if !signalled {
        return;
    }
    CONTROL.stop();
    for _ in 0..GRACE.as_millis() / 10 {
        if CONTROL.is_drained() {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    // The main thread is about to do the same, unless it waits for a pipe.
    std::thread::sleep(TICK);
    hide_bar();
    signals.die();
}

fn show_bar() {
    let mut bar = lock(&BAR);
    if !HAS_BAR.load(Ordering::Relaxed) {
        // The run has ended.
        return;
    }
    let style = ProgressStyle::with_template("{msg}").expect("the template is right");
    let target = ProgressDrawTarget::stderr();
    *bar = Some(ProgressBar::with_draw_target(None, target).with_style(style));
}

impl Watch {
    /// Shows the progress. False if it should not be shown any more.
    fn tick(&mut self, total: Option<u64>, next_line: &mut Duration) -> bool {
        let (time, bytes) = (self.begin.elapsed(), CONTROL.bytes());
        self.rate.add(time, bytes);
        let files = CONTROL.files();
        let rate = self.rate.per_second() as u64;
        let left = total.and_then(|total| self.rate.left(total));
        let shown = Shown { bytes, total, rate, files, time, left };
        if self.style == Style::Bar {
            return draw_bar(shown.on_terminal());
        }
        if time >= *next_line {
            *next_line = time + LINE;
            let of = total.map_or(String::new(), |total| format!(" of {}", HumanBytes(total)));
            let bytes = HumanBytes(bytes);
            let line = format!("hashlanes: {bytes}{of}, {}\n", shown.details());
            // A failure cannot be reported anywhere.
            let _ = io::stderr().write_all(line.as_bytes());
        }
        true
    }
}

/// Draws the bar, unless it has been hidden.
fn draw_bar(message: String) -> bool {
    let bar = lock(&BAR);
    let Some(bar) = &*bar else { return false };
    bar.set_message(message);
    true
}

fn hide_bar() {
    let bar = lock(&BAR).take();
    HAS_BAR.store(false, Ordering::Relaxed);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}
