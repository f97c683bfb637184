//! Seals a write for each of a few connections in one call, and tells how it ran:
//!
//! ```sh
//! cargo run --release -p hashlanes-records --example seal
//! ```
//!
//! In a program the keys come from the handshake, which a TLS library does.

use std::error::Error;

use hashlanes_records::{
    CipherSuite, ContentType, MacOrder, RecordSealer, Version, Write, WriteState,
};

fn main() -> Result<(), Box<dyn Error>> {
    // Four connections, each with keys of its own and a page to send.
    let mut connections = Vec::new();
    for number in 0..4 {
        let suite = CipherSuite::Aes128Sha256;
        let (key, mac_key) = ([number; 16], [number; 32]);
        let order = MacOrder::EncryptThenMac;
        let state = WriteState::new(suite, Version::Tls12, order, &key, &mac_key)?
            // The server's Finished had the number 0.
            .with_sequence_number(1);
        connections.push((state, vec![b'a' + number; 150_000], Vec::new()));
    }

    let mut writes: Vec<Write<'_>> = connections
        .iter_mut()
        .map(|(state, page, wire)| Write {
            state,
            content: ContentType::ApplicationData,
            data: page,
            wire,
        })
        .collect();
    let report = RecordSealer::new().seal(&mut writes)?;

    for (number, (state, page, wire)) in connections.iter().enumerate() {
        println!(
            "connection {number}: {} bytes in {} records, {} bytes for the wire",
            page.len(),
            state.sequence_number() - 1,
            wire.len()
        );
    }
    println!("{report}");
    Ok(())
}
