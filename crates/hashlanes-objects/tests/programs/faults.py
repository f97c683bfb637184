"""`hashlanes` reads a store through a proxy with faults: every digest must be right, and every
object without one must be named with a reason."""

import sys
import time

from proxy import FAULTS, Proxy
from servers import fill, s3_environment, s3_url

BUCKET = "faults"
# How many of 1,000 responses get a fault, in turns.
RATES = (20, 100, 300, 900)


def check(tool):
    expected = fill(tool, BUCKET, 120)
    proxy = Proxy(s3_url(), tool.count)
    begin, runs, done = time.monotonic(), 0, 0
    while sum(proxy.injected.values()) < tool.count:
        before = proxy.served
        proxy.rate = RATES[runs % len(RATES)]
        command, environment = ["sum", "-r", f"s3://{BUCKET}/"], s3_environment(proxy.url)
        done += digests(tool, expected, *tool.run(*command, environment=environment, status=None))
        runs += 1
        if proxy.leaked:
            sys.exit("a redirect to another host was given credentials")
        if proxy.served == before:
            sys.exit("the program reads nothing")
    print(
        f"faults: {sum(proxy.injected.values())} of {proxy.served} responses in {runs} runs,"
        f" {time.monotonic() - begin:.0f} s: {done} digests, all right;"
        f" {runs * len(expected) - done} objects named as unread"
    )
    for fault, what in FAULTS.items():
        print(f"  {proxy.injected[fault]} {fault}: {what}")


def digests(tool, expected, lines, messages):
    """The number of right digests. If the listing itself failed, one message stands for all."""
    missing = dict(expected)
    for line in lines.splitlines():
        digest, name = line.split("  ", 1)
        right = missing.pop(name.removeprefix(f"s3://{BUCKET}/"), None)
        tool.same(digest, right, f"{line}\n{messages}")
    for name in missing:
        # Messages quote what they are about.
        if not any(f"'s3://{BUCKET}/{part}': " in messages for part in (name, "")):
            sys.exit(f"lost without a word: {name}\n{messages}")
    tool.same(tool.status != 0, bool(missing), f"exit status {tool.status}\n{messages}")
    return len(expected) - len(missing)
