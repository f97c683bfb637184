//! Runs the endpoint as a process with concurrent clients, and compares every answer with
//! RustCrypto's digests.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::process::{Child, Command, Stdio};
use std::thread;

use sha2::Digest;

/// The endpoint's process, which is killed on drop.
struct Endpoint {
    process: Child,
    url: String,
}

impl Endpoint {
    fn start(hashing: &str) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_upload"))
            .args(["--listen", "127.0.0.1:0", "--hashing", hashing])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let url =
            line.trim().strip_prefix("listening at ").expect("the address is printed").to_owned();
        Self { process, url }
    }

    /// The value with this name in the report.
    fn report(&self, name: &str) -> String {
        let report = ureq::get(&self.url).call().unwrap().body_mut().read_to_string().unwrap();
        let line = report.lines().find_map(|line| line.strip_prefix(name));
        line.unwrap_or_else(|| panic!("no {name} in {report}")).trim().to_owned()
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn upload(agent: &ureq::Agent, url: &str, body: &[u8]) {
    let mut answer = agent.put(format!("{url}/object")).send(body).unwrap();
    let hex = |digest: &[u8]| digest.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
    let etag = answer.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(etag, format!("\"{}\"", hex(&md5::Md5::digest(body))));
    assert_eq!(
        answer.body_mut().read_to_string().unwrap().trim(),
        hex(&sha2::Sha256::digest(body))
    );
}

#[test]
fn concurrent_uploads_get_their_own_digests() {
    for hashing in ["server", "plain"] {
        let endpoint = Endpoint::start(hashing);
        let url = &endpoint.url;
        thread::scope(|scope| {
            for seed in 0..24 {
                scope.spawn(move || {
                    // The agent keeps its connection open.
                    let agent = ureq::Agent::new_with_defaults();
                    let mut random = fastrand::Rng::with_seed(seed);
                    for length in [0, 1, 63, 10_000, 100_000, 1_000_000, random.usize(..3_000_000)]
                    {
                        let body: Vec<u8> = (0..length).map(|_| random.u8(..)).collect();
                        upload(&agent, url, &body);
                    }
                });
            }
        });
        assert_eq!(endpoint.report("uploads"), (24 * 7).to_string());
    }
}

#[test]
fn a_client_that_disconnects_early_does_not_affect_others() {
    let endpoint = Endpoint::start("server");
    let address = endpoint.url.strip_prefix("http://").unwrap();
    let mut disconnected = TcpStream::connect(address).unwrap();
    disconnected
        .write_all(b"PUT / HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\nabc")
        .unwrap();
    let agent = ureq::Agent::new_with_defaults();
    upload(&agent, &endpoint.url, &[7; 200_000]);
    drop(disconnected);
    upload(&agent, &endpoint.url, &[8; 200_000]);
    assert_eq!(endpoint.report("uploads"), "2");
}

#[test]
fn other_methods_are_refused() {
    let endpoint = Endpoint::start("none");
    let error = ureq::delete(&endpoint.url).call().unwrap_err();
    assert!(matches!(error, ureq::Error::StatusCode(405)), "{error}");
}
