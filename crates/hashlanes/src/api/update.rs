//! Many hashers continued side by side.

use super::engine::Engine;
use super::hasher::Hasher;
use crate::algorithm::State;
use crate::function::HashFunction;
use crate::schedule::{self, Order, Source, WINDOW, When, Work};

impl<A: HashFunction> Engine<A> {
    /// Continues many messages side by side: `hashers[i]` with `pieces[i]`. The same as
    /// `hashers[i].update(pieces[i])` for each `i`, in lanes; allocates nothing.
    ///
    /// ```
    /// use hashlanes::{Engine, Hasher, Md5};
    ///
    /// let mut hashers = vec![Hasher::<Md5>::new(); 3];
    /// let engine = Engine::<Md5>::new();
    /// engine.update_many(&mut hashers, &["a", "b", "c"]);
    /// engine.update_many(&mut hashers, &["bc", "", "d"]);
    /// let digests: Vec<_> = hashers.into_iter().map(Hasher::finalize).collect();
    /// assert_eq!(digests, engine.digest_many(&["abc", "b", "cd"]));
    /// ```
    ///
    /// # Panics
    /// If the slices are of different lengths.
    pub fn update_many<T: AsRef<[u8]>>(&self, hashers: &mut [Hasher<A>], pieces: &[T]) {
        update_many::<A, T>(hashers, pieces, self.forced());
    }
}

/// A window of hashers with their pieces.
struct Pieces<'a, 'h, A: HashFunction, T> {
    hashers: &'h mut [Hasher<A>],
    pieces: &'a [T],
    order: Order,
    next: usize,
}

impl<'a, A: HashFunction, T: AsRef<[u8]>> Source<'a, A::Family> for Pieces<'a, '_, A, T> {
    fn waiting(&self) -> usize {
        self.order.end - self.next
    }

    fn next(&mut self, stage: &mut [u8]) -> Option<Work<'a, A::Family>> {
        let i = usize::from(*self.order.queue[..self.order.end].get(self.next)?);
        self.next += 1;
        Some(self.hashers[i].stream().work(i, self.pieces[i].as_ref(), false, 0, stage))
    }

    fn done(&mut self, id: usize, state: State<A::Family>) {
        self.hashers[id].stream_mut().absorb(self.pieces[id].as_ref(), state);
    }

    fn suspended(&mut self, _: usize, _: State<A::Family>, _: usize) {
        unreachable!("the run goes on until all pieces are done");
    }
}

pub(crate) fn update_many<A: HashFunction, T: AsRef<[u8]>>(
    hashers: &mut [Hasher<A>],
    pieces: &[T],
    forced: Option<usize>,
) {
    assert_eq!(
        hashers.len(),
        pieces.len(),
        "every hasher gets one piece: the slices must have the same length"
    );
    for (hashers, pieces) in hashers.chunks_mut(WINDOW).zip(pieces.chunks(WINDOW)) {
        let mut order = Order::new();
        order.fill(hashers.len(), |i| hashers[i].stream().blocks(pieces[i].as_ref(), false));
        for &i in &order.queue[order.end..hashers.len()] {
            // These pieces complete no block.
            let i = usize::from(i);
            let state = hashers[i].stream().state();
            hashers[i].stream_mut().absorb(pieces[i].as_ref(), state);
        }
        if order.end > 0 {
            schedule::run::<A::Family>(
                &mut Pieces { hashers, pieces, order, next: 0 },
                forced,
                When::AllDone,
            );
        }
    }
}
