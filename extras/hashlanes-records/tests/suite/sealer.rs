//! What a sealer refuses, and what it leaves as it was.

use std::panic::{AssertUnwindSafe, catch_unwind};

use hashlanes_records::{
    CipherSuite, ContentType, IvError, MacOrder, RecordSealer, SealError, Version, Write,
    WriteState, WriteStateError,
};

const DATA: ContentType = ContentType::ApplicationData;

fn state(suite: CipherSuite, order: MacOrder) -> WriteState {
    let (key, mac_key) = (vec![1; suite.encryption_key_len()], vec![2; suite.mac_len()]);
    WriteState::new(suite, Version::Tls12, order, &key, &mac_key).unwrap()
}

/// IVs that are the same in every run.
fn counted() -> impl FnMut(&mut [u8]) -> Result<(), IvError> {
    let mut next = 0_u8;
    move |ivs| {
        ivs.fill_with(|| {
            next = next.wrapping_add(1);
            next
        });
        Ok(())
    }
}

#[test]
fn keys_of_a_wrong_length_are_refused() {
    let new = |key: usize, mac_key: usize| {
        let (key, mac_key) = (vec![0; key], vec![0; mac_key]);
        let order = MacOrder::MacThenEncrypt;
        WriteState::new(CipherSuite::Aes128Sha, Version::Tls12, order, &key, &mac_key)
            .map(|_| ())
            .map_err(|error| error.to_string())
    };
    assert_eq!(new(16, 20), Ok(()));
    let error = "the encryption key has 32 bytes, but the suite needs 16";
    assert_eq!(new(32, 20), Err(error.into()));
    let error = "the MAC key has 0 bytes, but the suite needs 20";
    assert_eq!(new(16, 0), Err(error.into()));
}

#[test]
fn sha256_is_for_tls_1_2_only() {
    let suite = CipherSuite::Aes256Sha256;
    let order = MacOrder::EncryptThenMac;
    let error = WriteState::new(suite, Version::Tls11, order, &[0; 32], &[0; 32]).unwrap_err();
    assert_eq!(error.to_string(), "TLS 1.1 does not have AES256-SHA256");
}

#[test]
fn a_fragment_has_bounds() {
    let state = state(CipherSuite::Aes128Sha, MacOrder::MacThenEncrypt);
    for good in [1, 512, 16384] {
        assert!(state.clone().with_fragment(good).is_ok());
    }
    for bad in [0, 16385, usize::MAX] {
        let error = state.clone().with_fragment(bad).unwrap_err();
        assert!(matches!(error, WriteStateError::Fragment { bytes, .. } if bytes == bad));
    }
}

#[test]
fn a_state_does_not_show_its_keys() {
    let shown = format!("{:?}", state(CipherSuite::Aes256Sha, MacOrder::EncryptThenMac));
    assert_eq!(
        shown,
        "WriteState { suite: Aes256Sha, version: Tls12, order: EncryptThenMac, \
         sequence_number: 0, .. }"
    );
}

/// Two writes of which the second cannot be sealed: neither is.
fn refused(second: &mut WriteState, content: ContentType, data: &[u8]) -> SealError {
    let mut first = state(CipherSuite::Aes128Sha, MacOrder::MacThenEncrypt);
    let number = second.sequence_number();
    let (mut one, mut other) = (b"one".to_vec(), b"other".to_vec());
    let error = RecordSealer::new()
        .seal(&mut [
            Write { state: &mut first, content: DATA, data: b"data", wire: &mut one },
            Write { state: second, content, data, wire: &mut other },
        ])
        .unwrap_err();
    assert_eq!((one.as_slice(), other.as_slice()), (&b"one"[..], &b"other"[..]));
    assert_eq!((first.sequence_number(), second.sequence_number()), (0, number));
    error
}

#[test]
fn sequence_numbers_end() {
    let new = || state(CipherSuite::Aes128Sha256, MacOrder::EncryptThenMac);
    let mut last = new().with_sequence_number(u64::MAX - 1);
    let error = refused(&mut last, DATA, &[0; 16385]);
    assert_eq!(
        error.to_string(),
        "write 1 needs 2 sequence numbers, but 1 are left: the connection needs new keys"
    );
    // One record still goes, and then none.
    let mut wire = Vec::new();
    RecordSealer::new().seal_one(&mut last, DATA, &[0; 16384], &mut wire).unwrap();
    assert_eq!(last.records_left(), 0);
    let error = refused(&mut last, DATA, &[]);
    assert!(matches!(error, SealError::SequenceNumbers { write: 1, needed: 1, left: 0, .. }));
}

#[test]
fn only_application_data_may_be_empty() {
    let mut second = state(CipherSuite::Aes256Sha, MacOrder::MacThenEncrypt);
    let error = refused(&mut second, ContentType::Handshake, &[]);
    assert_eq!(error.to_string(), "write 1 is empty, which Handshake may not be");
}

/// The source fails in the second window: what the first one had made is taken back.
#[test]
fn without_ivs_nothing_is_sealed() {
    for order in [MacOrder::MacThenEncrypt, MacOrder::EncryptThenMac] {
        let mut windows = 0;
        let mut sealer = RecordSealer::with_ivs(|ivs: &mut [u8]| {
            windows += 1;
            ivs.fill(0);
            if windows == 2 { Err("no entropy".into()) } else { Ok(()) }
        });
        let mut state = state(CipherSuite::Aes128Sha, order);
        let mut wire = b"before".to_vec();
        let error = sealer.seal_one(&mut state, DATA, &[0; 2 << 20], &mut wire).unwrap_err();
        assert_eq!(error.to_string(), "no IVs: no entropy");
        assert_eq!((wire.as_slice(), state.sequence_number()), (&b"before"[..], 0));
    }
}

/// Nobody seals the next write with the numbers of records that are still there.
#[test]
fn a_panicking_source_seals_nothing() {
    let mut windows = 0;
    let mut sealer = RecordSealer::with_ivs(|ivs: &mut [u8]| {
        windows += 1;
        assert_ne!(windows, 2, "on purpose");
        ivs.fill(0);
        Ok(())
    });
    let mut state = state(CipherSuite::Aes128Sha, MacOrder::MacThenEncrypt);
    let mut wire = b"before".to_vec();
    let seal = || sealer.seal_one(&mut state, DATA, &[0; 2 << 20], &mut wire).map(drop);
    assert!(catch_unwind(AssertUnwindSafe(seal)).is_err());
    assert_eq!((wire.len(), state.sequence_number()), (6, 0));
}

#[test]
fn no_write_gives_no_record() {
    let report = RecordSealer::new().seal(&mut []).unwrap();
    assert_eq!((report.records, report.cbc.blocks(), report.wire), (0, 0, 0));
}

/// The records of one call are those of many calls, whichever way the writes are put together.
#[test]
fn writes_sealed_together_are_those_sealed_alone() {
    let orders = [MacOrder::MacThenEncrypt, MacOrder::EncryptThenMac];
    let kinds: Vec<_> =
        CipherSuite::ALL.into_iter().flat_map(|suite| orders.map(|order| (suite, order))).collect();
    let mut random = fastrand::Rng::with_seed(1);
    let writes: Vec<(usize, Vec<u8>)> = (0..60)
        .map(|i| {
            let length = random.usize(..200_000) >> random.usize(..16);
            (i % kinds.len(), (0..length).map(|_| random.u8(..)).collect())
        })
        .collect();
    let new_states = || -> Vec<_> {
        writes.iter().map(|&(kind, _)| state(kinds[kind].0, kinds[kind].1)).collect()
    };

    let (mut states, mut wires) = (new_states(), vec![Vec::new(); writes.len()]);
    let mut together: Vec<_> = states
        .iter_mut()
        .zip(&writes)
        .zip(&mut wires)
        .map(|((state, (_, data)), wire)| Write { state, content: DATA, data, wire })
        .collect();
    let report = RecordSealer::with_ivs(counted()).seal(&mut together).unwrap();
    assert_eq!(report.plaintext, writes.iter().map(|(_, data)| data.len() as u64).sum::<u64>());
    assert_eq!(report.wire, wires.iter().map(|wire| wire.len() as u64).sum::<u64>());

    let mut sealer = RecordSealer::with_ivs(counted());
    let mut records = 0;
    for ((mut state, (_, data)), wire) in new_states().into_iter().zip(&writes).zip(&wires) {
        let mut alone = Vec::new();
        records += sealer.seal_one(&mut state, DATA, data, &mut alone).unwrap().records;
        assert!(alone == *wire);
    }
    assert_eq!(report.records, records);
}

/// The wire says how it was cut: equal records, and no more than are needed.
#[test]
fn records_are_equal_and_few() {
    let mut state = state(CipherSuite::Aes128Sha, MacOrder::MacThenEncrypt);
    let mut wire = Vec::new();
    RecordSealer::new().seal_one(&mut state, DATA, &[0; 65537], &mut wire).unwrap();
    let mut lengths = Vec::new();
    let mut rest = wire.as_slice();
    while let [23, 3, 3, high, low, body @ ..] = rest {
        let length = usize::from(u16::from_be_bytes([*high, *low]));
        lengths.push(length);
        rest = &body[length..];
    }
    // 13,108 and 13,107 bytes, 20 of MAC, padding to 16, and the IV.
    assert_eq!(lengths, [16 + 13136; 5]);
    assert!(rest.is_empty());
}

#[test]
fn a_report_tells_what_ran() {
    let mut state = state(CipherSuite::Aes128Sha256, MacOrder::MacThenEncrypt);
    let mut wire = Vec::new();
    let report = RecordSealer::new().seal_one(&mut state, DATA, &[0; 1 << 20], &mut wire).unwrap();
    assert_eq!(report.records, 64);
    // 16,384 bytes, 32 of MAC and 16 of padding.
    assert_eq!(report.cbc.blocks(), 64 * 1027);
    // 13 bytes before each, and 9 of padding of the hash.
    assert_eq!(report.mac.blocks(), 64 * 257);
    assert_eq!(report.cbc.filled(), 1.0);
    assert!(report.to_string().starts_with("64 records; CBC "));
}
