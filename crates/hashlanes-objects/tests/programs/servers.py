"""The servers that `cargo xtask objects` has started, and clients for them."""

import json
import os

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
