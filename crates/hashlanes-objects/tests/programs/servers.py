"""The servers that `cargo xtask objects` has started, and clients for them."""

import json
import os
import random

# The credentials of all servers of S3: xtask/src/objects/server.rs has them, too.
ACCESS = "HASHLANESACCESSKEY"
SECRET = "hashlanes/secret/key/of/the/tests"

# What everybody who uses azurite knows.
AZURE_ACCOUNT = "devstoreaccount1"
AZURE_KEY = (
    "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=="
)

S3 = ("moto", "s3s-fs", "versitygw")


def urls():
    """The URLs of the servers by their names."""
    return json.loads(os.environ["HASHLANES_SERVERS"])


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
