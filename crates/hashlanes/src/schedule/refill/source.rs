//! The scheduler's interface to its source of messages.

use crate::family::{Rules, State, write_words};
use crate::vector::Word;
use crate::wipe::Wipe;

/// A message or the rest of one, for a lane.
pub struct Work<'a, R: Rules> {
    /// Identifier handed back to the source.
    pub(crate) id: usize,
    /// The state before the first of the blocks below.
    pub(crate) state: State<R>,
    /// Whether the stage's head block is to be compressed first.
    pub(crate) head: bool,
    /// Whole blocks.
    pub(crate) body: &'a [u8],
    /// The number of blocks of the stage's tail, compressed last: 0 (the message continues), 1 or
    /// 2.
    pub(crate) tail: usize,
    /// The bytes of the message, up to the end of the tail.
    pub(crate) length: u64,
}

impl<R: Rules> Work<'_, R> {
    /// The number of blocks to be compressed.
    pub(crate) fn blocks(&self, rules: R) -> usize {
        usize::from(self.head) + self.body.len() / rules.block() + self.tail
    }
}

/// The state of one lane, among those of the others. Users read it from there: a copy made word by
/// word could be read as vectors only once it has reached the cache.
#[derive(Clone, Copy)]
pub struct LaneState<'l, R: Rules> {
    /// From the first word of the lane on. Word `w` is at `w * lanes`.
    words: &'l [R::Word],
    lanes: usize,
}

/// Takes the number of a message, and its final state of 64-bit words, word `w` at `w * lanes`.
pub(crate) type TakeState<'t> = dyn FnMut(usize, &[u64], usize) + 't;

impl<'l, R: Rules> LaneState<'l, R> {
    /// `words` has those of all lanes, word-major, `count` of each.
    #[inline(always)]
    pub(crate) fn new(words: &'l [R::Word], count: usize, lanes: usize, lane: usize) -> Self {
        Self { words: &words[lane..count * lanes], lanes }
    }

    /// The state of a lane from whose first word on there are words.
    #[inline(always)]
    pub(crate) fn from_first(words: &'l [R::Word], lanes: usize) -> Self {
        Self { words, lanes }
    }

    /// A state outside of lanes, with all of its words.
    pub(crate) fn of_one(state: &'l State<R>) -> Self {
        Self { words: state.as_ref(), lanes: 1 }
    }

    #[inline(always)]
    fn column(self) -> Column<'l, R::Word> {
        Column { words: self.words, lanes: self.lanes }
    }

    /// Writes the first bytes of the state, little-endian.
    #[inline(always)]
    pub(crate) fn write(self, bytes: &mut [u8]) {
        self.column().write(bytes);
    }

    /// Copies the state's words, as many as there are places.
    #[inline(always)]
    pub(crate) fn copy_to(self, places: &mut [R::Word]) {
        self.column().copy_to(places);
    }

    /// Gives the state of message `i` to `take`, if its words have 64 bits.
    #[inline(always)]
    pub(crate) fn give(self, i: usize, take: &mut TakeState<'_>) {
        if let Some(words) = R::Word::as_u64s(self.words) {
            take(i, words, self.lanes);
        }
    }

    #[inline(always)]
    pub(crate) fn get(self) -> State<R> {
        let mut state = State::<R>::ZERO;
        self.copy_to(state.as_mut());
        state
    }
}

/// The words of a lane, which know only their type: so this is compiled for two types, and not for
/// each family.
#[derive(Clone, Copy)]
struct Column<'l, W> {
    /// From the first word of the lane on. Word `w` is at `w * lanes`.
    words: &'l [W],
    lanes: usize,
}

impl<W: Word> Column<'_, W> {
    #[inline(always)]
    fn word(self, w: usize) -> W {
        self.words[w * self.lanes]
    }

    /// Writes the first bytes of the state, little-endian.
    #[inline(always)]
    fn write(self, bytes: &mut [u8]) {
        match <&mut [u8; 32]>::try_from(&mut *bytes) {
            // A loop of constant length takes half of the time.
            Ok(digest) => write_words(|w| self.word(w), digest),
            Err(_) if W::BYTES == 8 => self.write_words::<8>(bytes),
            Err(_) => self.write_words::<4>(bytes),
        }
    }

    /// [`write`](Self::write) words of this many bytes.
    #[inline(always)]
    fn write_words<const BYTES: usize>(self, bytes: &mut [u8]) {
        let (whole, rest) = bytes.as_chunks_mut::<BYTES>();
        self.put_words(whole, |bytes, word| word.write(bytes, false));
        write_words(|w| self.word(whole.len() + w), rest);
    }

    /// Calls `put` with each of these places and the state's word for it.
    #[inline(always)]
    fn put_words<T>(self, places: &mut [T], put: impl Fn(&mut T, W)) {
        match self.lanes {
            4 => self.put_rows::<4, T>(places, put),
            8 => self.put_rows::<8, T>(places, put),
            lanes => {
                let words = self.words.iter().step_by(lanes);
                places.iter_mut().zip(words).for_each(|(place, &word)| put(place, word));
            }
        }
    }

    /// [`put_words`](Self::put_words) of a constant number of lanes, four at once, which takes a
    /// third of the time.
    #[inline(always)]
    fn put_rows<const LANES: usize, T>(self, places: &mut [T], put: impl Fn(&mut T, W)) {
        let (rows, last) = self.words.as_chunks::<LANES>();
        let (places, after) = places.split_at_mut(places.len().min(rows.len()));
        let (fours, others) = places.as_chunks_mut::<4>();
        let (row_fours, row_others) = rows[..4 * fours.len() + others.len()].as_chunks::<4>();
        for (places, rows) in fours.iter_mut().zip(row_fours) {
            for i in 0..4 {
                put(&mut places[i], rows[i][0]);
            }
        }
        for (place, row) in others.iter_mut().zip(row_others) {
            put(place, row[0]);
        }
        if let (Some(place), Some(&word)) = (after.first_mut(), last.first()) {
            put(place, word);
        }
    }

    /// Copies words to these places.
    #[inline(always)]
    fn copy_to(self, places: &mut [W]) {
        self.put_words(places, |to, word| *to = word);
    }
}

/// Supplies messages and receives their states.
pub trait Source<'a, R: Rules> {
    /// How many messages [`next`](Source::next) has left.
    fn waiting(&self) -> usize;

    /// The next message, which has at least one block. It is called only if messages wait. Its head
    /// is written to the first block of `stage`, its tail to the other two. `None` means that no
    /// message waits after all.
    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, R>>;

    /// All blocks of message `id` are compressed.
    fn done(&mut self, id: usize, state: LaneState<'_, R>);

    /// The first `blocks` blocks of message `id`, at least one, are compressed. Head, body and tail
    /// are counted together.
    ///
    /// This is called only in a run until [`When::LanesIdle`].
    fn suspended(&mut self, id: usize, state: State<R>, blocks: usize);
}
