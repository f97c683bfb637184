//! The way in: any number of buffers, with keys of any size.

use std::fmt;

use super::choice;
use super::job::Job;
use super::kernel_name::{CbcKernelError, Forced};
use super::{portable, run};
use crate::aes::{AesKey, Block, KeySize};
use crate::lane_use::LaneUse;

/// As many buffers under one key are encrypted separately: enough to fill the kernels that keep
/// the round keys in registers.
const OWN_RUN: usize = 16;

/// A buffer to encrypt in place.
#[derive(Debug)]
pub struct CbcBuffer<'a> {
    /// The key. Many buffers may share it.
    pub key: &'a AesKey,
    /// The initialisation vector. It must be unpredictable, and must never be used twice with one
    /// key.
    pub iv: [u8; 16],
    /// The plaintext, which becomes the ciphertext: a multiple of 16 bytes, or empty. The last 16
    /// bytes of the ciphertext are the IV for continuing the message.
    pub data: &'a mut [u8],
}

/// Encrypts many independent buffers by AES-CBC, in place and side by side: any number of them, of
/// any lengths, each with its own key and IV. Returns which kernels ran and how full they were.
///
/// CBC alone does not protect against changes: see [`RecordSealer`](crate::RecordSealer).
///
/// # Errors
/// If a buffer's length is not a multiple of 16. Then no buffer is encrypted.
///
/// ```
/// use hashlanes_records::{AesKey, CbcBuffer, cbc_encrypt_many};
///
/// let key = AesKey::new(&[1; 16])?;
/// let (mut one, mut other) = ([0; 64], [0; 1024]);
/// let lane_use = cbc_encrypt_many(&mut [
///     CbcBuffer { key: &key, iv: [2; 16], data: &mut one },
///     CbcBuffer { key: &key, iv: [3; 16], data: &mut other },
/// ])?;
/// assert_eq!(lane_use.blocks(), 68);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn cbc_encrypt_many(buffers: &mut [CbcBuffer<'_>]) -> Result<LaneUse, CbcLengthError> {
    CbcEngine::new().encrypt_many(buffers)
}

/// Encrypts many buffers: in the kernels that are best for their number on this CPU, or in one that
/// is chosen by name.
#[derive(Clone, Copy, Default)]
pub struct CbcEngine {
    forced: Option<Forced>,
}

impl CbcEngine {
    /// An engine that chooses kernels automatically.
    pub fn new() -> Self {
        Self::default()
    }

    /// An engine that uses this kernel only, whatever the number of buffers: for tests and
    /// measurements. [`cbc_kernels`](crate::cbc_kernels) lists the names.
    ///
    /// # Errors
    /// If no kernel has this name, or this CPU cannot run it.
    pub fn with_kernel(name: &str) -> Result<Self, CbcKernelError> {
        Ok(Self { forced: Some(Forced::named(name)?) })
    }

    /// Like [`cbc_encrypt_many`].
    ///
    /// # Errors
    /// Like [`cbc_encrypt_many`].
    pub fn encrypt_many(&self, buffers: &mut [CbcBuffer<'_>]) -> Result<LaneUse, CbcLengthError> {
        let lengths = buffers.iter().map(|buffer| buffer.data.len());
        if let Some((index, length)) =
            lengths.enumerate().find(|(_, length)| length % size_of::<Block>() != 0)
        {
            return Err(CbcLengthError { index, length });
        }
        let mut jobs: Vec<_> = buffers.iter_mut().filter_map(job).collect();
        jobs.sort_unstable_by_key(|job| {
            (job.key.size(), std::ptr::from_ref(job.key), usize::MAX - job.blocks())
        });
        let mut lane_use = LaneUse::default();
        for jobs in jobs.chunk_by_mut(|a, b| a.key.size() == b.key.size()) {
            self.run(jobs, jobs[0].key.size(), &mut lane_use);
        }
        Ok(lane_use)
    }

    /// Encrypts jobs whose keys have one size, sorted by key.
    fn run(&self, jobs: &mut [Job<'_>], size: KeySize, lane_use: &mut LaneUse) {
        let forced = match self.forced {
            Some(Forced::Lanes(kernel)) => Some(kernel),
            Some(Forced::Portable) => return portable::run(jobs, lane_use),
            None if choice::kernel(1).is_none() => return portable::run(jobs, lane_use),
            None => None,
        };
        let mut others = Vec::new();
        for jobs in jobs.chunk_by_mut(|a, b| a.has_key_of(b)) {
            if jobs.len() >= OWN_RUN {
                run::run(jobs, size, forced, lane_use);
            } else {
                others.extend(jobs.iter_mut().map(Job::reborrow));
            }
        }
        // The longest first, so that the last buffers end at about the same time.
        others.sort_unstable_by_key(|job| usize::MAX - job.blocks());
        run::run(&mut others, size, forced, lane_use);
    }
}

impl fmt::Debug for CbcEngine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kernel = self.forced.map(|forced| match forced {
            Forced::Lanes(kernel) => kernel.name,
            Forced::Portable => portable::NAME,
        });
        f.debug_struct("CbcEngine").field("kernel", &kernel).finish()
    }
}

/// The buffer as a job; `None` if it is empty.
fn job<'a>(buffer: &'a mut CbcBuffer<'_>) -> Option<Job<'a>> {
    let CbcBuffer { key, iv, data } = buffer;
    let chain = Block::from_ne_bytes(*iv);
    (!data.is_empty()).then_some(Job { key, chain, data })
}

/// The error for a buffer whose length is not a multiple of 16 bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct CbcLengthError {
    /// The index of the buffer, from 0.
    pub index: usize,
    /// Its length in bytes.
    pub length: usize,
}

impl fmt::Display for CbcLengthError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, length } = self;
        write!(f, "buffer {index} has {length} bytes, which is not a multiple of 16")
    }
}

impl std::error::Error for CbcLengthError {}
