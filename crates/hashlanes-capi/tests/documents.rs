//! Compiles and runs the programs of the guide and of `examples/c`, and checks what they print.

use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;

use hashlanes_capi_tests::{ISAL, Link, compile, compile_with, folder, root, succeed, valgrind};

/// The code blocks of a language in a document: the text between "```KIND" and "```".
fn blocks(document: &str, kind: &str) -> Vec<String> {
    let fence = format!("```{kind}\n");
    let starts = document.split(&fence).skip(1);
    starts.map(|text| text.split("\n```").next().unwrap_or_default().to_owned() + "\n").collect()
}

#[test]
fn programs_of_the_guide_print_what_it_shows() {
    check_page("c.md", "hashlanes", 2);
    check_page("isal.md", ISAL, 1);
    check_page("slh-dsa.md", "hashlanes", 1);
}

fn check_page(name: &str, library: &str, count: usize) {
    let page = fs::read_to_string(root().join("docs/guide").join(name)).expect("it is there");
    let (programs, outputs) = (blocks(&page, "c"), blocks(&page, "text"));
    assert_eq!((programs.len(), outputs.len()), (count, count));
    for (i, (program, output)) in programs.iter().zip(outputs).enumerate() {
        let source = folder("page").join(format!("{library}-{i}.c"));
        fs::write(&source, program).expect("it can be written");
        let program = compile_with(library, &source, Link::Shared, &[]);
        assert_eq!(succeed(&mut Command::new(&program)), output);
        assert_eq!(succeed(&mut valgrind(&program)), output);
    }
}

fn example(name: &str) -> PathBuf {
    compile(&root().join("examples/c").join(name), Link::Shared, &["-pthread"])
}

/// More files than there are lanes, with lengths around that of a piece.
fn files() -> Vec<PathBuf> {
    let folder = folder("files");
    let lengths = [0, 1, 63, 64, 65_535, 65_536, 65_537, 200_000, 131_072];
    let file = |i: usize| {
        let path = folder.join(format!("{i}"));
        let bytes: Vec<u8> =
            (0..lengths[i % lengths.len()] + i / 70).map(|k| (k + i) as u8).collect();
        fs::write(&path, bytes).expect("it can be written");
        path
    };
    (0..150).map(file).collect()
}

#[test]
fn md5sum_prints_what_md5sum_prints() {
    let (program, files) = (example("md5sum.c"), files());
    let right = succeed(Command::new("md5sum").args(&files));
    assert_eq!(succeed(Command::new(&program).args(&files)), right);
    assert_eq!(succeed(valgrind(&program).args(&files[..20])), right_of(&right, 20));
    let text = fs::read_to_string(root().join("examples/c/md5sum.c")).expect("it is there");
    assert!(text.lines().count() <= 60, "the documentation promises 60 lines");
}

/// The first lines of a text.
fn right_of(text: &str, lines: usize) -> String {
    text.split_inclusive('\n').take(lines).collect()
}

#[test]
fn md5sum_names_what_it_cannot_read() {
    let files =
        [Path::new("/nonexistent"), Path::new("/"), &root().join("Cargo.toml")].map(PathBuf::from);
    let output = Command::new(example("md5sum.c")).args(&files).output().expect("it starts");
    assert_eq!(output.status.code(), Some(1));
    let text = |bytes| String::from_utf8_lossy(bytes).into_owned();
    assert_eq!(text(&output.stdout), succeed(Command::new("md5sum").arg(&files[2])));
    assert_eq!(
        text(&output.stderr),
        "md5sum: /nonexistent: cannot be read\nmd5sum: /: cannot be read\n"
    );
}

/// A running upload server and its address.
struct Upload {
    process: Child,
    address: String,
}

impl Upload {
    fn start(workers: usize) -> Self {
        let mut command = Command::new(example("upload.c"));
        command.args(["0", &workers.to_string()]).stdout(Stdio::piped());
        let mut process = command.spawn().expect("it starts");
        // Reads byte by byte, because later output is for `end`.
        let mut line = Vec::new();
        let output = process.stdout.as_mut().expect("a pipe");
        while !line.ends_with(b"\n") {
            let mut byte = [0];
            output.read_exact(&mut byte).expect("it says where it listens");
            line.push(byte[0]);
        }
        let line = String::from_utf8(line).expect("text");
        let address = line.trim().strip_prefix("listening at http://").expect("an address");
        Self { address: address.to_owned(), process }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(&self.address).expect("it listens");
        // Makes a test fail that would hang.
        let limit = Some(std::time::Duration::from_secs(60));
        stream.set_read_timeout(limit).expect("a limit");
        stream
    }

    /// Asks it to stop.
    fn signal(&self) {
        succeed(Command::new("kill").args(["-TERM", &self.process.id().to_string()]));
    }

    /// Waits for it to exit successfully, and returns the rest of its output.
    fn end(mut self) -> String {
        let status = self.process.wait().expect("it ends");
        assert!(status.success(), "{status}");
        let mut said = String::new();
        self.process.stdout.take().expect("a pipe").read_to_string(&mut said).expect("text");
        said
    }
}

/// Sends a request on a connection that stays open, with the body in pieces, and returns the
/// answer.
fn put(stream: &mut TcpStream, body: &[u8], piece: usize) -> String {
    write!(stream, "PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n\r\n", body.len())
        .expect("it is sent");
    for piece in body.chunks(piece) {
        stream.write_all(piece).expect("it is sent");
    }
    answer(stream)
}

/// Reads an answer and returns its body without the newline: a digest.
fn answer(stream: &mut TcpStream) -> String {
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).expect("an answer");
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).expect("text");
    assert!(head.starts_with("HTTP/1.1 200 OK\r\nContent-Length: 65\r\n"), "{head}");
    let mut digest = [0; 65];
    stream.read_exact(&mut digest).expect("a body");
    String::from_utf8_lossy(&digest[..64]).into_owned()
}

fn sha256sum(file: &Path) -> String {
    succeed(Command::new("sha256sum").arg(file)).split(' ').next().unwrap_or_default().to_owned()
}

#[test]
fn upload_answers_many_connections() {
    let upload = Upload::start(16);
    let files: Vec<_> = files().into_iter().take(96).collect();
    let right: Vec<_> = files.iter().map(|file| sha256sum(file)).collect();
    thread::scope(|scope| {
        for (i, (files, right)) in files.chunks(4).zip(right.chunks(4)).enumerate() {
            let mut stream = upload.connect();
            scope.spawn(move || {
                for (file, right) in files.iter().zip(right) {
                    let body = fs::read(file).expect("it was written");
                    assert_eq!(&put(&mut stream, &body, 1000 + 7000 * i), right);
                }
            });
        }
    });
    upload.signal();
    let said = upload.end();
    assert!(said.starts_with("96 uploads, "), "{said}");
}

#[test]
fn upload_answers_curl() {
    let upload = Upload::start(2);
    let url = format!("http://{}/", upload.address);
    let curl = |options: &[&str]| {
        succeed(Command::new("curl").args(["-s", "-m", "60"]).args(options).arg(&url))
    };
    let folder = folder("curl");
    // Above 1 MiB, curl sends `Expect: 100-continue`.
    let file = folder.join("file");
    fs::write(&file, vec![7; 3 << 20]).expect("it can be written");
    let name = file.to_string_lossy();
    assert_eq!(curl(&["-T", &name]), sha256sum(&file) + "\n");
    assert_eq!(curl(&["--data-binary", &format!("@{name}")]), sha256sum(&file) + "\n");
    let status = |options: &[&str]| {
        curl(&[&["-o", "/dev/null", "-w", "%{http_code}"][..], options].concat())
    };
    assert_eq!(status(&[]), "405");
    assert_eq!(status(&["-H", "Transfer-Encoding: chunked", "-T", &name]), "411");
    assert_eq!(status(&["-H", "Content-Length: x", "-d", "abc"]), "400");
    let long = format!("X: {}", "x".repeat(20_000));
    assert_eq!(status(&["-H", &long, "-d", "abc"]), "431");
    upload.signal();
    upload.end();
}

/// An upload that has begun is answered even though the server was asked to stop. Neither a client
/// that disconnects in the middle nor a silent one delays this.
#[test]
fn upload_stops_when_all_is_answered() {
    let upload = Upload::start(4);
    let mut begun = upload.connect();
    begun.write_all(b"PUT / HTTP/1.1\r\nContent-Length: 3\r\n\r\na").expect("it is sent");
    let silent = upload.connect();
    let mut gone = upload.connect();
    gone.write_all(b"PUT / HTTP/1.1\r\nContent-Length: 1000\r\n\r\nabc").expect("it is sent");
    // When this is answered, on whichever worker, the connections above have been accepted.
    assert_eq!(put(&mut upload.connect(), b"abc", 3).len(), 64);
    drop(gone);
    upload.signal();
    begun.write_all(b"bc").expect("it is sent");
    let right = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    assert_eq!(answer(&mut begun), right);
    let said = upload.end();
    assert!(said.starts_with("2 uploads, "), "{said}");
    drop(silent);
}
