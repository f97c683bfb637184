//! Files on all cores: the run behind `hash_files`.
//!
//! A thread runs the machinery of the crate `hashlanes-files`. No thread of it uses the
//! interpreter. The thread of Python that asks for results brings the paths, and waits. Both meet
//! in [`Meeting`], which has room for [`ROOM`] paths and results: so memory is bounded, however
//! many files there are.

#![forbid(unsafe_code)]

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::Duration;

use hashlanes_files::{
    Control, Engine, Entry, Function, Hashed, Kind, Outcome, Plan, Report, Settings, Source,
    hash_files,
};
use pyo3::exceptions::{PyException, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyIterator, PyString};
use pyo3::{PyTraverseError, PyVisit};

use crate::arguments::threads;
use crate::interpreter::process::Process;

/// Paths that wait to be hashed, and results that wait to be taken.
const ROOM: usize = 1024;

/// How long to wait before signals are looked for.
const PATIENCE: Duration = Duration::from_millis(50);

/// Where the thread of Python and those that hash meet.
struct Meeting {
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
    /// Nobody wants results any more.
    abandoned: bool,
}

impl Meeting {
    fn lock(&self) -> MutexGuard<'_, State> {
        // Nothing panics while it is locked.
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

/// The paths, for the machinery.
struct Paths(Arc<Meeting>);

impl Source for Paths {
    type Note = ();

    fn next(&mut self) -> Option<Entry<()>> {
        let mut state = self.0.lock();
        loop {
            if let Some((path, plan)) = state.paths.pop_front() {
                drop(state);
                self.0.changed.notify_all();
                return Some(Entry::File { path, kind: Kind::Unknown, plan, note: () });
            }
            if state.complete {
                return None;
            }
            state = self.0.wait(state);
        }
    }

    fn is_ready(&self) -> bool {
        let state = self.0.lock();
        state.complete || !state.paths.is_empty()
    }
}

/// The results, from the machinery.
struct Results(Arc<Meeting>);

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

    fn note(&mut self, (): ()) -> io::Result<()> {
        Ok(())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// An iterator over the results for the paths of an iterator, in their order. With each result
/// comes the object that was the path.
#[pyclass(frozen, module = "hashlanes._hashlanes")]
pub(crate) struct FileRun {
    meeting: Arc<Meeting>,
    /// Locked by the call that is under way, also while it runs Python code. Nobody waits for it.
    feed: Mutex<Feed>,
    process: Process,
}

/// What comes from the caller.
#[derive(Default)]
struct Feed {
    files: Option<Py<PyIterator>>,
    /// The objects of the files whose results have not been taken, in order. An object and its
    /// result are taken together, whatever a handler of signals raises.
    objects: VecDeque<Py<PyAny>>,
    /// What the iterator raised. It is raised again when all results before it are taken.
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
        let meeting = Arc::new(Meeting {
            state: Mutex::default(),
            changed: Condvar::new(),
            control: Control::new(),
        });
        start(Arc::clone(&meeting), vec![plan], threads)?;
        let feed = Mutex::new(Feed { files, ..Feed::default() });
        Ok(Self { meeting, feed, process: Process::this() })
    }

    fn __iter__(this: Py<Self>) -> Py<Self> {
        this
    }

    /// The next result: object, digests, length, whether the file changed meanwhile, error.
    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Option<Item<'py>>> {
        self.process.check("iterator")?;
        let mut feed = self.try_feed().ok_or_else(|| {
            PyRuntimeError::new_err("the iterator is in use: another call of next is under way")
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
            let state = self.meeting.lock();
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

    /// Files and bytes that are done.
    fn progress(&self) -> (u64, u64) {
        (self.meeting.control.files(), self.meeting.control.bytes())
    }

    /// Gives up what is not done. The threads end by themselves. So does a call of `next` that is
    /// under way.
    fn close(&self) {
        self.abandon();
        let feed = self.try_feed().map(|mut feed| std::mem::take(&mut *feed));
        // When it is unlocked: this may run Python code.
        drop(feed);
    }
}

/// Object, digests, length, whether the file changed meanwhile, error.
type Item<'py> = (Option<Py<PyAny>>, Vec<Bound<'py, PyBytes>>, u64, bool, Option<PyErr>);

impl FileRun {
    /// `None` if a call is under way, in another thread or below this one.
    fn try_feed(&self) -> Option<MutexGuard<'_, Feed>> {
        match self.feed.try_lock() {
            Ok(feed) => Some(feed),
            Err(TryLockError::Poisoned(poisoned)) => Some(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    fn abandon(&self) {
        // In a child process the threads are not there, and the lock may be held for ever.
        if self.process.check("").is_ok() {
            self.meeting.abandon();
        }
    }

    /// Brings paths, as long as there is room. After an error of the iterator it brings none until
    /// that was raised.
    ///
    /// # Errors
    /// What the iterator raised, if it is to end the program. It does not wait for its turn.
    fn feed(&self, py: Python<'_>, feed: &mut Feed) -> PyResult<()> {
        while feed.wants_files()
            && let Some(files) = &feed.files
            && self.has_room()
        {
            let next = files.bind(py).clone().next();
            match next.map(|file| file.and_then(|file| Ok((path(&file)?, file)))) {
                Some(Ok((path, object))) => {
                    feed.objects.push_back(object.unbind());
                    // The machinery takes this name for the standard input.
                    let path = if path == Path::new("-") { "./-".into() } else { path };
                    self.meeting.update(|state| state.paths.push_back((path, 0)));
                }
                Some(Err(error)) if error.is_instance_of::<PyException>(py) => {
                    feed.error = Some(error);
                }
                Some(Err(error)) => return Err(error),
                None => {
                    feed.files = None;
                    self.meeting.update(|state| state.complete = true);
                }
            }
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let state = self.meeting.lock();
        state.paths.len() < ROOM && !state.abandoned
    }

    /// The next result. None if there is none yet: more paths may be wanted, or signals handled.
    fn wait(&self, py: Python<'_>, may_feed: bool) -> Option<(PathBuf, Outcome)> {
        let take = |meeting: &Meeting| {
            let wanted = |state: &mut State| {
                let hungry = may_feed && state.paths.len() < ROOM / 2;
                state.results.is_empty() && !state.finished && !hungry
            };
            let waited = meeting.changed.wait_timeout_while(meeting.lock(), PATIENCE, wanted);
            let result = waited.unwrap_or_else(PoisonError::into_inner).0.results.pop_front();
            meeting.changed.notify_all();
            result
        };
        py.detach(|| take(&self.meeting))
    }
}

impl Drop for FileRun {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// The path that an object is, as `open` takes it.
///
/// # Errors
/// TypeError, and what a `__fspath__` raises.
fn path(object: &Bound<'_, PyAny>) -> PyResult<PathBuf> {
    if object.is_exact_instance_of::<PyString>() {
        return object.extract();
    }
    object.py().import("os")?.call_method1("fsdecode", (object,))?.extract()
}

/// The functions with some names.
fn functions(names: &[String]) -> PyResult<Vec<Function>> {
    let functions: Result<_, _> = names.iter().map(|name| Function::from_name(name)).collect();
    functions.map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Raises ValueError for a name of no function, and for several names of one.
#[pyfunction]
fn check_names(names: Vec<String>) -> PyResult<()> {
    let functions = functions(&names)?;
    for (place, function) in functions.iter().enumerate() {
        if let Some(first) = functions[..place].iter().position(|other| other == function) {
            let message = format!(
                "names has a hash function twice: {:?} and {:?} are both {function}",
                names[first], names[place]
            );
            return Err(PyValueError::new_err(message));
        }
    }
    Ok(())
}

/// Starts the thread that runs the machinery. It ends when the files do, or soon after the run is
/// abandoned; but not as long as it waits for the writer of a pipe.
fn start(meeting: Arc<Meeting>, plans: Vec<Plan>, threads: usize) -> PyResult<()> {
    let work = move || {
        let settings = Settings::from(threads);
        let settings = Settings { control: Some(&meeting.control), ..settings };
        let (source, mut results) = (Paths(Arc::clone(&meeting)), Results(Arc::clone(&meeting)));
        // Also if a thread panics, which would be a bug: nobody waits for ever.
        let _finished = Finished(&meeting);
        // The report has no errors.
        let _ = hash_files(source, &plans, &mut results, settings);
    };
    let started = thread::Builder::new().name("hashlanes".to_owned()).spawn(work);
    started.map(drop).map_err(|error| PyRuntimeError::new_err(format!("no thread: {error}")))
}

/// Says that no more results will come, when dropped.
struct Finished<'a>(&'a Meeting);

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

/// The exception that `open` would raise, of the class that fits the error's number.
fn os_error(py: Python<'_>, path: &Path, error: &io::Error) -> PyResult<PyErr> {
    let path = path.as_os_str().to_owned();
    Ok(match error.raw_os_error() {
        Some(number) => {
            let text = py.import("os")?.call_method1("strerror", (number,))?.unbind();
            PyOSError::new_err((number, text, path))
        }
        None => PyOSError::new_err(format!("{error}: {}", Path::new(&path).display())),
    })
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FileRun>()?;
    module.add_function(wrap_pyfunction!(check_names, module)?)
}
