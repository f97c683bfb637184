//! `cargo xtask race --c`: C programs that use a server from many threads, under ThreadSanitizer.
//!
//! Both sides are compiled for the sanitizer: the programs by the C compiler, and the library with
//! Rust's standard library by a nightly toolchain. So the sanitizer sees every lock and every
//! access, and no report is suppressed.
//!
//! With `--light` only the programs are compiled for it, and the library is the installed one. The
//! sanitizer then sees what the library copies and allocates, but not the locks that order it: they
//! are system calls and atomics in code that was not compiled for it. So reports about the library
//! are suppressed (`called_from_lib`), and `cargo xtask race` covers it. Reports about the programs
//! are not.

use std::fs;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context, Result, ensure};

use crate::c::describe::Places;
use crate::c::install;
use crate::c::library::{LIBRARIES, Toolchain};
use crate::command::{needs_library_sources, root, run as announce, target, toolchain};

/// The sanitizer's runtime requires fixed places in memory, which it does not get if the system
/// randomises addresses widely.
const RUN: [&str; 2] = ["setarch", "--addr-no-randomize"];

/// Functions that LLVM calls in place of the C library's, and that the C compiler's runtime lacks:
/// it intercepts the C library's functions themselves.
const BRIDGE: &str = "\
#include <string.h>
void *__tsan_memcpy(void *to, const void *from, size_t n) { return memcpy(to, from, n); }
void *__tsan_memmove(void *to, const void *from, size_t n) { return memmove(to, from, n); }
void *__tsan_memset(void *to, int byte, size_t n) { return memset(to, byte, n); }
";

/// Connections, and uploads over each.
const CLIENTS: usize = 24;
const UPLOADS: usize = 12;

/// Runs the test of threads, and the upload server with many clients.
pub(super) fn run(triple: &str, light: bool) -> Result<()> {
    let folder = target().join("c/race");
    fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    let link = if light { installed(&folder)? } else { sanitized(&folder, triple)? };
    let options = if light {
        let file = folder.join("suppressions");
        fs::write(&file, "called_from_lib:libhashlanes.so\n")?;
        format!("halt_on_error=1 suppressions={}", file.display())
    } else {
        "halt_on_error=1".to_owned()
    };
    // The first report ends the process.
    let start = |source: &str| -> Result<Command> {
        let mut command = Command::new(RUN[0]);
        command.args(&RUN[1..]).arg(compile(&folder, source, &link)?);
        command.env("TSAN_OPTIONS", &options);
        Ok(command)
    };
    announce(&mut start("crates/hashlanes-capi/tests/c/threads.c")?)?;
    upload(start("examples/c/upload.c")?)
}

/// The compiler's arguments for the installed shared library.
fn installed(folder: &Path) -> Result<Vec<String>> {
    let prefix = folder.join("prefix");
    let places = Places { prefix: &prefix.to_string_lossy(), libdir: "lib" };
    let library = &LIBRARIES[0];
    install::install(
        library,
        &library.build(install::PROFILE, "", &Toolchain::host())?,
        &places,
        None,
    )?;
    let lib = prefix.join("lib").display().to_string();
    Ok(vec![format!("-L{lib}"), format!("-Wl,-rpath,{lib}"), format!("-l{}", library.name)])
}

/// The compiler's arguments for the library compiled for the sanitizer, including everything that
/// it needs of Rust.
fn sanitized(folder: &Path, triple: &str) -> Result<Vec<String>> {
    needs_library_sources()?;
    let package = LIBRARIES[0].package;
    let bridge = folder.join("bridge.c");
    fs::write(&bridge, BRIDGE)?;
    let folder = target().join("race");
    let mut build = toolchain("nightly");
    build.args(["cargo", "rustc", "-Zbuild-std", "--target", triple, "-p", package, "--lib"]);
    build.args(["--crate-type", "staticlib"]).arg("--target-dir").arg(&folder);
    announce(build.env("RUSTFLAGS", "-Zsanitizer=thread"))?;
    let name = format!("lib{}.a", package.replace('-', "_"));
    let archive = folder.join(triple).join("debug").join(name);
    let files = [&bridge, &archive].map(|file| file.display().to_string());
    Ok(files.into_iter().chain(["-ldl", "-lm"].map(str::to_owned)).collect())
}

fn compile(folder: &Path, source: &str, link: &[String]) -> Result<PathBuf> {
    let source = root().join(source);
    let program = folder.join(source.file_stem().unwrap_or_default());
    let mut cc = Command::new("cc");
    cc.args(["-std=c99", "-D_POSIX_C_SOURCE=200809L", "-g", "-O1", "-fsanitize=thread"]);
    cc.arg("-I").arg(LIBRARIES[0].headers()).arg(&source).arg("-o").arg(&program);
    announce(cc.arg("-pthread").args(link))?;
    Ok(program)
}

/// Runs the upload server with concurrent clients, and stops it.
fn upload(mut command: Command) -> Result<()> {
    let mut server = command.args(["0", "16"]).stdout(Stdio::piped()).spawn()?;
    let output = server.stdout.take().context("no pipe")?;
    let mut lines = BufReader::new(output).lines();
    let line = lines.next().context("the server says nothing")??;
    let address = line.strip_prefix("listening at http://").context(line.clone())?.to_owned();
    eprintln!("{CLIENTS} clients, {UPLOADS} uploads each, to {address}");
    let clients: Vec<_> = (0..CLIENTS)
        .map(|i| {
            let address = address.clone();
            thread::spawn(move || client(&address, i))
        })
        .collect();
    for client in clients {
        client.join().map_err(|_| anyhow::anyhow!("a client panicked"))??;
    }
    announce(Command::new("kill").args(["-TERM", &server.id().to_string()]))?;
    let status = server.wait()?;
    ensure!(status.success(), "the upload server: {status}");
    let said = lines.next().context("the server says nothing at its end")??;
    ensure!(said.starts_with(&format!("{} uploads", CLIENTS * UPLOADS)), "{said}");
    eprintln!("{said}; no data race was seen");
    Ok(())
}

/// Sends bodies of several lengths over one connection.
fn client(address: &str, number: usize) -> Result<()> {
    let mut stream = TcpStream::connect(address)?;
    let mut reader = BufReader::new(stream.try_clone()?);
    for upload in 0..UPLOADS {
        let body = vec![number as u8; [100, 5_000, 70_000, 300_000][upload % 4]];
        write!(stream, "PUT / HTTP/1.1\r\nContent-Length: {}\r\n\r\n", body.len())?;
        for piece in body.chunks(3_000 + 1_000 * number) {
            stream.write_all(piece)?;
        }
        let mut line = String::new();
        reader.read_line(&mut line)?;
        ensure!(line.starts_with("HTTP/1.1 200 "), "an answer: {line}");
        // The rest of the header, and the digest.
        for _ in 0..3 {
            line.clear();
            reader.read_line(&mut line)?;
        }
        ensure!(line.len() == 65, "no digest: {line}");
    }
    Ok(())
}
