//! Cuts a file into content-defined chunks, as a backup program does, and names each by its digest.
//!
//! ```sh
//! cargo run --release -p hashlanes-tree --example cut -- FILE blake3    # a line for each chunk
//! cargo run --release -p hashlanes-tree --example cut -- FILE           # only cuts
//! ```
//!
//! Only the crate `fastcdc` and one core. Chunks differ in length, so they are hashed in one call
//! for each buffer, and those that are alike share lanes. `hashlanes dedup` does it on all cores;
//! without a function, this is what it is compared with.

use std::fs::File;
use std::io::Read;

use fastcdc::v2020::FastCDC;
use hashlanes::Algorithm;

/// The sizes of `hashlanes dedup`.
const SIZES: (usize, usize, usize) = (16 << 10, 64 << 10, 256 << 10);

fn main() -> std::io::Result<()> {
    let path = std::env::args_os().nth(1).expect("the name of a file");
    let function = std::env::args().nth(2).map(|name| Algorithm::from_name(&name));
    let function = function.transpose().map_err(std::io::Error::other)?;
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 8 << 20];
    let (mut held, mut chunks, mut bytes, mut is_last) = (0, 0, 0, false);
    while !is_last || held > 0 {
        while held < buffer.len() && !is_last {
            let read = file.read(&mut buffer[held..])?;
            is_last = read == 0;
            held += read;
        }
        let (min, avg, max) = SIZES;
        let cutter = FastCDC::new(&buffer[..held], min, avg, max);
        let (mut at, mut found) = (0, Vec::new());
        while at < held && (is_last || held - at >= max) {
            let (_, cut) = cutter.cut(at, held - at);
            found.push(&buffer[at..cut]);
            at = cut;
        }
        if let Some(function) = function {
            for (digest, chunk) in function.digest_many(&found).iter().zip(&found) {
                println!("{digest}  {}", chunk.len());
            }
        }
        chunks += found.len();
        bytes += at;
        buffer.copy_within(at..held, 0);
        held -= at;
    }
    eprintln!("{chunks} chunks, {bytes} bytes");
    Ok(())
}
