//! Engines that are Go packages. A driver process, built when it is needed, hashes the messages
//! that it receives. The first lines of `go/main.go` describe the protocol.
//!
//! The process inherits the core to which this process is pinned. Each of the two sleeps while the
//! other works.

use std::cell::RefCell;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use hashlanes::Algorithm;
use serde::{Deserialize, Serialize};
use tempfile::TempDir;

use crate::engine::{Engine, Found, Missing};

pub(crate) fn all() -> Vec<Found> {
    match Driver::start() {
        Ok((driver, engines)) => {
            let driver = Rc::new(RefCell::new(driver));
            let engine = |about| {
                Found::Engine(
                    Box::new(GoEngine { about, driver: Rc::clone(&driver) }) as Box<dyn Engine>
                )
            };
            engines.into_iter().map(engine).collect()
        }
        Err(error) => vec![Found::Missing(Missing {
            name: "Go crypto and minio",
            reason: format!("{error:#}"),
            remedy: "install Go 1.22 or later (Debian: apt-get install golang-go); the build \
                     fetches the modules",
        })],
    }
}

/// An engine as the driver describes it.
#[derive(Deserialize)]
struct About {
    name: String,
    version: String,
    algorithms: Vec<String>,
}

#[derive(Serialize)]
struct Request<'a> {
    engine: &'a str,
    algorithm: &'a str,
    times: u32,
    warm: bool,
    lengths: Vec<usize>,
}

#[derive(Deserialize)]
struct Reply {
    nanoseconds: u64,
    digests: usize,
}

struct Driver {
    process: Child,
    /// `None` once it was closed, which ends the process.
    requests: Option<ChildStdin>,
    replies: BufReader<ChildStdout>,
    _folder: TempDir,
}

impl Driver {
    fn start() -> Result<(Self, Vec<About>)> {
        let folder = tempfile::tempdir()?;
        let program = folder.path().join("driver");
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("go");
        let build = Command::new("go")
            .args(["build", "-o"])
            .arg(&program)
            .arg(".")
            .current_dir(source)
            .output();
        let build = build.context("`go` cannot be run")?;
        if !build.status.success() {
            let errors = String::from_utf8_lossy(&build.stderr).into_owned();
            bail!(
                "the driver does not build: {}",
                errors.lines().last().unwrap_or("no reason given")
            );
        }
        let mut process =
            Command::new(&program).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let requests = process.stdin.take();
        let mut replies = BufReader::with_capacity(
            1 << 20,
            process.stdout.take().context("the driver has no output")?,
        );
        let engines = serde_json::from_str(&line(&mut replies)?)?;
        Ok((Self { process, requests, replies, _folder: folder }, engines))
    }

    fn ask(
        &mut self,
        request: &Request<'_>,
        messages: &[&[u8]],
        digests: &mut [u8],
    ) -> Result<Duration> {
        let requests = self.requests.as_mut().context("the driver has ended")?;
        let mut header = serde_json::to_vec(request)?;
        header.push(b'\n');
        requests.write_all(&header)?;
        // Sends many small messages in one write.
        requests.write_all(&messages.concat())?;
        requests.flush()?;
        let reply: Reply = serde_json::from_str(&line(&mut self.replies)?)?;
        if reply.digests != digests.len() {
            bail!("{} bytes of digests instead of {}", reply.digests, digests.len());
        }
        self.replies.read_exact(digests)?;
        Ok(Duration::from_nanos(reply.nanoseconds))
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        drop(self.requests.take());
        // The process exits at the end of its input. Its status does not matter.
        let _ = self.process.wait();
    }
}

fn line(replies: &mut impl BufRead) -> Result<String> {
    let mut line = String::new();
    if replies.read_line(&mut line)? == 0 {
        bail!("the driver ended; its reason is above");
    }
    Ok(line)
}

struct GoEngine {
    about: About,
    driver: Rc<RefCell<Driver>>,
}

impl Engine for GoEngine {
    fn name(&self) -> &str {
        &self.about.name
    }

    fn version(&self) -> &str {
        &self.about.version
    }

    fn supports(&self, algorithm: Algorithm) -> bool {
        self.about.algorithms.iter().any(|name| name == algorithm.name())
    }

    fn hash(&mut self, algorithm: Algorithm, messages: &[&[u8]], digests: &mut [u8]) -> Result<()> {
        self.time(algorithm, messages, digests, 1).map(drop)
    }

    fn time(
        &mut self,
        algorithm: Algorithm,
        messages: &[&[u8]],
        digests: &mut [u8],
        times: u32,
    ) -> Result<Duration> {
        let lengths: Vec<usize> = messages.iter().map(|message| message.len()).collect();
        let warm = crate::workload::fits_some_cache(lengths.iter().sum());
        let request =
            Request { engine: &self.about.name, algorithm: algorithm.name(), times, warm, lengths };
        self.driver.borrow_mut().ask(&request, messages, digests)
    }
}
