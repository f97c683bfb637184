//! A server for tests.

use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use crate::{Options, Stores};

/// Stores at a server that gives these responses to the heads of requests.
pub(crate) fn stores(respond: impl Fn(&str) -> String + Send + Sync + 'static) -> Stores {
    let write = move |head: &str, mut to: &TcpStream| to.write_all(respond(head).as_bytes());
    stores_with(Options::default(), write)
}

/// Stores at a server that writes its responses as it likes.
pub(crate) fn stores_with(
    options: Options,
    respond: impl Fn(&str, &TcpStream) -> io::Result<()> + Send + Sync + 'static,
) -> Stores {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let respond = Arc::new(respond);
    thread::spawn(move || {
        for stream in listener.incoming().flatten() {
            let respond = Arc::clone(&respond);
            thread::spawn(move || {
                let lines = BufReader::new(&stream).lines().map_while(Result::ok);
                let head: Vec<_> = lines.take_while(|line| !line.is_empty()).collect();
                respond(&head.join("\n"), &stream)
            });
        }
    });
    Stores::new(Options { endpoint: Some(address), anonymous: true, ..options })
}

/// A response with these further headers, after which the connection ends.
pub(crate) fn response(status: u16, headers: &str, body: &str) -> String {
    let length = body.len();
    format!(
        "HTTP/1.1 {status} S\r\nConnection: close\r\nContent-Length: {length}\r\n\
         {headers}\r\n{body}"
    )
}
