//! The program reads a store through a proxy with faults: every digest must be right, and every
//! object without one must be named with a reason.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};

use super::proxy::{Fault, Proxy};
use super::random::Random;
use super::server::{SECRET, Server};
use super::{Scripts, unusable};

/// How long a run may take. Retries wait for seconds at most.
const PATIENCE: Duration = Duration::from_secs(300);

/// How many of 1,000 responses get a fault, in turns.
const RATES: [u64; 4] = [20, 100, 300, 900];

/// The bucket, and the folder with the same files.
const BUCKET: &str = "faults";

pub(super) fn run(scripts: &Scripts, server: &Server, wanted: u64) -> Result<()> {
    let expected = fill(scripts, server, BUCKET, 120)?;
    let proxy = Proxy::start(&server.url, wanted)?;
    let begin = Instant::now();
    let (mut runs, mut named, mut done) = (0, 0, 0);
    while total(&proxy) < wanted {
        let before = proxy.served();
        proxy.set_rate(RATES[runs % RATES.len()]);
        let mut command = scripts.program(&proxy.url);
        command.args(["sum", "-r"]).arg(format!("s3://{BUCKET}/"));
        let output = finished(&mut command)?;
        let missing = check(&expected, &output)?;
        ensure!(!proxy.leaked(), "a redirect to another host was given credentials");
        ensure!(proxy.served() > before, "the program reads nothing");
        (runs, named, done) = (runs + 1, named + missing, done + expected.len() - missing);
    }
    println!(
        "faults: {} of {} responses in {runs} runs, {:.0} s: {done} digests, all right; {named} \
         objects named as unread",
        total(&proxy),
        proxy.served(),
        begin.elapsed().as_secs_f64()
    );
    for fault in Fault::ALL {
        println!("  {fault:?}: {}", proxy.injected().get(&fault).copied().unwrap_or(0));
    }
    Ok(())
}

fn total(proxy: &Proxy) -> u64 {
    proxy.injected().values().sum()
}

/// Makes files, uploads them to a bucket, and returns the lines of their manifest by name.
pub(super) fn fill(
    scripts: &Scripts,
    server: &Server,
    bucket: &str,
    files: u64,
) -> Result<BTreeMap<String, String>> {
    let folder = scripts.folder.join(bucket);
    let mut random = Random(files);
    for number in 0..files {
        let length = match number {
            0 => 0,
            1 => 40 << 20,
            2 => 17 << 20,
            number if number % 8 == 0 => random.below(1 << 20),
            _ => random.below(20_000),
        };
        let path = folder.join(format!("{:02}", number % 7)).join(format!("{number:05}"));
        write(&path, &random.bytes(length))?;
    }
    scripts.run("fill.py", bucket, std::slice::from_ref(server))?;
    let mut command = scripts.program(&server.url);
    let output = finished(command.args(["sum", "-r", bucket]))?;
    ensure!(output.status.success(), "the files cannot be hashed");
    let lines = String::from_utf8_lossy(&output.stdout).into_owned();
    let pairs = lines.lines().filter_map(|line| line.split_once("  "));
    Ok(pairs.map(|(digest, name)| (after(name, bucket), digest.to_owned())).collect())
}

fn write(path: &Path, content: &[u8]) -> Result<()> {
    fs::create_dir_all(path.parent().context("a folder")?)?;
    fs::write(path, content).with_context(|| unusable(path))
}

/// The part of a file's or an object's name after the bucket.
fn after(name: &str, bucket: &str) -> String {
    let name = name.trim_start_matches("s3://");
    name.strip_prefix(bucket).unwrap_or(name).trim_start_matches('/').to_owned()
}

/// Runs a command to its end. Fails if it does not end.
pub(super) fn finished(command: &mut Command) -> Result<Output> {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().context("cannot start the program")?;
    let (mut stdout, mut stderr) = (child.stdout.take().unwrap(), child.stderr.take().unwrap());
    let stdout = thread::spawn(move || read(&mut stdout));
    let stderr = thread::spawn(move || read(&mut stderr));
    let begin = Instant::now();
    let status = loop {
        if let Some(status) = child.try_wait()? {
            break status;
        }
        if begin.elapsed() > PATIENCE {
            child.kill()?;
            bail!("the program hangs: {:?}", command.get_args());
        }
        thread::sleep(Duration::from_millis(10));
    };
    let bytes = |thread: thread::JoinHandle<Vec<u8>>| thread.join().unwrap_or_default();
    Ok(Output { status, stdout: bytes(stdout), stderr: bytes(stderr) })
}

fn read(from: &mut impl std::io::Read) -> Vec<u8> {
    let mut bytes = Vec::new();
    let _ = from.read_to_end(&mut bytes);
    bytes
}

/// Compares the lines with those expected. Returns the number of objects without a line, each of
/// which has a message. If the listing itself failed, one message stands for all.
fn check(expected: &BTreeMap<String, String>, output: &Output) -> Result<usize> {
    let lines = String::from_utf8_lossy(&output.stdout);
    let messages = String::from_utf8_lossy(&output.stderr);
    for text in [&lines, &messages] {
        ensure!(!text.contains(SECRET), "the secret key is in the output:\n{text}");
    }
    let mut missing = expected.clone();
    for line in lines.lines() {
        let (digest, name) = line.split_once("  ").with_context(|| format!("no line: {line}"))?;
        let right = missing.remove(&after(name, BUCKET));
        let right = right.with_context(|| format!("an object that is not there: {line}"))?;
        ensure!(digest == right, "a wrong digest: {line}\nexpected {right}\n{messages}");
    }
    // Messages quote what they are about.
    let is_named = |name: &str| messages.contains(&format!("'s3://{BUCKET}/{name}': "));
    for name in missing.keys() {
        let named = is_named(name) || is_named("");
        ensure!(named, "lost without a word: {name}\n{messages}");
    }
    let failed = !output.status.success();
    ensure!(failed != missing.is_empty(), "{}: {} missing", output.status, missing.len());
    Ok(missing.len())
}
