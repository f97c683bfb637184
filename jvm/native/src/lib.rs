//! The native methods of the Java class `hashlanes.Native`.
//!
//! Only numbers and arrays cross the border. `border.rs` copies arrays, and makes exceptions of
//! errors and panics; `function.rs` has what hashes many messages; `stream.rs` one message in
//! pieces. No array is ever pinned, so the garbage collector waits for nothing here.
//!
//! The Java classes keep these promises, on which the `unsafe` code stands:
//!
//! * *Handles*: a `jlong` that names an object came from the native method that makes it, the
//!   object has not been freed, and if it is not a `Function`, no other thread uses it.
//! * *Addresses*: a `jlong` that names memory is the address of a direct buffer with as many bytes
//!   as the method uses. The buffer lives during the call, and nobody writes to it meanwhile.
//! * The JVM passes its own environment, and references that are valid during the call.

mod border;
mod function;
mod stream;

use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jintArray, jlong, jobject, jobjectArray};

use self::border::{Env, Error, create, destroy, exclusive, guard, memory, output, shared};
use self::function::{Function, Message, Ranges};
use self::stream::Stream;

/// Bytes of a message that Java keeps in an array.
const KEPT: usize = 256;

/// Declares native methods. Each gets an [`Env`], and returns a `Result` to [`guard`].
macro_rules! methods {
    ($(
        $(#[$doc:meta])*
        fn $symbol:ident($env:ident $(, $name:ident: $type:ty)*) $(-> $result:ty)? $body:block
    )*) => {$(
        $(#[$doc])*
        // SAFETY: nothing else has the name that the JVM gives to this method.
        #[unsafe(no_mangle)]
        unsafe extern "system" fn $symbol(
            env: *mut JNIEnv,
            _: jclass
            $(, $name: $type)*
        ) $(-> $result)? {
            // SAFETY: the JVM passes its own environment.
            let $env = unsafe { Env::new(env) };
            guard($env, || $body)
        }
    )*};
}

methods! {
    /// The version, then a line for each algorithm: its name, and bytes of a digest and of a block.
    fn Java_hashlanes_Native_describe(env) -> jbyteArray {
        env.new_bytes(function::describe().as_bytes())
    }

    /// Fails unless every kernel gives known digests.
    fn Java_hashlanes_Native_selfTest(_env) {
        hashlanes::kernels::self_test().map_err(|error| Error::State(error.to_string()))
    }

    /// A function that digests, by its name.
    fn Java_hashlanes_Native_digester(env, name: jbyteArray) -> jlong {
        // SAFETY: the JVM passes valid references.
        let name = unsafe { env.bytes(name) }?;
        Ok(create(Function::digest(&name)?))
    }

    /// A function that authenticates with this key.
    fn Java_hashlanes_Native_hmac(env, name: jbyteArray, key: jbyteArray) -> jlong {
        // SAFETY: the JVM passes valid references.
        let (name, key) = unsafe { (env.bytes(name)?, env.bytes(key)?) };
        Ok(create(Function::hmac(&name, &key)?))
    }

    /// An extendable-output function with this length. A parameter may be null; 0 is no domain.
    fn Java_hashlanes_Native_xof(
        env,
        name: jbyteArray,
        length: jint,
        key: jbyteArray,
        customization: jbyteArray,
        function_name: jbyteArray,
        domain: jint
    ) -> jlong {
        // SAFETY: the JVM passes valid references, or null.
        let (name, strings) = unsafe {
            let strings = [key, customization, function_name];
            (env.bytes(name)?, strings.map(|string| env.optional_bytes(string)))
        };
        let [key, customization, function_name] = strings;
        let strings = [key?, customization?, function_name?];
        Ok(create(Function::xof(&name, length, strings, domain)?))
    }

    /// Frees a function.
    fn Java_hashlanes_Native_free(_env, function: jlong) {
        // SAFETY: *Handles*; nobody uses this one after this call.
        unsafe { destroy::<Function>(function) };
        Ok(())
    }

    /// The address of a direct buffer's first byte.
    fn Java_hashlanes_Native_address(env, buffer: jobject) -> jlong {
        // SAFETY: the JVM passes valid references.
        unsafe { env.address(buffer) }
    }

    /// Writes the outputs for `count` messages, whose addresses and lengths are at `table`.
    fn Java_hashlanes_Native_many(_env, function: jlong, table: jlong, count: jint, to: jlong) {
        // SAFETY: *Handles*.
        let function = unsafe { shared::<Function>(function) };
        let count = count as usize;
        // SAFETY: *Addresses*: the table has `count` messages, each with the address and the length
        // of memory, and the output has room for as many outputs.
        let (messages, output) = unsafe {
            (memory::<Message>(table, count), output(to, count * function.output_len()))
        };
        // SAFETY: *Addresses*.
        let messages: Vec<_> = messages.iter().map(|message| unsafe { message.bytes() }).collect();
        function.many(&messages, output);
        Ok(())
    }

    /// Does the same for long messages in arrays, a piece of each at a time.
    fn Java_hashlanes_Native_large(
        env,
        function: jlong,
        arrays: jobjectArray,
        offsets: jintArray,
        lengths: jintArray,
        count: jint,
        to: jlong
    ) {
        // SAFETY: *Handles*, *Addresses*: the output has room for `count` outputs. The JVM passes
        // valid references.
        unsafe {
            let function = shared::<Function>(function);
            let output = output(to, count as usize * function.output_len());
            let ranges = Ranges::new(env, arrays, offsets, lengths, count)?;
            function.large(&ranges, output)
        }
    }

    /// Writes the hexadecimal digits of the first `count` bytes of one array to another.
    fn Java_hashlanes_Native_hex(env, bytes: jbyteArray, count: jint, digits: jbyteArray) {
        // SAFETY: the JVM passes valid references.
        unsafe { border::hex(env, bytes, count, digits) }
    }

    /// An empty message of a function.
    fn Java_hashlanes_Native_stream(_env, function: jlong) -> jlong {
        // SAFETY: *Handles*.
        let function = unsafe { shared::<Function>(function) };
        Ok(create(function.stream()?))
    }

    /// Appends part of an array to a message.
    fn Java_hashlanes_Native_update(
        env,
        stream: jlong,
        bytes: jbyteArray,
        offset: jint,
        length: jint
    ) {
        // SAFETY: *Handles*. The JVM passes valid references.
        unsafe {
            let stream = exclusive::<Stream>(stream);
            env.pieces(bytes, offset, length, |piece| stream.update(piece))
        }
    }

    /// Appends memory to a message.
    fn Java_hashlanes_Native_updateMemory(_env, stream: jlong, address: jlong, length: jint) {
        // SAFETY: *Handles*, *Addresses*.
        unsafe { exclusive::<Stream>(stream).update(memory(address, length as usize)) };
        Ok(())
    }

    /// Writes the digest of the first `count` bytes of an array, at most [`KEPT`], into another.
    fn Java_hashlanes_Native_digest(
        env,
        function: jlong,
        message: jbyteArray,
        count: jint,
        digest: jbyteArray,
        offset: jint
    ) {
        let mut bytes = [0; KEPT];
        let message_bytes = &mut bytes[..count as usize];
        // SAFETY: *Handles*. The JVM passes valid references.
        unsafe {
            env.region(message, 0, message_bytes)?;
            let made = shared::<Function>(function).one(message_bytes)?;
            env.set_bytes(digest, offset, made.as_bytes())
        }
    }

    /// Appends the first `count` bytes of an array to a message, writes its digest into another
    /// array, and begins an empty message.
    fn Java_hashlanes_Native_finish(
        env,
        stream: jlong,
        last: jbyteArray,
        count: jint,
        digest: jbyteArray,
        offset: jint
    ) {
        // SAFETY: *Handles*. The JVM passes valid references.
        unsafe {
            let stream = exclusive::<Stream>(stream);
            env.pieces(last, 0, count, |piece| stream.update(piece))?;
            env.set_bytes(digest, offset, stream.finish().as_bytes())
        }
    }

    /// Abandons a message for an empty one.
    fn Java_hashlanes_Native_reset(_env, stream: jlong) {
        // SAFETY: *Handles*.
        unsafe { exclusive::<Stream>(stream) }.reset();
        Ok(())
    }

    /// A copy of a message in progress.
    fn Java_hashlanes_Native_copy(_env, stream: jlong) -> jlong {
        // SAFETY: *Handles*.
        Ok(create(unsafe { exclusive::<Stream>(stream) }.clone()))
    }

    /// Frees a message.
    fn Java_hashlanes_Native_freeStream(_env, stream: jlong) {
        // SAFETY: *Handles*; nobody uses this one after this call.
        unsafe { destroy::<Stream>(stream) };
        Ok(())
    }

    /// Panics, for the test that a panic becomes an exception.
    fn Java_hashlanes_Native_panic(_env) {
        panic!("on purpose")
    }
}
