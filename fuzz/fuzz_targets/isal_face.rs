#![no_main]
//! Random submissions to managers of ISA-L's interface, right and wrong, compared with OpenSSL:
//! contexts come back as they should, and each digest is OpenSSL's.

use std::collections::VecDeque;
use std::ffi::{c_int, c_void};
use std::ptr::null_mut;

use hashlanes_fuzz::bytes;
use hashlanes_isal::*;
use libfuzzer_sys::arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use openssl::hash::{MessageDigest, hash};

type Submit<F> = unsafe extern "C" fn(
    *mut Manager<F>,
    *mut Context<F>,
    *mut *mut Context<F>,
    *const c_void,
    u32,
    c_int,
) -> c_int;

/// The functions of one hash function, and how to read its digest.
struct Calls<F: Function> {
    init: unsafe extern "C" fn(*mut Manager<F>) -> c_int,
    submit: Submit<F>,
    flush: unsafe extern "C" fn(*mut Manager<F>, *mut *mut Context<F>) -> c_int,
    openssl: &'static str,
    bytes_of: fn(&F::Digest) -> Vec<u8>,
}

/// The program's view of a context.
#[derive(Clone, Default)]
struct Known {
    message: Vec<u8>,
    held: bool,
    last: bool,
    complete: bool,
    /// The piece that the manager reads.
    piece: Vec<u8>,
}

const CONTEXTS: usize = 90;

fn run<F: Function>(calls: &Calls<F>, input: &mut Unstructured) -> Result<()> {
    // SAFETY: it consists of integers and pointers that may be null, so zeros are valid.
    let mut manager: Box<Manager<F>> = unsafe { Box::new(std::mem::zeroed()) };
    let contexts: Box<[Context<F>]> =
        // SAFETY: it consists of integers and pointers that may be null, so zeros are valid.
        (0..CONTEXTS).map(|_| unsafe { std::mem::zeroed() }).collect();
    let length = contexts.len();
    let contexts = Box::into_raw(contexts).cast::<Context<F>>();
    let context = |i: usize| contexts.wrapping_add(i);
    let mut known = vec![Known { complete: true, ..Known::default() }; CONTEXTS];
    let mut order = VecDeque::new();
    // SAFETY: the manager's box is exclusive, and `init` writes nothing else.
    assert_eq!(unsafe { (calls.init)(&mut *manager) }, 0);
    for i in 0..CONTEXTS {
        // SAFETY: `context(i)` is in the allocation of all contexts, which is freed at the end. No
        // manager holds it yet.
        unsafe { (*context(i)).status = 4 };
    }
    let right = |message: &[u8]| {
        let digest = MessageDigest::from_name(calls.openssl).expect("OpenSSL has it");
        hash(digest, message).unwrap().to_vec()
    };
    let back = |known: &mut [Known], order: &mut VecDeque<usize>, at: *mut Context<F>| {
        let i = (at.addr() - contexts.addr()) / size_of::<Context<F>>();
        let known = &mut known[i];
        assert!(known.held, "it was not the manager's");
        order.retain(|&held| held != i);
        // SAFETY: the manager has returned the context, which is in the allocation of all contexts.
        let (status, error) = unsafe { ((*at).status, (*at).error) };
        known.held = false;
        known.complete = known.last;
        assert_eq!(status, if known.last { 4 } else { 0 });
        // Left by an invalid submission in between.
        assert!((-2..=0).contains(&error));
        if known.last {
            // SAFETY: the manager has returned the context, which is in the allocation of all
            // contexts.
            let digest = unsafe { (calls.bytes_of)(&(*at).job.result_digest) };
            assert_eq!(digest, right(&known.message));
        }
    };
    while !input.is_empty() && order.len() < CONTEXTS {
        let mut out = null_mut();
        if input.ratio(1, 12)? {
            // SAFETY: manager, contexts and the pieces in `known` live until all contexts are
            // returned.
            assert_eq!(unsafe { (calls.flush)(&mut *manager, &mut out) }, 0);
            assert_eq!(out.is_null(), order.is_empty());
        } else {
            let i = input.choose_index(CONTEXTS)?;
            let flags: c_int = *input.choose(&[0, 1, 2, 3, 3, 1, 0, 2, 4, 7, -1])?;
            let length = match input.int_in_range(0..=3)? {
                0 => input.int_in_range(0..=3)?,
                1 => input.int_in_range(0..=300)?,
                2 => 64 * input.int_in_range(0..=9)?,
                _ => input.int_in_range(0..=5000)?,
            };
            let piece = bytes(i as u8, length).into_vec();
            let wrong = match &known[i] {
                _ if flags & !3 != 0 => 2011,
                known if known.held => 2012,
                known if known.complete && flags & 1 == 0 => 2013,
                _ => 0,
            };
            if wrong == 0 {
                let known = &mut known[i];
                if flags & 1 != 0 {
                    known.message.clear();
                }
                known.message.extend(&piece);
                known.piece = piece.clone();
                (known.held, known.last, known.complete) = (true, flags & 2 != 0, false);
                order.push_back(i);
            }
            let at = known[i].piece.as_ptr().cast();
            let at = if wrong == 0 { at } else { piece.as_ptr().cast() };
            // SAFETY: manager, contexts and the pieces in `known` live until all contexts are
            // returned. A piece of an invalid submission is not read after the call.
            let code = unsafe {
                (calls.submit)(&mut *manager, context(i), &mut out, at, length as u32, flags)
            };
            if wrong != 0 {
                assert_eq!((code, out), (wrong, context(i)));
                continue;
            }
            assert!(matches!(code, 0 | 2011 | 2012), "{code}");
        }
        if !out.is_null() {
            back(&mut known, &mut order, out);
        }
        assert!(order.len() < 64, "more are held than the header says");
    }
    loop {
        let mut out = null_mut();
        // SAFETY: manager, contexts and the pieces in `known` live until all contexts are returned.
        assert_eq!(unsafe { (calls.flush)(&mut *manager, &mut out) }, 0);
        if out.is_null() {
            break;
        }
        back(&mut known, &mut order, out);
    }
    assert!(order.is_empty());
    // SAFETY: the pointer came from `Box::into_raw` of this slice, and no context is in use.
    drop(unsafe { Box::from_raw(std::ptr::slice_from_raw_parts_mut(contexts, length)) });
    Ok(())
}

fuzz_target!(|data: &[u8]| {
    let mut input = Unstructured::new(data);
    let _ = match input.int_in_range(0..=4) {
        Ok(0) => run(
            &Calls::<Md5> {
                init: isal_md5_ctx_mgr_init,
                submit: isal_md5_ctx_mgr_submit,
                flush: isal_md5_ctx_mgr_flush,
                openssl: "md5",
                bytes_of: |words| words.map(u32::to_le_bytes).concat(),
            },
            &mut input,
        ),
        Ok(1) => run(
            &Calls::<Sha1> {
                init: isal_sha1_ctx_mgr_init,
                submit: isal_sha1_ctx_mgr_submit,
                flush: isal_sha1_ctx_mgr_flush,
                openssl: "sha1",
                bytes_of: |words| words.map(u32::to_be_bytes).concat(),
            },
            &mut input,
        ),
        Ok(2) => run(
            &Calls::<Sha256> {
                init: isal_sha256_ctx_mgr_init,
                submit: isal_sha256_ctx_mgr_submit,
                flush: isal_sha256_ctx_mgr_flush,
                openssl: "sha256",
                bytes_of: |words| words.map(u32::to_be_bytes).concat(),
            },
            &mut input,
        ),
        Ok(3) => run(
            &Calls::<Sha512> {
                init: isal_sha512_ctx_mgr_init,
                submit: isal_sha512_ctx_mgr_submit,
                flush: isal_sha512_ctx_mgr_flush,
                openssl: "sha512",
                bytes_of: |words| words.map(u64::to_be_bytes).concat(),
            },
            &mut input,
        ),
        _ => run(
            &Calls::<Sm3> {
                init: isal_sm3_ctx_mgr_init,
                submit: isal_sm3_ctx_mgr_submit,
                flush: isal_sm3_ctx_mgr_flush,
                openssl: "sm3",
                bytes_of: |words| words.map(u32::to_ne_bytes).concat(),
            },
            &mut input,
        ),
    };
});
