//! Watches a run that may take long: shows a bar on a terminal, and ends it when a signal comes.
//!
//! One thread does both. It sleeps until a signal comes or the bar is to be drawn. A run that is
//! interrupted prints what is done, in whole lines, and then the signal ends the program, as if it
//! had not been caught. A second signal ends it at once.

use std::io::{self, IsTerminal};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hashlanes_files::{Control, Settings};
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::options::machine::Machine;
use crate::process::interrupt::{self, Signals};

/// Options of what is shown meanwhile.
#[derive(clap::Args)]
pub(crate) struct Progress {
    /// Show no bar. There is one only if the standard error is a terminal, the standard output is
    /// no pipe, and the run takes longer than a second
    #[arg(long)]
    no_progress: bool,
}

/// A run that takes less time has no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// The time between two drawings of the bar.
const TICK: Duration = Duration::from_millis(100);

/// How long an interrupted run may take to print what is done, where a disk does not answer.
const GRACE: Duration = Duration::from_secs(2);

/// The run that is watched. There is one at a time.
static CONTROL: Control = Control::new();

/// There may be a bar, so others must ask before they write to the terminal.
static HAS_BAR: AtomicBool = AtomicBool::new(false);

static BAR: Mutex<Option<ProgressBar>> = Mutex::new(None);

/// A run that is watched.
pub(crate) struct Watched {
    signals: Signals,
}

impl Progress {
    /// Begins to watch. `total` tells the bytes of all files, if that can be known. It is asked
    /// when the bar is drawn for the first time.
    pub(crate) fn watch(&self, total: impl FnOnce() -> Option<u64> + Send + 'static) -> Watched {
        let shows = !self.no_progress && io::stderr().is_terminal() && !interrupt::is_pipe();
        HAS_BAR.store(shows, Ordering::Relaxed);
        let signals = Signals::catch();
        let mine = signals.clone();
        // Without the thread, signals would be caught and have no effect.
        let spawned = std::thread::Builder::new()
            .name("watch".into())
            .spawn(move || watch(&mine, shows.then_some(total)));
        if spawned.is_err() {
            signals.give_back();
        }
        Watched { signals }
    }
}

impl Watched {
    /// The run's settings.
    pub(crate) fn settings(&self, machine: &Machine) -> Settings<'static> {
        let readers = machine.readers();
        Settings { readers, control: Some(&CONTROL), ..machine.threads().into() }
    }

    /// Tells how far the run is, and stops it.
    pub(crate) fn control(&self) -> &'static Control {
        &CONTROL
    }

    /// Whether a signal has ended the run.
    pub(crate) fn is_interrupted(&self) -> bool {
        CONTROL.is_stopped()
    }

    /// Ends the watching. If a signal came, this does not return: the signal ends the program.
    pub(crate) fn finish(self) {
        hide_bar();
        if self.is_interrupted() {
            self.signals.die();
        }
    }
}

/// Writes to the terminal, beside the bar if there is one.
pub(crate) fn beside_bar<T>(write: impl FnOnce() -> T) -> T {
    if !HAS_BAR.load(Ordering::Relaxed) {
        return write();
    }
    match &*BAR.lock().unwrap_or_else(PoisonError::into_inner) {
        Some(bar) => bar.suspend(write),
        None => write(),
    }
}

fn watch(signals: &Signals, total: Option<impl FnOnce() -> Option<u64>>) {
    let mut signalled = signals.wait(total.is_some().then_some(PATIENCE));
    if !signalled && let Some(total) = total {
        show_bar(total());
        while !signalled && draw_bar() {
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
    // The main thread has the same in mind, unless it waits for a pipe.
    std::thread::sleep(TICK);
    hide_bar();
    signals.die();
}

fn show_bar(total: Option<u64>) {
    let mut bar = BAR.lock().unwrap_or_else(PoisonError::into_inner);
    if !HAS_BAR.load(Ordering::Relaxed) {
        // The run has ended.
        return;
    }
    let template = match total {
        Some(_) => "{bytes} of {total_bytes} {wide_bar} {bytes_per_sec} {msg} {eta} left",
        None => "{spinner} {bytes} {bytes_per_sec} {msg} {elapsed}",
    };
    let style = ProgressStyle::with_template(template).expect("the template is right");
    let target = ProgressDrawTarget::stderr();
    let new = ProgressBar::with_draw_target(total, target).with_style(style);
    *bar = Some(new.with_elapsed(PATIENCE));
}

/// Draws the bar, if it has not been hidden.
fn draw_bar() -> bool {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(bar) = &*bar else { return false };
    let files = CONTROL.files();
    bar.set_message(format!("{files} {}", if files == 1 { "file" } else { "files" }));
    bar.set_position(CONTROL.bytes());
    bar.tick();
    true
}

fn hide_bar() {
    let bar = BAR.lock().unwrap_or_else(PoisonError::into_inner).take();
    HAS_BAR.store(false, Ordering::Relaxed);
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}
