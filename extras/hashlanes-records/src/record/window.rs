//! A window: records of one or several writes that are sealed side by side.
//!
//! Each step is done for all records of the window before the next: they are laid out, MACed,
//! encrypted (or first encrypted and then MACed), and finished.

use super::layout::{Head, IV, Layout};
use super::mac::{Mac, MacKey, mac_many};
use super::report::SealReport;
use super::suite::MacOrder;
use super::write::Write;
use crate::cbc::{CbcBuffer, CbcEngine};

/// A fragment to be sealed.
pub(super) struct Piece {
    /// Which write.
    pub(super) write: usize,
    /// Its place in the plaintext.
    pub(super) plaintext: std::ops::Range<usize>,
    pub(super) number: u64,
}

/// A record in the memory of its write.
struct Record {
    write: usize,
    head: Head,
    layout: Layout,
    iv: [u8; IV],
}

/// Seals the pieces, which are in the order of their writes, each with an IV of its own.
pub(super) fn seal(
    writes: &mut [Write<'_>],
    pieces: &[Piece],
    ivs: &[u8],
    engine: &CbcEngine,
    report: &mut SealReport,
) {
    let records = lay(writes, pieces, ivs, report);
    mac(writes, &records, MacOrder::MacThenEncrypt, report);
    encrypt(writes, &records, engine, report);
    mac(writes, &records, MacOrder::EncryptThenMac, report);
}

fn lay(
    writes: &mut [Write<'_>],
    pieces: &[Piece],
    ivs: &[u8],
    report: &mut SealReport,
) -> Vec<Record> {
    let mut records: Vec<Record> = Vec::with_capacity(pieces.len());
    let (ivs, _) = ivs.as_chunks::<IV>();
    for (piece, &iv) in pieces.iter().zip(ivs) {
        let Write { state, content, data, wire } = &mut writes[piece.write];
        let first = records.last().is_none_or(|before| before.write != piece.write);
        let layout = Layout::new(state, piece.plaintext.len(), wire.len(), first);
        let head = Head { number: piece.number, content: *content, version: state.version.bytes() };
        layout.lay(head, &iv, &data[piece.plaintext.clone()], wire);
        report.records += 1;
        report.plaintext += piece.plaintext.len() as u64;
        report.wire += layout.wire_len() as u64;
        records.push(Record { write: piece.write, head, layout, iv });
    }
    records
}

/// Computes the MACs of all records with this order, and finishes these records.
fn mac(writes: &mut [Write<'_>], records: &[Record], order: MacOrder, report: &mut SealReport) {
    let records: Vec<&Record> =
        records.iter().filter(|record| writes[record.write].state.order == order).collect();
    let messages: Vec<(&MacKey, &[u8])> = records
        .iter()
        .map(|record| {
            let write = &writes[record.write];
            (&write.state.mac_key, &write.wire[record.layout.message()])
        })
        .collect();
    let macs: Vec<Mac> = mac_many(&messages, &mut report.mac);
    for (record, mac) in records.iter().zip(&macs) {
        record.layout.finish(record.head, &record.iv, mac, writes[record.write].wire);
    }
}

fn encrypt(
    writes: &mut [Write<'_>],
    records: &[Record],
    engine: &CbcEngine,
    report: &mut SealReport,
) {
    let mut buffers = Vec::with_capacity(records.len());
    let mut records = records;
    for (number, write) in writes.iter_mut().enumerate() {
        let (of_write, after) =
            records.split_at(records.partition_point(|record| record.write == number));
        records = after;
        let Write { state, wire, .. } = write;
        let (mut rest, mut at) = (wire.as_mut_slice(), 0);
        for record in of_write {
            let range = record.layout.encrypted();
            let (_, tail) = rest.split_at_mut(range.start - at);
            let (data, tail) = tail.split_at_mut(range.len());
            (rest, at) = (tail, range.end);
            buffers.push(CbcBuffer { key: &state.key, iv: record.iv, data });
        }
    }
    let lane_use = engine.encrypt_many(&mut buffers);
    report.cbc.add(&lane_use.expect("padding makes whole blocks"));
}
