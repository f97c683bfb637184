//! Many hashers continued side by side.

use super::engine::Engine;
use super::hasher::Hasher;
use crate::family::State;
use crate::function::HashFunction;
use crate::schedule::{LaneState, Order, Scheduled, Source, WINDOW, When, Work};
use crate::wipe;

impl<A: HashFunction> Engine<A> {
    /// Continues many messages side by side. The effect is that of `hashers[i].update(pieces[i])`
    /// for each `i`, computed in lanes. Allocates nothing.
    ///
    /// ```
    /// use hashlanes::{Engine, Hasher, Md5};
    ///
    /// let mut hashers = vec![Md5::hasher(); 3];
    /// let engine = Engine::<Md5>::new();
    /// engine.update_many(&mut hashers, &["a", "b", "c"]);
    /// engine.update_many(&mut hashers, &["bc", "", "d"]);
    /// let digests: Vec<_> = hashers.into_iter().map(Hasher::finalize).collect();
    /// assert_eq!(digests, ["abc", "b", "cd"].map(Md5::digest));
    /// ```
    ///
    /// # Panics
    /// If the slices have different lengths. If the `AsRef` of a piece panics, some hashers have
    /// received their pieces and others have not: reset them all.
    pub fn update_many(&self, hashers: &mut [Hasher<A>], pieces: &[impl AsRef<[u8]>]) {
        update_many(hashers, pieces, self.forced());
    }
}

/// A source of hashers with their pieces, a window of them.
struct HasherPieces<'a, 'h, A: HashFunction, T> {
    hashers: &'h mut [Hasher<A>],
    pieces: &'a [T],
    order: &'h Order,
    handed_out: usize,
}

impl<'a, A: HashFunction, T: AsRef<[u8]>> Source<'a, A::Rules> for HasherPieces<'a, '_, A, T> {
    fn waiting(&self) -> usize {
        self.order.with_blocks().len() - self.handed_out
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Rules>> {
        let i = usize::from(*self.order.with_blocks().get(self.handed_out)?);
        self.handed_out += 1;
        Some(self.hashers[i].stream().work(i, self.pieces[i].as_ref(), false, 0, stage))
    }

    fn done(&mut self, id: usize, state: LaneState<'_, A::Rules>) {
        self.hashers[id].stream_mut().absorb(self.pieces[id].as_ref(), state.get());
    }

    fn suspended(&mut self, _: usize, _: State<A::Rules>, _: usize) {
        unreachable!("the run continues until all pieces are done");
    }
}

fn update_many<A: HashFunction>(
    hashers: &mut [Hasher<A>],
    pieces: &[impl AsRef<[u8]>],
    forced: Option<usize>,
) {
    assert_eq!(
        hashers.len(),
        pieces.len(),
        "every hasher gets one piece: the slices must have the same length"
    );
    update_windows(hashers, pieces, forced);
    wipe::stack::<{ wipe::MANY }>();
}

/// Not inlined, so that its stack frame is below that of its caller, which wipes it.
#[inline(never)]
fn update_windows<A: HashFunction>(
    hashers: &mut [Hasher<A>],
    pieces: &[impl AsRef<[u8]>],
    forced: Option<usize>,
) {
    for (hashers, pieces) in hashers.chunks_mut(WINDOW).zip(pieces.chunks(WINDOW)) {
        let mut order = Order::new();
        order.fill(hashers.len(), &|first, counts| {
            let each = hashers[first..].iter().zip(&pieces[first..]);
            for (count, (hasher, piece)) in counts.iter_mut().zip(each) {
                *count = hasher.stream().blocks(piece.as_ref(), false);
            }
        });
        for i in order.without_blocks().iter().map(|&i| usize::from(i)) {
            hashers[i].stream_mut().keep(pieces[i].as_ref());
        }
        if !order.with_blocks().is_empty() {
            let mut source = HasherPieces { hashers, pieces, order: &order, handed_out: 0 };
            A::RULES.run(&mut source, forced, When::AllDone);
        }
    }
}
