//! Extendable-output functions: messages in, output of any length out, both in lanes.

#[cfg(feature = "alloc")]
use alloc::vec::Vec;

use super::ending::{Ending, as_copies, is_short, left_encode};
use super::engine::{Engine, Forced};
use crate::family::{Rules, State, keccak};
#[cfg(feature = "blake3")]
use crate::function::Blake3;
use crate::function::{HashFunction, TurboShakeFunction, XofFunction};
#[cfg(feature = "sha3")]
use crate::function::{Shake128, Shake256};
use crate::function::{sealed::Extendable, sealed::Sponge};
use crate::schedule::{
    Apart, Batch, LaneState, Messages as Many, Order, Output, Reading, Scheduled, Slices, Source,
    Sponges, Squeeze, Stream, WINDOW, When, Work,
};
use crate::wipe::{self, Wipe};

/// What the panics of wrong calls say.
pub(crate) const EVERY_READER: &str =
    "every message has a reader: the slices must have the same length";
pub(crate) const EVERY_OUTPUT: &str =
    "every message has an output: the slices must have the same length";

/// A message of an extendable-output function (XOF), in pieces. It may also be the prefix of many
/// messages.
///
/// The functions are [`Shake128`], [`Shake256`], [`TurboShake128`](crate::xof::TurboShake128),
/// [`TurboShake256`](crate::xof::TurboShake256) and [`Blake3`].
///
/// ```
/// use hashlanes::xof::{Xof, squeeze_many};
/// use hashlanes::Shake128;
///
/// // One message.
/// let mut reader = Xof::<Shake128>::new().update("ab").update("c").finalize();
/// let mut output = [0; 4];
/// reader.read(&mut output);
/// assert_eq!(output, [0x58, 0x81, 0x09, 0x2d]);
///
/// // Many messages, with outputs of different lengths, in steps.
/// let mut readers = Xof::<Shake128>::new().absorb_many(&["abc", "abd", "another length"]);
/// let mut outputs = [vec![0; 2], vec![0; 700], vec![0; 168]];
/// squeeze_many(&mut readers, &mut outputs);
/// assert_eq!(outputs[0], output[..2]);
/// squeeze_many(&mut readers[..1], &mut outputs[..1]);
/// assert_eq!(outputs[0], output[2..]);
/// ```
#[derive(Clone)]
pub struct Xof<X: XofFunction> {
    stream: Stream<X::Rules>,
    forced: Forced,
}

/// The output of an extendable-output function for one message.
#[derive(Clone)]
pub struct XofReader<X: XofFunction> {
    sponge: <X::Rules as Squeeze>::Squeezed,
    forced: Forced,
}

impl<X: XofFunction> Default for Xof<X> {
    fn default() -> Self {
        Self::new()
    }
}

impl<X: XofFunction> Xof<X> {
    /// An empty message.
    pub fn new() -> Self {
        Self::begin(X::INITIAL, None)
    }

    pub(crate) fn begin(initial: State<X::Rules>, forced: Option<usize>) -> Self {
        Self::of_stream(Stream::new(X::RULES, initial), forced)
    }

    /// The message of `stream`.
    pub(crate) fn of_stream(stream: Stream<X::Rules>, forced: Option<usize>) -> Self {
        Self { stream, forced: Forced::new(forced) }
    }

    #[cfg(feature = "alloc")]
    pub(super) fn stream(&self) -> &Stream<X::Rules> {
        &self.stream
    }

    #[cfg(all(feature = "alloc", feature = "blake3"))]
    pub(super) fn stream_mut(&mut self) -> &mut Stream<X::Rules> {
        &mut self.stream
    }

    #[cfg(all(feature = "alloc", feature = "blake3"))]
    pub(super) fn forced(&self) -> Option<usize> {
        self.forced.row()
    }

    /// Appends bytes to the message.
    pub fn update(&mut self, bytes: impl AsRef<[u8]>) -> &mut Self {
        self.stream.update(bytes.as_ref(), self.forced.row());
        wipe::stack::<{ wipe::ALONE }>();
        self
    }

    /// Ends the message and returns its output. `self` is unchanged.
    pub fn finalize(&self) -> XofReader<X> {
        let sponge = X::RULES.finished(&self.stream, self.forced.row());
        wipe::stack::<{ wipe::ALONE }>();
        XofReader { sponge, forced: self.forced }
    }

    /// Absorbs many messages side by side, each behind the bytes of this one.
    #[cfg(feature = "alloc")]
    pub fn absorb_many(&self, messages: &[impl AsRef<[u8]>]) -> Vec<XofReader<X>> {
        let mut readers = alloc::vec![XofReader::empty(); messages.len()];
        self.absorb_many_into(messages, &mut readers);
        readers
    }

    /// Absorbs many messages side by side, each behind the bytes of this one, and overwrites the
    /// readers. Allocates nothing.
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn absorb_many_into(&self, messages: &[impl AsRef<[u8]>], readers: &mut [XofReader<X>]) {
        assert_eq!(messages.len(), readers.len(), "{EVERY_READER}");
        for reader in &mut *readers {
            reader.forced = self.forced;
        }
        X::RULES.absorb(&self.batch(&Slices(messages)), &mut Readers { readers, ids: &[] });
        wipe::stack::<{ wipe::MANY }>();
    }

    /// Fills `outputs[i]` with the first bytes of the output for `messages[i]`, for each `i`, each
    /// behind the bytes of this one, side by side. Messages and outputs may have any lengths.
    /// Allocates nothing.
    ///
    /// This is fastest if no output exceeds a block of the function: 168 or 136 bytes, or 32 bytes
    /// of BLAKE3. For all others, the same holds for longer outputs of one length, if the messages
    /// have about one length. For more output later, there are [readers](Self::absorb_many_into).
    ///
    /// ```
    /// use hashlanes::xof::Xof;
    /// use hashlanes::Shake256;
    ///
    /// let mut nonces = [[0; 64]; 2];
    /// Xof::<Shake256>::new().update("a seed").output_many(&[[0], [1]], &mut nonces);
    /// let mut again = [0; 64];
    /// Xof::<Shake256>::new().update("a seed\u{1}").finalize().read(&mut again);
    /// assert_eq!(nonces[1], again);
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths.
    pub fn output_many(&self, messages: &[impl AsRef<[u8]>], outputs: &mut [impl AsMut<[u8]>]) {
        assert_eq!(messages.len(), outputs.len(), "{EVERY_OUTPUT}");
        let done = self.output_first(messages, outputs);
        wipe::stack::<{ wipe::MANY }>();
        if done < messages.len() {
            in_parts(&messages[done..], &mut outputs[done..], |_, part, readers| {
                self.absorb_many_into(part, readers);
            });
        }
    }

    /// Fills outputs that are written as digests are. Returns how many of the first ones are.
    #[inline(always)]
    fn output_first(
        &self,
        messages: &[impl AsRef<[u8]>],
        outputs: &mut [impl AsMut<[u8]>],
    ) -> usize {
        let (mut shortest, mut longest) = (usize::MAX, 0);
        for output in &mut *outputs {
            let length = output.as_mut().len();
            (shortest, longest) = (shortest.min(length), longest.max(length));
        }
        let (messages, mut places) = (Slices(messages), Apart(outputs));
        let (batch, count) = (self.batch(&messages), messages.0.len());
        let output = &mut Output::apart(&mut places, longest, count);
        if longest <= X::RULES.as_digest() {
            X::RULES.hash_many(&batch, output);
            return count;
        }
        if shortest == longest { X::RULES.hash_first(&batch, output) } else { 0 }
    }

    /// Messages behind the bytes of this one.
    fn batch<'s, 'a>(&'s self, messages: &'s dyn Many<'a>) -> Batch<'s, 'a, X::Rules> {
        let (before, forced) = (self.stream.midstate(), self.forced.row());
        Batch { messages, before, states: None, carries: None, forced, uncached: false }
    }

    /// [`absorb_many_into`](Self::absorb_many_into), with `ending(i)` after message `i`. This one
    /// has whole blocks.
    pub(crate) fn absorb_ended(
        &self,
        messages: &[impl AsRef<[u8]>],
        readers: &mut [XofReader<X>],
        ending: &dyn Fn(usize) -> Ending,
    ) {
        assert_eq!(messages.len(), readers.len(), "{EVERY_READER}");
        let all = self.absorb_copies(messages, readers, ending);
        if all {
            return;
        }
        let windows = messages.chunks(WINDOW).zip(readers.chunks_mut(WINDOW));
        for (w, (messages, readers)) in windows.enumerate() {
            self.absorb_long(messages, readers, &|i| ending(w * WINDOW + i));
        }
        wipe::stack::<{ wipe::MANY }>();
    }

    /// Absorbs those messages that are short, with `ending(i)` after message `i`. Returns whether
    /// all are.
    pub(crate) fn absorb_copies(
        &self,
        messages: &[impl AsRef<[u8]>],
        readers: &mut [XofReader<X>],
        ending: &dyn Fn(usize) -> Ending,
    ) -> bool {
        as_copies(messages, ending, &mut |ids, copies| {
            for &id in ids {
                readers[id].forced = self.forced;
            }
            X::RULES.absorb(&self.batch(&Slices(copies)), &mut Readers { readers, ids });
            wipe::stack::<{ wipe::MANY }>();
        })
    }

    /// [`output_many`](Self::output_many), with `ending(i)` after message `i`. This one has whole
    /// blocks.
    pub(crate) fn output_ended(
        &self,
        messages: &[impl AsRef<[u8]>],
        outputs: &mut [impl AsMut<[u8]>],
        ending: &dyn Fn(usize) -> Ending,
    ) {
        assert_eq!(messages.len(), outputs.len(), "{EVERY_OUTPUT}");
        if messages.iter().all(is_short) {
            as_copies(messages, ending, &mut |ids, copies| {
                // Without long messages, the numbers are consecutive.
                self.output_many(copies, &mut outputs[ids[0]..][..ids.len()]);
            });
        } else {
            in_parts(messages, outputs, |first, part, readers| {
                self.absorb_ended(part, readers, &|i| ending(first + i));
            });
        }
    }

    /// Not inlined, so that its stack frame is below that of its caller, which wipes it.
    #[inline(never)]
    fn absorb_long(
        &self,
        messages: &[impl AsRef<[u8]>],
        readers: &mut [XofReader<X>],
        ending: &dyn Fn(usize) -> Ending,
    ) {
        let mut order = Order::new();
        order.fill(messages.len(), &|first, counts| {
            for (count, message) in counts.iter_mut().zip(&messages[first..]) {
                let blocks = self.stream.midstate().last_blocks(message.as_ref().len());
                *count = if is_short(message) { 0 } else { blocks };
            }
        });
        let mut source = Messages { xof: self, messages, readers, ending, order: &order, next: 0 };
        X::RULES.run(&mut source, self.forced.row(), When::AllDone);
    }
}

impl<X: XofFunction + HashFunction> Xof<X> {
    /// An empty message that is hashed in the engine's kernel, if that was chosen by name.
    pub fn with_engine(engine: Engine<X>) -> Self {
        Self::begin(<X as Extendable>::INITIAL, engine.forced())
    }
}

/// A source of messages, a window of them.
struct Messages<'a, 'x, X: XofFunction, T> {
    xof: &'x Xof<X>,
    messages: &'a [T],
    readers: &'x mut [XofReader<X>],
    ending: &'x dyn Fn(usize) -> Ending,
    order: &'x Order,
    next: usize,
}

impl<'a, X: XofFunction, T: AsRef<[u8]>> Source<'a, X::Rules> for Messages<'a, '_, X, T> {
    fn waiting(&self) -> usize {
        self.order.with_blocks().len() - self.next
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, X::Rules>> {
        let i = usize::from(*self.order.with_blocks().get(self.next)?);
        self.next += 1;
        let (before, message) = (self.xof.stream.midstate(), self.messages[i].as_ref());
        Some(before.work_with_ending(i, message, (self.ending)(i).as_slice(), stage))
    }

    fn done(&mut self, id: usize, state: LaneState<'_, X::Rules>) {
        let reader = XofReader::of_state(&state.get());
        self.readers[id] = XofReader { forced: self.xof.forced, ..reader };
    }

    fn suspended(&mut self, _: usize, _: State<X::Rules>, _: usize) {
        unreachable!("the run continues until all messages are done");
    }
}

impl<X: XofFunction> XofReader<X> {
    /// A reader to be overwritten by [`Xof::absorb_many_into`]. Its output belongs to no message.
    pub fn empty() -> Self {
        Self::of_state(&X::INITIAL)
    }

    /// The output of the message with this final state.
    pub(crate) fn of_state(state: &State<X::Rules>) -> Self {
        Self { sponge: X::RULES.squeezed(state), forced: Forced::new(None) }
    }

    /// Fills `output` with the next bytes.
    pub fn read(&mut self, output: &mut [u8]) {
        squeeze_many(core::slice::from_mut(self), &mut [output]);
    }
}

#[cfg(feature = "blake3")]
impl XofReader<Blake3> {
    /// The number of bytes that precede the next one.
    pub fn position(&self) -> u64 {
        self.sponge.position
    }

    /// Moves to another place in the output, forwards or backwards. That takes no time, because
    /// every block of BLAKE3's output is computed by itself. The output repeats after 2^64 bytes.
    ///
    /// ```
    /// use hashlanes::xof::Xof;
    /// use hashlanes::Blake3;
    ///
    /// let mut reader = Xof::<Blake3>::new().update("abc").finalize();
    /// let (mut all, mut part) = ([0; 200], [0; 20]);
    /// reader.read(&mut all);
    /// reader.set_position(100);
    /// reader.read(&mut part);
    /// assert_eq!(part, all[100..120]);
    /// assert_eq!(reader.position(), 120);
    /// ```
    pub fn set_position(&mut self, position: u64) {
        self.sponge.position = position;
    }
}

/// Fills `outputs[i]` with the next bytes of `readers[i]`, for each `i`, side by side. Outputs may
/// have any lengths. The next call continues where this one ended. Allocates nothing.
///
/// # Panics
/// If the slices have different lengths.
pub fn squeeze_many<X: XofFunction>(
    readers: &mut [XofReader<X>],
    outputs: &mut [impl AsMut<[u8]>],
) {
    assert_eq!(
        readers.len(),
        outputs.len(),
        "every reader has an output: the slices must have the same length"
    );
    let Some(first) = readers.first() else { return };
    let forced = first.forced.row();
    let sponges = Readers { readers, ids: &[] };
    X::RULES.squeeze(&mut Reading { sponges, outputs: Apart(outputs) }, forced);
    wipe::stack::<{ wipe::MANY }>();
}

/// Fills outputs of messages, which `absorb` absorbs, some at a time, from the given number on.
pub(crate) fn in_parts<X: XofFunction, M>(
    messages: &[M],
    outputs: &mut [impl AsMut<[u8]>],
    absorb: impl Fn(usize, &[M], &mut [XofReader<X>]),
) {
    // To make readers for many takes as long as to squeeze a few.
    match messages.len() {
        ..=1 => in_parts_of::<1, X, M>(messages, outputs, absorb),
        2..=4 => in_parts_of::<4, X, M>(messages, outputs, absorb),
        5..=16 => in_parts_of::<16, X, M>(messages, outputs, absorb),
        _ => in_parts_of::<32, X, M>(messages, outputs, absorb),
    }
    wipe::stack::<{ wipe::MANY }>();
}

/// [`in_parts`], with `N` readers on the stack, in a frame that the caller wipes.
#[inline(never)]
fn in_parts_of<const N: usize, X: XofFunction, M>(
    messages: &[M],
    outputs: &mut [impl AsMut<[u8]>],
    absorb: impl Fn(usize, &[M], &mut [XofReader<X>]),
) {
    let empty = XofReader::empty();
    let mut readers = core::array::from_fn::<_, N, _>(|_| empty.clone());
    for (part, (messages, outputs)) in messages.chunks(N).zip(outputs.chunks_mut(N)).enumerate() {
        let readers = &mut readers[..messages.len()];
        absorb(part * N, messages, readers);
        squeeze_many(readers, outputs);
    }
}

/// The readers of messages that have these numbers, or of all.
struct Readers<'r, X: XofFunction> {
    readers: &'r mut [XofReader<X>],
    ids: &'r [usize],
}

impl<X: XofFunction> Sponges<X::Rules> for Readers<'_, X> {
    fn sponge(&mut self, i: usize) -> &mut <X::Rules as Squeeze>::Squeezed {
        let id = if self.ids.is_empty() { i } else { self.ids[i] };
        &mut self.readers[id].sponge
    }
}

/// What cSHAKE appends to a message: two zeros, and the first bit of the padding (SP 800-185
/// section 3.3).
const CSHAKE: u8 = 0x04;

macro_rules! customized {
    ($($shake:ident)*) => {
        $(impl Xof<$shake> {
            /// cSHAKE (NIST SP 800-185 section 3) with a function's name and a string that
            /// customizes it. If both are empty, this is SHAKE itself.
            pub fn customized(name: impl AsRef<[u8]>, customization: impl AsRef<[u8]>) -> Self {
                let (name, customization) = (name.as_ref(), customization.as_ref());
                match (name, customization) {
                    ([], []) => Self::new(),
                    _ => customized(name, customization),
                }
            }
        })*
    };
}

#[cfg(feature = "sha3")]
customized!(Shake128 Shake256);

impl<X: TurboShakeFunction> Xof<X> {
    /// An empty message with a domain separation byte other than 0x1f. The byte is appended to the
    /// message (RFC 9861 section 2.1).
    ///
    /// # Panics
    /// If the byte is not from 0x01 to 0x7f.
    pub fn with_domain(domain: u8) -> Self {
        assert!(matches!(domain, 1..0x80), "a domain separation byte must be from 1 to 127");
        Self::begin(X::with_suffix(domain), None)
    }

    /// Replaces the domain separation byte.
    pub(crate) fn set_domain(&mut self, domain: u8) {
        self.stream.state_mut()[keccak::LANES] = domain.into();
    }
}

pub(crate) fn customized<X: XofFunction + Sponge>(name: &[u8], customization: &[u8]) -> Xof<X> {
    let mut xof = Xof::begin(X::with_suffix(CSHAKE), None);
    xof.update_padded(&[name, customization]);
    xof
}

impl<X: XofFunction> Xof<X> {
    /// Appends strings with their lengths, and zeros up to a whole block: `bytepad` of
    /// `encode_string` (SP 800-185 section 2.3).
    pub(crate) fn update_padded(&mut self, strings: &[&[u8]]) {
        self.update(left_encode(X::RULES.block() as u64).as_slice());
        for string in strings {
            self.update(left_encode(8 * string.len() as u64).as_slice()).update(string);
        }
        let rest = self.stream.midstate().carry.len();
        let zeros = <X::Rules as Rules>::Block::ZERO;
        self.update(&zeros.as_ref()[..(X::RULES.block() - rest) % X::RULES.block()]);
    }
}

impl<X: XofFunction> core::fmt::Debug for Xof<X> {
    /// Shows nothing of the message.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Xof").field("bytes", &self.stream.length()).finish_non_exhaustive()
    }
}

impl<X: XofFunction> core::fmt::Debug for XofReader<X> {
    /// Shows nothing of the output.
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("XofReader").finish_non_exhaustive()
    }
}

#[cfg(feature = "zeroize")]
impl<X: XofFunction> zeroize::ZeroizeOnDrop for Xof<X> {}

#[cfg(feature = "zeroize")]
impl<X: XofFunction> zeroize::ZeroizeOnDrop for XofReader<X> {}
