//! Records in the middle of a real connection: OpenSSL's client must read every byte of them, and
//! refuse every change.

use crate::common::tls::Session;
use hashlanes_records::{
    CipherSuite, ContentType, MacOrder, RecordSealer, Version, Write, WriteState,
};

/// Every suite in every version that has it, in both orders.
fn connections() -> impl Iterator<Item = (CipherSuite, Version, MacOrder)> {
    CipherSuite::ALL.into_iter().flat_map(|suite| {
        let versions = [Version::Tls12, Version::Tls11];
        let versions = &versions[..if suite.mac_len() == 20 { 2 } else { 1 }];
        let orders = [MacOrder::MacThenEncrypt, MacOrder::EncryptThenMac];
        let pairs = versions.iter().flat_map(move |&version| orders.map(|order| (version, order)));
        pairs.map(move |(version, order)| (suite, version, order)).collect::<Vec<_>>()
    })
}

/// A session in which the server itself has sent some data, and the state in which it goes on.
fn taken_over(suite: CipherSuite, version: Version, order: MacOrder) -> (Session, WriteState) {
    let mut session = Session::new(suite, version, order);
    for data in ["sent ", "by OpenSSL"] {
        session.server.ssl_write(data.as_bytes()).unwrap();
    }
    assert_eq!(session.client_reads().unwrap(), b"sent by OpenSSL");
    let state = session.server_state(2);
    (session, state)
}

fn seal(state: &mut WriteState, data: &[u8], wire: &mut Vec<u8>) {
    let sealed =
        RecordSealer::new().seal_one(state, ContentType::ApplicationData, data, wire).unwrap();
    assert_eq!(sealed.plaintext, data.len() as u64);
}

const LENGTHS: [usize; 22] = [
    0, 1, 2, 11, 12, 15, 16, 17, 100, 1000, 4096, 16383, 16384, 16385, 32767, 32768, 32769,
    100_000, 262_144, 524_289, 0, 3_500_000,
];

#[test]
fn the_client_reads_every_byte() {
    let mut random = fastrand::Rng::with_seed(1);
    for (suite, version, order) in connections() {
        let (mut session, mut state) = taken_over(suite, version, order);
        for length in LENGTHS {
            let data: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
            let mut wire = Vec::new();
            seal(&mut state, &data, &mut wire);
            session.to_client.put(&wire);
            let read = session.client_reads().unwrap_or_else(|error| {
                panic!("{suite}, {version}, {order:?}, {length} bytes: {error}")
            });
            assert!(read == data, "{suite}, {version}, {order:?}, {length} bytes");
        }
    }
}

#[test]
fn small_records_are_read() {
    let data = [5; 10_000];
    for (suite, version, order) in connections() {
        let (mut session, state) = taken_over(suite, version, order);
        let mut state = state.with_fragment(33).unwrap();
        let mut wire = Vec::new();
        seal(&mut state, &data, &mut wire);
        session.to_client.put(&wire);
        assert!(session.client_reads().unwrap() == data);
    }
}

/// All connections at once: every suite, version and order in one call, a few records of each.
#[test]
fn many_connections_are_sealed_in_one_call() {
    let mut random = fastrand::Rng::with_seed(2);
    let kinds: Vec<_> = connections().collect();
    let mut connections: Vec<_> = (0..3 * kinds.len())
        .map(|i| {
            let (suite, version, order) = kinds[i % kinds.len()];
            taken_over(suite, version, order)
        })
        .collect();
    for most in [1, 100, 20_000, 200_000] {
        let data: Vec<Vec<u8>> = (0..connections.len())
            .map(|_| (0..random.usize(..most)).map(|_| random.u8(..)).collect())
            .collect();
        // What is in the buffers stays there.
        let mut wires = vec![b"before".to_vec(); connections.len()];
        let mut writes: Vec<_> = connections
            .iter_mut()
            .zip(&data)
            .zip(&mut wires)
            .map(|(((_, state), data), wire)| Write {
                state,
                content: ContentType::ApplicationData,
                data,
                wire,
            })
            .collect();
        RecordSealer::new().seal(&mut writes).unwrap();
        for (((session, _), data), wire) in connections.iter_mut().zip(&data).zip(&wires) {
            let (before, records) = wire.split_at(6);
            assert_eq!(before, b"before");
            session.to_client.put(records);
            assert!(session.client_reads().unwrap() == *data);
        }
    }
}

/// An alert that closes the connection: OpenSSL takes it for what it is.
#[test]
fn other_content_is_understood() {
    for (suite, version, order) in connections() {
        let (mut session, mut state) = taken_over(suite, version, order);
        let mut wire = Vec::new();
        // close_notify: a warning.
        RecordSealer::new().seal_one(&mut state, ContentType::Alert, &[1, 0], &mut wire).unwrap();
        session.to_client.put(&wire);
        let error = session.client_reads().unwrap_err();
        assert_eq!(error.code(), openssl::ssl::ErrorCode::ZERO_RETURN);
    }
}

/// Changes each byte of a record, from its header to its end.
#[test]
fn a_flipped_bit_is_refused() {
    let mut random = fastrand::Rng::with_seed(3);
    let data = *b"thirty-nine bytes that nobody may alter";
    for (suite, version, order) in connections() {
        let bytes = 5 + 16 + 39 + suite.mac_len() + 16;
        for byte in 0..bytes {
            let (mut session, mut state) = taken_over(suite, version, order);
            let mut wire = Vec::new();
            seal(&mut state, &data, &mut wire);
            if byte >= wire.len() {
                break;
            }
            wire[byte] ^= 1 << random.u8(..8);
            // If its length says more, there is more.
            seal(&mut state, &[0; 70_000], &mut wire);
            session.to_client.put(&wire);
            assert!(session.client_reads().is_err(), "{suite}, {version}, {order:?}, byte {byte}");
        }
    }
}

#[test]
fn a_wrong_sequence_number_is_refused() {
    for (suite, version, order) in connections() {
        let (mut session, state) = taken_over(suite, version, order);
        let next = state.sequence_number();
        let mut wire = Vec::new();
        seal(&mut state.with_sequence_number(next + 1), b"data", &mut wire);
        session.to_client.put(&wire);
        assert!(session.client_reads().is_err(), "{suite}, {version}, {order:?}");
    }
}
