//! An HTTP upload endpoint. It computes the MD5 ETag and the SHA-256 digest of every body while the
//! body arrives.
//!
//! ```text
//! cargo run --release -p hashlanes-upload          # starts the endpoint
//! curl -i -T FILE http://127.0.0.1:8080/           # uploads a file
//! curl http://127.0.0.1:8080/                      # shows statistics and the CPU time
//! ```
//!
//! README.md shows what one `HashServer` for all uploads saves, and how that was measured.

#![forbid(unsafe_code)]

mod endpoint;

use std::net::SocketAddr;

use clap::Parser;

use endpoint::Hashing;

/// Accept uploads (PUT) until killed. Answer each with its MD5 digest as ETag and its SHA-256
/// digest as text. Report statistics (GET).
#[derive(Parser)]
struct Options {
    /// Address to listen on, which is printed. Port 0 selects a free port
    #[arg(long, default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// How bodies are hashed
    #[arg(long, value_enum, default_value_t = Hashing::Server)]
    hashing: Hashing,
    /// Number of executor threads
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u16).range(1..))]
    threads: u16,
}

fn main() -> anyhow::Result<()> {
    let options = Options::parse();
    endpoint::serve(options.listen, options.hashing, options.threads.into())
}
