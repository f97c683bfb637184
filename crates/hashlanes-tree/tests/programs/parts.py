"""S3 and Glacier, compared with boto3 and a local server, and with botocore's tree hash."""

import base64
import hashlib
import io
import logging
import os

# Read by the server when it is loaded. Real servers accept no part below 5 MiB.
os.environ["S3_UPLOAD_PART_MIN_SIZE"] = "256"
os.environ["AWS_ACCESS_KEY_ID"] = os.environ["AWS_SECRET_ACCESS_KEY"] = "testing"
os.environ["AWS_DEFAULT_REGION"] = "us-east-1"
for name in ("AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_CONFIG_FILE"):
    os.environ.pop(name, None)

MIB = 1 << 20


def check(tool):
    with_server(tool)
    without_parts(tool)
    glacier(tool)
    matching(tool)
    large(tool)


def with_server(tool):
    import boto3
    from boto3.s3.transfer import TransferConfig
    from moto.server import ThreadedMotoServer

    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    client = boto3.client("s3", endpoint_url=f"http://{host}:{port}")
    client.create_bucket(Bucket="bucket")
    part = 5 * MIB
    sizes = [0, 1, part - 1, part, part + 1, 3 * part, 3 * part + 12345]
    if tool.thorough:
        sizes += [2 * part - 1, 2 * part, 2 * part + 1, 60 * MIB]
    for length in sizes:
        path = tool.file(length)
        config = TransferConfig(multipart_threshold=part, multipart_chunksize=part)
        for algorithm in ("SHA1", "SHA256"):
            extra = {"ChecksumAlgorithm": algorithm}
            client.upload_file(path, "bucket", "object", ExtraArgs=extra, Config=config)
            head = client.head_object(Bucket="bucket", Key="object", ChecksumMode="ENABLED")
            etag = head["ETag"].strip('"')
            tool.same(tool.digest("s3-etag", "--part-size", part, path), etag, f"ETag of {length}")
            ours = tool.digest(f"s3-{algorithm.lower()}", "--part-size", part, path)
            theirs = head[f"Checksum{algorithm}"]
            # The server omits the number of parts that Amazon appends to the checksum.
            count = etag.partition("-")[2]
            if count and "-" not in theirs:
                theirs += f"-{count}"
            tool.same(ours, theirs, f"{algorithm} of {length}")
    many_parts(tool, client)
    server.stop()


def many_parts(tool, client):
    """Parts of many sizes, with one request for each."""
    for length, part in ((100_000, 999), (1 * MIB, 4096), (3 * MIB + 1, MIB), (5000, 5000)):
        path = tool.file(length)
        upload = client.create_multipart_upload(Bucket="bucket", Key="parts")["UploadId"]
        parts = []
        with open(path, "rb") as file:
            while piece := file.read(part):
                number = len(parts) + 1
                ids = {"Bucket": "bucket", "Key": "parts", "UploadId": upload}
                done = client.upload_part(Body=piece, PartNumber=number, **ids)
                parts.append({"ETag": done["ETag"], "PartNumber": number})
        client.complete_multipart_upload(MultipartUpload={"Parts": parts}, **ids)
        etag = client.head_object(Bucket="bucket", Key="parts")["ETag"].strip('"')
        ours = tool.digest("s3-etag", "--part-size", part, path)
        tool.same(ours, etag, f"ETag of {length} in parts of {part}")


def without_parts(tool):
    """Objects below the threshold have plain digests."""
    path = tool.file(7 * MIB)
    with open(path, "rb") as file:
        data = file.read()
    threshold = ["--part-size", 5 * MIB, "--threshold", 16 * MIB]
    tool.same(tool.digest("s3-etag", *threshold, path), hashlib.md5(data).hexdigest(), "whole")
    whole = base64.b64encode(hashlib.sha256(data).digest()).decode()
    tool.same(tool.digest("s3-sha256", *threshold, path), whole, "whole")


def glacier(tool):
    from botocore.utils import calculate_tree_hash

    sizes = [0, 1, MIB - 1, MIB, MIB + 1, 2 * MIB, 3 * MIB, 5 * MIB + 7, 7 * MIB]
    if tool.thorough:
        sizes += [n * MIB + 5 for n in range(8, 40)]
    for length in sizes:
        path = tool.file(length)
        with open(path, "rb") as file:
            theirs = calculate_tree_hash(io.BytesIO(file.read()))
        tool.same(tool.digest("glacier", path), theirs, f"Glacier's tree hash of {length}")


def matching(tool):
    path = tool.file(60 * MIB + 3)
    with open(path, "rb") as file:
        data = file.read()
    for part in (8 * MIB, 5 * MIB, 15 * MIB, 16 * MIB, 7 * MIB, 31 * MIB):
        md5s = [hashlib.md5(data[at : at + part]) for at in range(0, len(data), part)]
        all_parts = hashlib.md5(b"".join(md5.digest() for md5 in md5s)).hexdigest()
        etag = f"{all_parts}-{len(md5s)}"
        line = f"S3-ETAG-{part} ({path}) = {etag}\n"
        tool.same(tool.run("tree", "s3-etag", "--match", f'"{etag}"', path), line, "--match")
        # `check` reads the line.
        tool.same(tool.run("check", "-", input=line), f"{path}: OK\n", "check")
        wrong = line.replace(etag[:4], "0000" if etag[:4] != "0000" else "1111")
        tool.same(tool.run("check", "-", input=wrong, status=1), f"{path}: FAILED\n", "check")


def large(tool):
    """5 GiB of zeros: all parts except the last are the same."""
    length = 5 * 1024 * MIB + (12345 if tool.thorough else 0)
    path = tool.sparse(length)
    part = 8 * MIB
    whole, rest = divmod(length, part)
    md5s = hashlib.md5(bytes(part)).digest() * whole
    if rest:
        md5s += hashlib.md5(bytes(rest)).digest()
    theirs = f"{hashlib.md5(md5s).hexdigest()}-{len(md5s) // 16}"
    tool.same(tool.digest("s3-etag", path), theirs, "ETag of 5 GiB")
    if tool.thorough:
        leaves = [hashlib.sha256(bytes(MIB)).digest()] * (length // MIB)
        leaves.append(hashlib.sha256(bytes(length % MIB)).digest())
        while len(leaves) > 1:
            pairs = [b"".join(leaves[at : at + 2]) for at in range(0, len(leaves), 2)]
            leaves = [hashlib.sha256(pair).digest() if len(pair) > 32 else pair for pair in pairs]
        tool.same(tool.digest("glacier", path), leaves[0].hex(), "Glacier's tree hash of 5 GiB")
    os.remove(path)
