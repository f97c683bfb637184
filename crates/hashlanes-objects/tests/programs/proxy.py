"""A proxy between a store and the program, which injects faults into what the store answers."""

import collections
import http.client
import http.server
import random
import threading
import time
from typing import NamedTuple
from urllib.parse import urlsplit

# What each fault is. A body is changed only if there is one.
FAULTS = {
    "closed": "the connection is closed before the response",
    "truncated": "the connection is closed within the body",
    "unavailable": "503 without a time to wait",
    "unavailable for": "503 with Retry-After",
    "too many": "429 with Retry-After",
    "broken": "500",
    "slow": "the body arrives in small pieces",
    "too long": "the head promises more bytes than follow",
    "too short": "the head and the body agree, on fewer bytes than the object has",
    "other ETag": "another ETag, with the right body",
    "changed": "another object of the same length: other bytes, and another ETag",
    "redirected": "sends the client to another host",
    "garbage": "no HTTP",
    "empty": "nothing, with the status for success",
}
NEEDS_BODY = ("truncated", "slow", "too long", "too short", "changed")
# An empty list is what a store without objects says.
NEEDS_OBJECT = ("empty", "too short", "other ETag", "changed")
OTHER_BYTES = bytes(byte ^ 0x55 for byte in range(256))


class Response(NamedTuple):
    status: int
    reason: str
    headers: dict
    body: bytes = b""

    def header(self, name):
        return next((text for key, text in self.headers.items() if key.lower() == name), None)

    def having(self, name, text):
        """The same with another value of a header."""
        kept = {key: text for key, text in self.headers.items() if key.lower() != name}
        return self._replace(headers=kept | {name: str(text)})


REPLACEMENTS = {
    "unavailable": Response(503, "Service Unavailable", {}),
    "unavailable for": Response(503, "Service Unavailable", {"retry-after": "1"}),
    "too many": Response(429, "Too Many Requests", {"retry-after": "1"}),
    "broken": Response(500, "Internal Server Error", {}),
    "empty": Response(200, "OK", {}),
}


class Proxy:
    """A proxy that listens until the process ends."""

    def __init__(self, store, seed):
        self.store = urlsplit(store).netloc
        # How many of 1,000 responses get a fault.
        self.rate = 0
        self.injected = collections.Counter()
        self.served = 0
        # Whether the other host was sent a signature or a token.
        self.leaked = False
        self._random = random.Random(seed)
        self._lock = threading.Lock()
        self.url = f"http://127.0.0.1:{self._listen(Client)}"
        self.elsewhere = f"http://localhost:{self._listen(Elsewhere)}"

    def _listen(self, handler):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        server.proxy, server.daemon_threads = self, True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return server.server_port

    def draw(self, command, response):
        """The fault of a response, or None. A fault that would change nothing is not one."""
        with self._lock:
            self.served += 1
            fault = self._random.choice(list(FAULTS))
            if self._random.randrange(1000) >= self.rate:
                return None
            is_object = command == "GET" and response.header("etag") is not None
            if fault in NEEDS_OBJECT and not is_object:
                return None
            if fault in NEEDS_BODY and len(response.body) < 2:
                return None
            self.injected[fault] += 1
            return fault


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass


class Client(Handler):
    """Answers the requests of one connection."""

    def do_GET(self):  # noqa: N802 - named by http.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        response = self.ask(body)
        fault = self.server.proxy.draw(self.command, response)
        try:
            self.answer(fault, response)
        except ConnectionError:  # The client has closed it.
            self.close_connection = True

    do_HEAD = do_PUT = do_POST = do_DELETE = do_GET

    def ask(self, body):
        """What the store answers to the request. Its signature covers all headers as they are."""
        store = http.client.HTTPConnection(self.server.proxy.store)
        store.putrequest(self.command, self.path, skip_host=True, skip_accept_encoding=True)
        for name, text in self.headers.items():
            store.putheader(name, text)
        store.endheaders(body or None)
        answer = store.getresponse()
        body = answer.read()
        dropped = ("connection", "keep-alive", "transfer-encoding")
        headers = {key: text for key, text in answer.getheaders() if key.lower() not in dropped}
        response = Response(answer.status, answer.reason, headers, body)
        store.close()
        if response.header("content-length") is None:
            response = response.having("content-length", len(body))
        return response

    def answer(self, fault, response):
        """Sends a response, with a fault if there is one."""
        body, half = response.body, len(response.body) // 2
        if fault in ("closed", "garbage", "truncated", "too long"):
            self.close_connection = True
        if fault == "closed":
            return
        if fault == "garbage":
            self.wfile.write(b"\x16\x03\x01 no HTTP\r\n\r\n")
            return
        if fault in REPLACEMENTS:
            response = REPLACEMENTS[fault].having("content-length", 0)
        elif fault == "redirected":
            location = {"location": f"{self.server.proxy.elsewhere}/object", "content-length": "0"}
            response = Response(307, "Temporary Redirect", location)
        elif fault == "too long":
            response = response.having("content-length", len(body) + 100)
        elif fault == "too short":
            response = response.having("content-length", half)._replace(body=body[:half])
        elif fault == "truncated":
            response = response._replace(body=body[:half])
        elif fault in ("other ETag", "changed"):
            response = response.having("etag", '"ffffffffffffffffffffffffffffffff"')
            if fault == "changed":
                response = response._replace(body=body.translate(OTHER_BYTES))
        self.send_response_only(response.status, response.reason)
        for name, text in response.headers.items():
            self.send_header(name, text)
        self.end_headers()
        if self.command == "HEAD":
            return
        if fault == "slow":
            piece = -(-len(body) // 8)
            for start in range(0, len(body), piece):
                time.sleep(0.005)
                self.wfile.write(body[start:start + piece])
        else:
            self.wfile.write(response.body)


class Elsewhere(Handler):
    """The other host: notes whether it is sent credentials, and has no objects."""

    def do_GET(self):  # noqa: N802 - named by http.server
        secrets = ("authorization", "x-amz-security-token", "cookie")
        self.server.proxy.leaked |= any(name in self.headers for name in secrets)
        self.send_response_only(404)
        self.send_header("content-length", "0")
        self.end_headers()

    do_HEAD = do_GET
