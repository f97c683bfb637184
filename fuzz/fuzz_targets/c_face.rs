#![no_main]
//! Random calls of the C interface, right and wrong, compared with OpenSSL: each call returns what
//! it should, and each digest is OpenSSL's.

use std::collections::HashMap;
use std::ffi::{CStr, CString, c_void};
use std::ptr::{null, null_mut};
use std::sync::OnceLock;

use hashlanes_capi::*;
use hashlanes_fuzz::{bytes, length};
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use openssl::hash::{MessageDigest, hash};
use openssl::pkey::PKey;
use openssl::sign::Signer;

/// An algorithm, with or without a kernel.
#[derive(Clone, Copy)]
struct Chosen {
    number: hashlanes_algorithm,
    openssl: MessageDigest,
    length: usize,
}

impl Chosen {
    fn new(input: &mut Unstructured) -> Result<Self> {
        let &(algorithm, openssl) = input.choose(shared())?;
        let mut number = algorithm;
        if input.ratio(1, 2)? {
            let index = input.choose_index(hashlanes_kernel_count(algorithm))?;
            // SAFETY: the struct consists of numbers and characters, for which zeros are valid.
            let mut kernel: hashlanes_kernel = unsafe { std::mem::zeroed() };
            // SAFETY: the pointers refer to local variables, and the name is a NUL-terminated
            // string.
            let code = unsafe {
                assert_eq!(hashlanes_kernel_at(algorithm, index, &mut kernel), HASHLANES_OK);
                hashlanes_with_kernel(algorithm, kernel.name.as_ptr(), &mut number)
            };
            let right = if kernel.available { HASHLANES_OK } else { HASHLANES_ERROR_UNSUPPORTED };
            assert_eq!(code, right);
        }
        Ok(Self { number, openssl, length: hashlanes_digest_length(number) })
    }

    fn right(&self, key: Option<&[u8]>, message: &[u8]) -> Vec<u8> {
        match key {
            None => hash(self.openssl, message).unwrap().to_vec(),
            Some(key) => {
                // OpenSSL rejects an empty key. HMAC pads keys with zeros, so this one is
                // equivalent.
                let key = if key.is_empty() { &[0] } else { key };
                let key = PKey::hmac(key).unwrap();
                let mut signer = Signer::new(self.openssl, &key).unwrap();
                signer.sign_oneshot_to_vec(message).unwrap()
            }
        }
    }
}

/// The algorithms that OpenSSL has as well, with digests of the same length.
fn shared() -> &'static [(hashlanes_algorithm, MessageDigest)] {
    static SHARED: OnceLock<Vec<(hashlanes_algorithm, MessageDigest)>> = OnceLock::new();
    SHARED.get_or_init(|| {
        let both = (1..=hashlanes_algorithm_count()).filter_map(|number| {
            // SAFETY: the library's strings are static.
            let name = unsafe { CStr::from_ptr(hashlanes_algorithm_name(number)) };
            let openssl = MessageDigest::from_name(name.to_str().unwrap())?;
            (openssl.size() == hashlanes_digest_length(number)).then_some((number, openssl))
        });
        let both: Vec<_> = both.collect();
        assert!(both.len() >= 8, "OpenSSL has only {} of the algorithms", both.len());
        both
    })
}

fn data(bytes: &[u8]) -> *const c_void {
    if bytes.is_empty() { null() } else { bytes.as_ptr().cast() }
}

fn piece(input: &mut Unstructured) -> Result<Box<[u8]>> {
    Ok(bytes(input.arbitrary()?, length(input)?))
}

/// Memory for digests of exactly this size, and the expected status of a call that needs `needed`
/// bytes.
fn memory(input: &mut Unstructured, needed: usize) -> Result<(Box<[u8]>, hashlanes_error)> {
    let size = match input.int_in_range(0..=9)? {
        0 => input.int_in_range(0..=needed)?,
        1 => needed + input.int_in_range(0..=70)?,
        _ => needed,
    };
    let code = if size < needed { HASHLANES_ERROR_SIZE } else { HASHLANES_OK };
    Ok((vec![0x5a; size].into(), code))
}

/// A key, or none, with its bytes.
struct Key {
    handle: *mut hashlanes_hmac_key,
    bytes: Option<Box<[u8]>>,
}

impl Key {
    fn new(chosen: &Chosen, input: &mut Unstructured) -> Result<Self> {
        if input.ratio(2, 3)? {
            return Ok(Self { handle: null_mut(), bytes: None });
        }
        let secret = bytes(input.arbitrary()?, input.int_in_range(0..=300)?);
        let mut handle = null_mut();
        // SAFETY: the pointers refer to the key's bytes, of this length, and to a local variable.
        let code = unsafe {
            hashlanes_hmac_key_create(chosen.number, data(&secret), secret.len(), &mut handle)
        };
        assert_eq!(code, HASHLANES_OK);
        Ok(Self { handle, bytes: Some(secret) })
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the key was created by the library and not destroyed, or is null, and is not used
        // later.
        unsafe { hashlanes_hmac_key_destroy(self.handle) };
    }
}

/// Whole messages: one, many, chunks, after a prefix, under keys.
fn whole(chosen: Chosen, input: &mut Unstructured) -> Result<()> {
    let count = input.int_in_range(0..=300)?;
    let messages = (0..count).map(|_| piece(input)).collect::<Result<Vec<_>>>()?;
    let mut pointers: Vec<_> = messages.iter().map(|message| data(message)).collect();
    let lengths: Vec<_> = messages.iter().map(|message| message.len()).collect();
    let (mut digests, mut code) = memory(input, count * chosen.length)?;
    if count > 0 && input.ratio(1, 16)? {
        let i = input.choose_index(count)?;
        if lengths[i] > 0 && code == HASHLANES_OK {
            (pointers[i], code) = (null(), HASHLANES_ERROR_NULL);
        }
    }
    let start = piece(input)?;
    let key = Key::new(&chosen, input)?;
    let (to, size) = (digests.as_mut_ptr(), digests.len());
    let (from, of) = (pointers.as_ptr(), lengths.as_ptr());
    let way = input.int_in_range(0..=2)?;
    // SAFETY: all arrays have `count` elements, which are null or point to messages of these
    // lengths. Objects live until they are destroyed here.
    let got = unsafe {
        match (way, key.bytes.is_some()) {
            (0, false) => hashlanes_digest_many(chosen.number, from, of, count, to, size),
            (_, false) => {
                let mut prefix = null_mut();
                let made =
                    hashlanes_prefix_create(chosen.number, data(&start), start.len(), &mut prefix);
                assert_eq!(made, HASHLANES_OK);
                let code = hashlanes_prefix_digest_many(prefix, from, of, count, to, size);
                hashlanes_prefix_destroy(prefix);
                code
            }
            (0, true) => hashlanes_hmac_many(key.handle, from, of, count, to, size),
            (_, true) => {
                let keys = vec![key.handle.cast_const(); count];
                hashlanes_hmac_many_keys(keys.as_ptr(), from, of, count, to, size)
            }
        }
    };
    assert_eq!(got, code);
    if code != HASHLANES_OK {
        assert!(digests.iter().all(|&byte| byte == 0x5a), "written to in spite of an error");
        return Ok(());
    }
    let prefix: &[u8] = if way != 0 && key.bytes.is_none() { &start } else { &[] };
    for (message, digest) in messages.iter().zip(digests.chunks(chosen.length)) {
        let message = [prefix, message].concat();
        assert_eq!(digest, chosen.right(key.bytes.as_deref(), &message));
    }
    Ok(())
}

fn one_and_chunks(chosen: Chosen, input: &mut Unstructured) -> Result<()> {
    let message = piece(input)?;
    let (mut digest, code) = memory(input, chosen.length)?;
    // SAFETY: the pointers refer to as many bytes as the lengths say.
    let got = unsafe {
        let (to, size) = (digest.as_mut_ptr(), digest.len());
        hashlanes_digest(chosen.number, data(&message), message.len(), to, size)
    };
    assert_eq!(got, code);
    if code == HASHLANES_OK {
        assert_eq!(digest[..chosen.length], chosen.right(None, &message));
    }
    let chunk = input.int_in_range(0..=300)?;
    let count = hashlanes_chunk_count(message.len(), chunk);
    let (mut digests, code) = memory(input, count * chosen.length)?;
    let code = if chunk == 0 { HASHLANES_ERROR_CHUNK } else { code };
    // SAFETY: the pointers refer to as many bytes as the lengths say.
    let got = unsafe {
        let (to, size) = (digests.as_mut_ptr(), digests.len());
        hashlanes_digest_chunks(chosen.number, data(&message), message.len(), chunk, to, size)
    };
    assert_eq!(got, code);
    if code == HASHLANES_OK {
        let digests = digests.chunks(chosen.length);
        for (chunk, digest) in message.chunks(chunk).zip(digests) {
            assert_eq!(digest, chosen.right(None, chunk));
        }
    }
    Ok(())
}

/// Hashers in pieces: plain ones, and those of a server.
fn in_pieces(chosen: Chosen, input: &mut Unstructured) -> Result<()> {
    let key = Key::new(&chosen, input)?;
    let (mut server, mut shared, mut plain) = (null_mut(), [null_mut(); 3], null_mut());
    // SAFETY: the pointers refer to local variables, and the key is alive or null.
    unsafe {
        assert_eq!(hashlanes_server_create(chosen.number, null(), &mut server), HASHLANES_OK);
        for hasher in &mut shared {
            assert_eq!(hashlanes_server_hasher_create(server, key.handle, hasher), HASHLANES_OK);
        }
        let made = match key.bytes {
            None => hashlanes_hasher_create(chosen.number, &mut plain),
            Some(_) => hashlanes_hmac_hasher(key.handle, &mut plain),
        };
        assert_eq!(made, HASHLANES_OK);
        hashlanes_server_destroy(server);
    }
    // The last message belongs to the plain hasher.
    let mut messages = [const { Vec::new() }; 4];
    for _ in 0..40 {
        if input.is_empty() {
            break;
        }
        let i = input.int_in_range(0..=3)?;
        let action = input.int_in_range(0..=7)?;
        let (mut digest, code) = memory(input, chosen.length)?;
        let (to, size) = (digest.as_mut_ptr(), digest.len());
        let right = || chosen.right(key.bytes.as_deref(), &messages[i]);
        // SAFETY: the hashers are alive, and the pointers refer to as many bytes as the lengths
        // say.
        unsafe {
            match action {
                0 => {
                    let got = match shared.get(i) {
                        Some(&hasher) => hashlanes_server_hasher_reset(hasher),
                        None => hashlanes_hasher_reset(plain),
                    };
                    assert_eq!(got, HASHLANES_OK);
                    messages[i].clear();
                }
                1 | 2 => {
                    let got = match (shared.get(i), action) {
                        (Some(&hasher), 1) => hashlanes_server_hasher_digest(hasher, to, size),
                        (Some(&hasher), _) => hashlanes_server_hasher_finish(hasher, to, size),
                        (None, 1) => hashlanes_hasher_digest(plain, to, size),
                        (None, _) => hashlanes_hasher_finish(plain, to, size),
                    };
                    assert_eq!(got, code);
                    if code == HASHLANES_OK {
                        assert_eq!(digest[..chosen.length], right());
                        if action == 2 {
                            messages[i].clear();
                        }
                    }
                }
                3 if i == 3 => {
                    let mut copy = null_mut();
                    assert_eq!(hashlanes_hasher_clone(plain, &mut copy), HASHLANES_OK);
                    hashlanes_hasher_destroy(std::mem::replace(&mut plain, copy));
                }
                _ => {
                    let piece = piece(input)?;
                    let got = match shared.get(i) {
                        Some(&hasher) => {
                            hashlanes_server_hasher_update(hasher, data(&piece), piece.len())
                        }
                        None => hashlanes_hasher_update(plain, data(&piece), piece.len()),
                    };
                    assert_eq!(got, HASHLANES_OK);
                    messages[i].extend(&piece);
                }
            }
        }
    }
    let mut count = 0;
    // SAFETY: the hashers are alive, and are not used later.
    unsafe {
        assert_eq!(hashlanes_hasher_length(plain, &mut count), HASHLANES_OK);
        hashlanes_hasher_destroy(plain);
        shared.into_iter().for_each(|hasher| hashlanes_server_hasher_destroy(hasher));
    }
    assert_eq!(count, messages[3].len() as u64);
    Ok(())
}

/// The caller of a manager.
struct Caller {
    chosen: Chosen,
    /// Each message with its key, by the number that the manager has as the caller's pointer.
    messages: HashMap<usize, (Vec<u8>, Option<Box<[u8]>>)>,
    /// Buffers in the manager, by the same number.
    inside: HashMap<usize, Box<[u8]>>,
    ready: Vec<(usize, hashlanes_job)>,
    used: Vec<hashlanes_job>,
}

impl Caller {
    fn take(&mut self, done: hashlanes_done) {
        let user = done.user.addr();
        match done.kind {
            HASHLANES_NOTHING => return,
            HASHLANES_PIECE => self.ready.push((user, done.job)),
            HASHLANES_MESSAGE => {
                let (message, key) = self.messages.remove(&user).expect("came twice");
                let right = self.chosen.right(key.as_deref(), &message);
                assert_eq!(done.digest[..done.digest_length as usize], right);
            }
            other => panic!("kind {other}"),
        }
        let buffer = self.inside.remove(&user).expect("came twice");
        assert_eq!((done.data, done.length), (data(&buffer), buffer.len()));
    }
}

fn managed(chosen: Chosen, input: &mut Unstructured) -> Result<()> {
    let mut manager = null_mut();
    let capacity = input.int_in_range(0..=40)?;
    // SAFETY: the pointer refers to a local variable.
    let made = unsafe { hashlanes_manager_create(chosen.number, capacity, &mut manager) };
    assert_eq!(made, HASHLANES_OK);
    let mut caller = Caller {
        chosen,
        messages: HashMap::new(),
        inside: HashMap::new(),
        ready: Vec::new(),
        used: Vec::new(),
    };
    // SAFETY: the struct consists of pointers that may be null and numbers, so zeros are valid.
    let mut done: hashlanes_done = unsafe { std::mem::zeroed() };
    for step in 1..300 {
        if input.is_empty() {
            break;
        }
        let action = input.int_in_range(0..=11)?;
        let piece = piece(input)?;
        let (from, size) = (data(&piece), piece.len());
        // SAFETY: the manager is alive. Buffers stay in `inside` until they are returned or the
        // manager is destroyed.
        let code = unsafe {
            match action {
                0 => hashlanes_manager_flush(manager, &mut done),
                // A number that has been used, or was never given.
                1 => {
                    let made_up = input.arbitrary::<u64>()? | 1 << 40;
                    let job = caller.used.last().copied().unwrap_or(made_up);
                    let code = hashlanes_manager_update(manager, job, from, size, &mut done);
                    assert_eq!(code, HASHLANES_ERROR_JOB);
                    HASHLANES_OK
                }
                2..=5 => {
                    let key = Key::new(&chosen, input)?;
                    caller.messages.insert(step, (piece.to_vec(), key.bytes.clone()));
                    caller.inside.insert(step, piece);
                    let user = std::ptr::without_provenance_mut(step);
                    let begin = match action {
                        2 => hashlanes_manager_entire,
                        _ => hashlanes_manager_first,
                    };
                    begin(manager, key.handle, from, size, user, &mut done)
                }
                _ if caller.ready.is_empty() => hashlanes_manager_flush(manager, &mut done),
                _ => {
                    let at = input.choose_index(caller.ready.len())?;
                    let (user, job) = caller.ready.swap_remove(at);
                    caller.used.push(job);
                    if action == 6 {
                        caller.messages.remove(&user);
                        hashlanes_manager_abandon(manager, job)
                    } else {
                        caller.messages.get_mut(&user).expect("it goes on").0.extend(&piece);
                        caller.inside.insert(user, piece);
                        let go_on = match action {
                            7..=8 => hashlanes_manager_last,
                            _ => hashlanes_manager_update,
                        };
                        go_on(manager, job, from, size, &mut done)
                    }
                }
            }
        };
        assert_eq!(code, HASHLANES_OK);
        caller.take(done);
        done.kind = HASHLANES_NOTHING;
    }
    if input.ratio(3, 4)? {
        // SAFETY: the manager is alive. Buffers stay in `inside` until they are returned or the
        // manager is destroyed.
        unsafe {
            loop {
                assert_eq!(hashlanes_manager_flush(manager, &mut done), HASHLANES_OK);
                if done.kind == HASHLANES_NOTHING {
                    break;
                }
                caller.take(done);
            }
            assert_eq!(hashlanes_manager_count(manager), 0);
        }
        assert!(caller.inside.is_empty() && caller.messages.len() == caller.ready.len());
    }
    // SAFETY: the manager is alive and not used later. Its buffers still exist.
    unsafe { hashlanes_manager_destroy(manager) };
    Ok(())
}

/// Names and numbers, valid or not.
fn names(input: &mut Unstructured) -> Result<()> {
    let text: Vec<u8> = input.arbitrary::<Vec<u8>>()?.into_iter().filter(|&b| b != 0).collect();
    let text = CString::new(text).expect("without a zero");
    let number: u32 = input.arbitrary()?;
    let (mut found, mut digest) = (0, [0; 64]);
    // SAFETY: the pointers refer to local variables and to a NUL-terminated string.
    unsafe {
        let code = hashlanes_algorithm_from_name(text.as_ptr(), &mut found);
        assert_eq!(code == HASHLANES_OK, found != 0);
        hashlanes_with_kernel(number, text.as_ptr(), &mut found);
        let code = hashlanes_digest(number, null(), 0, digest.as_mut_ptr(), digest.len());
        assert!(code != HASHLANES_ERROR_INTERNAL);
    }
    Ok(())
}

fn run(input: &mut Unstructured) -> Result<()> {
    let chosen = Chosen::new(input)?;
    match input.int_in_range(0..=6)? {
        0 => names(input),
        1 => one_and_chunks(chosen, input),
        2 | 3 => whole(chosen, input),
        4 => in_pieces(chosen, input),
        _ => managed(chosen, input),
    }
}

fuzz_target!(|input: &[u8]| {
    // The input is too short.
    let _ = run(&mut Unstructured::new(input));
});
