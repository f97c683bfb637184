"""Servers on loopback, on free ports, each in a folder of its own, and clients for them."""

import contextlib
import http.client
import os
import random
import socket
import subprocess
import sys
import time

# The credentials of all servers of S3.
ACCESS = "HASHLANESACCESSKEY"
SECRET = "hashlanes/secret/key/of/the/tests"

# What everybody who uses azurite knows.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

S3 = ("moto", "s3s-fs", "versitygw")


# Seconds that a server may take until it answers. The machine may be busy.
PATIENCE = 120

# The URLs of the servers that run, by their names.
_URLS = {}


def urls():
    """The URLs of the servers by their names."""
    return _URLS


@contextlib.contextmanager
def running(names, folder, programs):
    """Servers that run meanwhile. `programs` is the folder where `cargo xtask objects` installs."""
    with contextlib.ExitStack() as stack:
        for name in names:
            port = _free_port()
            own = os.path.join(folder, name)
            os.makedirs(os.path.join(own, "data"))
            with open(os.path.join(own, "log"), "w+") as log:
                server = subprocess.Popen(
                    _command(name, port, own, programs),
                    cwd=own,
                    stdin=subprocess.DEVNULL,
                    stdout=log,
                    stderr=log,
                )
                stack.callback(server.wait)
                stack.callback(server.kill)
                _wait(name, port, server, log)
            _URLS[name] = f"http://127.0.0.1:{port}"
        yield _URLS


def _command(name, port, folder, programs):
    """The server as its own users start it, with its data in the folder `data`."""
    port, address = str(port), f"127.0.0.1:{port}"
    installed = os.path.join(programs, "bin")
    if name == "moto":
        return [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port]
    if name == "nginx":
        _configure_nginx(port, folder)
        # Debian installs it in a folder that only root searches.
        path = f"{os.environ['PATH']}:/usr/sbin"
        nginx = ["nginx", "-p", folder, "-c", "nginx.conf", "-e", "error.log"]
        return ["env", f"PATH={path}", *nginx]
    if name == "versitygw":
        keys = ["--access", ACCESS, "--secret", SECRET]
        return [f"{installed}/versitygw", *keys, "--port", address, "posix", "data"]
    if name == "s3s-fs":
        keys = ["--access-key", ACCESS, "--secret-key", SECRET]
        return [f"{installed}/s3s-fs", *keys, "--host", "127.0.0.1", "--port", port, "data"]
    if name == "azurite":
        program = os.path.join(programs, "npm/node_modules/.bin/azurite-blob")
        options = ["--inMemoryPersistence", "--silent", "--skipApiVersionCheck"]
        return [program, "--blobHost", "127.0.0.1", "--blobPort", port, *options]
    if name == "fake-gcs-server":
        place = ["-scheme", "http", "-host", "127.0.0.1", "-port", port]
        options = ["-public-host", address, "-backend", "memory"]
        return [f"{installed}/fake-gcs-server", *place, *options]
    raise ValueError(f"there is no server {name!r}")


def _configure_nginx(port, folder):
    """A folder of files, by HTTP on its port, and by HTTPS on another one, whose certificate for
    127.0.0.1 nobody signed."""
    key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
    files = ["-keyout", "key.pem", "-out", "certificate.pem"]
    names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"]
    leaf = ["-addext", "basicConstraints=critical,CA:FALSE"]
    subprocess.run(
        [*key, *files, *names, *leaf], cwd=folder, check=True, stderr=subprocess.DEVNULL
    )
    secure = _free_port()
    with open(os.path.join(folder, "secure-port"), "w") as file:
        file.write(str(secure))
    with open(os.path.join(folder, "nginx.conf"), "w") as file:
        file.write(
            f"""daemon off; master_process off; pid nginx.pid; error_log error.log;
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
"""
        )


def _wait(name, port, server, log):
    """Waits until a server answers, whatever it says."""
    begin = time.monotonic()
    while True:
        with contextlib.suppress(OSError, http.client.HTTPException):
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=5)
            connection.request("GET", "/")
            connection.getresponse()
            return
        ended, late = server.poll(), time.monotonic() - begin > PATIENCE
        if ended is not None or late:
            log.seek(0)
            why = "does not answer" if ended is None else f"has ended: {ended}"
            sys.exit(f"{name} {why}\n{log.read()}")
        time.sleep(0.1)


def _free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def s3_url():
    """The URL of the server of S3 that knows most."""
    return [urls()[name] for name in S3 if name in urls()][-1]


def fill(tool, bucket, files):
    """Uploads files of some lengths to a new bucket, and returns their digests by name."""
    client, sizes = s3_client(s3_url()), random.Random(bucket)
    client.create_bucket(Bucket=bucket)
    for number in range(files):
        size = sizes.randrange(1 << 20 if number % 8 == 0 else 20_000)
        size = (0, 40 << 20, 17 << 20)[number] if number < 3 else size
        name = f"{number % 7:02}/{number:05}"
        client.upload_file(tool.file(f"{bucket}/{name}", size), bucket, name)
    lines, _ = tool.run("sum", "-r", bucket)
    return {line[66:].removeprefix(f"{bucket}/"): line[:64] for line in lines.splitlines()}


def s3_client(url):
    import boto3
    from botocore.config import Config

    # Only the checksums that a test asks for.
    config = Config(
        s3={"addressing_style": "path"},
        request_checksum_calculation="when_required",
        retries={"max_attempts": 10},
    )
    return boto3.client(
        "s3",
        endpoint_url=url,
        aws_access_key_id=ACCESS,
        aws_secret_access_key=SECRET,
        region_name="us-east-1",
        config=config,
    )


def s3_environment(url):
    """The environment with which a user of S3 names a server."""
    return {
        "AWS_ENDPOINT_URL": url,
        "AWS_ALLOW_HTTP": "true",
        "AWS_ACCESS_KEY_ID": ACCESS,
        "AWS_SECRET_ACCESS_KEY": SECRET,
        "AWS_REGION": "us-east-1",
    }
