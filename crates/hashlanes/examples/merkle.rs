//! Computes the root of a Merkle tree over the chunks of each file. Given the root, one digest per
//! level of the tree proves that a chunk belongs to the file.
//!
//! ```sh
//! cargo run --release --example merkle -- FILE...
//! ```
//!
//! The tree is that of RFC 6962 section 2.1. Leaves are hashed with the prefix byte 0 and nodes
//! with 1, so that a leaf cannot be passed off as a node.

use std::process::ExitCode;
use std::{env, fs};

use hashlanes::{AnyDigest, Prefix, Sha256};

/// The length of a leaf in bytes. The last one of a file may be shorter.
const CHUNK: usize = 4096;

fn root(data: &[u8]) -> [u8; 32] {
    let leaf = Prefix::<Sha256>::new([0]);
    let node = Prefix::<Sha256>::new([1]);
    let mut level = leaf.digest_chunks(data, CHUNK);
    while level.len() > 1 {
        // A node without a sibling moves up unchanged.
        let (pairs, odd) = level.as_chunks::<2>();
        let mut above = vec![[0; 32]; pairs.len()];
        node.digest_pairs(pairs, &mut above);
        above.extend(odd);
        level = above;
    }
    // The root of the empty tree is the digest of the empty message.
    level.pop().unwrap_or_else(|| Sha256::digest(""))
}

fn main() -> ExitCode {
    let files: Vec<_> = env::args_os().skip(1).collect();
    if files.is_empty() {
        println!("{}  1000000 zeros", AnyDigest::from(root(&[0; 1_000_000])));
    }
    let mut status = ExitCode::SUCCESS;
    for file in &files {
        match fs::read(file) {
            Ok(data) => println!("{}  {}", AnyDigest::from(root(&data)), file.display()),
            Err(error) => {
                eprintln!("merkle: {}: {error}", file.display());
                status = ExitCode::FAILURE;
            }
        }
    }
    status
}
