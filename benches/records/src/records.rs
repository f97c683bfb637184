//! Records of each suite beside OpenSSL's code for the same suite, and beside AES-GCM.

use std::cell::RefCell;

use anyhow::{Result, ensure};
use hashlanes_measure::sample::Sample;
use hashlanes_records::{
    CipherSuite, ContentType, MacOrder, RecordSealer, SealReport, Version, Write, WriteState,
};
use rand::Rng;

use crate::contender::{Contender, figures, in_turns, per_cycle, times};
use crate::{Plan, open};

/// The shape of the records.
#[derive(Clone, Copy)]
struct Case {
    /// Bytes of plaintext in a record.
    record: usize,
    records: usize,
    /// Whether each record is a write of its own connection. Otherwise all are one write.
    connections: bool,
}

const CASES: [Case; 8] = [
    Case { record: 16384, records: 64, connections: false },
    Case { record: 16384, records: 64, connections: true },
    Case { record: 16384, records: 16, connections: false },
    Case { record: 16384, records: 4, connections: false },
    Case { record: 16384, records: 1, connections: false },
    Case { record: 4096, records: 64, connections: false },
    Case { record: 1024, records: 64, connections: false },
    Case { record: 1024, records: 64, connections: true },
];

/// OpenSSL's code for a suite, by its name in `openssl speed`.
fn peer(suite: CipherSuite) -> (&'static str, &'static str) {
    match suite {
        CipherSuite::Aes128Sha => ("aes-128-cbc-hmac-sha1", "aes-128-gcm"),
        CipherSuite::Aes256Sha => ("aes-256-cbc-hmac-sha1", "aes-256-gcm"),
        CipherSuite::Aes128Sha256 => ("aes-128-cbc-hmac-sha256", "aes-128-gcm"),
        CipherSuite::Aes256Sha256 => ("aes-256-cbc-hmac-sha256", "aes-256-gcm"),
    }
}

pub(crate) fn run(plan: Plan, wanted: impl Fn(&str) -> bool) -> Result<()> {
    for suite in CipherSuite::ALL.into_iter().filter(|suite| wanted(&suite.to_string())) {
        one_suite(plan, suite)?;
    }
    Ok(())
}

fn one_suite(plan: Plan, suite: CipherSuite) -> Result<()> {
    let (name, gcm) = peer(suite);
    let beds: Vec<_> = CASES.iter().map(|&case| RefCell::new(Bed::new(suite, case))).collect();
    let mut contenders = vec![
        Contender::Speed(vec!["-evp", name, "-bytes", "16384"]),
        // The multi-block code takes one large write: eight records of 16 KiB.
        Contender::Speed(vec!["-evp", name, "-mb", "-bytes", "131072"]),
        Contender::Speed(vec!["-evp", gcm, "-bytes", "16384"]),
    ];
    contenders.extend(beds.iter().map(|bed| {
        let bytes = bed.borrow().bytes();
        Contender::ours(bytes, || bed.borrow_mut().seal())
    }));
    let samples = in_turns(plan, &mut contenders)?;
    drop(contenders);
    let [openssl, multi_block, gcm_samples, ours @ ..] = samples.as_slice() else {
        return Ok(());
    };
    println!();
    for (name, samples) in [(name, openssl), ("the same, -mb", multi_block), (gcm, gcm_samples)] {
        let figures = figures(samples)?;
        println!(
            "OpenSSL {name}: {:.2} GB/s, {} B/cycle",
            figures.gb_per_s.median,
            per_cycle(&figures)
        );
    }
    println!(
        "{:13} {:>6} {:>7} {:10} {:>6} {:>7} {:>7} {:>5} {:>5} {:>5}  path",
        "suite",
        "record",
        "records",
        "from",
        "GB/s",
        "B/cycle",
        "OpenSSL",
        "ratio",
        "/ -mb",
        "/ GCM"
    );
    for (bed, samples) in beds.iter().zip(ours) {
        bed.borrow_mut().check()?;
        line(&bed.borrow(), samples, openssl, multi_block, gcm_samples)?;
    }
    Ok(())
}

fn line(
    bed: &Bed,
    ours: &[Sample],
    openssl: &[Sample],
    multi_block: &[Sample],
    gcm: &[Sample],
) -> Result<()> {
    let (mine, theirs) = (figures(ours)?, figures(openssl)?);
    let Case { record, records, connections } = bed.case;
    let from = match (connections, records) {
        (true, records) => format!("{records} conn."),
        (false, _) => "1 write".to_owned(),
    };
    println!(
        "{:13} {record:>6} {records:>7} {from:10} {:>6.2} {:>7} {:>7.2} {:>5.2} {:>5.2} {:>5.2}  \
         CBC {}; HMAC {}",
        bed.suite.to_string(),
        mine.gb_per_s.median,
        per_cycle(&mine),
        theirs.gb_per_s.median,
        times(ours, openssl)?,
        times(ours, multi_block)?,
        times(ours, gcm)?,
        bed.report.cbc,
        bed.report.mac,
    );
    Ok(())
}

/// A case with its connections and its memory.
struct Bed {
    suite: CipherSuite,
    case: Case,
    key: Vec<u8>,
    mac_key: Vec<u8>,
    states: Vec<WriteState>,
    data: Vec<Vec<u8>>,
    wires: Vec<Vec<u8>>,
    sealer: RecordSealer,
    report: SealReport,
}

impl Bed {
    fn new(suite: CipherSuite, case: Case) -> Self {
        let mut random = rand::rng();
        let mut bytes = |length: usize| {
            let mut bytes = vec![0; length];
            random.fill_bytes(&mut bytes);
            bytes
        };
        let (key, mac_key) = (bytes(suite.encryption_key_len()), bytes(suite.mac_len()));
        let order = MacOrder::MacThenEncrypt;
        let state = WriteState::new(suite, Version::Tls12, order, &key, &mac_key)
            .and_then(|state| state.with_fragment(case.record));
        let state = state.expect("keys of the suite, and records of at most 16 KiB");
        let writes = if case.connections { case.records } else { 1 };
        let write = case.record * case.records / writes;
        Self {
            suite,
            case,
            key,
            mac_key,
            // Each expands the key again, as unrelated connections do.
            states: vec![state; writes],
            data: (0..writes).map(|_| bytes(write)).collect(),
            wires: vec![Vec::new(); writes],
            sealer: RecordSealer::new(),
            report: SealReport::default(),
        }
    }

    fn bytes(&self) -> usize {
        self.case.record * self.case.records
    }

    fn seal(&mut self) {
        let writes = self.states.iter_mut().zip(&self.data).zip(&mut self.wires);
        let mut writes: Vec<_> = writes
            .map(|((state, data), wire)| {
                wire.clear();
                Write { state, content: ContentType::ApplicationData, data, wire }
            })
            .collect();
        self.report = self.sealer.seal(&mut writes).expect("sequence numbers and IVs");
        std::hint::black_box(&self.wires);
    }

    /// Opens what was sealed last.
    fn check(&self) -> Result<()> {
        for ((state, data), wire) in self.states.iter().zip(&self.data).zip(&self.wires) {
            let records = (self.case.records / self.states.len()) as u64;
            let first = state.sequence_number() - records;
            let opened = open::open(self.suite, &self.key, &self.mac_key, first, wire)?;
            ensure!(opened == *data, "{}: other bytes than were sealed", self.suite);
        }
        Ok(())
    }
}
