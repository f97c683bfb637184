//! An HTTP upload endpoint that computes the MD5 ETag and the SHA-256 digest of every body while it arrives.
//!
//! ```text
//! cargo run --release -p hashlanes-upload -- serve          # an endpoint, for any client:
//! curl -T file http://127.0.0.1:8080/file
//! cargo run --release -p hashlanes-upload -- compare        # what a HashServer saves, under load
//! ```
//!
//! `compare` starts the endpoint three times, as a process of its own: with one `HashServer` for each algorithm, with plain
//! hashers, and without hashing; drives each with the same uploads on many connections; checks every answer; and prints the
//! endpoint's CPU time for each.

mod endpoint;
mod load;

use clap::{Parser, Subcommand};

use endpoint::Hashing;

#[derive(Parser)]
#[command(about = "An HTTP upload endpoint with MD5 ETags and SHA-256 digests")]
struct Options {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Take uploads (PUT) until killed; tell what has been done (GET).
    Serve {
        /// Where to listen; with port 0 a free one is chosen. Its address is printed.
        #[arg(long, default_value = "127.0.0.1:8080")]
        listen: String,
        /// How bodies are hashed.
        #[arg(long, value_enum, default_value_t = Hashing::Server)]
        hashing: Hashing,
        /// Threads that serve.
        #[arg(long, default_value_t = 2)]
        threads: usize,
    },
    /// Compare the endpoint's CPU time with shared lanes, with plain hashers, and without hashing.
    Compare {
        /// Connections at the same time.
        #[arg(long, default_value_t = 32)]
        connections: usize,
        /// Uploads on each connection.
        #[arg(long, default_value_t = 8)]
        uploads: usize,
        /// Bytes of each upload.
        #[arg(long, default_value_t = 4 << 20)]
        size: usize,
        /// Threads that serve.
        #[arg(long, default_value_t = 2)]
        threads: usize,
        /// Times that each kind of hashing has its turn; the best one counts.
        #[arg(long, default_value_t = 3)]
        turns: usize,
    },
}

fn main() -> anyhow::Result<()> {
    match Options::parse().command {
        Command::Serve { listen, hashing, threads } => endpoint::serve(&listen, hashing, threads),
        Command::Compare { connections, uploads, size, threads, turns } => {
            load::compare(&load::Load { connections, uploads, size }, threads, turns)
        }
    }
}
