//! Cores with a virtual clock, and threads that run on them.
//!
//! A thread is a future. It says what it does next (run for a while, yield, sleep), and continues
//! when that is over on the virtual clock. Nothing else happens between two such points. Each core
//! has a queue of threads, as in a simple scheduler of an operating system.

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::{BinaryHeap, VecDeque};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

/// Costs of the operating system's actions in nanoseconds: estimates for Linux on a server's CPU.
mod takes {
    /// A system call without effect.
    pub(super) const CALL: f64 = 300.0;
    /// Switching to another thread.
    pub(super) const SWITCH: f64 = 900.0;
    /// Falling asleep.
    pub(super) const SLEEP: f64 = 1_200.0;
    /// Waking a thread, for the caller.
    pub(super) const WAKE: f64 = 900.0;
    /// From waking a thread on an idle core until it runs.
    pub(super) const IDLE_WAKE: f64 = 6_000.0;
    /// How long a thread runs if others wait for its core.
    pub(super) const SLICE: f64 = 2_800_000.0;
}

/// The number of a thread.
pub(super) type Thread = usize;

/// What a thread does next.
#[derive(Clone, Copy)]
enum Next {
    Run(f64),
    Yield,
    Sleep,
}

struct Core {
    current: Option<Thread>,
    waiting: VecDeque<Thread>,
    /// When the current thread started to run.
    since: f64,
}

/// A thread continues at some time on some core.
struct Event {
    time: f64,
    /// Breaks ties: first come, first served.
    number: u64,
    core: usize,
    thread: Thread,
}

impl Ord for Event {
    /// The earliest event is the greatest.
    fn cmp(&self, other: &Self) -> Ordering {
        other.time.total_cmp(&self.time).then(other.number.cmp(&self.number))
    }
}

impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Event {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Event {}

struct State {
    cores: Vec<Core>,
    events: BinaryHeap<Event>,
    number: u64,
    /// The core that each thread ran on last.
    home: Vec<usize>,
    /// Nanoseconds that the cores have worked.
    busy: f64,
}

/// The cores, as seen by the threads on them.
#[derive(Clone)]
pub(super) struct Cores {
    now: Rc<Cell<f64>>,
    next: Rc<Cell<Option<Next>>>,
    state: Rc<RefCell<State>>,
}

impl Cores {
    pub(super) fn new(cores: usize) -> Self {
        let core = || Core { current: None, waiting: VecDeque::new(), since: 0.0 };
        let state = State {
            cores: (0..cores).map(|_| core()).collect(),
            events: BinaryHeap::new(),
            number: 0,
            home: Vec::new(),
            busy: 0.0,
        };
        Self { now: Rc::default(), next: Rc::default(), state: Rc::new(RefCell::new(state)) }
    }

    /// Nanoseconds since the beginning.
    pub(super) fn now(&self) -> f64 {
        self.now.get()
    }

    /// Nanoseconds that the cores have worked.
    pub(super) fn busy(&self) -> f64 {
        self.state.borrow().busy
    }

    /// Computes for this many nanoseconds.
    pub(super) async fn run(&self, nanoseconds: f64) {
        self.pause(Next::Run(nanoseconds)).await;
    }

    /// Lets other threads of this core run.
    pub(super) async fn yield_now(&self) {
        self.pause(Next::Yield).await;
    }

    /// Sleeps until another thread wakes this one.
    pub(super) async fn sleep(&self) {
        self.pause(Next::Sleep).await;
    }

    /// Wakes a sleeping thread.
    pub(super) async fn wake(&self, thread: Thread) {
        {
            let now = self.now();
            let mut state = self.state.borrow_mut();
            let home = state.home[thread];
            let is_idle = |core: &usize| {
                let core = &state.cores[*core];
                core.current.is_none() && core.waiting.is_empty()
            };
            let idle = Some(home).filter(is_idle);
            match idle.or_else(|| (0..state.cores.len()).find(is_idle)) {
                Some(core) => state.start(core, thread, now, takes::IDLE_WAKE),
                None => state.cores[home].waiting.push_back(thread),
            }
        }
        self.run(takes::WAKE).await;
    }

    async fn pause(&self, next: Next) {
        self.next.set(Some(next));
        let mut asked = false;
        std::future::poll_fn(|_| {
            if std::mem::replace(&mut asked, true) { Poll::Ready(()) } else { Poll::Pending }
        })
        .await;
    }

    /// Runs the threads until the virtual clock reaches `end`, in nanoseconds.
    pub(super) fn simulate(&self, end: f64, threads: Vec<Pin<Box<dyn Future<Output = ()>>>>) {
        let mut threads = threads;
        // The next action of a preempted thread, for when it gets a core again.
        let mut left: Vec<Option<Next>> = vec![None; threads.len()];
        {
            let mut state = self.state.borrow_mut();
            let cores = state.cores.len();
            state.home = (0..threads.len()).map(|thread| thread % cores).collect();
            for thread in 0..threads.len() {
                state.cores[thread % cores].waiting.push_back(thread);
            }
            (0..cores).for_each(|core| state.dispatch(core, 0.0, 0.0));
        }
        loop {
            let event = self.state.borrow_mut().events.pop();
            let Some(Event { time, core, thread, .. }) = event.filter(|event| event.time < end)
            else {
                return;
            };
            self.now.set(time);
            let next = left[thread].take().or_else(|| {
                let mut context = Context::from_waker(Waker::noop());
                match threads[thread].as_mut().poll(&mut context) {
                    Poll::Pending => self.next.take(),
                    Poll::Ready(()) => Some(Next::Sleep),
                }
            });
            let next = next.expect("a thread waits for the cores only");
            left[thread] = self.state.borrow_mut().step(core, thread, time, next);
        }
    }
}

impl State {
    /// Performs the next action of the thread on a core. Returns the action if the thread has lost
    /// its core and performs it later.
    fn step(&mut self, core: usize, thread: Thread, now: f64, next: Next) -> Option<Next> {
        let others = !self.cores[core].waiting.is_empty();
        match next {
            Next::Run(nanoseconds) if others => {
                let slice = self.cores[core].since + takes::SLICE - now;
                if slice <= 0.0 {
                    self.cores[core].waiting.push_back(thread);
                    self.dispatch(core, now, takes::SWITCH);
                    return Some(next);
                }
                self.after(nanoseconds.min(slice), now, core, thread);
                return (nanoseconds > slice).then_some(Next::Run(nanoseconds - slice));
            }
            Next::Run(nanoseconds) => self.after(nanoseconds, now, core, thread),
            Next::Yield if others => {
                self.cores[core].waiting.push_back(thread);
                self.dispatch(core, now, takes::CALL + takes::SWITCH);
            }
            Next::Yield => self.after(takes::CALL, now, core, thread),
            Next::Sleep => self.dispatch(core, now, takes::SLEEP),
        }
        None
    }

    /// Gives a core to the next thread that waits for it, or for the core with the longest queue.
    fn dispatch(&mut self, core: usize, now: f64, delay: f64) {
        if self.cores[core].waiting.is_empty() {
            let longest =
                (0..self.cores.len()).max_by_key(|&other| self.cores[other].waiting.len());
            let pulled = longest.and_then(|other| self.cores[other].waiting.pop_back());
            self.cores[core].waiting.extend(pulled);
        }
        self.cores[core].current = None;
        if let Some(thread) = self.cores[core].waiting.pop_front() {
            self.busy += delay;
            self.start(core, thread, now, delay);
        }
    }

    fn start(&mut self, core: usize, thread: Thread, now: f64, delay: f64) {
        self.home[thread] = core;
        self.cores[core].current = Some(thread);
        self.cores[core].since = now;
        self.event(now + delay, core, thread);
    }

    /// The thread continues after this many nanoseconds of work.
    fn after(&mut self, nanoseconds: f64, now: f64, core: usize, thread: Thread) {
        self.busy += nanoseconds;
        self.event(now + nanoseconds, core, thread);
    }

    fn event(&mut self, time: f64, core: usize, thread: Thread) {
        self.number += 1;
        self.events.push(Event { time, number: self.number, core, thread });
    }
}
