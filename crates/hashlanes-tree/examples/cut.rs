//! Cuts a file into content-defined chunks with only the crate `fastcdc`, on one core and without
//! hashing: the comparison for `hashlanes dedup`.
//!
//! `cargo run --release -p hashlanes-tree --example cut -- FILE`

use std::fs::File;
use std::io::Read;

use fastcdc::v2020::FastCDC;

/// The sizes of `hashlanes dedup`.
const SIZES: (usize, usize, usize) = (16 << 10, 64 << 10, 256 << 10);

fn main() -> std::io::Result<()> {
    let path = std::env::args_os().nth(1).expect("the name of a file");
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 8 << 20];
    let (mut held, mut chunks, mut bytes, mut is_last) = (0, 0_u64, 0_u64, false);
    while !is_last || held > 0 {
        while held < buffer.len() && !is_last {
            let read = file.read(&mut buffer[held..])?;
            is_last = read == 0;
            held += read;
        }
        let (min, avg, max) = SIZES;
        let cutter = FastCDC::new(&buffer[..held], min, avg, max);
        let mut at = 0;
        while at < held && (is_last || held - at >= max) {
            let (_, cut) = cutter.cut(at, held - at);
            chunks += 1;
            bytes += (cut - at) as u64;
            at = cut;
        }
        buffer.copy_within(at..held, 0);
        held -= at;
    }
    println!("{chunks} chunks, {bytes} bytes");
    Ok(())
}
