"""A folder and a bucket, for the tests of Spark and Ray."""

import os
import uuid

import pytest
from common import pattern


class Bucket:
    def __init__(self, endpoint):
        import boto3

        self.name = f"b-{uuid.uuid4().hex}"
        self.options = {
            "endpoint_url": endpoint,
            "region_name": "us-east-1",
            "aws_access_key_id": "key",
            "aws_secret_access_key": "secret",
        }
        self.client = boto3.client("s3", **self.options)
        self.client.create_bucket(Bucket=self.name)

    def put(self, name, content):
        self.client.put_object(Bucket=self.name, Key=name, Body=content)

    def delete(self, name):
        self.client.delete_object(Bucket=self.name, Key=name)

    def upload(self, name, content, size):
        """Uploads an object in parts."""
        to = {"Bucket": self.name, "Key": name}
        to["UploadId"] = self.client.create_multipart_upload(**to)["UploadId"]
        parts = []
        for number, start in enumerate(range(0, len(content), size), 1):
            body = content[start:start + size]
            part = self.client.upload_part(**to, PartNumber=number, Body=body)
            parts.append({"PartNumber": number, "ETag": part["ETag"]})
        self.client.complete_multipart_upload(**to, MultipartUpload={"Parts": parts})


@pytest.fixture(scope="session")
def endpoint():
    server = pytest.importorskip("moto.server")
    pytest.importorskip("boto3")
    # moto rejects requests of time zones and of proxies.
    os.environ["no_proxy"] = "127.0.0.1"
    running = server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    running.start()
    host, port = running.get_host_and_port()
    yield f"http://{host}:{port}"
    running.stop()


@pytest.fixture
def bucket(endpoint):
    return Bucket(endpoint)


@pytest.fixture
def folder(tmp_path):
    """21 files."""
    path = tmp_path / "data"
    for number in range(20):
        name = path / f"d{number % 3}" / f"f {number}"
        name.parent.mkdir(parents=True, exist_ok=True)
        name.write_bytes(pattern(number * 1000, number))
    (path / "d1.txt").write_bytes(pattern(1_000_000))
    return path
