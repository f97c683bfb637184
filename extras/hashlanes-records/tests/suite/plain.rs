//! Records of every length beside OpenSSL's functions for a single buffer: each record is opened by
//! them, one after the other.
//!
//! OpenSSL's own code for several records side by side is wrong for some lengths. So the tests
//! cover lengths just below and above those of a block and of a record, in many numbers of records.

use std::env;

use hashlanes_records::{CipherSuite, ContentType, MacOrder, RecordSealer, Version, WriteState};
use openssl::cipher::Cipher;
use openssl::cipher_ctx::CipherCtx;
use openssl::sha::{Sha1, Sha256};

const HEADER: usize = 5;
const IV: usize = 16;
const BLOCK: usize = 16;

/// A connection's keys, on the side that reads.
struct Reader {
    suite: CipherSuite,
    order: MacOrder,
    key: Vec<u8>,
    mac_key: Vec<u8>,
    number: u64,
    context: CipherCtx,
}

impl Reader {
    /// The two ends of a connection.
    fn connect(suite: CipherSuite, order: MacOrder) -> (WriteState, Self) {
        let (key, mac_key) = (vec![3; suite.encryption_key_len()], vec![4; suite.mac_len()]);
        let state = WriteState::new(suite, Version::Tls12, order, &key, &mac_key).unwrap();
        let context = CipherCtx::new().unwrap();
        (state, Self { suite, order, key, mac_key, number: 0, context })
    }

    /// Checks and removes one record of the wire, and appends its plaintext. Returns the rest.
    fn open<'w>(&mut self, wire: &'w [u8], plaintext: &mut Vec<u8>) -> &'w [u8] {
        assert_eq!(wire[..3], [23, 3, 3]);
        let length = usize::from(u16::from_be_bytes([wire[3], wire[4]]));
        let (record, rest) = wire[HEADER..].split_at(length);
        let opened = match self.order {
            MacOrder::MacThenEncrypt => {
                let mut bytes = self.decrypt(record);
                let mac = bytes.split_off(bytes.len() - self.suite.mac_len());
                assert_eq!(self.mac(&bytes), mac, "the MAC of record {}", self.number);
                bytes
            }
            MacOrder::EncryptThenMac => {
                let (encrypted, mac) = record.split_at(length - self.suite.mac_len());
                assert_eq!(self.mac(encrypted), mac, "the MAC of record {}", self.number);
                self.decrypt(encrypted)
            }
        };
        self.number += 1;
        plaintext.extend_from_slice(&opened);
        rest
    }

    /// What is encrypted after an IV, without its padding.
    fn decrypt(&mut self, record: &[u8]) -> Vec<u8> {
        let (iv, encrypted) = record.split_at(IV);
        let cipher =
            if self.key.len() == 16 { Cipher::aes_128_cbc() } else { Cipher::aes_256_cbc() };
        self.context.decrypt_init(Some(cipher), Some(&self.key), Some(iv)).unwrap();
        self.context.set_padding(false);
        let mut bytes = Vec::with_capacity(encrypted.len() + BLOCK);
        self.context.cipher_update_vec(encrypted, &mut bytes).unwrap();
        let padding = usize::from(*bytes.last().unwrap());
        assert!(padding < BLOCK && bytes.len() > padding, "{padding} bytes of padding");
        let padded = bytes.split_off(bytes.len() - padding - 1);
        assert!(padded.iter().all(|&byte| usize::from(byte) == padding));
        bytes
    }

    /// HMAC (RFC 2104) of the record's number, type, version and length, and of the bytes.
    fn mac(&self, bytes: &[u8]) -> Vec<u8> {
        let mut head = self.number.to_be_bytes().to_vec();
        head.extend([23, 3, 3]);
        head.extend((bytes.len() as u16).to_be_bytes());
        let pad = |with: u8| {
            let mut pad = [with; 64];
            pad.iter_mut().zip(&self.mac_key).for_each(|(pad, key)| *pad ^= key);
            pad
        };
        let inner = self.digest(&[&pad(0x36), &head, bytes]);
        self.digest(&[&pad(0x5c), &inner])
    }

    fn digest(&self, parts: &[&[u8]]) -> Vec<u8> {
        if self.suite.mac_len() == 20 {
            let mut sha = Sha1::new();
            parts.iter().for_each(|part| sha.update(part));
            sha.finish().to_vec()
        } else {
            let mut sha = Sha256::new();
            parts.iter().for_each(|part| sha.update(part));
            sha.finish().to_vec()
        }
    }
}

/// What the checks of a test share.
struct Sweep {
    sealer: RecordSealer,
    data: Vec<u8>,
    wire: Vec<u8>,
    plaintext: Vec<u8>,
}

impl Sweep {
    fn new() -> Self {
        let data = (0..200_000_u32).map(|i| (i * 7 + i / 251) as u8).collect();
        Self { sealer: RecordSealer::new(), data, wire: Vec::new(), plaintext: Vec::new() }
    }

    /// Seals this many bytes, in records of at most `fragment` bytes, and opens them.
    fn check(
        &mut self,
        (state, reader): &mut (WriteState, Reader),
        length: usize,
        fragment: usize,
    ) {
        let mut cut = state.clone().with_fragment(fragment).unwrap();
        self.wire.clear();
        self.plaintext.clear();
        let data = &self.data[..length];
        let content = ContentType::ApplicationData;
        let report = self.sealer.seal_one(&mut cut, content, data, &mut self.wire).unwrap();
        *state = state.clone().with_sequence_number(cut.sequence_number());
        let mut rest = self.wire.as_slice();
        while !rest.is_empty() {
            rest = reader.open(rest, &mut self.plaintext);
        }
        let kind = (reader.suite, reader.order);
        assert!(self.plaintext == data, "{kind:?}, {length} bytes in records of {fragment}");
        assert_eq!(report.records as usize, length.div_ceil(fragment).max(1));
        assert_eq!(reader.number, state.sequence_number());
    }
}

/// Every suite in both orders.
fn connections() -> Vec<(WriteState, Reader)> {
    let orders = [MacOrder::MacThenEncrypt, MacOrder::EncryptThenMac];
    let suites = CipherSuite::ALL.into_iter();
    suites.flat_map(|suite| orders.map(|order| Reader::connect(suite, order))).collect()
}

/// Each number of records up to two kernels' lanes, with records shorter than two blocks of a hash,
/// and around the multiples of blocks above. Some are a byte longer than others.
#[test]
fn short_records_in_every_number() {
    let mut sweep = Sweep::new();
    let near = |middle: usize| middle - 2..middle + 3;
    let lengths = (0..130).chain(near(192)).chain(near(256)).chain(near(1024));
    for connection in &mut connections() {
        for records in [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64] {
            for length in lengths.clone() {
                for longer in [0, 1, records - 1] {
                    let total = records * length + longer;
                    sweep.check(connection, total, total.div_ceil(records).max(1));
                }
            }
        }
    }
}

/// Lengths up to 70,000 bytes, in records of 16 KiB and in shorter ones. `HASHLANES_SWEEP_STEP=1`
/// goes through all of them.
#[test]
fn totals_up_to_70_000_bytes() {
    let step = env::var("HASHLANES_SWEEP_STEP").map_or(1_999, |step| step.parse().unwrap());
    let mut sweep = Sweep::new();
    // Where one more record begins.
    let edges = (1..5).flat_map(|records| (0..40).map(move |i| records * 16_384 - 20 + i));
    for connection in &mut connections() {
        for total in (0..=70_000).step_by(step).chain(edges.clone()) {
            for fragment in [16_384, 4_000, 700] {
                sweep.check(connection, total, fragment);
            }
        }
    }
}
