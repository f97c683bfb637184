//! Measures how much of some files is duplicated: cuts them into chunks and counts equal ones.
//!
//! ```sh
//! cargo run --release --example dedup -- FILE...
//! ```

use std::collections::HashSet;
use std::process::ExitCode;
use std::{env, fs};

use hashlanes::{Sha256, digest_chunks};

/// The length of a chunk in bytes. The last one of a file may be shorter.
const CHUNK: usize = 4096;

#[derive(Default)]
struct Store {
    chunks: usize,
    different: HashSet<[u8; 32]>,
}

impl Store {
    fn add(&mut self, file: &[u8]) {
        let digests = digest_chunks::<Sha256>(file, CHUNK);
        self.chunks += digests.len();
        self.different.extend(digests);
    }

    fn report(&self) -> String {
        let duplicates = self.chunks - self.different.len();
        let share = 100.0 * duplicates as f64 / self.chunks.max(1) as f64;
        format!("{} chunks, {duplicates} of them duplicates ({share:.1} %)", self.chunks)
    }
}

fn main() -> ExitCode {
    let files: Vec<_> = env::args_os().skip(1).collect();
    let mut store = Store::default();
    if files.is_empty() {
        // Two files with a common beginning.
        store.add(&[[1; CHUNK], [2; CHUNK], [3; CHUNK]].concat());
        store.add(&[[1; CHUNK], [2; CHUNK], [4; CHUNK]].concat());
    }
    let mut status = ExitCode::SUCCESS;
    for file in &files {
        match fs::read(file) {
            Ok(data) => store.add(&data),
            Err(error) => {
                eprintln!("dedup: {}: {error}", file.display());
                status = ExitCode::FAILURE;
            }
        }
    }
    println!("{}", store.report());
    status
}
