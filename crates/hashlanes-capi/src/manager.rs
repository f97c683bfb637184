//! Many messages, whole or in pieces, which finish in any order.

use std::ffi::c_void;
use std::slice;

use hashlanes::{Done, Engine, HashFunction, LaneJob, Lanes, with_function};

use crate::algorithm::{engine, hashlanes_algorithm};
use crate::border::{boxed, bytes, destroy, exclusive, guard, hand_over, put, shared};
use crate::error::{Error, hashlanes_error};
use crate::hmac::hashlanes_hmac_key;
use crate::jobs::{Jobs, Place};

/// A manager of many messages in progress. The caller submits whole messages or pieces. They come
/// back when they are hashed, in any order.
///
/// | to hash | call | what comes back later |
/// |---|---|---|
/// | a whole message | `hashlanes_manager_entire` | `HASHLANES_MESSAGE` with the digest |
/// | a message's first piece | `hashlanes_manager_first` | `HASHLANES_PIECE` with a job |
/// | a further piece | `hashlanes_manager_update` with the job | `HASHLANES_PIECE` with a job |
/// | the last piece | `hashlanes_manager_last` with the job | `HASHLANES_MESSAGE` with the digest |
///
/// Each of these calls may return one finished piece or message in `*done`, usually one that was
/// submitted earlier. If there is none, `done->kind` is `HASHLANES_NOTHING`.
/// `hashlanes_manager_flush` returns the rest. Nothing is hashed until the manager is full or
/// flushed.
///
/// Buffers are not copied. A submitted buffer must stay valid until it comes back as `done->data`
/// or the manager is destroyed. If its bytes are changed in the meantime, the digest of this
/// message is wrong, and nothing else is affected. If its memory is freed in the meantime, the
/// behaviour is undefined: this cannot be checked.
///
/// All other mistakes are reported as errors. A job is a number that is valid for one call. If a
/// message is continued twice at once or after its last piece, the number is no longer valid: the
/// call returns `HASHLANES_ERROR_JOB` and does nothing. Do not mix up the jobs of two managers,
/// because both may use the same number.
pub struct hashlanes_manager(Box<dyn Managed>);

/// An unfinished message that the caller may continue now. 0 means none.
pub type hashlanes_job = u64;

/// Nothing is returned by this call.
pub const HASHLANES_NOTHING: u32 = 0;
/// A piece has been hashed; its message can be continued.
pub const HASHLANES_PIECE: u32 = 1;
/// A message is complete.
pub const HASHLANES_MESSAGE: u32 = 2;

/// What a manager returns. Members that do not apply are 0.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct hashlanes_done {
    /// `HASHLANES_NOTHING`, `HASHLANES_PIECE` or `HASHLANES_MESSAGE`.
    pub kind: u32,
    /// The length of the digest in bytes, if this is a message.
    pub digest_length: u32,
    /// The message to continue or abandon, if this is a piece.
    pub job: hashlanes_job,
    /// The pointer that was submitted with the message or its first piece.
    pub user: *mut c_void,
    /// The buffer of the message or piece. It belongs to the caller again.
    pub data: *const c_void,
    /// The length of the buffer in bytes.
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

/// A buffer of C that the manager may read until it returns it.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    /// The submitted pointer. Null only if the length is 0.
    data: *const c_void,
    length: usize,
}

impl Buffer {
    pub(crate) const EMPTY: Self = Self { data: std::ptr::null(), length: 0 };

    /// A buffer that C lends.
    ///
    /// # Safety
    /// The buffer stays valid until it comes back, as the documentation of [`hashlanes_manager`]
    /// demands.
    pub(crate) unsafe fn new(data: *const c_void, length: usize) -> Result<Self, Error> {
        // SAFETY: *Memory* holds for the `length` bytes of `data`, which are only borrowed for the
        // checks here. `# Safety` above asks that they stay valid for `as_ref`.
        unsafe { bytes(data, length) }?;
        Ok(Self { data, length })
    }
}

impl AsRef<[u8]> for Buffer {
    fn as_ref(&self) -> &[u8] {
        if self.length == 0 {
            return &[];
        }
        // SAFETY: `new` has checked the pointer and the length. The submitter lends the buffer
        // until it is returned, and the manager does not read it after that.
        unsafe { slice::from_raw_parts(self.data.cast(), self.length) }
    }
}

/// What the manager keeps with a message.
struct Tag {
    user: *mut c_void,
    /// The message's entry in the table of jobs, if it came in pieces.
    place: Option<Place>,
}

/// A manager for any hash function. The library has no `AnyLanes`, because a [`LaneJob`]
/// ties it to lanes of its function.
pub(crate) trait Managed {
    fn whole(&mut self, buffer: Buffer, user: *mut c_void, key: Key) -> Result<Handed, Error>;
    fn first(&mut self, buffer: Buffer, user: *mut c_void, key: Key) -> Result<Handed, Error>;
    fn further(&mut self, job: hashlanes_job, buffer: Buffer, last: bool) -> Result<Handed, Error>;
    fn abandon(&mut self, job: hashlanes_job) -> Result<(), Error>;
    fn flush(&mut self) -> Handed;
    fn count(&self) -> usize;
}

pub(crate) type Key<'a> = Option<&'a hashlanes_hmac_key>;
pub(crate) type Handed = hashlanes_done;

struct Manager<A: HashFunction> {
    lanes: Lanes<A, Buffer, Tag>,
    jobs: Jobs<LaneJob<A, Tag>>,
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
            Some(key) => self.lanes.entire_mac(&key.typed()?, buffer, tag),
        };
        Ok(self.handed(done))
    }

    fn first(&mut self, buffer: Buffer, user: *mut c_void, key: Key) -> Result<Handed, Error> {
        let key = key.map(hashlanes_hmac_key::typed).transpose()?;
        let tag = Tag { user, place: Some(self.jobs.reserve()?) };
        let done = match key {
            None => self.lanes.first(buffer, tag),
            Some(key) => self.lanes.first_mac(&key, buffer, tag),
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

/// Creates a manager with room for `capacity` pieces; 0 stands for 128, which keeps the lanes of
/// every CPU full when lengths are mixed. With a smaller capacity, results come back sooner. All
/// memory for pieces is allocated here, about 600 bytes for each.
///
/// On an error, `*manager` is NULL.
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
    let make = || Ok(hashlanes_manager(managed(engine(algorithm)?, capacity)?));
    // SAFETY: *Memory* and *Threads* hold for `manager`, which has room for a pointer.
    guard(|| unsafe { hand_over(manager, make) })
}

pub(crate) fn managed(engine: Engine, capacity: usize) -> Result<Box<dyn Managed>, Error> {
    let capacity = if capacity == 0 { 128 } else { capacity };
    with_function!(engine.algorithm(), A => {
        let lanes = Lanes::<A, Buffer, Tag>::try_with_engine(engine.typed(), capacity);
        let lanes = lanes.map_err(|_| Error::Memory)?;
        Ok(boxed(Manager { lanes, jobs: Jobs::new() })?)
    })
}

/// Submits a buffer with `call`, and writes what comes back to `*done`.
///
/// # Safety
/// Pointers that are not null point to a manager that nobody else uses during the call, to writable
/// memory for what comes back, and to `length` bytes that stay valid until they come back.
unsafe fn submit(
    manager: *mut hashlanes_manager,
    data: *const c_void,
    length: usize,
    done: *mut hashlanes_done,
    call: impl FnOnce(&mut dyn Managed, Buffer) -> Result<Handed, Error>,
) -> hashlanes_error {
    guard(|| {
        // This comes first: if `done` is not valid, nothing may be submitted.
        // SAFETY: `# Safety` above asks the caller for a writable `done`.
        unsafe { put(done, hashlanes_done::NOTHING) }?;
        // SAFETY: `# Safety` above asks the caller for a manager that nobody else uses during the
        // call, and for a buffer that stays valid until it comes back.
        let (manager, buffer) = unsafe { (exclusive(manager)?, Buffer::new(data, length)?) };
        let handed = call(&mut *manager.0, buffer)?;
        // SAFETY: `done` is not null, since the first call succeeded, and so is still writable.
        unsafe { put(done, handed) }
    })
}

/// An optional key.
///
/// # Safety
/// A non-null pointer points to a key that nobody changes during `'a`.
unsafe fn key<'a>(key: *const hashlanes_hmac_key) -> Result<Key<'a>, Error> {
    if key.is_null() {
        return Ok(None);
    }
    // SAFETY: not null, so `# Safety` above asks the caller for a key that nobody changes.
    unsafe { shared(key) }.map(Some)
}

/// Submits a whole message. If `key` is not NULL, the message's MAC comes back instead of its
/// digest. The key may be destroyed after the call. `user` comes back with the message; the library
/// does not access what it points to.
///
/// Errors: `HASHLANES_ERROR_KEY`. After an error, nothing was submitted, and the buffer belongs to
/// the caller.
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
    // buffer, which C lends until it comes back, as the documentation of `hashlanes_manager`
    // demands.
    unsafe {
        submit(manager, data, length, done, |manager, buffer| {
            manager.whole(buffer, user, self::key(key)?)
        })
    }
}

/// Submits the first piece of a message. The piece may have any length. `key` and `user` are as in
/// `hashlanes_manager_entire`.
///
/// Errors: `HASHLANES_ERROR_KEY`, `HASHLANES_ERROR_MEMORY`. After an error, nothing was submitted,
/// and the buffer belongs to the caller.
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
    // buffer, which C lends until it comes back, as the documentation of `hashlanes_manager`
    // demands.
    unsafe {
        submit(manager, data, length, done, |manager, buffer| {
            manager.first(buffer, user, self::key(key)?)
        })
    }
}

/// Submits the next piece of a message. The piece may have any length. The job is no longer valid;
/// a new one comes back with the piece.
///
/// Errors: `HASHLANES_ERROR_JOB`. After an error, nothing was submitted, and the buffer belongs to
/// the caller.
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
    // SAFETY: *Life* and *Threads* hold for `manager`, *Memory* for `done` and the buffer, which C
    // lends until it comes back, as the documentation of `hashlanes_manager` demands.
    unsafe {
        submit(manager, data, length, done, |manager, buffer| manager.further(job, buffer, false))
    }
}

/// Submits the last piece of a message. The piece may have any length. The job is no longer valid.
///
/// Errors: `HASHLANES_ERROR_JOB`. After an error, nothing was submitted, and the buffer belongs to
/// the caller.
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
    // SAFETY: *Life* and *Threads* hold for `manager`, *Memory* for `done` and the buffer, which C
    // lends until it comes back, as the documentation of `hashlanes_manager` demands.
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

/// Hashes what was submitted, and returns one piece or message. Call it until `done->kind` is
/// `HASHLANES_NOTHING`: then everything has been returned.
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

/// The number of pieces and messages that were submitted and not yet returned. 0 if `manager` is
/// NULL.
///
/// Threads: one at a time for each manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_count(manager: *const hashlanes_manager) -> usize {
    // SAFETY: *Life* and *Threads* hold for `manager`.
    unsafe { shared(manager) }.map_or(0, |manager| manager.0.count())
}

/// Destroys a manager. What it has not returned is lost, and the buffers belong to the caller
/// again. Its jobs are no longer valid. NULL does nothing. Cannot fail.
///
/// Threads: when no other thread uses the manager.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn hashlanes_manager_destroy(manager: *mut hashlanes_manager) {
    // SAFETY: *Life* holds for `manager` and ends here; by *Threads*, no other thread uses it.
    unsafe { destroy(manager) };
}
