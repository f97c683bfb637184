//! One record in the caller's memory, from the plaintext to the bytes for the wire.
//!
//! ```text
//! MAC-then-encrypt   header 5 | IV 16 | plaintext | MAC | padding     encrypted: from plaintext
//! encrypt-then-MAC   header 5 | IV 16 | plaintext | padding | MAC     encrypted: up to the MAC
//! ```
//!
//! The MAC covers 13 bytes (number, type, version, length) and the bytes that they describe, all
//! contiguous. So these 13 bytes are temporarily written in front of what they describe:
//!
//! * MAC-then-encrypt: in front of the plaintext, over the end of the header and the IV, which are
//!   written later.
//! * Encrypt-then-MAC: in front of the IV. The last 5 are the header. The first 8 overlap the end
//!   of the previous record, whose MAC is written later. The first record of a window has no
//!   previous one: it is laid out 8 bytes further, over the place of its own MAC, and moves down
//!   afterwards.

use std::ops::Range;

use super::state::WriteState;
use super::suite::{ContentType, MacOrder};

pub(super) const HEADER: usize = 5;
pub(super) const IV: usize = 16;
/// The sequence number, which precedes the header in the input of the MAC.
const NUMBER: usize = 8;
const BLOCK: usize = 16;

/// Where the parts of a record are in the memory of its write.
#[derive(Clone, Debug)]
pub(super) struct Layout {
    order: MacOrder,
    start: usize,
    plaintext: usize,
    mac: usize,
    /// The padding, including its last byte, the padding length.
    padding: usize,
    /// How far the record is shifted until its MAC is made.
    shift: usize,
}

impl Layout {
    /// The layout of a record that begins at `start`. `first`: it is the first of its write in a
    /// window.
    pub(super) fn new(state: &WriteState, plaintext: usize, start: usize, first: bool) -> Self {
        let (order, mac) = (state.order, state.suite.mac_len());
        let (padded, shift) = match order {
            MacOrder::MacThenEncrypt => (plaintext + mac, 0),
            MacOrder::EncryptThenMac => (plaintext, if first { NUMBER } else { 0 }),
        };
        let padding = BLOCK - padded % BLOCK;
        Self { order, start, plaintext, mac, padding, shift }
    }

    /// Bytes on the wire.
    pub(super) fn wire_len(&self) -> usize {
        HEADER + IV + self.plaintext + self.mac + self.padding
    }

    /// Appends the record to its write, except for what is computed later.
    pub(super) fn lay(&self, head: Head, iv: &[u8; IV], plaintext: &[u8], wire: &mut Vec<u8>) {
        debug_assert!(wire.len() == self.start && plaintext.len() == self.plaintext);
        let padding = [self.padding as u8 - 1; BLOCK];
        let padding = &padding[..self.padding];
        match self.order {
            MacOrder::MacThenEncrypt => {
                let mut before = [0; HEADER + IV];
                let number_at = before.len() - NUMBER - HEADER;
                before[number_at..].copy_from_slice(&head.with_number(self.plaintext));
                wire.extend_from_slice(&before);
                wire.extend_from_slice(plaintext);
                wire.resize(wire.len() + self.mac, 0);
                wire.extend_from_slice(padding);
            }
            MacOrder::EncryptThenMac => {
                let head = head.with_number(IV + self.plaintext + self.padding);
                // The number overwrites the MAC of the previous record, or this record's own.
                wire.truncate(self.message().start);
                wire.extend_from_slice(&head);
                wire.extend_from_slice(iv);
                wire.extend_from_slice(plaintext);
                wire.extend_from_slice(padding);
                wire.resize(self.start + self.wire_len(), 0);
            }
        }
    }

    /// The input of the MAC.
    pub(super) fn message(&self) -> Range<usize> {
        match self.order {
            MacOrder::MacThenEncrypt => {
                let plaintext = self.start + HEADER + IV;
                plaintext - NUMBER - HEADER..plaintext + self.plaintext
            }
            MacOrder::EncryptThenMac => self.start + self.shift - NUMBER..self.encrypted().end,
        }
    }

    /// The bytes to encrypt.
    pub(super) fn encrypted(&self) -> Range<usize> {
        let start = self.start + self.shift + HEADER + IV;
        let mac = match self.order {
            MacOrder::MacThenEncrypt => self.mac,
            MacOrder::EncryptThenMac => 0,
        };
        start..start + self.plaintext + mac + self.padding
    }

    /// Writes the MAC, the header and the IV to their places.
    pub(super) fn finish(&self, head: Head, iv: &[u8; IV], mac: &[u8], wire: &mut [u8]) {
        let mac_at = match self.order {
            MacOrder::MacThenEncrypt => self.start + HEADER + IV + self.plaintext,
            MacOrder::EncryptThenMac => {
                if self.shift > 0 {
                    let from = self.start + self.shift + HEADER;
                    wire.copy_within(from..self.encrypted().end, self.start + HEADER);
                }
                self.start + self.wire_len() - self.mac
            }
        };
        wire[mac_at..mac_at + self.mac].copy_from_slice(&mac[..self.mac]);
        let header = head.header(self.wire_len() - HEADER);
        wire[self.start..self.start + HEADER].copy_from_slice(&header);
        wire[self.start + HEADER..self.start + HEADER + IV].copy_from_slice(iv);
    }
}

/// What precedes a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Head {
    pub(super) number: u64,
    pub(super) content: ContentType,
    pub(super) version: [u8; 2],
}

impl Head {
    fn header(self, length: usize) -> [u8; HEADER] {
        let [high, low] = (length as u16).to_be_bytes();
        [self.content.byte(), self.version[0], self.version[1], high, low]
    }

    fn with_number(self, length: usize) -> [u8; NUMBER + HEADER] {
        let mut bytes = [0; NUMBER + HEADER];
        bytes[..NUMBER].copy_from_slice(&self.number.to_be_bytes());
        bytes[NUMBER..].copy_from_slice(&self.header(length));
        bytes
    }
}
