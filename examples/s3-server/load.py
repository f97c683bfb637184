#!/usr/bin/env python3
"""Uploads to an S3 server: checks it under load, measures its CPU time, or watches its memory.

`cargo xtask s3-server` builds the servers and calls this. A server is started with HASHING=lanes,
own or none in its environment; ports and folders are chosen here.
"""

import argparse
import base64
import datetime
import hashlib
import hmac
import http.client
import os
import pathlib
import random
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time

HERE = pathlib.Path(__file__).resolve().parent
ACCESS, SECRET, BUCKET = "access", "secret-of-a-test", "bucket"
REGION = "us-east-1"
UNITS = {"KiB": 1 << 10, "MiB": 1 << 20}
# `ServerOptions::memory` of the two algorithms that clients ask for.
LANES_KIB = 2 * 16 << 10


def fail(message):
    sys.exit(f"load.py: {message}")


def signed(method, path, host, headers):
    """The headers with a signature of AWS, version 4."""
    now = datetime.datetime.now(datetime.timezone.utc)
    stamp, day = now.strftime("%Y%m%dT%H%M%SZ"), now.strftime("%Y%m%d")
    headers = {"host": host, "x-amz-date": stamp, **headers}
    names = ";".join(sorted(headers))
    listed = "".join(f"{name}:{headers[name]}\n" for name in sorted(headers))
    canonical = "\n".join([method, path, "", listed, names, headers["x-amz-content-sha256"]])
    scope = f"{day}/{REGION}/s3/aws4_request"
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    key = b"AWS4" + SECRET.encode()
    for part in [day, REGION, "s3", "aws4_request"]:
        key = hmac.new(key, part.encode(), hashlib.sha256).digest()
    text = f"AWS4-HMAC-SHA256\n{stamp}\n{scope}\n{digest}"
    signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
    authorization = f"AWS4-HMAC-SHA256 Credential={ACCESS}/{scope},SignedHeaders={names},"
    return {**headers, "authorization": f"{authorization}Signature={signature}"}


class Server:
    """A server's process, with a folder in memory."""

    def __init__(self, options, hashing):
        self.hashing = hashing
        shared = pathlib.Path("/dev/shm")
        self.folder = tempfile.mkdtemp(prefix="s3-server-", dir=shared if shared.is_dir() else None)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.host = f"127.0.0.1:{free.getsockname()[1]}"
        port = self.host.split(":")[1]
        if options.kind == "s3s":
            command = ["--access-key", ACCESS, "--secret-key", SECRET, "--port", port]
            command = [options.program, *command, self.folder]
        else:
            command = [options.program, "--access", ACCESS, "--secret", SECRET, "--quiet"]
            command += ["--port", self.host, "posix", self.folder]
        environment = {**os.environ, "HASHING": hashing, "TOKIO_WORKER_THREADS": "2"}
        environment["RUST_LOG"] = "off"
        if options.cpus:
            command = ["taskset", "-c", options.cpus, *command]
        # versitygw reports each client that breaks off.
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        self.process = subprocess.Popen(command, env=environment, **silent)
        for _ in range(600):
            try:
                status, _, _ = self.request("PUT", f"/{BUCKET}")
                break
            except ConnectionError:
                time.sleep(0.1)
        else:
            fail(f"{options.program} did not start")
        if status != 200:
            fail(f"{options.program}: no bucket: status {status}")

    def stop(self):
        self.process.kill()
        self.process.wait()
        shutil.rmtree(self.folder)

    def cpu(self):
        """Seconds of CPU time so far, of users and of the system."""
        # The clock of a process that `clock_getcpuclockid` returns, which Python lacks.
        return time.clock_gettime(~self.process.pid << 3 | 2)

    def memory(self):
        """KiB of memory in use."""
        for line in pathlib.Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        fail("no VmRSS")

    def headers(self, method, path, body=b"", **more):
        more.setdefault("x_amz_content_sha256", hashlib.sha256(body).hexdigest())
        more = {name.replace("_", "-"): value for name, value in more.items()}
        return signed(method, path, self.host, more)

    def request(self, method, path, body=b"", **more):
        connection = http.client.HTTPConnection(self.host, timeout=120)
        try:
            connection.request(method, path, body, self.headers(method, path, body, **more))
            answer = connection.getresponse()
            return answer.status, answer.headers, answer.read()
        finally:
            connection.close()


def etag(body):
    return f'"{hashlib.md5(body).hexdigest()}"'


def body(chance, length):
    return chance.randbytes(length)


class Clients:
    """Clients of all kinds at the same time, until `stop` is set. Any wrong answer is noted.

    They begin requests at the same moments, `every` seconds apart, or without a pause if it is 0.
    """

    def __init__(self, server, every):
        self.server, self.stop, self.wrong = server, threading.Event(), []
        self.every = every
        self.counts = dict.fromkeys(self.kinds(), 0)

    @staticmethod
    def kinds():
        return ["right", "verified", "slow", "cut", "wrong_md5", "wrong_payload"]

    def run(self, number):
        chance = random.Random(number)
        kinds = self.kinds()
        while not self.stop.is_set() and not self.wrong:
            if self.every:
                time.sleep(self.every - time.monotonic() % self.every)
            kind = kinds[number] if number < len(kinds) else chance.choice(kinds)
            length = int(2 ** chance.uniform(0, 23 if kind != "slow" else 18))
            path, data = f"/{BUCKET}/object-{number}", body(chance, length)
            try:
                getattr(self, kind)(path, data)
                self.counts[kind] += 1
            except (OSError, http.client.HTTPException, AssertionError) as error:
                self.wrong.append(f"{kind}, {length} bytes: {error!r}")

    def right(self, path, data):
        status, headers, _ = self.server.request(
            "PUT", path, data, x_amz_content_sha256="UNSIGNED-PAYLOAD"
        )
        assert (status, headers["etag"]) == (200, etag(data)), (status, headers["etag"])

    def verified(self, path, data):
        md5 = base64.b64encode(hashlib.md5(data).digest()).decode()
        sha256 = base64.b64encode(hashlib.sha256(data).digest()).decode()
        status, headers, _ = self.server.request(
            "PUT", path, data, content_md5=md5, x_amz_checksum_sha256=sha256
        )
        assert (status, headers["etag"]) == (200, etag(data)), (status, headers["etag"])
        status, _, stored = self.server.request("GET", path)
        assert status == 200 and stored == data, "another object was stored"

    def slow(self, path, data):
        connection = self.begin(path, data)
        for start in range(0, len(data), len(data) // 5 + 1):
            time.sleep(0.05)
            connection.send(data[start:start + len(data) // 5 + 1])
        answer = connection.getresponse()
        answer.read()
        connection.close()
        assert (answer.status, answer.headers["etag"]) == (200, etag(data)), answer.status

    def cut(self, path, data):
        connection = self.begin(path + "-cut", data)
        connection.send(data[:len(data) // 2])
        connection.close()

    def wrong_md5(self, path, data):
        md5 = base64.b64encode(hashlib.md5(data + b"x").digest()).decode()
        self.refused(path + "-md5", data, content_md5=md5)

    def wrong_payload(self, path, data):
        digest = hashlib.sha256(data + b"x").hexdigest()
        self.refused(path + "-payload", data, x_amz_content_sha256=digest)

    def begin(self, path, data):
        connection = http.client.HTTPConnection(self.server.host, timeout=120)
        connection.putrequest("PUT", path, skip_host=True, skip_accept_encoding=True)
        for name, value in self.server.headers("PUT", path, data).items():
            connection.putheader(name, value)
        connection.putheader("content-length", str(len(data)))
        connection.endheaders()
        return connection

    def refused(self, path, data, **headers):
        try:
            status, _, _ = self.server.request("PUT", path, data, **headers)
        except (BrokenPipeError, ConnectionResetError):
            return
        assert status >= 400, f"accepted with status {status}"


def load(server, options, watch=lambda: None):
    """Runs clients of all kinds, and returns how often each was served."""
    all_clients, seconds = Clients(server, options.every), options.seconds
    threads = [threading.Thread(target=all_clients.run, args=[i]) for i in range(options.clients)]
    for thread in threads:
        thread.start()
    end = time.monotonic() + seconds
    while time.monotonic() < end and not all_clients.wrong:
        time.sleep(min(1, seconds))
        watch()
    all_clients.stop.set()
    for thread in threads:
        thread.join()
    if all_clients.wrong:
        fail("\n".join(all_clients.wrong))
    return all_clients.counts


def check(options):
    """All answers are right while clients break off, slow down or send wrong digests."""
    for hashing in ["lanes", "own"]:
        server = Server(options, hashing)
        try:
            counts = load(server, options)
        finally:
            server.stop()
        if not all(counts.values()):
            fail(f"{hashing}: a client was never served: {counts}")
        served = ", ".join(f"{count} {kind}" for kind, count in counts.items())
        print(f"{options.kind}, {hashing}: {served}")


def soak(options):
    """Watches the memory of two servers, one with its own hashing, under the same load.

    The server's own buffers grow for a while, so its memory with lanes may grow by more than a
    tenth only if it stays within what the other one takes and what the lanes are allowed.
    """
    servers = {hashing: Server(options, hashing) for hashing in ["own", "lanes"]}
    memory = {hashing: [] for hashing in servers}
    counts, wrong = {}, []

    def run(hashing, server):
        taken = memory[hashing]

        def watch():
            taken.append(server.memory())
            if len(taken) % 60 == 0:
                print(f"{len(taken) // 60} min, {hashing}: {taken[-1]} KiB", flush=True)

        try:
            counts[hashing] = load(server, options, watch)
        except SystemExit as message:
            wrong.append(f"{hashing}: {message}")

    threads = [threading.Thread(target=run, args=pair) for pair in servers.items()]
    try:
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        cpu = {hashing: server.cpu() for hashing, server in servers.items()}
    finally:
        for server in servers.values():
            server.stop()
    if wrong:
        fail("\n".join(wrong))
    most = {}
    for hashing, taken in memory.items():
        # The first tenth fills buffers.
        taken = taken[len(taken) // 10:]
        most[hashing] = max(taken[:len(taken) // 2]), max(taken[len(taken) // 2:])
        served = ", ".join(f"{count} {kind}" for kind, count in counts[hashing].items())
        print(f"{options.kind}, {hashing}: {served}, {cpu[hashing]:.0f} s of CPU time")
        print("at most {} KiB, then {} KiB".format(*most[hashing]))
    first, last = most["lanes"]
    if last > first * 1.1 and last > most["own"][1] + LANES_KIB:
        fail("memory grew")


def measure(options):
    """CPU time of the server and the time of answers, with the kinds of hashing in turns."""
    kinds = ["own", "lanes", "none"]
    print("| connections | object | CPU per PUT, us: own | lanes | none | CPU s/GB: own | lanes "
          "| none | MD5: lanes / own | total: lanes / own | p50 ms: own | lanes "
          "| p99 ms: own | lanes |")
    print("|" + "---:|" * 14, flush=True)
    totals = {}
    for length in options.sizes:
        for connections in options.connections:
            if connections * length > options.memory:
                continue
            # A server for each row: the signatures of the last one are too old after a while.
            servers = [Server(options, kind) for kind in kinds]
            try:
                best = {}
                for _ in range(options.turns):
                    for server in servers:
                        turn = wrk(server, connections, length, options)
                        last = best.get(server.hashing, turn)
                        best[server.hashing] = [min(pair) for pair in zip(last, turn)]
            finally:
                for server in servers:
                    server.stop()
            row(connections, length, *(best[kind] for kind in kinds))
            totals[connections, length] = best["lanes"][0] / best["own"][0]
    connections, length = max(totals, key=totals.get)
    print(f"\nWorst: {max(totals.values()):.2f} of the CPU time of its own hashers, with "
          f"{connections} connections of {text_of(length)}")


def wrk(server, connections, length, options):
    """CPU seconds of the server per PUT, and percentiles of the answers' times in ms."""
    with tempfile.TemporaryDirectory() as folder:
        folder, chance = pathlib.Path(folder), random.Random(length)
        with open(folder / "requests", "w") as requests:
            for number in range(4):
                data, path = body(chance, length), f"/{BUCKET}/object-{number}"
                (folder / f"body-{number}").write_bytes(data)
                payload = hashlib.sha256(data).hexdigest() if options.signed else "UNSIGNED-PAYLOAD"
                headers = server.headers("PUT", path, x_amz_content_sha256=payload)
                known = "none" if server.hashing == "none" else hashlib.md5(data).hexdigest()
                pairs = " ".join(f"{name}={value}" for name, value in headers.items()
                                 if name != "authorization")
                print(f"body-{number}", path, known, "any", pairs, file=requests)
                print(headers["authorization"], file=requests)
        # Long enough for several uploads on each connection.
        seconds = max(options.seconds, 2 * connections * length // 150_000_000)
        command = ["wrk", "-t", "1", "-c", str(connections), "-d", f"{seconds}s"]
        command += ["--timeout", "60s", "-s", HERE.parent / "put.lua"]
        command += [f"http://{server.host}", "--", folder]
        before = server.cpu()
        text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        cpu = server.cpu() - before
    facts = dict(line.split(" ", 1) for line in text.splitlines() if " " in line)
    answers, wrong, errors = (int(facts[name]) for name in ["answers", "wrong", "errors"])
    if answers == 0 or wrong or errors:
        fail(f"{server.hashing}: {answers} answers, {wrong} wrong, {errors} errors\n{text}")
    return [cpu / answers, float(facts["p50_ms"]), float(facts["p99_ms"])]


def row(connections, length, own, lanes, none):
    puts = " | ".join(f"{kind[0] * 1e6:.0f}" for kind in [own, lanes, none])
    bytes_ = " | ".join(f"{kind[0] / length * 1e9:.2f}" for kind in [own, lanes, none])
    # A difference that small is noise.
    clear = own[0] - none[0] > own[0] / 20
    md5 = f"{(lanes[0] - none[0]) / (own[0] - none[0]):.2f}" if clear else "-"
    total = f"{lanes[0] / own[0]:.2f}"
    times = " | ".join(f"{time:.1f}" for time in [own[1], lanes[1], own[2], lanes[2]])
    print(f"| {connections} | {text_of(length)} | {puts} | {bytes_} | {md5} | {total} "
          f"| {times} |", flush=True)


def text_of(length):
    name = "MiB" if length >= UNITS["MiB"] else "KiB"
    return f"{length // UNITS[name]} {name}"


def size(text):
    number, unit = text[:-3], text[-3:]
    if unit not in UNITS or not number.isdigit():
        raise argparse.ArgumentTypeError(f"'{text}' is not a size such as 64KiB or 8MiB")
    return int(number) * UNITS[unit]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("task", choices=["check", "measure", "soak"])
    parser.add_argument("kind", choices=["s3s", "versitygw"])
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=10, help="of a check, a soak, a turn")
    parser.add_argument("--clients", type=int, default=24, help="in a check or a soak")
    parser.add_argument("--every", type=float, default=0,
                        help="seconds from one request of a client to the next, at the same "
                        "moments for all, in a check or a soak")
    parser.add_argument("--connections", type=int, nargs="+", default=[1, 4, 16, 64, 256])
    sizes = [size(text) for text in ["4KiB", "64KiB", "1MiB", "64MiB"]]
    parser.add_argument("--sizes", type=size, nargs="+", default=sizes)
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--memory", type=int, default=1 << 30,
                        help="connections times object size that are measured at most, in bytes")
    parser.add_argument("--signed", action="store_true", help="with the payload's SHA-256 as well")
    parser.add_argument("--cpus", help="CPUs of the server, as for taskset")
    options = parser.parse_args()
    {"check": check, "measure": measure, "soak": soak}[options.task](options)


if __name__ == "__main__":
    main()
