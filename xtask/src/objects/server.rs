//! Servers on loopback, on ports that are free, each in a folder of its own.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};

use super::install;
use super::kind::Kind;
use super::unusable;

/// The credentials of all servers of S3.
const ACCESS: &str = "HASHLANESACCESSKEY";
const SECRET: &str = "hashlanes/secret/key/of/the/tests";

/// How long a server may take until it answers. The machine may be busy.
const PATIENCE: Duration = Duration::from_secs(120);

/// The server as its own users start it, with its data in `folder`.
fn command(kind: Kind, port: u16, packages: &Path, folder: &Path) -> Result<Command> {
    let port = port.to_string();
    let address = format!("127.0.0.1:{port}");
    let data = folder.join("data");
    fs::create_dir_all(&data).with_context(|| unusable(&data))?;
    let installed = |name: &str| Command::new(install::folder().join("bin").join(name));
    Ok(match kind {
        Kind::Moto => {
            let mut server = Command::new("python3");
            server.args(["-m", "moto.server", "-H", "127.0.0.1", "-p", &port]);
            server.env("PYTHONPATH", packages);
            server
        }
        Kind::Nginx => nginx(&port, folder)?,
        Kind::VersityGw => {
            let mut server = installed("versitygw");
            server.args(["--access", ACCESS, "--secret", SECRET, "--port", &address]);
            server.arg("posix").arg(data);
            server
        }
        Kind::S3sFs => {
            let mut server = installed("s3s-fs");
            server.args(["--access-key", ACCESS, "--secret-key", SECRET]);
            server.args(["--host", "127.0.0.1", "--port", &port]).arg(data);
            server
        }
        Kind::Azurite => {
            let mut server = Command::new(install::azurite_program());
            server.args(["--blobHost", "127.0.0.1", "--blobPort", &port]);
            server.args(["--inMemoryPersistence", "--silent", "--skipApiVersionCheck"]);
            server
        }
        Kind::FakeGcs => {
            let mut server = installed("fake-gcs-server");
            server.args(["-scheme", "http", "-host", "127.0.0.1", "-port", &port]);
            server.args(["-public-host", &address, "-backend", "memory"]);
            server
        }
    })
}

/// nginx with a folder of files, by HTTP on its port and by HTTPS on the next, whose certificate
/// nobody signed.
fn nginx(port: &str, folder: &Path) -> Result<Command> {
    install::certificate(folder)?;
    let secure = free_port()?;
    fs::write(folder.join("secure-port"), secure.to_string())?;
    let configuration = format!(
        "daemon off; master_process off; pid nginx.pid; error_log error.log;
events {{}}
http {{
  access_log off; client_body_temp_path body; proxy_temp_path proxy;
  fastcgi_temp_path fastcgi; uwsgi_temp_path uwsgi; scgi_temp_path scgi;
  server {{ listen 127.0.0.1:{port}; root data; }}
  server {{
    listen 127.0.0.1:{secure} ssl; root data;
    ssl_certificate certificate.pem; ssl_certificate_key key.pem;
  }}
}}
"
    );
    let path = folder.join("nginx.conf");
    fs::write(&path, configuration).with_context(|| unusable(&path))?;
    let mut server = Command::new("nginx");
    server.arg("-p").arg(folder).arg("-c").arg(path).args(["-e", "error.log"]);
    // Debian installs it in a folder that only root searches.
    let path = format!("{}:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    server.env("PATH", path);
    Ok(server)
}

/// A running server, which is stopped when it is dropped.
pub(super) struct Server {
    pub(super) kind: Kind,
    pub(super) url: String,
    child: Child,
}

impl Server {
    /// Starts a server and waits until it answers.
    pub(super) fn start(kind: Kind, packages: &Path, folder: &Path) -> Result<Self> {
        let folder = folder.join(kind.name());
        fs::create_dir_all(&folder).with_context(|| unusable(&folder))?;
        let port = free_port()?;
        let log = folder.join("log");
        let output = File::create(&log).with_context(|| unusable(&log))?;
        let mut command = command(kind, port, packages, &folder)?;
        command.stdin(Stdio::null()).stdout(output.try_clone()?).stderr(output);
        command.current_dir(&folder);
        let child = command.spawn().with_context(|| format!("cannot start {}", kind.name()))?;
        let mut server = Self { kind, url: format!("http://127.0.0.1:{port}"), child };
        server.wait(port).with_context(|| fs::read_to_string(&log).unwrap_or_default())?;
        Ok(server)
    }

    fn wait(&mut self, port: u16) -> Result<()> {
        let name = self.kind.name();
        let begin = Instant::now();
        while !answers(port) {
            if let Some(status) = self.child.try_wait()? {
                bail!("{name} has ended: {status}");
            }
            if begin.elapsed() > PATIENCE {
                bail!("{name} does not answer");
            }
            sleep(Duration::from_millis(100));
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Whether a server of HTTP answers, whatever it says.
fn answers(port: u16) -> bool {
    let ask = || -> std::io::Result<bool> {
        let mut stream = TcpStream::connect(("127.0.0.1", port))?;
        stream.set_read_timeout(Some(Duration::from_secs(5)))?;
        stream.write_all(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n")?;
        let mut begin = [0; 5];
        stream.read_exact(&mut begin)?;
        Ok(&begin == b"HTTP/")
    };
    ask().unwrap_or(false)
}

fn free_port() -> Result<u16> {
    Ok(TcpListener::bind(("127.0.0.1", 0))?.local_addr()?.port())
}
