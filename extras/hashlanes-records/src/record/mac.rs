//! The MACs of many records, side by side.

use hashlanes::{Engine, HashFunction, HmacKey, Sha1, Sha256};

use super::suite::CipherSuite;
use crate::lane_use::LaneUse;
use crate::wipe::{self, Wiped, with_wiped_stack};

/// Bytes of the longest MAC.
const LONGEST: usize = 32;

/// A prepared MAC key. It is wiped when it is dropped.
#[derive(Clone)]
pub(super) enum MacKey {
    Sha1(Wiped<HmacKey<Sha1>>),
    Sha256(Wiped<HmacKey<Sha256>>),
}

impl MacKey {
    pub(super) fn new(suite: CipherSuite, key: &[u8]) -> Self {
        match suite {
            CipherSuite::Aes128Sha | CipherSuite::Aes256Sha => Self::Sha1(prepare(key)),
            CipherSuite::Aes128Sha256 | CipherSuite::Aes256Sha256 => Self::Sha256(prepare(key)),
        }
    }

    fn sha1(&self) -> Option<&HmacKey<Sha1>> {
        match self {
            Self::Sha1(key) => Some(key),
            Self::Sha256(_) => None,
        }
    }

    fn sha256(&self) -> Option<&HmacKey<Sha256>> {
        match self {
            Self::Sha1(_) => None,
            Self::Sha256(key) => Some(key),
        }
    }
}

fn prepare<A: HashFunction>(key: &[u8]) -> Wiped<HmacKey<A>> {
    with_wiped_stack::<{ wipe::ONE }, _>(|| Wiped::new(HmacKey::new(key)))
}

/// A MAC, padded with zeros.
pub(super) type Mac = [u8; LONGEST];

/// The MACs of messages, in their order. Counts in `lane_use` what ran.
pub(super) fn mac_many(messages: &[(&MacKey, &[u8])], lane_use: &mut LaneUse) -> Vec<Mac> {
    let mut macs = vec![[0; LONGEST]; messages.len()];
    mac_many_of::<Sha1>(messages, MacKey::sha1, &mut macs, lane_use);
    mac_many_of::<Sha256>(messages, MacKey::sha256, &mut macs, lane_use);
    macs
}

/// The MACs of those messages whose keys are of one hash function.
fn mac_many_of<A: HashFunction>(
    messages: &[(&MacKey, &[u8])],
    key_of: impl for<'k> Fn(&'k MacKey) -> Option<&'k HmacKey<A>>,
    macs: &mut [Mac],
    lane_use: &mut LaneUse,
) {
    let (mut places, mut pairs) = (Vec::new(), Vec::new());
    for (place, (key, message)) in messages.iter().enumerate() {
        if let Some(key) = key_of(key) {
            places.push(place);
            pairs.push((key, *message));
        }
    }
    let engine = Engine::<A>::new();
    let hash = || engine.hmac_many(&pairs);
    let made = match pairs.len() {
        0 => return,
        1 => with_wiped_stack::<{ wipe::ONE }, _>(hash),
        _ => with_wiped_stack::<{ wipe::MANY }, _>(hash),
    };
    for (place, mac) in places.into_iter().zip(made) {
        let mac = mac.as_ref();
        macs[place][..mac.len()].copy_from_slice(mac);
    }
    plan(&engine, pairs.iter().map(|(_, message)| message.len()).collect(), lane_use);
}

/// Counts what the library runs for messages of these lengths, as far as it tells: the kernel for
/// their number, then the kernel for those that remain, the longest first.
fn plan<A: HashFunction>(engine: &Engine<A>, mut lengths: Vec<usize>, lane_use: &mut LaneUse) {
    lengths.sort_unstable_by(|a, b| b.cmp(a));
    let lanes_of = |name: &str| {
        A::ALGORITHM.kernels().find(|kernel| kernel.name == name).map_or(1, |kernel| kernel.lanes)
    };
    let mut rest = lengths.as_slice();
    while !rest.is_empty() {
        let kernel = engine.kernel_for(rest.len());
        let lanes = lanes_of(kernel);
        let (group, after) = rest.split_at(lanes.min(rest.len()));
        let blocks = group.iter().map(|&length| blocks::<A>(length)).sum();
        lane_use.count(kernel, lanes, blocks, lanes as u64 * blocks_of_longest::<A>(group));
        rest = after;
    }
}

/// Blocks of the inner hash after the key's block: the message, the byte 0x80, and the length.
fn blocks<A: HashFunction>(length: usize) -> u64 {
    let block = A::ALGORITHM.block_len();
    (length + 1 + block / 8).div_ceil(block) as u64
}

fn blocks_of_longest<A: HashFunction>(group: &[usize]) -> u64 {
    group.first().map_or(0, |&length| blocks::<A>(length))
}
