//! Foreign code: wakers that panic or use the server, wherever one is called or dropped.
//!
//! The tests delay a round while its messages are out, so they do not depend on timing. If a
//! message never comes home, the test fails instead of hanging.

use std::boxed::Box;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::pin::pin;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, RawWaker, RawWakerVTable, Waker};
use std::thread;
use std::time::Duration;
use std::vec;
use std::vec::Vec;

use super::options::{Limits, ServerOptions};
use super::policy::Policy;
use super::round::Round;
use super::shared::Shared;
use super::slot::Slot;
use super::{HashServer, ServerHasher};
use crate::{Engine, HmacKey, Md5};

/// Whatever takes longer than this hangs. Everything here takes milliseconds.
const FOR_EVER: Duration = Duration::from_secs(20);

/// Does `work` in another thread and returns where to receive its result. A thread that hangs is
/// left behind.
fn elsewhere<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> Receiver<T> {
    let (send, receive) = channel();
    thread::spawn(move || {
        let _ = send.send(work());
    });
    receive
}

/// A server for which two messages are worth a round, and too few here to start one automatically.
/// It is never dropped, so that a test can leave a thread behind.
fn server() -> &'static HashServer<Md5> {
    let engine = Engine::<Md5>::new();
    let limits = Limits::new(ServerOptions::new(), engine);
    // Eight messages cost as much as one.
    let costs = core::array::from_fn(|messages| 1000 * messages.div_ceil(8) as u64);
    let limits = Limits { policy: Policy::from_costs(&costs), ..limits };
    Box::leak(Box::new(HashServer::of_shared(Md5, Arc::new(Shared::new(engine, limits)))))
}

/// The message of hasher number `i`.
fn message(i: u8) -> [u8; 2000] {
    [i; 2000]
}

fn digest_of_message(i: u8) -> [u8; 16] {
    Engine::<Md5>::new().digest(message(i))
}

/// Three hashers, numbered from 0, with their messages deferred.
fn hashers(server: &HashServer<Md5>) -> [ServerHasher<Md5>; 3] {
    let mut hashers = core::array::from_fn(|_| server.hasher());
    for (i, hasher) in (0..).zip(&mut hashers) {
        hasher.update(message(i));
    }
    hashers
}

/// A round with the messages of all three.
fn all_out(server: &'static HashServer<Md5>) -> Round<'static> {
    let round = Round::of_others(&server.shared, 1).unwrap();
    assert_eq!(round.len(), 3);
    round
}

/// Runs the round in another thread, whether it panics or not.
fn finish_round(round: Round<'static>) -> Receiver<()> {
    elsewhere(|| {
        let _ = catch_unwind(AssertUnwindSafe(|| round.run()));
    })
}

/// Lets the hasher, whose message is out, wait with `waker`, and drops the future.
fn wait_and_give_up(hasher: &mut ServerHasher<Md5>, waker: &Waker) {
    give_up(hasher.finalize_reset_async(), waker);
}

/// Polls the future once, which must not be ready, and drops it.
fn give_up(future: impl Future<Output = [u8; 16]>, waker: &Waker) {
    assert_eq!(pin!(future).poll(&mut Context::from_waker(waker)), Poll::Pending);
}

/// The digest of the hasher's message. Fails if waiting for it would hang.
fn digest_of(hasher: ServerHasher<Md5>) -> [u8; 16] {
    elsewhere(|| hasher.finalize()).recv_timeout(FOR_EVER).expect("the message never came home")
}

/// Panics without a message on the terminal.
fn panic_quietly() {
    resume_unwind(Box::new("rude"));
}

/// When a rude waker does what nobody expects of it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Moment {
    Clone,
    Wake,
    WakeByRef,
    /// The last of its clones is dropped.
    Drop,
}

/// The data of a rude waker.
struct Rude {
    moment: Moment,
    deed: Mutex<Option<Box<dyn FnOnce() + Send>>>,
}

impl Rude {
    /// A waker that does `deed` once, at the first occurrence of `moment`.
    fn waker(moment: Moment, deed: impl FnOnce() + Send + 'static) -> Waker {
        let rude = Arc::new(Self { moment, deed: Mutex::new(Some(Box::new(deed))) });
        // SAFETY: `VTABLE` keeps the contract of `RawWakerVTable`: the data is an `Arc` of a type
        // that is `Send` and `Sync`, and each waker owns one count of it.
        unsafe { Waker::new(Arc::into_raw(rude).cast(), &VTABLE) }
    }

    fn at(&self, moment: Moment) {
        if moment == self.moment {
            let deed = self.deed.lock().unwrap().take();
            deed.into_iter().for_each(|deed| deed());
        }
    }
}

impl Drop for Rude {
    fn drop(&mut self) {
        self.at(Moment::Drop);
    }
}

/// A view of the waker's `Arc`. The waker keeps its count.
///
/// # Safety
/// `data` must belong to a waker made in [`Rude::waker`] that owns a count for as long as the
/// result is used.
unsafe fn borrow(data: *const ()) -> ManuallyDrop<Arc<Rude>> {
    // SAFETY: the data came from `Arc::into_raw` in `Rude::waker` or in the vtable's clone, and the
    // caller promises that its count lasts. `ManuallyDrop` does not give that count up.
    ManuallyDrop::new(unsafe { Arc::from_raw(data.cast()) })
}

static VTABLE: RawWakerVTable = RawWakerVTable::new(
    |data| {
        // SAFETY: `RawWakerVTable` calls this with the data of a waker that exists during the call.
        let rude = unsafe { borrow(data) };
        rude.at(Moment::Clone);
        RawWaker::new(Arc::into_raw(Arc::clone(&rude)).cast(), &VTABLE)
    },
    |data| {
        // SAFETY: `RawWakerVTable` calls this with a waker's data and leaves it the waker's count.
        let rude = ManuallyDrop::into_inner(unsafe { borrow(data) });
        rude.at(Moment::Wake);
    },
    |data| {
        // SAFETY: `RawWakerVTable` calls this with the data of a waker that exists during the call.
        unsafe { borrow(data) }.at(Moment::WakeByRef);
    },
    |data| {
        // SAFETY: `RawWakerVTable` calls this with a waker's data and leaves it the waker's count.
        drop(ManuallyDrop::into_inner(unsafe { borrow(data) }));
    },
);

/// A deed that finalizes a hasher, and where to receive its digest.
fn finalizing(hasher: ServerHasher<Md5>) -> (impl FnOnce() + Send, Receiver<[u8; 16]>) {
    let (send, receive) = channel();
    (move || send.send(hasher.finalize()).unwrap(), receive)
}

/// Drops the hasher in another thread. Returns once the message is abandoned, although the rest of
/// the drop may take longer.
fn abandon(hasher: ServerHasher<Md5>) -> Receiver<()> {
    let slot = super::sync::Arc::clone(&hasher.owner.slot);
    let gone = elsewhere(|| {
        let _ = catch_unwind(AssertUnwindSafe(|| drop(hasher)));
    });
    while !slot.is_abandoned() {
        thread::yield_now();
    }
    gone
}

#[test]
fn a_waker_whose_destructor_panics_leaves_nobody_waiting() {
    let server = server();
    let [mut first, second, third] = hashers(server);
    let round = all_out(server);
    let waker = Rude::waker(Moment::Drop, panic_quietly);
    wait_and_give_up(&mut first, &waker);
    // The slot's waker is the last one.
    drop(waker);
    let gone = abandon(first);
    let finished = finish_round(round);
    assert_eq!(digest_of(second), digest_of_message(1));
    assert_eq!(digest_of(third), digest_of_message(2));
    finished.recv_timeout(FOR_EVER).unwrap();
    gone.recv_timeout(FOR_EVER).unwrap();
}

#[test]
fn a_waker_whose_destructor_finalizes_another_hasher_of_the_round_waits_for_it() {
    let server = server();
    let [mut first, second, third] = hashers(server);
    let round = all_out(server);
    let (deed, digest) = finalizing(second);
    let waker = Rude::waker(Moment::Drop, deed);
    wait_and_give_up(&mut first, &waker);
    drop(waker);
    let gone = abandon(first);
    let finished = finish_round(round);
    assert_eq!(digest_of(third), digest_of_message(2));
    assert_eq!(digest.recv_timeout(FOR_EVER), Ok(digest_of_message(1)), "no hang");
    finished.recv_timeout(FOR_EVER).unwrap();
    gone.recv_timeout(FOR_EVER).unwrap();
}

#[test]
fn a_waker_that_finalizes_another_hasher_when_cloned_waits_for_it() {
    let server = server();
    let [mut first, second, third] = hashers(server);
    let round = all_out(server);
    let (deed, digest) = finalizing(second);
    let (cloning, clones) = channel();
    let waker = Rude::waker(Moment::Clone, move || {
        cloning.send(()).unwrap();
        deed();
    });
    let polled = elsewhere(move || {
        let future = pin!(first.finalize_reset_async());
        let _ = future.poll(&mut Context::from_waker(&waker));
    });
    clones.recv_timeout(FOR_EVER).unwrap();
    let finished = finish_round(round);
    assert_eq!(digest.recv_timeout(FOR_EVER), Ok(digest_of_message(1)), "no hang");
    assert_eq!(digest_of(third), digest_of_message(2));
    finished.recv_timeout(FOR_EVER).unwrap();
    polled.recv_timeout(FOR_EVER).unwrap();
}

#[test]
fn a_waker_that_is_replaced_may_finalize_another_hasher() {
    let server = server();
    let [mut first, second, third] = hashers(server);
    let round = all_out(server);
    let (deed, digest) = finalizing(second);
    let (replacing, replaced) = channel();
    let waker = Rude::waker(Moment::Drop, move || {
        replacing.send(()).unwrap();
        deed();
    });
    wait_and_give_up(&mut first, &waker);
    drop(waker);
    let polled = elsewhere(move || wait_and_give_up(&mut first, Waker::noop()));
    replaced.recv_timeout(FOR_EVER).unwrap();
    let finished = finish_round(round);
    assert_eq!(digest.recv_timeout(FOR_EVER), Ok(digest_of_message(1)), "no hang");
    assert_eq!(digest_of(third), digest_of_message(2));
    finished.recv_timeout(FOR_EVER).unwrap();
    polled.recv_timeout(FOR_EVER).unwrap();
}

#[test]
fn a_waker_that_panics_when_woken_harms_nobody_else() {
    let server = server();
    let mut hashers = hashers(server);
    let round = all_out(server);
    let (woken, wakes) = channel();
    let [first, second, third] = &mut hashers;
    wait_and_give_up(first, &Rude::waker(Moment::Wake, panic_quietly));
    wait_and_give_up(second, &Rude::waker(Moment::Wake, || resume_unwind(Box::new(Bomb))));
    wait_and_give_up(third, &Rude::waker(Moment::Wake, move || woken.send(()).unwrap()));
    assert!(
        catch_unwind(AssertUnwindSafe(|| round.run())).is_ok(),
        "nor the thread that ran the round"
    );
    wakes.recv_timeout(FOR_EVER).expect("the last one is woken");
    for (i, hasher) in (0..).zip(hashers) {
        assert_eq!(digest_of(hasher), digest_of_message(i));
    }
}

/// The payload of a panic that panics when it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        panic_quietly();
    }
}

#[test]
fn a_hasher_whose_waker_panics_while_it_is_reset_can_be_used() {
    let server = server();
    let [mut first, second, third] = hashers(server);
    let round = all_out(server);
    wait_and_give_up(&mut first, &Rude::waker(Moment::Drop, panic_quietly));
    let reset = catch_unwind(AssertUnwindSafe(|| first.reset()));
    assert!(reset.is_err(), "the owner hears of it");
    let finished = finish_round(round);
    first.update(message(7));
    for (i, hasher) in [(7, first), (1, second), (2, third)] {
        assert_eq!(digest_of(hasher), digest_of_message(i));
    }
    finished.recv_timeout(FOR_EVER).unwrap();
}

#[test]
fn a_hasher_under_a_key_keeps_it_if_its_waker_panics_while_it_is_reset() {
    let server = server();
    let key = HmacKey::new("secret");
    let (mut keyed, mut other) = (server.hmac_hasher(&key), server.hasher());
    keyed.update(message(0));
    other.update(message(1));
    let round = Round::of_others(&server.shared, 1).unwrap();
    assert_eq!(round.len(), 2);
    give_up(keyed.finalize_reset_async(), &Rude::waker(Moment::Drop, panic_quietly));
    let reset = catch_unwind(AssertUnwindSafe(|| keyed.reset()));
    assert!(reset.is_err(), "the owner hears of it");
    let finished = finish_round(round);
    keyed.update(message(7));
    assert_eq!(keyed.finalize(), key.mac(message(7)));
    assert_eq!(digest_of(other), digest_of_message(1));
    finished.recv_timeout(FOR_EVER).unwrap();
}

#[test]
fn a_task_is_woken_by_its_own_poll_without_a_lock() {
    let server = server();
    let [mut first, _second, _third] = hashers(server);
    // Enough for the task to let others run first.
    first.update(vec![0; 20_000]);
    let slot = super::sync::Arc::clone(&first.owner.slot);
    let (send, free) = channel();
    let waker =
        Rude::waker(Moment::WakeByRef, move || send.send(Slot::try_lock(&slot).is_some()).unwrap());
    wait_and_give_up(&mut first, &waker);
    assert_eq!(free.recv_timeout(FOR_EVER), Ok(true));
}

#[test]
fn a_round_that_panics_makes_its_hashers_refuse_until_reset() {
    let server = server();
    let [mut first, second, mut third] = hashers(server);
    // As if a kernel had panicked.
    drop(all_out(server));
    assert_eq!(server.shared.pending(), 0, "no other round meets with them");
    let refuses = |work: &mut dyn FnMut()| {
        let payload = catch_unwind(AssertUnwindSafe(work)).expect_err("a refusal");
        assert!(payload.downcast_ref::<&str>().is_some_and(|why| why.contains("kernel panicked")));
    };
    refuses(&mut || _ = first.update("more"));
    refuses(&mut || _ = first.finalize_reset());
    refuses(&mut || _ = second.clone());
    // Enough to be offered to others.
    third.reset();
    third.update(vec![1; 50_000]);
    let round = Round::of_others(&server.shared, 1).unwrap();
    drop(round);
    refuses(&mut || _ = third.finalize_reset());
    assert_eq!(server.shared.pending(), 0, "nor when a digest is refused");
    for mut hasher in [first, third] {
        hasher.reset();
        hasher.update(message(5));
        assert_eq!(digest_of(hasher), digest_of_message(5));
    }
    drop(second);
    assert_eq!(server.shared.left_behind(), (0, 0, 0));
}

/// How many steps each thread of the attack takes: `HASHLANES_STEPS`, or 1,000.
fn steps() -> u32 {
    std::env::var("HASHLANES_STEPS").map_or(1000, |count| count.parse().unwrap())
}

/// A hasher under a key, and its message, which is unknown if an update was not completed.
struct Attacked {
    hasher: ServerHasher<Md5, HmacKey<Md5>>,
    key: HmacKey<Md5>,
    message: Option<Vec<u8>>,
}

impl Attacked {
    fn new(server: &HashServer<Md5>, number: usize) -> Self {
        let key = HmacKey::new([number as u8; 20]);
        Self { hasher: server.hmac_hasher(&key), key, message: Some(Vec::new()) }
    }

    /// Notes that the hasher began a new message.
    fn renew(&mut self) {
        self.message = Some(Vec::new());
    }

    fn step(&mut self, random: &mut fastrand::Rng) {
        let bytes = vec![random.u8(..); [100, 2000, 20_000][random.usize(..3)]];
        // A hasher that refuses is rarely asked, because each refusal prints a panic.
        match if self.message.is_none() && random.u8(..4) > 0 { 6 } else { random.u8(..8) } {
            0 => self.update(&bytes),
            1..4 => self.update_async(&bytes, random),
            4 => {
                let digest = catch_unwind(AssertUnwindSafe(|| self.hasher.finalize_reset()));
                self.check(digest.ok());
            }
            5 => {
                // Without a result the message is unchanged.
                if let mac @ Some(_) = poll_rudely(self.hasher.finalize_reset_async(), random) {
                    self.check(mac);
                }
            }
            6 => {
                // The message is new even if dropping the waker panics.
                let _ = catch_unwind(AssertUnwindSafe(|| self.hasher.reset()));
                self.renew();
            }
            _ => {
                let clone = catch_unwind(AssertUnwindSafe(|| self.hasher.clone()));
                assert_eq!(clone.is_ok(), self.message.is_some());
                if let Ok(clone) = clone {
                    let old = core::mem::replace(&mut self.hasher, clone);
                    let _ = catch_unwind(AssertUnwindSafe(|| drop(old)));
                }
            }
        }
    }

    fn update(&mut self, bytes: &[u8]) {
        let updated = catch_unwind(AssertUnwindSafe(|| _ = self.hasher.update(bytes)));
        assert_eq!(updated.is_ok(), self.message.is_some(), "foreign code panicked in here");
        self.message.iter_mut().for_each(|message| message.extend(bytes));
    }

    fn update_async(&mut self, bytes: &[u8], random: &mut fastrand::Rng) {
        let known = self.message.is_some();
        match poll_rudely(self.hasher.update_async(bytes), random) {
            Some(_) => {
                assert!(known, "it must refuse");
                self.message.iter_mut().for_each(|message| message.extend(bytes));
            }
            None => self.message = None,
        }
    }

    /// Checks the MAC of the message, or that there is none if the message is unknown.
    fn check(&mut self, mac: Option<[u8; 16]>) {
        assert_eq!(mac, self.message.as_ref().map(|message| self.key.mac(message)));
        if mac.is_some() {
            self.renew();
        }
    }
}

/// Polls a future with wakers that panic, at least once and perhaps until it is ready. `None` if a
/// panic came out of it, or if it was dropped before it was ready.
fn poll_rudely<T>(future: impl Future<Output = T>, random: &mut fastrand::Rng) -> Option<T> {
    let moments = [Moment::Clone, Moment::Wake, Moment::WakeByRef, Moment::Drop];
    let mut future = pin!(future);
    loop {
        let waker = match random.usize(..8) {
            rude @ 0..4 => Rude::waker(moments[rude], panic_quietly),
            _ => Waker::noop().clone(),
        };
        let polled = catch_unwind(AssertUnwindSafe(|| {
            future.as_mut().poll(&mut Context::from_waker(&waker))
        }));
        let _ = catch_unwind(AssertUnwindSafe(|| drop(waker)));
        match polled {
            Ok(Poll::Ready(result)) => return Some(result),
            Ok(Poll::Pending) if random.u8(..8) > 0 => thread::yield_now(),
            _ => return None,
        }
    }
}

/// Threads whose wakers panic at all moments, while other threads have their messages out.
#[test]
fn whatever_wakers_do_macs_are_right_or_refused() {
    let server = server();
    let work = (0..6).map(|thread| {
        elsewhere(move || {
            let mut random = fastrand::Rng::with_seed(thread);
            let mut hashers = core::array::from_fn::<_, 3, _>(|i| Attacked::new(server, i));
            for _ in 0..steps() {
                if random.bool() {
                    hashers[random.usize(..3)].step(&mut random);
                } else {
                    // A slow round.
                    let round = Round::of_others(&server.shared, 0);
                    thread::yield_now();
                    round.into_iter().for_each(Round::run);
                }
            }
            for hasher in hashers {
                let _ = catch_unwind(AssertUnwindSafe(|| drop(hasher)));
            }
        })
    });
    for thread in work.collect::<Vec<_>>() {
        thread.recv_timeout(30 * FOR_EVER).expect("a thread failed, or hangs");
    }
    assert_eq!(server.shared.left_behind(), (0, 0, 0));
}
