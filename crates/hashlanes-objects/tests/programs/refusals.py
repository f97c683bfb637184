"""What `hashlanes` must refuse: wrong credentials, bad certificates, lost objects."""

import os
import sys

from servers import S3, s3_client, s3_environment, urls


def check(tool):
    certificate(tool)
    for name, url in urls().items():
        if name in S3:
            missing(tool, name, url)
            wrong_key(tool, name, url)


def certificate(tool):
    """A server whose certificate nobody signed is refused, unless the user trusts it."""
    folder = os.path.join(tool.folder, "nginx")
    tool.file("nginx/data/object", b"abc")
    with open(os.path.join(folder, "secure-port")) as file:
        url = f"https://127.0.0.1:{file.read()}/object"
    lines, messages = tool.run("sum", url, status=1)
    tool.same(lines, "", "a digest from a server that is not trusted")
    if "certificate" not in messages:
        sys.exit(f"the message does not name the certificate: {messages}")
    trusted = os.path.join(folder, "certificate.pem")
    lines, _ = tool.run("sum", "-a", "md5", "--ca-certificates", trusted, url)
    tool.same(lines, f"900150983cd24fb0d6963f7d28e17f72  {url}\n", "a certificate that is trusted")
    plain = f"{urls()['nginx']}/object"
    lines, _ = tool.run("sum", "-a", "md5", plain)
    tool.same(lines, f"900150983cd24fb0d6963f7d28e17f72  {plain}\n", "plain HTTP")


def missing(tool, server, url):
    environment = s3_environment(url)
    s3_client(url).create_bucket(Bucket="refusals")
    for name in ("s3://refusals/nothing", "s3://no-such-bucket/nothing"):
        lines, messages = tool.run("sum", name, environment=environment, status=1)
        tool.same(lines, "", f"{server}: {name}")
        if name not in messages:
            sys.exit(f"{server}: the message does not name {name}: {messages}")


def wrong_key(tool, server, url):
    # moto accepts every key.
    if server == "moto":
        return
    wrong = s3_environment(url) | {"AWS_SECRET_ACCESS_KEY": "wrong-secret-key-of-thirty-characters"}
    lines, messages = tool.run("sum", "-r", "s3://refusals", environment=wrong, status=1)
    tool.same(lines, "", f"{server}: a wrong key")
    if "denie" not in messages:
        sys.exit(f"{server}: the message does not say that access is denied: {messages}")
