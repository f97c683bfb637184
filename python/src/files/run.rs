//! The iterator behind `hash_files`, which hashes files on all cores.
//!
//! A background thread runs `hash_files` of the crate `hashlanes-files`; none of its threads uses
//! the interpreter. The Python thread that asks for results supplies the paths and waits. The two
//! communicate through [`Shared`], which holds at most [`ROOM`] paths and [`ROOM`] results, so
//! memory is bounded for any number of files.

#![forbid(unsafe_code)]

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;

use hashlanes_files::source::{Ahead, Stores, input};
use hashlanes_files::{
    Control, Engine, Entry, Function, Hashed, Kind, Outcome, Plan, Report, Settings, Source,
    hash_files,
};
use pyo3::exceptions::{
    PyException, PyFileNotFoundError, PyOSError, PyPermissionError, PyRuntimeError, PyValueError,
};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator};
use pyo3::{PyTraverseError, PyVisit};

use super::location;
use crate::arguments::threads;
use crate::interpreter::process::Process;
use crate::interpreter::steps::PATIENCE;

/// Capacity of the queue of paths, and of the queue of results.
const ROOM: usize = 1024;

/// State shared between the Python thread and the hashing threads.
struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    control: Control,
}

#[derive(Default)]
struct State {
    paths: VecDeque<(PathBuf, usize)>,
    /// No more paths will come.
    complete: bool,
    results: VecDeque<(PathBuf, Outcome)>,
    /// No more results will come.
    finished: bool,
    /// The results are no longer wanted.
    abandoned: bool,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        // A poisoned lock is still consistent: nothing panics while it is held.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>) -> MutexGuard<'a, State> {
        self.changed.wait(state).unwrap_or_else(PoisonError::into_inner)
    }

    fn update(&self, change: impl FnOnce(&mut State)) {
        change(&mut self.lock());
        self.changed.notify_all();
    }

    fn abandon(&self) {
        self.control.stop();
        self.update(|state| {
            state.abandoned = true;
            state.complete = true;
            state.paths.clear();
            state.results.clear();
        });
    }
}

/// Supplies paths to `hash_files`.
struct Paths {
    shared: Arc<Shared>,
    stores: Arc<dyn Stores>,
}

impl Source for Paths {
    type Note = ();

    fn next(&mut self) -> Option<Entry<()>> {
        let mut state = self.shared.lock();
        loop {
            if let Some((path, plan)) = state.paths.pop_front() {
                drop(state);
                self.shared.changed.notify_all();
                let input = input(&path, Kind::Unknown, &*self.stores);
                return Some(Entry::named(path, input, plan, ()));
            }
            if state.complete {
                return None;
            }
            state = self.shared.wait(state);
        }
    }

    fn is_ready(&self) -> bool {
        let state = self.shared.lock();
        state.complete || !state.paths.is_empty()
    }
}

/// Receives results from `hash_files`.
struct Results(Arc<Shared>);

impl Report<()> for Results {
    fn file(&mut self, path: &Path, (): (), outcome: Outcome) -> io::Result<()> {
        let mut state = self.0.lock();
        while state.results.len() >= ROOM && !state.abandoned {
            state = self.0.wait(state);
        }
        if !state.abandoned {
            state.results.push_back((path.to_owned(), outcome));
        }
        drop(state);
        self.0.changed.notify_all();
        Ok(())
    }
}

/// An iterator over results, in the order of the paths. Each result comes with the object that gave
/// the path.
#[pyclass(frozen, module = "hashlanes._hashlanes")]
pub(crate) struct FileRun {
    shared: Arc<Shared>,
    /// Held during a call to `next`, including while it runs Python code. Other callers fail
    /// instead of waiting for it.
    feed: Mutex<Feed>,
    process: Process,
}

/// The caller's side of the run.
#[derive(Default)]
struct Feed {
    files: Option<Py<PyIterator>>,
    /// The objects of the files whose results have not been taken, in order. An object and its
    /// result are removed together, even if a signal handler raises.
    objects: VecDeque<Py<PyAny>>,
    /// The iterator's exception. It is raised after all results before it have been taken.
    error: Option<PyErr>,
}

impl Feed {
    fn wants_files(&self) -> bool {
        self.files.is_some() && self.error.is_none()
    }
}

#[pymethods]
impl FileRun {
    #[new]
    #[pyo3(signature = (names, files, threads = None))]
    fn new(names: Vec<String>, files: &Bound<'_, PyAny>, threads: Option<isize>) -> PyResult<Self> {
        let threads = threads::count(threads)?;
        let plan = functions(&names)?.into_iter().map(Engine::new).collect::<Vec<_>>().into();
        let files = Some(files.try_iter()?.unbind());
        let shared = Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            control: Control::new(),
        });
        start(Arc::clone(&shared), vec![plan], threads)?;
        let feed = Mutex::new(Feed { files, ..Feed::default() });
        Ok(Self { shared, feed, process: Process::this() })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// The next result: object, digests, length, whether the file changed while it was read, error.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Item<'py>>> {
        self.process.check("iterator")?;
        let mut feed = self.try_feed().ok_or_else(|| {
            PyRuntimeError::new_err("the iterator is already in use by another call to next()")
        })?;
        loop {
            self.feed(py, &mut feed)?;
            if feed.objects.is_empty()
                && let Some(error) = feed.error.take()
            {
                return Err(error);
            }
            if let Some((path, outcome)) = self.wait(py, feed.wants_files()) {
                let object = feed.objects.pop_front();
                return item(py, object, &path, outcome).map(Some);
            }
            py.check_signals()?;
            let state = self.shared.lock();
            if state.abandoned || state.finished && state.results.is_empty() {
                drop(state);
                let feed = std::mem::take(&mut *feed);
                return feed.error.map_or(Ok(None), Err);
            }
        }
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        let Some(feed) = self.try_feed() else { return Ok(()) };
        visit.call(&feed.files)?;
        feed.objects.iter().try_for_each(|object| visit.call(object))
    }

    fn __clear__(&self) {
        self.close();
    }

    /// The numbers of files and bytes hashed so far.
    fn progress(&self) -> (u64, u64) {
        (self.shared.control.files(), self.shared.control.bytes())
    }

    /// Cancels the remaining files. The threads end on their own, and a running call to `next`
    /// returns.
    fn close(&self) {
        self.abandon();
        let feed = self.try_feed().map(|mut feed| std::mem::take(&mut *feed));
        // Dropped after the lock is released, as this may run Python code.
        drop(feed);
    }
}

/// Object, digests, length, whether the file changed while it was read, error.
type Item<'py> = (Option<Py<PyAny>>, Vec<Bound<'py, PyBytes>>, u64, bool, Option<PyErr>);

impl FileRun {
    /// `None` if a call to `next` is running, in another thread or further up this thread's stack.
    fn try_feed(&self) -> Option<MutexGuard<'_, Feed>> {
        match self.feed.try_lock() {
            Ok(feed) => Some(feed),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn abandon(&self) {
        // A forked child does not have the threads, and the lock may never be released.
        if self.process.check("").is_ok() {
            self.shared.abandon();
        }
    }

    /// Queues paths while there is room. After the iterator raises, no more are queued until its
    /// exception has been raised to the caller.
    ///
    /// # Errors
    /// An exception of the iterator that is not an `Exception`, such as KeyboardInterrupt. It is
    /// raised at once, before the pending results.
    fn feed(&self, py: Python<'_>, feed: &mut Feed) -> PyResult<()> {
        while feed.wants_files()
            && let Some(files) = &feed.files
            && self.has_room()
        {
            let next = files.bind(py).clone().next();
            match next.map(|file| file.and_then(|file| Ok((location::path(&file)?, file)))) {
                Some(Ok((path, object))) => {
                    feed.objects.push_back(object.unbind());
                    // `hash_files` would read the standard input for this name.
                    let path = if path == Path::new("-") { "./-".into() } else { path };
                    self.shared.update(|state| state.paths.push_back((path, 0)));
                }
                Some(Err(error)) if error.is_instance_of::<PyException>(py) => {
                    feed.error = Some(error);
                }
                Some(Err(error)) => return Err(error),
                None => {
                    feed.files = None;
                    self.shared.update(|state| state.complete = true);
                }
            }
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let state = self.shared.lock();
        state.paths.len() < ROOM && !state.abandoned
    }

    /// The next result. `None` means that the caller should queue more paths or check for signals.
    fn wait(&self, py: Python<'_>, may_feed: bool) -> Option<(PathBuf, Outcome)> {
        let take = |shared: &Shared| {
            let wanted = |state: &mut State| {
                let hungry = may_feed && state.paths.len() < ROOM / 2;
                state.results.is_empty() && !state.finished && !hungry
            };
            let waited = shared.changed.wait_timeout_while(shared.lock(), PATIENCE, wanted);
            let result = waited.unwrap_or_else(PoisonError::into_inner).0.results.pop_front();
            shared.changed.notify_all();
            result
        };
        py.detach(|| take(&self.shared))
    }
}

impl Drop for FileRun {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// The functions with these names.
fn functions(names: &[String]) -> PyResult<Vec<Function>> {
    let functions: Result<_, _> = names.iter().map(|name| Function::from_name(name)).collect();
    functions.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Raises ValueError for an unknown name, and for two names of the same function.
#[pyfunction]
pub(crate) fn check_names(names: Vec<String>) -> PyResult<()> {
    let functions = functions(&names)?;
    for (place, function) in functions.iter().enumerate() {
        if let Some(first) = functions[..place].iter().position(|other| other == function) {
            let message = format!(
                "names contains a hash function twice: {:?} and {:?} are both {function}",
                names[first], names[place]
            );
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(())
}

/// Starts the background thread. It ends after the last file, or soon after the run is abandoned.
/// It cannot end while it waits for the writer of a pipe.
fn start(shared: Arc<Shared>, plans: Vec<Plan>, threads: usize) -> PyResult<()> {
    let work = move || {
        let settings = Settings::from(threads);
        let settings = Settings { control: Some(&shared.control), ..settings };
        let stores = location::stores();
        let paths = Paths { shared: Arc::clone(&shared), stores: Arc::clone(&stores) };
        let mut results = Results(Arc::clone(&shared));
        // Runs even if a hashing thread panics, so that the caller never waits forever.
        let _finished = Finished(&shared);
        // `Results` never returns an error.
        let _ = hash_files(Ahead::new(paths, stores), &plans, &mut results, settings);
    };
    let started = thread::Builder::new().name("hashlanes".to_owned()).spawn(work);
    started
        .map(drop)
        .map_err(|error| PyRuntimeError::new_err(format!("cannot start a thread: {error}")))
}

/// Signals on drop that no more results will come.
struct Finished<'a>(&'a Shared);

impl Drop for Finished<'_> {
    fn drop(&mut self) {
        self.0.update(|state| state.finished = true);
    }
}

fn item<'py>(
    py: Python<'py>,
    object: Option<Py<PyAny>>,
    path: &Path,
    outcome: Outcome,
) -> PyResult<Item<'py>> {
    Ok(match outcome {
        Ok(Hashed { digests, length, is_changed, .. }) => {
            let digests = digests.iter().map(|digest| PyBytes::new(py, digest.as_bytes()));
            (object, digests.collect(), length, is_changed, None)
        }
        Err(error) => (object, Vec::new(), 0, false, Some(os_error(py, path, &error)?)),
    })
}

/// The exception that `open` would raise, of the class that matches the error number.
fn os_error(py: Python<'_>, path: &Path, error: &io::Error) -> PyResult<PyErr> {
    let path = path.as_os_str().to_owned();
    Ok(match error.raw_os_error() {
        Some(number) => {
            let text = py.import("os")?.call_method1("strerror", (number,))?.unbind();
            PyOSError::new_err((number, text, path))
        }
        None => {
            let message = format!("{error}: {}", Path::new(&path).display());
            match error.kind() {
                io::ErrorKind::NotFound => PyFileNotFoundError::new_err(message),
                io::ErrorKind::PermissionDenied => PyPermissionError::new_err(message),
                _ => PyOSError::new_err(message),
            }
        }
    })
}
