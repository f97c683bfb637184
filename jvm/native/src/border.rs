//! The border to the JVM: arrays, handles, exceptions.

use std::any::Any;
use std::ffi::CString;
use std::mem::MaybeUninit;
use std::ops::Deref;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::ptr;
use std::slice;
use std::sync::atomic::{Ordering, compiler_fence};

use jni_sys::{JNIEnv, JNINativeInterface_, jbyteArray, jint, jintArray, jlong, jobject};
use jni_sys::{jobjectArray, jsize};

/// Bytes that are copied from an array at a time. They are on the stack.
const PIECE: usize = 8 << 10;

/// What becomes an exception.
pub(crate) enum Error {
    /// `IllegalArgumentException`.
    Argument(String),
    /// `IllegalStateException`.
    State(String),
    /// `OutOfMemoryError`, of this many bytes.
    Memory(usize),
    /// The exception that the JVM has already thrown.
    Thrown,
}

/// The environment that the JVM passes to a native method.
#[derive(Clone, Copy)]
pub(crate) struct Env(*mut JNIEnv);

impl Env {
    /// # Safety
    /// The environment is that of this thread. It is used during the native method only.
    pub(crate) unsafe fn new(env: *mut JNIEnv) -> Self {
        Self(env)
    }

    fn table(&self) -> &JNINativeInterface_ {
        // SAFETY: `new` was promised the environment of this thread, which points to its table.
        unsafe { &**self.0 }
    }

    /// Throws an exception, unless one has been thrown.
    fn throw(&self, class: &std::ffi::CStr, message: &str) {
        let message = CString::new(message.replace('\0', " ")).unwrap_or_default();
        // SAFETY: `new` was promised the environment of this thread. Both texts end in a zero, and
        // have no character that the JVM's UTF-8 writes in another way.
        unsafe {
            if !(self.table().v1_2.ExceptionCheck)(self.0) {
                let class = (self.table().v1_1.FindClass)(self.0, class.as_ptr());
                if !class.is_null() {
                    (self.table().v1_1.ThrowNew)(self.0, class, message.as_ptr());
                }
            }
        }
    }

    /// The result, unless the JVM has thrown an exception.
    fn unless_thrown<T>(&self, result: T) -> Result<T, Error> {
        // SAFETY: `new` was promised the environment of this thread.
        let thrown = unsafe { (self.table().v1_2.ExceptionCheck)(self.0) };
        if thrown { Err(Error::Thrown) } else { Ok(result) }
    }

    /// Copies an array.
    ///
    /// # Safety
    /// The reference is valid.
    pub(crate) unsafe fn bytes(&self, array: jbyteArray) -> Result<Bytes, Error> {
        // SAFETY: the reference is valid, as asked for above.
        let length = unsafe { (self.table().v1_1.GetArrayLength)(self.0, array) };
        let mut bytes = Bytes(buffer(length as usize)?);
        // SAFETY: the same.
        unsafe { self.region(array, 0, &mut bytes.0) }?;
        Ok(bytes)
    }

    /// Copies an array, if there is one.
    ///
    /// # Safety
    /// The reference is valid or null.
    pub(crate) unsafe fn optional_bytes(&self, array: jbyteArray) -> Result<Option<Bytes>, Error> {
        // SAFETY: not null, so it is valid.
        (!array.is_null()).then(|| unsafe { self.bytes(array) }).transpose()
    }

    /// Copies part of an array. The JVM checks its bounds.
    ///
    /// # Safety
    /// The reference is valid.
    pub(crate) unsafe fn region(
        &self,
        array: jbyteArray,
        offset: jint,
        to: &mut [u8],
    ) -> Result<(), Error> {
        let (to, length) = (to.as_mut_ptr().cast(), to.len() as jsize);
        // SAFETY: the reference is valid, as asked for above, and there are `length` bytes at `to`.
        unsafe { (self.table().v1_1.GetByteArrayRegion)(self.0, array, offset, length, to) };
        self.unless_thrown(())
    }

    /// Copies an array of numbers.
    ///
    /// # Safety
    /// The reference is valid.
    pub(crate) unsafe fn ints(&self, array: jintArray, count: jint) -> Result<Vec<jint>, Error> {
        let mut ints = vec![0; count as usize];
        let to = ints.as_mut_ptr();
        // SAFETY: the reference is valid, as asked for above, and `to` has room for `count`
        // numbers. The JVM checks the bounds of the array.
        unsafe { (self.table().v1_1.GetIntArrayRegion)(self.0, array, 0, count, to) };
        self.unless_thrown(ints)
    }

    /// Calls `take` with an element of an array of arrays.
    ///
    /// # Safety
    /// The reference is valid, and its elements are arrays of bytes.
    pub(crate) unsafe fn with_element(
        &self,
        arrays: jobjectArray,
        index: usize,
        take: impl FnOnce(jbyteArray) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let table = self.table();
        // SAFETY: the reference is valid, as asked for above. The JVM checks the index. The new
        // reference is deleted, since the JVM has room for only sixteen of them.
        unsafe {
            let element = (table.v1_1.GetObjectArrayElement)(self.0, arrays, index as jsize);
            let taken = self.unless_thrown(()).and_then(|()| take(element));
            (table.v1_1.DeleteLocalRef)(self.0, element);
            taken
        }
    }

    /// Calls `take` with the pieces of part of an array, in order.
    ///
    /// # Safety
    /// The reference is valid.
    pub(crate) unsafe fn pieces(
        &self,
        array: jbyteArray,
        offset: jint,
        length: jint,
        mut take: impl FnMut(&[u8]),
    ) -> Result<(), Error> {
        let mut memory = [const { MaybeUninit::<u8>::uninit() }; PIECE];
        let mut done = 0;
        while done < length {
            let now = (length - done).min(PIECE as jint);
            let to = memory.as_mut_ptr().cast::<u8>();
            // SAFETY: the reference is valid, as asked for above. `memory` has room for `now`
            // bytes. The JVM checks the bounds of the array.
            unsafe {
                let copy = self.table().v1_1.GetByteArrayRegion;
                copy(self.0, array, offset + done, now, to.cast());
            }
            self.unless_thrown(())?;
            // SAFETY: the JVM has just written `now` bytes there.
            take(unsafe { slice::from_raw_parts(to, now as usize) });
            done += now;
        }
        Ok(())
    }

    /// Writes bytes into an array. The JVM checks its bounds.
    ///
    /// # Safety
    /// The reference is valid.
    pub(crate) unsafe fn set_bytes(
        &self,
        array: jbyteArray,
        offset: jint,
        bytes: &[u8],
    ) -> Result<(), Error> {
        let (from, length) = (bytes.as_ptr().cast(), bytes.len() as jsize);
        // SAFETY: the reference is valid, as asked for above.
        unsafe { (self.table().v1_1.SetByteArrayRegion)(self.0, array, offset, length, from) };
        self.unless_thrown(())
    }

    /// A new array.
    pub(crate) fn new_bytes(&self, bytes: &[u8]) -> Result<jbyteArray, Error> {
        // SAFETY: `new` was promised the environment of this thread.
        let array = unsafe { (self.table().v1_1.NewByteArray)(self.0, bytes.len() as jsize) };
        self.unless_thrown(())?;
        // SAFETY: the reference has just been made.
        unsafe { self.set_bytes(array, 0, bytes) }?;
        Ok(array)
    }

    /// The address of a direct buffer.
    ///
    /// # Safety
    /// The reference is valid.
    pub(crate) unsafe fn address(&self, buffer: jobject) -> Result<jlong, Error> {
        // SAFETY: the reference is valid, as asked for above.
        let address = unsafe { (self.table().v1_4.GetDirectBufferAddress)(self.0, buffer) };
        if address.is_null() {
            return Err(Error::Argument("the buffer is not direct".to_owned()));
        }
        Ok(address.expose_provenance() as jlong)
    }
}

/// A copy of an array, which may be a key: it is overwritten when it is dropped.
pub(crate) struct Bytes(Vec<u8>);

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl Drop for Bytes {
    fn drop(&mut self) {
        self.0.clear();
        wipe(self.0.spare_capacity_mut());
    }
}

/// Overwrites memory, even if nobody reads it afterwards.
fn wipe(bytes: &mut [MaybeUninit<u8>]) {
    for byte in bytes {
        // SAFETY: a reference is valid for writes.
        unsafe { ptr::from_mut(byte).write_volatile(MaybeUninit::zeroed()) };
    }
    compiler_fence(Ordering::SeqCst);
}

/// What a native method returns if it throws an exception.
pub(crate) trait Nothing {
    const NOTHING: Self;
}

impl Nothing for () {
    const NOTHING: Self = ();
}

impl Nothing for jlong {
    const NOTHING: Self = 0;
}

impl Nothing for jobject {
    const NOTHING: Self = ptr::null_mut();
}

/// Runs a native method. An error becomes an exception, and so does a panic, which would be a bug.
pub(crate) fn guard<T: Nothing>(env: Env, call: impl FnOnce() -> Result<T, Error>) -> T {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(result)) => return result,
        Ok(Err(Error::Thrown)) => {}
        Ok(Err(Error::Argument(message))) => {
            env.throw(c"java/lang/IllegalArgumentException", &message);
        }
        Ok(Err(Error::Memory(bytes))) => {
            let message = format!("no memory for {bytes} bytes");
            env.throw(c"java/lang/OutOfMemoryError", &message);
        }
        Ok(Err(Error::State(message))) => {
            env.throw(c"java/lang/IllegalStateException", &message);
        }
        Err(panic) => {
            env.throw(c"java/lang/IllegalStateException", &what(&*panic));
            // The payload's destructor may itself panic.
            std::mem::forget(panic);
        }
    }
    T::NOTHING
}

fn what(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied();
    let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("a bug in hashlanes: {}", text.unwrap_or("a panic"))
}

/// Zeros, or an error if there is no memory.
pub(crate) fn buffer(length: usize) -> Result<Vec<u8>, Error> {
    let mut buffer = Vec::new();
    buffer.try_reserve_exact(length).map_err(|_| Error::Memory(length))?;
    buffer.resize(length, 0);
    Ok(buffer)
}

/// Writes the digits of the first bytes of one array into another. The JVM checks the bounds.
///
/// # Safety
/// The references are valid.
pub(crate) unsafe fn hex(
    env: Env,
    from: jbyteArray,
    count: jint,
    to: jbyteArray,
) -> Result<(), Error> {
    let (mut place, mut result) = (0, Ok(()));
    let write = |piece: &[u8]| {
        let mut digits = [0; 2 * PIECE];
        let digits = &mut digits[..2 * piece.len()];
        const_hex::encode_to_slice(piece, digits).expect("two digits for each byte");
        if result.is_ok() {
            // SAFETY: the reference is valid, as asked for above.
            result = unsafe { env.set_bytes(to, place, digits) };
        }
        place += digits.len() as jint;
    };
    // SAFETY: the same.
    unsafe { env.pieces(from, 0, count, write) }?;
    result
}

/// Hands an object to Java, which gives it back to [`destroy`].
pub(crate) fn create<T>(object: T) -> jlong {
    Box::into_raw(Box::new(object)).expose_provenance() as jlong
}

fn pointer<T>(address: jlong) -> *mut T {
    ptr::with_exposed_provenance_mut(address as usize)
}

/// # Safety
/// The handle came from [`create`] for this type, has not been destroyed during `'a`, and is not
/// used for writing.
pub(crate) unsafe fn shared<'a, T: Sync>(handle: jlong) -> &'a T {
    // SAFETY: as asked for above, it points to a `T`, which nobody changes.
    unsafe { &*pointer(handle) }
}

/// # Safety
/// The handle came from [`create`] for this type, has not been destroyed during `'a`, and nobody
/// else uses it.
pub(crate) unsafe fn exclusive<'a, T: Send>(handle: jlong) -> &'a mut T {
    // SAFETY: as asked for above, it points to a `T`, which nobody else uses.
    unsafe { &mut *pointer(handle) }
}

/// Destroys an object, and overwrites what it was.
///
/// # Safety
/// The handle came from [`create`] for this type, and nobody uses it.
pub(crate) unsafe fn destroy<T>(handle: jlong) {
    // SAFETY: it came from a `Box`, whose layout is the same.
    let mut object = unsafe { Box::from_raw(pointer::<MaybeUninit<T>>(handle)) };
    // SAFETY: `create` has written the object, and nobody uses it afterwards.
    unsafe { object.assume_init_drop() };
    // SAFETY: this box owns the object's memory, of which every byte may be uninitialised now.
    wipe(unsafe { slice::from_raw_parts_mut((&raw mut *object).cast(), size_of::<T>()) });
}

/// Memory that Java names by its address.
///
/// # Safety
/// There are `count` values of `T` at the address, which nobody changes during `'a`.
pub(crate) unsafe fn memory<'a, T>(address: jlong, count: usize) -> &'a [T] {
    if count == 0 {
        return &[];
    }
    // SAFETY: as asked for above. Java's direct buffers are aligned for numbers of 8 bytes.
    unsafe { slice::from_raw_parts(pointer(address), count) }
}

/// Memory that Java names by its address, to write to.
///
/// # Safety
/// There are `count` bytes at the address, which nobody else uses during `'a`.
pub(crate) unsafe fn output<'a>(address: jlong, count: usize) -> &'a mut [u8] {
    if count == 0 {
        return &mut [];
    }
    // SAFETY: as asked for above.
    unsafe { slice::from_raw_parts_mut(pointer(address), count) }
}
