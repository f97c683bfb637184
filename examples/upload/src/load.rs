//! The load: many connections that upload at the same time, and check what they are told.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::thread;
use std::time::Instant;

use anyhow::{Context, bail, ensure};
use clap::ValueEnum;
use sha2::Digest;

use crate::endpoint::{Hashing, hex};

pub(crate) struct Load {
    pub(crate) connections: usize,
    pub(crate) uploads: usize,
    pub(crate) size: usize,
}

/// A body, and the answer to it.
struct Upload {
    body: Vec<u8>,
    etag: String,
    sha256: String,
}

impl Upload {
    fn new(seed: usize, size: usize) -> Self {
        let mut x = seed as u64 + 1;
        let words = (0..size.div_ceil(8)).flat_map(|_| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x ^ (x >> 29)).to_le_bytes()
        });
        let body: Vec<u8> = words.take(size).collect();
        // By another implementation than the endpoint's.
        let (etag, sha256) = (hex(&md5::Md5::digest(&body)), hex(&sha2::Sha256::digest(&body)));
        Self { body, etag: format!("\"{etag}\""), sha256 }
    }
}

/// The endpoint as a process of its own, killed when dropped.
struct Endpoint {
    process: Child,
    address: String,
}

impl Endpoint {
    fn start(hashing: Hashing, threads: usize) -> anyhow::Result<Self> {
        let hashing = hashing.to_possible_value().expect("no value is skipped");
        let mut process = Command::new(std::env::current_exe()?)
            .args(["serve", "--listen", "127.0.0.1:0", "--hashing", hashing.get_name()])
            .args(["--threads", &threads.to_string()])
            .stdout(Stdio::piped())
            .spawn()?;
        let stdout = process.stdout.take().context("the endpoint's output is a pipe")?;
        let mut line = String::new();
        BufReader::new(stdout).read_line(&mut line)?;
        let address = line.trim().strip_prefix("listening at http://").map(str::to_owned);
        let mut endpoint = Self { process, address: String::new() };
        endpoint.address = address.context("the endpoint did not start")?;
        Ok(endpoint)
    }

    /// The endpoint's CPU seconds so far, and the rest of its report.
    fn report(&self) -> anyhow::Result<(f64, String)> {
        let mut connection = Connection::open(&self.address)?;
        let (_, text) = connection.request("GET", &[])?;
        let (first, rest) = text.split_once('\n').context("a report has several lines")?;
        let seconds = first.strip_prefix("cpu_seconds ").context("a report begins with the CPU time")?.parse()?;
        Ok((seconds, rest.to_owned()))
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        // It may have ended by itself, which is no reason to fail here.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A connection that is kept open for one request after the other: as much of HTTP/1.1 as this needs.
struct Connection {
    stream: BufReader<TcpStream>,
}

impl Connection {
    fn open(address: &str) -> anyhow::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self { stream: BufReader::new(stream) })
    }

    /// Sends a request; returns the answer's ETag, or an empty string, and its body.
    fn request(&mut self, method: &str, body: &[u8]) -> anyhow::Result<(String, String)> {
        let stream = self.stream.get_mut();
        write!(stream, "{method} /object HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n\r\n", body.len())?;
        stream.write_all(body)?;
        let (mut length, mut etag, mut line) = (0, String::new(), String::new());
        self.stream.read_line(&mut line)?;
        if !line.starts_with("HTTP/1.1 200 ") {
            bail!("the endpoint answers {line:?}");
        }
        loop {
            line.clear();
            self.stream.read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.parse()?,
                "etag" => value.clone_into(&mut etag),
                _ => {}
            }
        }
        let mut text = vec![0; length];
        self.stream.read_exact(&mut text)?;
        Ok((etag, String::from_utf8(text)?))
    }
}

/// What one turn of the endpoint took.
struct Turn {
    cpu_seconds: f64,
    wall_seconds: f64,
    report: String,
}

fn turn(load: &Load, uploads: &Arc<Vec<Upload>>, hashing: Hashing, threads: usize) -> anyhow::Result<Turn> {
    let endpoint = Endpoint::start(hashing, threads)?;
    let (before, _) = endpoint.report()?;
    let begin = Instant::now();
    let connections: Vec<_> = (0..load.connections)
        .map(|i| {
            let (uploads, address, count) = (Arc::clone(uploads), endpoint.address.clone(), load.uploads);
            thread::spawn(move || -> anyhow::Result<()> {
                let mut connection = Connection::open(&address)?;
                for k in 0..count {
                    let upload = &uploads[(i + k) % uploads.len()];
                    let (etag, text) = connection.request("PUT", &upload.body)?;
                    if hashing != Hashing::None {
                        ensure!(etag == upload.etag, "wrong ETag {etag}, not {}", upload.etag);
                        ensure!(text.trim_end() == upload.sha256, "wrong SHA-256 {text}");
                    }
                }
                Ok(())
            })
        })
        .collect();
    for connection in connections {
        connection.join().expect("connections do not panic")?;
    }
    let wall_seconds = begin.elapsed().as_secs_f64();
    let (after, report) = endpoint.report()?;
    Ok(Turn { cpu_seconds: after - before, wall_seconds, report })
}

pub(crate) fn compare(load: &Load, threads: usize, turns: usize) -> anyhow::Result<()> {
    // Some more bodies than connections would need much memory, and fewer share the caches: a body each.
    let uploads = Arc::new((0..load.connections).map(|seed| Upload::new(seed, load.size)).collect::<Vec<_>>());
    let total = (load.connections * load.uploads * load.size) as f64 / 1e9;
    println!("{} connections, {} uploads of {} bytes each", load.connections, load.uploads, load.size);
    let mut best: Vec<(Hashing, Option<Turn>)> =
        [Hashing::Server, Hashing::Plain, Hashing::None].map(|hashing| (hashing, None)).into();
    for _ in 0..turns {
        for (hashing, best) in &mut best {
            let turn = turn(load, &uploads, *hashing, threads)?;
            if best.as_ref().is_none_or(|best| turn.cpu_seconds < best.cpu_seconds) {
                *best = Some(turn);
            }
        }
    }
    let without = best.iter().find(|(hashing, _)| *hashing == Hashing::None);
    let without = without.and_then(|(_, turn)| turn.as_ref()).map_or(0.0, |turn| turn.cpu_seconds);
    println!("hashing\tCPU s/GB\tof that hashing\tGB/s");
    for (hashing, turn) in &best {
        let Some(turn) = turn else { continue };
        println!(
            "{}\t{:.3}\t{:.3}\t{:.3}",
            hashing.to_possible_value().expect("no value is skipped").get_name(),
            turn.cpu_seconds / total,
            (turn.cpu_seconds - without) / total,
            total / turn.wall_seconds,
        );
    }
    for (hashing, turn) in best {
        if let (Hashing::Server, Some(turn)) = (hashing, turn) {
            print!("{}", turn.report);
        }
    }
    Ok(())
}
