//! The library as an addon for Node.js, loaded by `native.js` of the npm package.
//!
//! Messages come as one array of bytes, with the offset and the length of each. What takes `later`
//! hashes in a thread of libuv's pool and returns a promise, if it is true. Nobody else changes
//! the array until then: `native.js` keeps those that it lends. Algorithms are indices into
//! [`Algorithm::ALL`].

use std::fmt::Display;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use hashlanes::{Algorithm, Engine, Hasher, Hashers};
use napi::bindgen_prelude::{AsyncTask, Either, Uint8Array, Uint32Array};
use napi::{Env, Error, Result, Task};
use napi_derive::napi;

fn invalid(error: impl Display) -> Error {
    Error::from_reason(error.to_string())
}

fn algorithm(number: u32) -> Result<Algorithm> {
    let algorithm = Algorithm::ALL.get(number as usize);
    algorithm.copied().ok_or_else(|| invalid(format_args!("no algorithm has the number {number}")))
}

/// The messages at these offsets, each followed by a length.
fn messages<'b>(bytes: &'b [u8], pieces: &[u32]) -> Result<Vec<&'b [u8]>> {
    let message = |piece: &[u32]| bytes.get(piece[0] as usize..)?.get(..piece[1] as usize);
    let messages = pieces.chunks_exact(2).map(message).collect::<Option<_>>();
    messages.ok_or_else(|| invalid("a message is outside the array"))
}

/// What a thread of the pool computes.
pub struct Later(Box<dyn FnMut() -> Result<Vec<u8>> + Send>);

impl Task for Later {
    type Output = Vec<u8>;
    type JsValue = Uint8Array;

    fn compute(&mut self) -> Result<Vec<u8>> {
        (self.0)()
    }

    fn resolve(&mut self, _: Env, bytes: Vec<u8>) -> Result<Uint8Array> {
        Ok(bytes.into())
    }
}

type Bytes = Either<Uint8Array, AsyncTask<Later>>;

fn run(later: bool, mut job: impl FnMut() -> Result<Vec<u8>> + Send + 'static) -> Result<Bytes> {
    Ok(if later {
        Either::B(AsyncTask::new(Later(Box::new(job))))
    } else {
        Either::A(job()?.into())
    })
}

#[napi]
pub fn names() -> Vec<&'static str> {
    Algorithm::ALL.iter().map(|algorithm| algorithm.name()).collect()
}

#[napi(object, object_from_js = false)]
pub struct Kernel {
    pub name: &'static str,
    pub lanes: u32,
}

#[napi(catch_unwind)]
pub fn kernel(number: u32, messages: u32) -> Result<Kernel> {
    let engine = Engine::of(algorithm(number)?);
    let name = engine.kernel_for(messages as usize);
    let mut kernels = engine.algorithm().kernels();
    let lanes = kernels.find(|kernel| kernel.name == name).map_or(1, |kernel| kernel.lanes);
    Ok(Kernel { name, lanes: lanes as u32 })
}

#[napi(catch_unwind)]
pub fn self_test() -> Result<()> {
    hashlanes::kernels::self_test().map_err(invalid)
}

/// The digests of the messages, one after the other.
#[napi(catch_unwind)]
pub fn digest_many(
    number: u32,
    bytes: Uint8Array,
    pieces: Uint32Array,
    later: bool,
) -> Result<Bytes> {
    let engine = Engine::of(algorithm(number)?);
    run(later, move || {
        let messages = messages(&bytes, &pieces)?;
        let mut digests = vec![0; engine.algorithm().digest_len() * messages.len()];
        engine.digest_many_into(&messages, &mut digests);
        Ok(digests)
    })
}

fn check(fits: bool) -> Result<()> {
    if fits { Ok(()) } else { Err(invalid("no such place")) }
}

fn locked(hashers: &Mutex<Hashers>) -> MutexGuard<'_, Hashers> {
    hashers.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Messages in progress, each in a place.
#[napi]
pub struct Session {
    hashers: Arc<Mutex<Hashers>>,
    places: u32,
}

#[napi]
impl Session {
    #[napi(constructor, catch_unwind)]
    pub fn new(number: u32, places: u32) -> Result<Self> {
        let hashers = Engine::of(algorithm(number)?).hashers(places as usize);
        Ok(Self { hashers: Arc::new(Mutex::new(hashers)), places })
    }

    /// Continues a message, in the only place.
    #[napi(factory, catch_unwind)]
    pub fn restore(saved: &[u8]) -> Result<Self> {
        let hasher = Hasher::<Algorithm>::restore(saved).map_err(invalid)?;
        let mut hashers = Engine::of(hasher.algorithm()).hashers(1);
        hashers.restore(0, saved).map_err(invalid)?;
        Ok(Self { hashers: Arc::new(Mutex::new(hashers)), places: 1 })
    }

    /// Appends a piece to the message in each place.
    #[napi(catch_unwind)]
    pub fn update(&self, bytes: Uint8Array, pieces: Uint32Array, later: bool) -> Result<Bytes> {
        check(pieces.len() == 2 * self.places as usize)?;
        let hashers = Arc::clone(&self.hashers);
        run(later, move || {
            locked(&hashers).update(&messages(&bytes, &pieces)?);
            Ok(Vec::new())
        })
    }

    #[napi(catch_unwind)]
    pub fn finish(&self, place: u32) -> Result<Uint8Array> {
        check(place < self.places)?;
        Ok(locked(&self.hashers).finalize_reset(place as usize).as_bytes().into())
    }

    #[napi(catch_unwind)]
    pub fn save(&self, place: u32) -> Result<Uint8Array> {
        check(place < self.places)?;
        Ok(locked(&self.hashers).save(place as usize).into())
    }
}
