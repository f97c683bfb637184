//! Pieces of messages whose owner keeps their states (`hashlanes::hazmat`).

use crate::common::{engines_of, log_uniform, noise, oracle};
use hashlanes::hazmat::{Piece, Pieces, State, Until, blocks, initial};
use hashlanes::{Algorithm, Blake2b512, Blake2s256, Blake3, Engine, HashFunction, Keccak256, Md5};
use hashlanes::{Sha1, Sha3_512, Sha224, Sha256, Sha384, Sha512, Sha512_256, Sm3};

/// A message and what its owner keeps of it.
struct Kept<A: HashFunction> {
    message: Vec<u8>,
    state: State<A>,
    /// Bytes before the piece.
    length: usize,
    /// The bytes of the piece.
    piece: usize,
    last: bool,
    /// Blocks of the piece that have been compressed.
    compressed: usize,
    complete: bool,
}

impl<A: HashFunction> Kept<A> {
    fn new(message: Vec<u8>) -> Self {
        let state = initial::<A>();
        Self { message, state, length: 0, piece: 0, last: false, compressed: 0, complete: false }
    }

    fn carry(&self) -> &[u8] {
        use Algorithm::{Blake2b512, Blake2s256, Blake3};
        let block = A::ALGORITHM.block_len();
        let length = match self.length % block {
            0 if matches!(A::ALGORITHM, Blake2b512 | Blake2s256 | Blake3) => block.min(self.length),
            rest => rest,
        };
        &self.message[self.length - length..self.length]
    }

    fn blocks(&self) -> usize {
        blocks::<A>(self.carry().len(), self.piece, self.last)
    }

    /// Cuts the next piece, until one has a block.
    fn cut(&mut self, rng: &mut fastrand::Rng) {
        while self.blocks() == 0 {
            self.length += self.piece;
            let left = self.message.len() - self.length;
            self.piece = if rng.u8(..4) == 0 { left } else { log_uniform(rng, left) };
            self.last = self.length + self.piece == self.message.len() && rng.bool();
            self.compressed = 0;
        }
    }

    fn finish(&mut self, state: State<A>) {
        self.state = state;
        self.length += self.piece;
        (self.piece, self.complete) = (0, self.last);
    }
}

/// Some of the messages, by their numbers.
struct Lot<'m, A: HashFunction> {
    all: &'m mut [Kept<A>],
    waiting: Vec<usize>,
    finished: usize,
    suspended: usize,
    bytes: &'m [Vec<u8>],
}

impl<'m, A: HashFunction> Pieces<'m, A> for Lot<'m, A> {
    fn waiting(&self) -> usize {
        self.waiting.len()
    }

    fn next(&mut self) -> Option<Piece<'m, '_, A>> {
        let id = self.waiting.pop()?;
        let kept = &self.all[id];
        // Any number is handed back.
        Some(Piece {
            id: !id,
            state: kept.state,
            carry: kept.carry(),
            length: kept.length as u64,
            bytes: &self.bytes[id][kept.length..][..kept.piece],
            last: kept.last,
            compressed: kept.compressed,
        })
    }

    fn done(&mut self, id: usize, state: State<A>) {
        let id = !id;
        self.all[id].finish(state);
        self.finished += 1;
    }

    fn suspended(&mut self, id: usize, state: State<A>, blocks: usize) {
        assert!(blocks > 0);
        let id = !id;
        self.all[id].state = state;
        self.all[id].compressed += blocks;
        self.suspended += 1;
    }
}

/// Messages in random pieces, some of them at a time. A run ends when lanes become idle or all are
/// done.
fn check_engine<A: HashFunction>(engine: &Engine<A>, bytes_of: fn(State<A>) -> Vec<u8>) -> usize {
    let mut rng = fastrand::Rng::with_seed(7);
    let lengths = (0..90).map(|i| if i < 20 { i * 7 } else { log_uniform(&mut rng, 9000) });
    let bytes: Vec<_> = lengths.enumerate().map(|(i, length)| noise(i as u64, length)).collect();
    let mut all: Vec<_> = bytes.iter().map(|message| Kept::<A>::new(message.clone())).collect();
    let mut suspended = 0;
    loop {
        let some = all.iter().enumerate().filter(|(_, kept)| !kept.complete);
        let mut waiting: Vec<_> = some.map(|(id, _)| id).take(rng.usize(1..60)).collect();
        if waiting.is_empty() {
            break;
        }
        for &id in &waiting {
            all[id].cut(&mut rng);
        }
        waiting.sort_by_key(|&id| all[id].blocks() - all[id].compressed);
        let (count, until) = match rng.bool() {
            true => (waiting.len(), Until::AllDone),
            false => (1, Until::LanesIdle),
        };
        let mut lot = Lot { all: &mut all, waiting, finished: 0, suspended: 0, bytes: &bytes };
        engine.run_pieces(&mut lot, until);
        assert!(lot.waiting.is_empty() && lot.finished >= count, "{until:?}");
        suspended += lot.suspended;
    }
    for kept in &all {
        let right = oracle(A::ALGORITHM, &kept.message);
        assert_eq!(bytes_of(kept.state)[..right.len()], right, "{engine:?}");
    }
    suspended
}

fn check<A: HashFunction>(bytes_of: fn(State<A>) -> Vec<u8>) {
    let suspended: usize =
        engines_of::<A>().iter().map(|engine| check_engine(engine, bytes_of)).sum();
    // The chunks of a piece of BLAKE3 fill the lanes, and pieces follow each other.
    let suspends = A::ALGORITHM != Algorithm::Blake3;
    assert_eq!(suspends, 0 < suspended, "{:?}: {suspended} suspended", A::ALGORITHM);
}

#[test]
fn pieces_of_any_lengths_in_every_kernel() {
    check::<Md5>(|state| state.map(u32::to_le_bytes).concat());
    check::<Sha1>(|state| state.map(u32::to_be_bytes).concat());
    check::<Sha224>(|state| state.map(u32::to_be_bytes).concat());
    check::<Sha256>(|state| state.map(u32::to_be_bytes).concat());
    check::<Sha384>(|state| state.map(u64::to_be_bytes).concat());
    check::<Sha512>(|state| state.map(u64::to_be_bytes).concat());
    check::<Sha512_256>(|state| state.map(u64::to_be_bytes).concat());
    check::<Sm3>(|state| state.map(u32::to_be_bytes).concat());
    check::<Sha3_512>(|state| state.map(u64::to_le_bytes).concat());
    check::<Keccak256>(|state| state.map(u64::to_le_bytes).concat());
    check::<Blake2b512>(|state| state.map(u64::to_le_bytes).concat());
    check::<Blake2s256>(|state| state.map(u32::to_le_bytes).concat());
    check::<Blake3>(|state| state.map(u32::to_le_bytes).concat());
}

/// Messages whose next piece waits as soon as the last one is done.
struct Following<'m, A: HashFunction> {
    lot: Lot<'m, A>,
    rng: fastrand::Rng,
}

impl<'m, A: HashFunction> Pieces<'m, A> for Following<'m, A> {
    fn waiting(&self) -> usize {
        self.lot.waiting()
    }

    fn next(&mut self) -> Option<Piece<'m, '_, A>> {
        self.lot.next()
    }

    fn done(&mut self, id: usize, state: State<A>) {
        self.lot.done(id, state);
        let id = !id;
        if !self.lot.all[id].complete {
            self.lot.all[id].cut(&mut self.rng);
            self.lot.waiting.push(id);
        }
    }

    fn suspended(&mut self, _: usize, _: State<A>, _: usize) {
        unreachable!("the run continues until all pieces are done");
    }
}

#[test]
fn a_run_until_all_are_done_takes_pieces_that_begin_to_wait_meanwhile() {
    fn test<A: HashFunction>() {
        for (engine, messages) in engines_of::<A>().iter().flat_map(|e| [(e, 1), (e, 5), (e, 70)]) {
            let mut rng = fastrand::Rng::with_seed(messages as u64);
            let lengths = (0..messages).map(|_| 1000 + log_uniform(&mut rng, 9000));
            let bytes: Vec<_> = lengths.map(|length| noise(length as u64, length)).collect();
            let mut all: Vec<_> = bytes.iter().map(|bytes| Kept::<A>::new(bytes.clone())).collect();
            all.iter_mut().for_each(|kept| kept.cut(&mut rng));
            let waiting = (0..messages).collect();
            let lot = Lot { all: &mut all, waiting, finished: 0, suspended: 0, bytes: &bytes };
            let mut following = Following { lot, rng };
            engine.run_pieces(&mut following, Until::AllDone);
            assert_eq!(following.waiting(), 0, "{engine:?}, {messages} messages");
            assert!(all.iter().all(|kept| kept.complete), "{engine:?}, {messages} messages");
        }
    }
    test::<Md5>();
    test::<Sha512>();
    test::<Keccak256>();
    test::<Blake3>();
}

/// A source of one given piece.
struct One(Option<Piece<'static, 'static, Sha256>>);

impl Pieces<'static, Sha256> for One {
    fn waiting(&self) -> usize {
        usize::from(self.0.is_some())
    }

    fn next(&mut self) -> Option<Piece<'static, '_, Sha256>> {
        self.0.take()
    }

    fn done(&mut self, _: usize, _: State<Sha256>) {}

    fn suspended(&mut self, _: usize, _: State<Sha256>, _: usize) {}
}

fn run(change: impl FnOnce(&mut Piece<'static, 'static, Sha256>)) {
    let state = initial::<Sha256>();
    let (carry, bytes) = (&[0; 3][..], &[0; 100][..]);
    let mut piece = Piece { id: 0, state, carry, length: 67, bytes, last: false, compressed: 0 };
    change(&mut piece);
    Engine::<Sha256>::new().run_pieces(&mut One(Some(piece)), Until::AllDone);
}

#[test]
fn a_valid_piece_and_no_piece_are_accepted() {
    run(|_| {});
    Engine::<Sha256>::new().run_pieces(&mut One(None), Until::AllDone);
}

#[test]
#[should_panic = "the carry is what does not fill a block"]
fn a_carry_of_another_length_is_refused() {
    run(|piece| piece.length = 66);
}

#[test]
#[should_panic = "has a block to compress"]
fn a_piece_without_a_block_is_refused() {
    run(|piece| piece.bytes = &[0; 60]);
}

#[test]
fn blocks_are_counted_as_the_standards_pad() {
    for algorithm in [Algorithm::Sha256, Algorithm::Sha512] {
        let block = algorithm.block_len();
        let count = |carry, piece, last| match block {
            64 => blocks::<Sha256>(carry, piece, last),
            _ => blocks::<Sha512>(carry, piece, last),
        };
        // The byte 0x80 and the length take 9 or 17 bytes.
        let room = block - 1 - block / 8;
        assert_eq!(count(0, 0, true), 1);
        assert_eq!((count(0, room, true), count(1, room, true)), (1, 2));
        assert_eq!((count(1, block - 2, false), count(1, block - 1, false)), (0, 1));
    }
    assert_eq!(blocks::<Md5>(63, usize::MAX, true), usize::MAX / 64 + 2);
}
