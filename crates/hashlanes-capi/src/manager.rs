//! Many messages, whole or in pieces, that finish in any order.

use std::ffi::c_void;
use std::slice;

use hashlanes::{Done, HashFunction, Job, Lanes, with_function};

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{boxed, bytes, destroy, exclusive, guard, hand_over, put, shared};
use crate::error::{Error, hashlanes_error};
use crate::hmac::hashlanes_hmac_key;
use crate::jobs::{Jobs, Place};

/// A manager of many messages in progress. Whole messages or pieces are submitted, and come back
/// when they are hashed, in any order.
///
/// | to hash | call | what comes back later |
/// |---|---|---|
/// | a whole message | `hashlanes_manager_entire` | `HASHLANES_MESSAGE` with the digest |
/// | a message's first piece | `hashlanes_manager_first` | `HASHLANES_PIECE` with a job |
/// | a further piece | `hashlanes_manager_update` with the job | `HASHLANES_PIECE` with a job |
/// | the last piece | `hashlanes_manager_last` with the job | `HASHLANES_MESSAGE` with the digest |
///
/// Each of these calls may hand out one finished piece or message in `*done`: usually one that was
/// submitted before. If there is none, `done->kind` is `HASHLANES_NOTHING`.
/// `hashlanes_manager_flush` hands out the rest. Nothing is hashed until the manager is full or is
/// flushed.
///
/// Buffers are not copied. From the call that submits it until it comes back as `done->data`, or
/// until the manager is destroyed, a buffer must stay in place. If its bytes are changed meanwhile,
/// only the digest of this message is wrong. If its memory is freed meanwhile, the behaviour is
/// undefined: this cannot be checked.
///
/// All other mistakes are errors. A job is a number that is valid for one call. A message cannot be
/// continued twice at once, nor after its last piece: the number is invalid then, and the call
/// returns `HASHLANES_ERROR_JOB` and does nothing. But do not mix the jobs of two managers: the
/// same number can mean different messages in both.
pub struct hashlanes_manager(Box<dyn Managed>);

/// A message in progress, which the caller may continue. 0 is none.
pub type hashlanes_job = u64;

/// Nothing is handed out now.
pub const HASHLANES_NOTHING: u32 = 0;
/// A piece has been hashed; its message continues.
pub const HASHLANES_PIECE: u32 = 1;
/// A message is complete.
pub const HASHLANES_MESSAGE: u32 = 2;

/// What a manager hands out. Unused members are 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_done {
    /// `HASHLANES_NOTHING`, `HASHLANES_PIECE` or `HASHLANES_MESSAGE`.
    pub kind: u32,
    /// Bytes of the digest, if this is a message.
    pub digest_length: u32,
    /// The message, if this is a piece: to be continued or abandoned.
    pub job: hashlanes_job,
    /// What was given with the message or with its first piece.
    pub user: *mut c_void,
    /// The buffer of the message or piece. It is the caller's again.
    pub data: *const c_void,
    /// Bytes of the buffer.
    pub length: usize,
    /// The message's digest or MAC.
    pub digest: [u8; 64],
}

impl hashlanes_done {
    const NOTHING: Self = Self {
        kind: HASHLANES_NOTHING,
        digest_length: 0,
        job: 0,
        user: std::ptr::null_mut(),
        data: std::ptr::null(),
        length: 0,
        digest: [0; 64],
    };
}

/// A buffer of C that the manager reads until it hands it out.
#[derive(Clone, Copy)]
struct Buffer {
    /// As C passed it. Null only if the length is 0.
    data: *const c_void,
    length: usize,
}

impl Buffer {
    /// A buffer that C lends.
    ///
    /// # Safety
    /// It stays in place, as the documentation of [`hashlanes_manager`] demands.
    unsafe fn new(data: *const c_void, length: usize) -> Result<Self, Error> {
        // SAFETY: *Memory* holds for the `length` bytes of `data`, and the caller promises that
        // they stay.
        unsafe { bytes(data, length) }?;
        Ok(Self { data, length })
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: `new` has checked the pointer and the length. Who submitted the buffer lends it
        // until it is handed out, and the manager asks no later.
        unsafe { slice::from_raw_parts(self.data.cast(), self.length) }
    }
}

/// The manager's own data of a message.
struct Tag {
    user: *mut c_void,
    /// The message's place among the jobs, if it came in pieces.
    place: Option<Place>,
}

/// A manager of any function. The library has no `AnyLanes`, since a [`Job`] belongs to lanes of
/// its function by type.
trait Managed {
    fn whole(&mut self, buffer: Buffer, user: *mut c_void, key: Key) -> Result<Handed, Error>;
    fn first(&mut self, buffer: Buffer, user: *mut c_void, key: Key) -> Result<Handed, Error>;
    fn further(&mut self, job: hashlanes_job, buffer: Buffer, last: bool) -> Result<Handed, Error>;
    fn abandon(&mut self, job: hashlanes_job) -> Result<(), Error>;
    fn flush(&mut self) -> Handed;
    fn count(&self) -> usize;
}

type Key<'a> = Option<&'a hashlanes_hmac_key>;
type Handed = hashlanes_done;

struct Manager<A: HashFunction> {
    lanes: Lanes<A, Buffer, Tag>,
    jobs: Jobs<Job<A, Tag>>,
}

impl<A: HashFunction> Manager<A> {
    fn handed(&mut self, done: Option<Done<A, Buffer, Tag>>) -> Handed {
        match done {
            None => hashlanes_done::NOTHING,
            Some(Done::Piece { job, buffer }) => {
                let user = job.tag().user;
                let place = job.tag().place.expect("only jobs have pieces");
                let job = self.jobs.put(place, job);
                let Buffer { data, length } = buffer;
                let kind = HASHLANES_PIECE;
                hashlanes_done { kind, job, user, data, length, ..hashlanes_done::NOTHING }
            }
            Some(Done::Message { tag, digest, buffer: Buffer { data, length } }) => {
                if let Some(place) = tag.place {
                    self.jobs.release(place);
                }
                let digest = digest.as_ref();
                let mut done = hashlanes_done {
                    kind: HASHLANES_MESSAGE,
                    digest_length: digest.len() as u32,
                    user: tag.user,
                    data,
                    length,
                    ..hashlanes_done::NOTHING
                };
                done.digest[..digest.len()].copy_from_slice(digest);
                done
            }
        }
    }
}

impl<A: HashFunction> Managed for Manager<A> {
    fn whole(&mut self, buffer: Buffer, user: *mut c_void, key: Key) -> Result<Handed, Error> {
        let tag = Tag { user, place: None };
        let done = match key {
            None => self.lanes.entire(buffer, tag),
            Some(key) => self.lanes.entire_mac(key.typed()?, buffer, tag),
        };
        Ok(self.handed(done))
    }

    fn first(&mut self, buffer: Buffer, user: *mut c_void, key: Key) -> Result<Handed, Error> {
        let key = key.map(hashlanes_hmac_key::typed).transpose()?;
        let tag = Tag { user, place: Some(self.jobs.reserve()?) };
        let done = match key {
            None => self.lanes.first(buffer, tag),
            Some(key) => self.lanes.first_mac(key, buffer, tag),
        };
        Ok(self.handed(done))
    }

    fn further(&mut self, job: hashlanes_job, buffer: Buffer, last: bool) -> Result<Handed, Error> {
        let (_, job) = self.jobs.take(job)?;
        let done = if last { self.lanes.last(job, buffer) } else { self.lanes.update(job, buffer) };
        Ok(self.handed(done))
    }

    fn abandon(&mut self, job: hashlanes_job) -> Result<(), Error> {
        let (place, _) = self.jobs.take(job)?;
        self.jobs.release(place);
        Ok(())
    }

    fn flush(&mut self) -> Handed {
        let done = self.lanes.flush();
        self.handed(done)
    }

    fn count(&self) -> usize {
        self.lanes.len()
    }
}

/// Makes a manager with room for `capacity` pieces. 0 means 128, which keeps the lanes of every CPU
/// full when lengths are mixed. With less room, results come back sooner. All memory for pieces is
/// allocated here, some 600 bytes each.
///
/// On an error `*manager` is NULL.
///
/// Errors: `HASHLANES_ERROR_ALGORITHM`, `HASHLANES_ERROR_MEMORY`.
///
/// Threads: any number at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_create(
    algorithm: hashlanes_algorithm,
    capacity: usize,
    manager: *mut *mut hashlanes_manager,
) -> hashlanes_error {
    let make = || {
        let engine = engine(algorithm)?;
        let capacity = if capacity == 0 { 128 } else { capacity };
        with_function!(engine.algorithm(), A => {
            let lanes = Lanes::<A, Buffer, Tag>::try_with_engine(engine.typed(), capacity);
            let lanes = lanes.map_err(|_| Error::Memory)?;
            Ok(hashlanes_manager(boxed(Manager { lanes, jobs: Jobs::new() })?))
        })
    };
    // SAFETY: *Memory* and *Threads* hold for `manager`, which has room for a pointer.
    guard(|| unsafe { hand_over(manager, make) })
}

/// Makes a call that submits a buffer and hands out what is finished.
///
/// # Safety
/// As [`exclusive`], [`put`] and [`Buffer::new`].
unsafe fn submit(
    manager: *mut hashlanes_manager,
    data: *const c_void,
    length: usize,
    done: *mut hashlanes_done,
    call: impl FnOnce(&mut dyn Managed, Buffer) -> Result<Handed, Error>,
) -> hashlanes_error {
    guard(|| {
        // This comes first: without a place for it, nothing may be handed out.
        // SAFETY: the caller promises `put` what it asks for.
        unsafe { put(done, hashlanes_done::NOTHING) }?;
        // SAFETY: the caller promises `exclusive` and `Buffer::new` what they ask for.
        let (manager, buffer) = unsafe { (exclusive(manager)?, Buffer::new(data, length)?) };
        let handed = call(&mut *manager.0, buffer)?;
        // SAFETY: the same memory as above.
        unsafe { put(done, handed) }
    })
}

/// An optional key.
///
/// # Safety
/// As [`shared`].
unsafe fn key<'a>(key: *const hashlanes_hmac_key) -> Result<Key<'a>, Error> {
    if key.is_null() {
        return Ok(None);
    }
    // SAFETY: the caller promises `shared` what it asks for.
    unsafe { shared(key) }.map(Some)
}

/// Submits a whole message. If `key` is not NULL, what comes back is its MAC. The key may be
/// destroyed when this returns. `user` comes back with the message; the library does not look at
/// what it points to.
///
/// Errors: `HASHLANES_ERROR_KEY`. After an error nothing was submitted, and the buffer is the
/// caller's.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_entire(
    manager: *mut hashlanes_manager,
    key: *const hashlanes_hmac_key,
    data: *const c_void,
    length: usize,
    user: *mut c_void,
    done: *mut hashlanes_done,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `manager` and `key`, *Memory* for `done` and the
    // buffer, which its documentation has C lend until it comes back.
    unsafe {
        submit(manager, data, length, done, |manager, buffer| {
            manager.whole(buffer, user, self::key(key)?)
        })
    }
}

/// Submits the first piece, of any length, of a message. All else is as in
/// `hashlanes_manager_entire`.
///
/// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_MEMORY`. After an error nothing was submitted,
/// and the buffer is the caller's.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_first(
    manager: *mut hashlanes_manager,
    key: *const hashlanes_hmac_key,
    data: *const c_void,
    length: usize,
    user: *mut c_void,
    done: *mut hashlanes_done,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `manager` and `key`, *Memory* for `done` and the
    // buffer, which its documentation has C lend until it comes back.
    unsafe {
        submit(manager, data, length, done, |manager, buffer| {
            manager.first(buffer, user, self::key(key)?)
        })
    }
}

/// Submits a further piece, of any length, of a message. The job is no longer valid; the next
/// one comes with the piece.
///
/// Errors: `HASHLANES_ERROR_JOB`. After an error nothing was submitted, and the buffer is the
/// caller's.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_update(
    manager: *mut hashlanes_manager,
    job: hashlanes_job,
    data: *const c_void,
    length: usize,
    done: *mut hashlanes_done,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `manager`, *Memory* for `done` and the buffer, which
    // its documentation has C lend until it comes back.
    unsafe {
        submit(manager, data, length, done, |manager, buffer| manager.further(job, buffer, false))
    }
}

/// Submits the last piece, of any length, of a message. The job is no longer valid.
///
/// Errors: `HASHLANES_ERROR_JOB`. After an error nothing was submitted, and the buffer is the
/// caller's.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_last(
    manager: *mut hashlanes_manager,
    job: hashlanes_job,
    data: *const c_void,
    length: usize,
    done: *mut hashlanes_done,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `manager`, *Memory* for `done` and the buffer, which
    // its documentation has C lend until it comes back.
    unsafe {
        submit(manager, data, length, done, |manager, buffer| manager.further(job, buffer, true))
    }
}

/// Abandons a message. The job is no longer valid.
///
/// Errors: `HASHLANES_ERROR_JOB`.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_abandon(
    manager: *mut hashlanes_manager,
    job: hashlanes_job,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `manager`.
    guard(|| unsafe { exclusive(manager) }?.0.abandon(job))
}

/// Hashes what was submitted, and hands out one piece or message. Call it until `done->kind` is
/// `HASHLANES_NOTHING`: then everything has been handed out.
///
/// Errors: only those for pointers.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_flush(
    manager: *mut hashlanes_manager,
    done: *mut hashlanes_done,
) -> hashlanes_error {
    // SAFETY: *Life* and *Threads* hold for `manager`, *Memory* for `done`. An empty buffer lends
    // nothing.
    unsafe { submit(manager, std::ptr::null(), 0, done, |manager, _| Ok(manager.flush())) }
}

/// The number of pieces and messages that were submitted and not yet handed out. 0 if `manager` is
/// NULL.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_count(manager: *const hashlanes_manager) -> usize {
    // SAFETY: *Life* and *Threads* hold for `manager`.
    unsafe { shared(manager) }.map_or(0, |manager| manager.0.count())
}

/// Destroys a manager. What it has not handed out is not hashed, and its buffers are the
/// caller's again. Its jobs are no longer valid. Does nothing if it is NULL. Cannot fail.
///
/// Threads: when no other thread uses the manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_destroy(manager: *mut hashlanes_manager) {
    // SAFETY: *Life* ends here for `manager`, which *Threads* lets nobody use any more.
    unsafe { destroy(manager) };
}
