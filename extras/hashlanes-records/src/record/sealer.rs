//! The way in: writes of one or many connections become records.

use std::fmt;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use super::cut;
use super::error::SealError;
use super::iv::{IvSource, NonceIvs};
use super::layout::{IV, Layout};
use super::report::SealReport;
use super::state::WriteState;
use super::suite::ContentType;
use super::window::{self, Piece};
use super::write::Write;
use crate::cbc::CbcEngine;

/// Approximate bytes of plaintext in a window. 64 records of 16 KiB fill all lanes of the hash
/// functions four times. On Zen 4, with 1 MiB of second-level cache, windows of half this size took
/// 4 % longer.
const WINDOW: usize = 1 << 20;

/// The most records in a window, for writes so small that their bytes do not fill it.
const RECORDS: usize = 256;

/// Seals writes: cuts them into TLS records, and MACs and encrypts all records side by side.
///
/// A sealer has no keys, and serves any number of connections.
///
/// ```
/// use hashlanes_records::{
///     CipherSuite, ContentType, MacOrder, RecordSealer, Version, Write, WriteState,
/// };
///
/// let suite = CipherSuite::Aes128Sha256;
/// let order = MacOrder::MacThenEncrypt;
/// let mut state = WriteState::new(suite, Version::Tls12, order, &[1; 16], &[2; 32])?;
///
/// let page = vec![b'x'; 100_000];
/// let mut wire = Vec::new();
/// let report = RecordSealer::new().seal(&mut [Write {
///     state: &mut state,
///     content: ContentType::ApplicationData,
///     data: &page,
///     wire: &mut wire,
/// }])?;
///
/// // Seven records, none of more than 16 KiB.
/// assert_eq!((report.records, state.sequence_number()), (7, 7));
/// assert_eq!(wire[..3], [23, 3, 3]);
/// println!("{report}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct RecordSealer<I = NonceIvs> {
    ivs: I,
    engine: CbcEngine,
}

impl RecordSealer {
    /// A sealer with IVs from [`NonceIvs`].
    pub fn new() -> Self {
        Self::default()
    }
}

impl<I: IvSource> RecordSealer<I> {
    /// A sealer with IVs from this source.
    pub fn with_ivs(ivs: I) -> Self {
        Self { ivs, engine: CbcEngine::new() }
    }

    /// Encrypts with this engine, for tests and measurements.
    #[must_use]
    pub fn with_engine(mut self, engine: CbcEngine) -> Self {
        self.engine = engine;
        self
    }

    /// Seals one write: see [`seal`](RecordSealer::seal).
    ///
    /// # Errors
    /// As [`seal`](RecordSealer::seal).
    pub fn seal_one(
        &mut self,
        state: &mut WriteState,
        content: ContentType,
        data: &[u8],
        wire: &mut Vec<u8>,
    ) -> Result<SealReport, SealError> {
        self.seal(&mut [Write { state, content, data, wire }])
    }

    /// Seals writes of different connections, in any mixture of suites, versions and lengths.
    ///
    /// A write is cut into as few records as possible, whose lengths differ by one byte at most.
    /// They are appended to its `wire`, which grows once. All other memory of a call is bounded,
    /// whatever the lengths: long writes are sealed in windows of a megabyte.
    ///
    /// # Errors
    /// If a write needs more records than its connection has left, is empty without being
    /// application data, or lacks memory or IVs. Then nothing is sealed, as after a panic.
    pub fn seal(&mut self, writes: &mut [Write<'_>]) -> Result<SealReport, SealError> {
        for (number, write) in writes.iter_mut().enumerate() {
            prepare(number, write)?;
        }
        let before: Vec<usize> = writes.iter().map(|write| write.wire.len()).collect();
        // The source of IVs is the caller's, and may panic.
        let sealed = catch_unwind(AssertUnwindSafe(|| self.seal_windows(writes)));
        for (write, length) in writes.iter_mut().zip(before) {
            match &sealed {
                Ok(Ok(_)) => write.state.next += records_of(write),
                _ => write.wire.truncate(length),
            }
        }
        sealed.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn seal_windows(&mut self, writes: &mut [Write<'_>]) -> Result<SealReport, SealError> {
        let mut report = SealReport::default();
        let mut ivs = Vec::new();
        let mut waiting = Waiting::default();
        loop {
            let window = waiting.window(writes);
            if window.is_empty() {
                return Ok(report);
            }
            ivs.resize(IV * window.len(), 0);
            self.ivs.fill(&mut ivs).map_err(SealError::Ivs)?;
            window::seal(writes, &window, &ivs, &self.engine, &mut report);
        }
    }
}

impl<I> fmt::Debug for RecordSealer<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RecordSealer").field("engine", &self.engine).finish_non_exhaustive()
    }
}

/// How far the writes have come.
#[derive(Default)]
struct Waiting {
    write: usize,
    fragment: usize,
}

impl Waiting {
    /// The next fragments, as many as a window has. None if all are done.
    fn window(&mut self, writes: &[Write<'_>]) -> Vec<Piece> {
        let (mut window, mut bytes) = (Vec::new(), 0);
        while let Some(write) = writes.get(self.write) {
            for plaintext in fragments_of(write, self.fragment) {
                if bytes >= WINDOW || window.len() == RECORDS {
                    return window;
                }
                bytes += plaintext.len();
                let number = write.state.next + self.fragment as u64;
                window.push(Piece { write: self.write, plaintext, number });
                self.fragment += 1;
            }
            (self.write, self.fragment) = (self.write + 1, 0);
        }
        window
    }
}

/// The fragments of a write from one on.
fn fragments_of(write: &Write<'_>, from: usize) -> impl Iterator<Item = Range<usize>> + use<> {
    let (length, limit) = (write.data.len(), write.state.fragment);
    (from..cut::count(length, limit)).map(move |i| cut::fragment(length, limit, i))
}

fn records_of(write: &Write<'_>) -> u64 {
    cut::count(write.data.len(), write.state.fragment) as u64
}

/// Checks a write, and reserves the memory for its records.
fn prepare(number: usize, write: &mut Write<'_>) -> Result<(), SealError> {
    let (needed, left) = (records_of(write), write.state.records_left());
    if needed > left {
        return Err(SealError::SequenceNumbers { write: number, needed, left });
    }
    if write.data.is_empty() && write.content != ContentType::ApplicationData {
        return Err(SealError::Empty { write: number, content: write.content });
    }
    let bytes = fragments_of(write, 0)
        .map(|fragment| Layout::new(write.state, fragment.len(), 0, true).wire_len())
        .fold(0, usize::saturating_add);
    let reserved = write.wire.try_reserve(bytes);
    reserved.map_err(|_| SealError::Memory { write: number, bytes })
}
