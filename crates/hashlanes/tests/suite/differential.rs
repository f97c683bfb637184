//! Random functions, kernels, ways in, lengths, cuts and threads, compared with independent
//! implementations.
//!
//! A case is made from its seed alone, and a failure names it. `HASHLANES_SEED` is the first seed
//! (0), `HASHLANES_MESSAGES` the number of messages after which to stop (200,000).
#![cfg(feature = "std")]

use std::iter;
use std::sync::LazyLock;
use std::thread;

use hashlanes::server::{HashServer, ServerOptions};
use hashlanes::xof::XofAlgorithm;
use hashlanes::{
    Algorithm, AnyDigest, Blake3, Done, Engine, HashFunction, Hasher, HmacKey, Lanes, Md5, Prefix,
    Sha3_256, Sha512,
};

use crate::common::{engines, log_uniform, noise, oracle};
use crate::xof::output_of;

/// Bytes of the longest message.
const LONGEST: usize = 80_000;

static NOISE: LazyLock<Vec<u8>> = LazyLock::new(|| noise(8, 4 * LONGEST));

/// A way in, which computes digests of random messages and asserts that they are right.
type Way = fn(&mut Case);

const WAYS: [(&str, Way); 13] = [
    ("digest_many", many),
    ("digest_many_into", many_into),
    ("digest_chunks", chunks),
    ("digest_many_parts", parts),
    ("prefix", prefix),
    ("hmac_many", macs),
    ("chains", chains),
    ("hasher", pieces),
    ("saved states", saved),
    ("hashers in step", in_step),
    ("manager", manager),
    ("server", server),
    ("output_many", outputs),
];

struct Case {
    rng: fastrand::Rng,
    engine: Engine,
    /// Messages that were compared.
    compared: u64,
    /// The function, the kernel and the way in.
    what: String,
}

impl Case {
    fn run(seed: u64) -> u64 {
        let mut rng = fastrand::Rng::with_seed(seed);
        let algorithm = *rng.choice(Algorithm::ALL).expect("functions");
        let (name, engine) = rng.choice(engines(algorithm)).expect("the automatic one");
        let (way_name, way) = *rng.choice(&WAYS).expect("ways");
        let what = format!("HASHLANES_SEED={seed}: {name}, {way_name}");
        let mut case = Self { rng, engine, compared: 0, what };
        way(&mut case);
        case.compared
    }

    /// Any number of messages: mostly few, sometimes more than a window of the schedule.
    fn count(&mut self) -> usize {
        let most = if self.rng.u8(..16) == 0 { 5000 } else { 150 };
        log_uniform(&mut self.rng, most)
    }

    /// Lengths: all equal, or around the ends of blocks, or any.
    fn lengths(&mut self, count: usize) -> Vec<usize> {
        let block = self.engine.algorithm().block_len();
        let most = match (count, self.rng.u8(..8)) {
            (0..50, 0) => LONGEST / 2,
            (0..500, 1..3) => 5000,
            _ => 300,
        };
        let (shape, equal) = (self.rng.u8(..3), log_uniform(&mut self.rng, most));
        let length = || match shape {
            0 => equal,
            1 => (block * self.rng.usize(..6) + 20).saturating_sub(self.rng.usize(..40)),
            _ => log_uniform(&mut self.rng, most),
        };
        iter::repeat_with(length).take(count).collect()
    }

    /// Bytes at any address.
    fn bytes(&mut self, length: usize) -> &'static [u8] {
        &NOISE[self.rng.usize(..=NOISE.len() - length)..][..length]
    }

    fn messages(&mut self) -> Vec<&'static [u8]> {
        let count = self.count();
        self.lengths(count).into_iter().map(|length| self.bytes(length)).collect()
    }

    /// The message in 1 to 5 pieces, some of them perhaps empty.
    fn cut<'m>(&mut self, mut message: &'m [u8]) -> Vec<&'m [u8]> {
        let mut pieces = Vec::new();
        for _ in 0..self.rng.usize(..5) {
            let (piece, rest) = message.split_at(self.rng.usize(..=message.len()));
            pieces.push(piece);
            message = rest;
        }
        pieces.push(message);
        pieces
    }

    fn assert(&mut self, digest: impl AsRef<[u8]>, message: &[u8]) {
        let right = oracle(self.engine.algorithm(), message);
        assert_eq!(digest.as_ref(), right, "{}, {} bytes", self.what, message.len());
        self.compared += 1;
    }

    fn assert_all(&mut self, digests: &[AnyDigest], messages: &[impl AsRef<[u8]>]) {
        assert_eq!(digests.len(), messages.len(), "{}", self.what);
        for (digest, message) in digests.iter().zip(messages) {
            self.assert(digest, message.as_ref());
        }
    }
}

fn many(case: &mut Case) {
    let messages = case.messages();
    case.assert_all(&case.engine.digest_many(&messages), &messages);
}

fn many_into(case: &mut Case) {
    let messages = case.messages();
    let size = case.engine.algorithm().digest_len();
    let mut digests = vec![0xa5; messages.len() * size];
    case.engine.digest_many_into(&messages, &mut digests);
    for (digest, message) in digests.chunks(size).zip(messages) {
        case.assert(digest, message);
    }
}

fn chunks(case: &mut Case) {
    let length = log_uniform(&mut case.rng, LONGEST);
    let data = case.bytes(length);
    let least = (length / 5000).max(1);
    let chunk = least + log_uniform(&mut case.rng, length);
    let digests = case.engine.digest_chunks(data, chunk);
    case.assert_all(&digests, &data.chunks(chunk).collect::<Vec<_>>());
}

fn parts(case: &mut Case) {
    let messages = case.messages();
    let parts: Vec<_> = messages.iter().map(|message| case.cut(message)).collect();
    case.assert_all(&case.engine.digest_many_parts(&parts), &messages);
}

fn prefix(case: &mut Case) {
    let messages = case.messages();
    let length = log_uniform(&mut case.rng, 1500);
    let bytes = case.bytes(length);
    let prefix = Prefix::with_engine(case.engine, bytes);
    let whole: Vec<_> = messages.iter().map(|message| [bytes, message].concat()).collect();
    case.assert_all(&prefix.digest_many(&messages), &whole);
    if let Some((message, whole)) = messages.first().zip(whole.first()) {
        case.assert(prefix.digest(message), whole);
    }
}

/// HMAC (RFC 2104) from the oracle's digests.
fn macs(case: &mut Case) {
    let messages = case.messages();
    let algorithm = case.engine.algorithm();
    let keys: Vec<_> = messages
        .iter()
        .map(|_| {
            let length = log_uniform(&mut case.rng, 300);
            case.bytes(length)
        })
        .collect();
    let ready: Vec<_> = keys.iter().map(|key| HmacKey::with_engine(case.engine, key)).collect();
    let pairs: Vec<_> = ready.iter().zip(&messages).collect();
    let macs = case.engine.hmac_many(&pairs);
    for ((mac, key), message) in macs.into_iter().zip(keys).zip(messages) {
        let digest = oracle(algorithm, key);
        let key = if key.len() > algorithm.block_len() { &digest } else { key };
        let mut padded = key.to_vec();
        padded.resize(algorithm.block_len(), 0);
        let under = |with: u8| padded.iter().map(|byte| byte ^ with).collect::<Vec<_>>();
        let inner = oracle(algorithm, &[&under(0x36), message].concat());
        case.assert(mac, &[under(0x5c), inner].concat());
    }
}

fn chains(case: &mut Case) {
    let count = log_uniform(&mut case.rng, 80);
    let size = case.engine.algorithm().digest_len();
    let length = log_uniform(&mut case.rng, 200);
    let bytes = case.bytes(length);
    let mut values = case.bytes(count * size).to_vec();
    let links: Vec<u64> = (0..count).map(|_| case.rng.u64(1..6)).collect();
    let mut inputs: Vec<_> = values.chunks(size).map(<[u8]>::to_vec).collect();
    for (input, &links) in inputs.iter_mut().zip(&links) {
        for _ in 1..links {
            *input = oracle(case.engine.algorithm(), &[bytes, input].concat());
        }
    }
    Prefix::with_engine(case.engine, bytes).digest_chains(&mut values, &links);
    for (value, input) in values.chunks(size).zip(inputs) {
        case.assert(value, &[bytes, &input].concat());
    }
}

fn pieces(case: &mut Case) {
    let mut hasher = Hasher::with_engine(case.engine);
    for message in case.messages() {
        for piece in case.cut(message) {
            hasher.update(piece);
        }
        case.assert(hasher.finalize_reset(), message);
    }
}

fn saved(case: &mut Case) {
    for message in case.messages() {
        let mut hasher = Hasher::with_engine(case.engine);
        for piece in case.cut(message) {
            hasher.update(piece);
            let saved = hasher.save().expect("no key");
            hasher = Hasher::restore(saved).expect("just saved");
        }
        case.assert(hasher.finalize(), message);
    }
}

fn in_step(case: &mut Case) {
    let messages = case.messages();
    let mut hashers = case.engine.hashers(messages.len());
    let cut: Vec<_> = messages.iter().map(|message| case.cut(message)).collect();
    let steps = cut.iter().map(Vec::len).max().unwrap_or(0);
    for step in 0..steps {
        let piece = |pieces: &Vec<&'static [u8]>| pieces.get(step).copied().unwrap_or_default();
        hashers.update(&cut.iter().map(piece).collect::<Vec<_>>());
    }
    for (i, message) in messages.into_iter().enumerate() {
        case.assert(hashers.finalize_reset(i), message);
    }
}

/// The manager takes types, so it is tried with a function of each kind.
fn manager(case: &mut Case) {
    fn with<A: HashFunction>(case: &mut Case) {
        let name = case.engine.forced_kernel().filter(|_| case.engine.algorithm() == A::ALGORITHM);
        case.engine = Engine::of(A::ALGORITHM);
        let engine = name
            .map_or_else(Engine::new, |name| Engine::<A>::with_kernel(name).expect("available"));
        let messages = case.messages();
        let mut cut: Vec<_> =
            messages.iter().map(|message| case.cut(message).into_iter()).collect();
        let capacity = case.rng.usize(1..100);
        let mut lanes = Lanes::<A, &[u8], usize>::with_engine(engine, capacity);
        let (mut fresh, mut jobs) = (0..messages.len(), Vec::new());
        let mut digests = vec![None; messages.len()];
        loop {
            // A message in progress goes on, or a new one begins.
            let goes_on = jobs.len() == capacity || case.rng.bool();
            let done = if let Some(job) = jobs.pop_if(|_| goes_on) {
                let job: hashlanes::LaneJob<A, usize> = job;
                let pieces = &mut cut[*job.tag()];
                let piece = pieces.next().expect("not complete");
                if pieces.len() == 0 { lanes.last(job, piece) } else { lanes.update(job, piece) }
            } else if let Some(i) = fresh.next() {
                let piece = cut[i].next().expect("at least one");
                if cut[i].len() == 0 { lanes.entire(piece, i) } else { lanes.first(piece, i) }
            } else {
                match lanes.flush() {
                    None if jobs.is_empty() => break,
                    done => done,
                }
            };
            match done {
                Some(Done::Piece { job, .. }) => jobs.push(job),
                Some(Done::Message { tag, digest, .. }) => {
                    assert!(digests[tag].replace(digest).is_none(), "{}: twice", case.what);
                }
                None => {}
            }
        }
        for (digest, message) in digests.into_iter().zip(messages) {
            case.assert(digest.expect("complete"), message);
        }
    }
    match case.engine.algorithm() {
        Algorithm::Md5 | Algorithm::Sha1 | Algorithm::Sm3 => with::<Md5>(case),
        Algorithm::Sha3_256 | Algorithm::Keccak256 | Algorithm::Shake128 => with::<Sha3_256>(case),
        Algorithm::Blake3 | Algorithm::Blake2s256 => with::<Blake3>(case),
        _ => with::<Sha512>(case),
    }
}

fn server(case: &mut Case) {
    let staging = 1 << case.rng.u32(8..16);
    let server = HashServer::with_engine(case.engine, ServerOptions::new().staging(staging));
    let messages = case.messages();
    let cut: Vec<_> = messages.iter().map(|message| case.cut(message)).collect();
    let each = messages.len().div_ceil(case.rng.usize(1..8)).max(1);
    let hash = |cut: &[Vec<&[u8]>]| -> Vec<AnyDigest> {
        let mut hasher = server.hasher();
        let digest = |pieces: &Vec<&[u8]>| {
            for piece in pieces {
                hasher.update(piece);
            }
            hasher.finalize_reset()
        };
        cut.iter().map(digest).collect()
    };
    let digests: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = cut.chunks(each).map(|cut| scope.spawn(|| hash(cut))).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    });
    case.assert_all(&digests, &messages);
}

/// Outputs of any lengths.
fn outputs(case: &mut Case) {
    let xofs = [
        (XofAlgorithm::Shake128, Algorithm::Shake128),
        (XofAlgorithm::Shake256, Algorithm::Shake256),
        (XofAlgorithm::Blake3, Algorithm::Blake3),
    ];
    let (xof, algorithm) = *case.rng.choice(&xofs).expect("functions");
    let messages = case.messages();
    let length = |_: &&[u8]| vec![0; log_uniform(&mut case.rng, 700)];
    let mut outputs: Vec<_> = messages.iter().map(length).collect();
    xof.output_many(&messages, &mut outputs);
    for (output, message) in outputs.into_iter().zip(messages) {
        let right = output_of(algorithm, message, output.len());
        assert_eq!(output, right, "{}, {} bytes", case.what, message.len());
        case.compared += 1;
    }
}

fn setting(name: &str, otherwise: u64) -> u64 {
    let text = std::env::var(name).ok();
    text.map_or(otherwise, |text| text.parse().unwrap_or_else(|_| panic!("{name}: {text}")))
}

#[test]
fn digests_are_those_of_other_implementations() {
    let (first, messages) = (setting("HASHLANES_SEED", 0), setting("HASHLANES_MESSAGES", 200_000));
    let (mut seed, mut compared) = (first, 0);
    while compared < messages {
        compared += Case::run(seed);
        seed += 1;
    }
    println!("{compared} messages in cases {first}..{seed}");
}
