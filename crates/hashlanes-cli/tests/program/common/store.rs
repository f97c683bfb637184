//! A server that speaks as much of S3's protocol as the program needs, and fails on request.

use std::collections::BTreeMap;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

/// What goes wrong with the response to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    None,
    /// The connection ends before the response.
    Reset,
    /// The connection ends in the middle of the body.
    Truncated,
    /// The store asks for fewer requests.
    SlowDown,
    Error,
    /// Another version has taken the object's place.
    Changed,
    /// Redirected to this address.
    Redirect(&'static str),
}

/// The number of objects in a page of a listing.
const PAGE: usize = 3;

type Choose = dyn Fn(usize, &str) -> Fault + Send + Sync;

pub(crate) struct Store {
    pub(crate) objects: Mutex<BTreeMap<String, Vec<u8>>>,
    /// The fault of a request, by its number and its first line.
    fault: Box<Choose>,
    pub(crate) requests: AtomicUsize,
    /// The heads of all requests.
    pub(crate) heads: Mutex<Vec<String>>,
    pub(crate) address: String,
    /// The ETags of objects that have one of their own, and more headers of their responses.
    pub(crate) known: Mutex<BTreeMap<String, (String, String)>>,
}

impl Store {
    /// Serves the bucket `b` until the test ends.
    pub(crate) fn start(
        objects: &[(&str, &[u8])],
        fault: impl Fn(usize, &str) -> Fault + Send + Sync + 'static,
    ) -> Arc<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let objects = objects.iter().map(|(name, bytes)| ((*name).into(), bytes.to_vec()));
        let store = Arc::new(Self {
            objects: Mutex::new(objects.collect()),
            fault: Box::new(fault),
            requests: AtomicUsize::new(0),
            heads: Mutex::default(),
            address,
            known: Mutex::default(),
        });
        let served = Arc::clone(&store);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let store = Arc::clone(&served);
                thread::spawn(move || store.serve(stream));
            }
        });
        store
    }

    fn serve(&self, stream: TcpStream) -> io::Result<()> {
        let mut input = BufReader::new(stream.try_clone()?);
        loop {
            let mut head = String::new();
            while !head.ends_with("\r\n\r\n") {
                if input.read_line(&mut head)? == 0 {
                    return Ok(());
                }
            }
            self.heads.lock().unwrap().push(head.clone());
            let number = self.requests.fetch_add(1, Ordering::SeqCst);
            let first = head.lines().next().unwrap();
            let fault = (self.fault)(number, first);
            if !self.respond(&stream, &head, fault)? {
                return Ok(());
            }
        }
    }

    /// False if the connection ends.
    fn respond(&self, mut to: &TcpStream, head: &str, fault: Fault) -> io::Result<bool> {
        let target = head.split(' ').nth(1).unwrap();
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let (status, headers, body) = match (fault, path.strip_prefix("/b/")) {
            (Fault::Reset, _) => return Ok(false),
            (Fault::SlowDown, _) => (503, "Retry-After: 0\r\n".into(), b"SlowDown".to_vec()),
            (Fault::Error, _) => (500, String::new(), Vec::new()),
            (Fault::Redirect(to), _) => (307, format!("Location: {to}\r\n"), Vec::new()),
            (_, None) => (200, String::new(), self.list(query).into_bytes()),
            (_, Some(key)) if query == "acl" => access(key),
            (_, Some(key)) => self.object(&decoded(key), head, fault == Fault::Changed),
        };
        let length = body.len();
        write!(to, "HTTP/1.1 {status} S\r\n{headers}Content-Length: {length}\r\n\r\n")?;
        let sent = match fault {
            _ if head.starts_with("HEAD ") => 0,
            Fault::Truncated => length / 2,
            _ => length,
        };
        to.write_all(&body[..sent])?;
        Ok(fault != Fault::Truncated)
    }

    fn list(&self, query: &str) -> String {
        let value = |name: &str| {
            let found =
                query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='));
            decoded(found.unwrap_or_default())
        };
        let (prefix, after) = (value("prefix"), value("continuation-token"));
        let objects = self.objects.lock().unwrap();
        let found = objects.iter().filter(|(key, _)| key.starts_with(&prefix) && **key > after);
        let mut contents = String::new();
        let mut last: Option<String> = None;
        let mut next = "";
        let mut left = PAGE;
        let mut seen = String::new();
        for (key, bytes) in found {
            let rest = &key[prefix.len()..];
            if value("delimiter") == "/"
                && let Some((folder, _)) = rest.split_once('/')
            {
                let folder = format!("{prefix}{folder}/");
                if seen != folder {
                    contents += &format!(
                        "<CommonPrefixes><Prefix>{}</Prefix></CommonPrefixes>",
                        encoded(&folder)
                    );
                    seen = folder;
                }
                continue;
            }
            if left == 0 {
                next = last.as_deref().unwrap();
                break;
            }
            left -= 1;
            contents += &format!(
                "<Contents><Key>{}</Key><Size>{}</Size><ETag>&quot;{}&quot;</ETag>\
                 <LastModified>2026-01-02T03:04:05.000Z</LastModified></Contents>",
                encoded(key),
                bytes.len(),
                self.etag(key, bytes)
            );
            last = Some(key.clone());
        }
        let token = match next {
            "" => String::new(),
            next => {
                format!("<NextContinuationToken>{}</NextContinuationToken>", encoded(next))
            }
        };
        format!(
            "<ListBucketResult><EncodingType>url</EncodingType>{token}{contents}</ListBucketResult>"
        )
    }

    fn etag(&self, key: &str, bytes: &[u8]) -> String {
        let known = self.known.lock().unwrap();
        known.get(key).map_or_else(|| etag(bytes), |(etag, _)| etag.clone())
    }

    /// Copies an object onto itself, which keeps the stated headers only.
    fn copy(&self, key: &str, head: &str) -> (u16, String, Vec<u8>) {
        let stated = head
            .lines()
            .filter(|line| line.starts_with("x-amz-meta-") || line.starts_with("content-type"));
        let stated: String = stated.map(|line| format!("{line}\r\n")).collect();
        let etag = self.etag(key, &self.objects.lock().unwrap()[key]);
        let is_tied = |name| head.contains(&format!("\r\n{name}: \"{etag}\"\r\n"));
        if !is_tied("x-amz-copy-source-if-match") || !is_tied("if-match") {
            return (412, String::new(), Vec::new());
        }
        if key.starts_with("broken") {
            return (200, String::new(), b"<Error><Code>InternalError</Code></Error>".into());
        }
        self.known.lock().unwrap().insert(key.into(), (etag, stated));
        (200, String::new(), b"<CopyObjectResult/>".into())
    }

    fn object(&self, key: &str, head: &str, is_changed: bool) -> (u16, String, Vec<u8>) {
        let header = |name: &str| {
            let mut lines = head.lines().filter_map(|line| line.split_once(": "));
            lines.find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value)
        };
        if head.starts_with("PUT ") {
            return self.copy(key, head);
        }
        let objects = self.objects.lock().unwrap();
        let Some(bytes) = objects.get(key) else {
            if key == "deleted" {
                return (404, "x-amz-delete-marker: true\r\n".into(), Vec::new());
            }
            let body = "<Error><Code>NoSuchKey</Code><Secret>S3CR3T</Secret></Error>";
            return (404, String::new(), body.into());
        };
        let etag = if is_changed { "other".into() } else { self.etag(key, bytes) };
        if header("if-match").is_some_and(|wanted| wanted != format!("\"{etag}\"")) {
            return (412, String::new(), Vec::new());
        }
        let time = "Last-Modified: Fri, 02 Jan 2026 03:04:05 GMT\r\n";
        let known = self.known.lock().unwrap();
        let more = known.get(key).map(|(_, more)| more.as_str()).unwrap_or_default();
        let common = format!("ETag: \"{etag}\"\r\n{time}{more}");
        let Some((start, end)) = header("range").and_then(|range| {
            let (start, end) = range.strip_prefix("bytes=")?.split_once('-')?;
            Some((start.parse::<usize>().ok()?, end.parse::<usize>().ok()? + 1))
        }) else {
            return (200, common, bytes.clone());
        };
        if start >= bytes.len() {
            return (416, common, Vec::new());
        }
        let end = end.min(bytes.len());
        let range = format!("Content-Range: bytes {start}-{}/{}\r\n", end - 1, bytes.len());
        (206, common + &range, bytes[start..end].to_vec())
    }
}

/// The access control list of an object.
fn access(key: &str) -> (u16, String, Vec<u8>) {
    let grant = |grantee| {
        format!("<Grant><Grantee>{grantee}</Grantee><Permission>FULL_CONTROL</Permission></Grant>")
    };
    let grants = match key {
        "lists/denied" => {
            return (403, String::new(), b"<Error><Code>Denied</Code></Error>".into());
        }
        "lists/none" => return (501, String::new(), Vec::new()),
        "lists/shared" => grant("<ID>me</ID>") + &grant("<URI>AllUsers</URI>"),
        _ => grant("<ID>me</ID>"),
    };
    let body = format!(
        "<AccessControlPolicy><Owner><ID>me</ID></Owner><AccessControlList>{grants}\
         </AccessControlList></AccessControlPolicy>"
    );
    (200, String::new(), body.into())
}

fn etag(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(7_u64, |sum, &byte| sum.wrapping_mul(31) ^ u64::from(byte));
    format!("{sum:x}")
}

fn encoded(name: &str) -> String {
    let escape = |byte: u8| match byte {
        b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'/' | b'-' | b'.' => char::from(byte).into(),
        b' ' => "+".to_owned(),
        byte => format!("%{byte:02X}"),
    };
    name.bytes().map(escape).collect()
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        let digits: Vec<u8> = if byte == b'%' { rest.by_ref().take(2).collect() } else { vec![] };
        let code = str::from_utf8(&digits).ok().and_then(|code| u8::from_str_radix(code, 16).ok());
        bytes.push(code.unwrap_or(byte));
    }
    String::from_utf8(bytes).unwrap()
}
