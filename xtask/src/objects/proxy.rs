//! A proxy between a store and the program, which injects faults into what the store answers.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use super::random::Random;

/// A fault of one response.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fault {
    /// The connection is closed before the response.
    Closed,
    /// The connection is closed within the body.
    Truncated,
    /// 503 without a time to wait.
    Unavailable,
    /// 503 with `Retry-After`.
    UnavailableFor,
    /// 429 with `Retry-After`.
    TooMany,
    /// 500.
    Broken,
    /// The body arrives in small pieces.
    Slow,
    /// The head promises more bytes than follow.
    TooLong,
    /// The head and the body agree, on fewer bytes than the object has.
    TooShort,
    /// Another ETag, with the right body.
    OtherEtag,
    /// Another object of the same length: other bytes, and another ETag.
    Changed,
    /// Sends the client to another host.
    Redirected,
    /// No HTTP.
    Garbage,
    /// Nothing, with the status for success.
    Empty,
}

impl Fault {
    pub(super) const ALL: [Self; 14] = [
        Self::Closed,
        Self::Truncated,
        Self::Unavailable,
        Self::UnavailableFor,
        Self::TooMany,
        Self::Broken,
        Self::Slow,
        Self::TooLong,
        Self::TooShort,
        Self::OtherEtag,
        Self::Changed,
        Self::Redirected,
        Self::Garbage,
        Self::Empty,
    ];
}

/// What the proxy shares with its threads.
struct Shared {
    /// The address of the store.
    store: String,
    /// Where clients are redirected to.
    elsewhere: String,
    random: Mutex<Random>,
    /// How many of 1,000 responses get a fault.
    rate: AtomicU64,
    injected: Mutex<BTreeMap<Fault, u64>>,
    /// Whether the other host was sent a signature or a token.
    leaked: AtomicBool,
    served: AtomicU64,
}

/// A proxy that listens until the process ends.
#[derive(Clone)]
pub(super) struct Proxy {
    pub(super) url: String,
    shared: Arc<Shared>,
}

impl Proxy {
    /// A proxy in front of a store with this URL.
    pub(super) fn start(store: &str, seed: u64) -> Result<Self> {
        let (listener, other) =
            (TcpListener::bind(("127.0.0.1", 0))?, TcpListener::bind(("127.0.0.1", 0))?);
        let url = format!("http://{}", listener.local_addr()?);
        let shared = Arc::new(Shared {
            store: store.trim_start_matches("http://").to_owned(),
            elsewhere: format!("http://localhost:{}", other.local_addr()?.port()),
            random: Mutex::new(Random(seed)),
            rate: AtomicU64::new(0),
            injected: Mutex::default(),
            leaked: AtomicBool::new(false),
            served: AtomicU64::new(0),
        });
        accept(listener, &shared, |stream, shared| {
            let _ = serve(stream, shared);
        });
        accept(other, &shared, |stream, shared| {
            let _ = listen(stream, shared);
        });
        Ok(Self { url, shared })
    }

    /// Sets how many of 1,000 responses get a fault.
    pub(super) fn set_rate(&self, rate: u64) {
        self.shared.rate.store(rate, Ordering::Relaxed);
    }

    /// The faults so far, by kind.
    pub(super) fn injected(&self) -> BTreeMap<Fault, u64> {
        self.shared.injected.lock().expect("no thread panics").clone()
    }

    /// The responses so far.
    pub(super) fn served(&self) -> u64 {
        self.shared.served.load(Ordering::Relaxed)
    }

    /// Whether a client followed a redirect with its credentials.
    pub(super) fn leaked(&self) -> bool {
        self.shared.leaked.load(Ordering::Relaxed)
    }
}

fn accept(listener: TcpListener, shared: &Arc<Shared>, each: fn(TcpStream, &Shared)) {
    let shared = shared.clone();
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let shared = shared.clone();
            thread::spawn(move || each(stream, &shared));
        }
    });
}

/// The head of a message and its body.
struct Message {
    head: Vec<u8>,
    body: Vec<u8>,
}

/// Answers the requests of one connection. Ends when either side or a fault closes it.
fn serve(mut client: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut requests = BufReader::new(client.try_clone()?);
    while let Some(head) = read_head(&mut requests)? {
        let mut body = vec![0; length(&head).unwrap_or(0)];
        requests.read_exact(&mut body)?;
        let response = ask(shared, &head, &body)?;
        shared.served.fetch_add(1, Ordering::Relaxed);
        let fault = draw(shared, &head, &response);
        let is_head = head.starts_with(b"HEAD ");
        match fault {
            None => write(&mut client, &response, is_head)?,
            Some(fault) => {
                *shared.injected.lock().expect("no thread panics").entry(fault).or_default() += 1;
                if !inject(fault, &mut client, response, is_head, shared)? {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Whether to inject a fault, and which. A fault that would change nothing is not one.
fn draw(shared: &Shared, request: &[u8], response: &Message) -> Option<Fault> {
    let mut random = shared.random.lock().expect("no thread panics");
    if random.below(1000) >= shared.rate.load(Ordering::Relaxed) {
        return None;
    }
    let fault = Fault::ALL[random.below(Fault::ALL.len() as u64) as usize];
    let is_object = request.starts_with(b"GET ") && header(&response.head, "etag").is_some();
    let needs_body = matches!(
        fault,
        Fault::Truncated | Fault::Slow | Fault::TooLong | Fault::TooShort | Fault::Changed
    );
    let fits = match fault {
        // An empty list is what a store without objects says.
        Fault::Empty | Fault::TooShort | Fault::Changed | Fault::OtherEtag => is_object,
        _ => true,
    };
    (fits && (!needs_body || response.body.len() > 1)).then_some(fault)
}

/// Sends a response with a fault. Returns whether the connection stays open.
fn inject(
    fault: Fault,
    client: &mut TcpStream,
    mut response: Message,
    is_head: bool,
    shared: &Shared,
) -> std::io::Result<bool> {
    let half = response.body.len() / 2;
    let status = |status: &str, more: &str| Message {
        head: format!("HTTP/1.1 {status}\r\n{more}Content-Length: 0\r\n\r\n").into_bytes(),
        body: Vec::new(),
    };
    let replacement = match fault {
        Fault::Closed => return Ok(false),
        Fault::Truncated => {
            client.write_all(&response.head)?;
            client.write_all(&response.body[..half])?;
            return Ok(false);
        }
        Fault::Garbage => {
            client.write_all(b"\x16\x03\x01 no HTTP\r\n\r\n")?;
            return Ok(false);
        }
        Fault::TooLong => {
            let more = response.body.len() + 100;
            response.head = set(&response.head, "content-length", &more.to_string());
            write(client, &response, is_head)?;
            return Ok(false);
        }
        Fault::Slow => {
            client.write_all(&response.head)?;
            for piece in response.body.chunks(response.body.len().div_ceil(8)) {
                thread::sleep(Duration::from_millis(5));
                client.write_all(piece)?;
            }
            return Ok(true);
        }
        Fault::Unavailable => status("503 Service Unavailable", ""),
        Fault::UnavailableFor => status("503 Service Unavailable", "Retry-After: 1\r\n"),
        Fault::TooMany => status("429 Too Many Requests", "Retry-After: 1\r\n"),
        Fault::Broken => status("500 Internal Server Error", ""),
        Fault::Redirected => {
            let location = format!("Location: {}/object\r\n", shared.elsewhere);
            status("307 Temporary Redirect", &location)
        }
        Fault::Empty => status("200 OK", ""),
        Fault::TooShort => {
            response.body.truncate(half);
            response.head = set(&response.head, "content-length", &half.to_string());
            response
        }
        Fault::OtherEtag => Message { head: other_etag(&response.head), ..response },
        Fault::Changed => {
            response.body.iter_mut().for_each(|byte| *byte ^= 0x55);
            Message { head: other_etag(&response.head), ..response }
        }
    };
    write(client, &replacement, is_head)?;
    Ok(true)
}

fn other_etag(head: &[u8]) -> Vec<u8> {
    set(head, "etag", "\"ffffffffffffffffffffffffffffffff\"")
}

fn write(client: &mut TcpStream, message: &Message, is_head: bool) -> std::io::Result<()> {
    client.write_all(&message.head)?;
    if is_head { Ok(()) } else { client.write_all(&message.body) }
}

/// Sends the request to the store, and reads its response to the end.
fn ask(shared: &Shared, head: &[u8], body: &[u8]) -> std::io::Result<Message> {
    let mut store = TcpStream::connect(&shared.store)?;
    store.write_all(&set(head, "connection", "close"))?;
    store.write_all(body)?;
    let mut reader = BufReader::new(store);
    let head = read_head(&mut reader)?.ok_or(std::io::ErrorKind::UnexpectedEof)?;
    let mut body = Vec::new();
    reader.read_to_end(&mut body)?;
    let mut head = remove(&head, "connection");
    if header(&head, "transfer-encoding").is_some() {
        body = joined_chunks(&body);
        head = set(&remove(&head, "transfer-encoding"), "content-length", &body.len().to_string());
    }
    Ok(Message { head, body })
}

/// The body that was sent in chunks.
fn joined_chunks(mut chunks: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = chunks.windows(2).position(|pair| pair == b"\r\n") {
        let size = String::from_utf8_lossy(&chunks[..end]).into_owned();
        let size = usize::from_str_radix(size.split(';').next().unwrap_or("").trim(), 16);
        let rest = &chunks[end + 2..];
        match size {
            Ok(size) if size > 0 && size + 2 <= rest.len() => {
                body.extend_from_slice(&rest[..size]);
                chunks = &rest[size + 2..];
            }
            _ => break,
        }
    }
    body
}

/// Reads up to the empty line after the headers. `None` at the end of the connection.
fn read_head(reader: &mut impl BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut head = Vec::new();
    loop {
        let before = head.len();
        if reader.read_until(b'\n', &mut head)? == 0 {
            return Ok(None);
        }
        if &head[before..] == b"\r\n" {
            return Ok(Some(head));
        }
    }
}

fn lines(head: &[u8]) -> impl Iterator<Item = &[u8]> {
    head.split_inclusive(|&byte| byte == b'\n')
}

fn is_named(line: &[u8], name: &str) -> bool {
    let begin = line.get(..name.len()).unwrap_or_default();
    begin.eq_ignore_ascii_case(name.as_bytes()) && line.get(name.len()) == Some(&b':')
}

fn header(head: &[u8], name: &str) -> Option<String> {
    let line = lines(head).find(|line| is_named(line, name))?;
    Some(String::from_utf8_lossy(&line[name.len() + 1..]).trim().to_owned())
}

fn length(head: &[u8]) -> Option<usize> {
    header(head, "content-length")?.parse().ok()
}

fn remove(head: &[u8], name: &str) -> Vec<u8> {
    lines(head).filter(|line| !is_named(line, name)).flatten().copied().collect()
}

fn set(head: &[u8], name: &str, value: &str) -> Vec<u8> {
    let mut head = remove(head, name);
    head.truncate(head.len() - 2);
    head.extend_from_slice(format!("{name}: {value}\r\n\r\n").as_bytes());
    head
}

/// The other host: notes whether it is sent credentials, and has no objects.
fn listen(mut client: TcpStream, shared: &Shared) -> std::io::Result<()> {
    let mut requests = BufReader::new(client.try_clone()?);
    while let Some(head) = read_head(&mut requests)? {
        let secrets = ["authorization", "x-amz-security-token", "cookie"];
        if secrets.iter().any(|name| header(&head, name).is_some()) {
            shared.leaked.store(true, Ordering::Relaxed);
        }
        client.write_all(b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\nETag: \"a\"\r\nContent-Length: 5\r\n\r\n";

    #[test]
    fn headers_are_found_and_replaced() {
        assert_eq!(header(HEAD, "etag").as_deref(), Some("\"a\""));
        assert_eq!(length(HEAD), Some(5));
        assert_eq!(header(HEAD, "tag"), None);
        let changed = set(HEAD, "content-length", "7");
        assert_eq!(length(&changed), Some(7));
        assert!(changed.ends_with(b"\r\n\r\n"));
        assert_eq!(header(&remove(HEAD, "ETAG"), "etag"), None);
    }

    #[test]
    fn chunks_are_joined() {
        assert_eq!(joined_chunks(b"3\r\nabc\r\n2;x=y\r\nde\r\n0\r\n\r\n"), b"abcde");
    }
}
