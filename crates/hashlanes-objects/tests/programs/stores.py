"""What stores know of objects, against what `hashlanes` makes of it.

Objects are uploaded by the clients of each store, with all checksums that the store keeps: as a
whole, in parts, and in parts with a checksum of the full object. Then `check --stored` compares the
folder that they came from without a download, and must tell each object that was changed.
"""

import base64
import hashlib
import os
import sys

from servers import AZURE_ACCOUNT, AZURE_KEY, S3, s3_client, s3_environment, urls

MIB = 1 << 20
PART = 5 * MIB

# The checksums of S3. boto3 computes all except MD5, which a client has to compute itself.
ALGORITHMS = [
    *("CRC32", "CRC32C", "CRC64NVME", "MD5", "SHA1", "SHA256", "SHA512"),
    *("XXHASH64", "XXHASH3", "XXHASH128"),
]
# Those that moto and s3s-fs keep.
OLD = ["CRC32", "CRC32C", "SHA1", "SHA256"]
FULL = ["CRC32", "CRC32C"]


def check(tool):
    for name, url in urls().items():
        if name in S3:
            s3(tool, name, url)
    if "azurite" in urls():
        azure(tool, urls()["azurite"])
    if "fake-gcs-server" in urls():
        gcs(tool, urls()["fake-gcs-server"])


def s3(tool, server, url):
    client = s3_client(url)
    client.create_bucket(Bucket="stores")
    folder = f"stores-{server}"
    algorithms = ALGORITHMS if server == "versitygw" else OLD
    # s3s-fs keeps no checksums of objects in parts.
    composite = [] if server == "s3s-fs" else ["SHA256", "SHA512"]
    names = uploads(tool, client, folder, algorithms, composite)
    environment = s3_environment(url)
    compare(tool, server, folder, "s3://stores", names, environment)
    digests(tool, folder, "s3://stores", environment)


def uploads(tool, client, folder, algorithms, composite):
    """Uploads objects, and returns their names with the proof that `check --stored` gives."""
    names = {}

    def path(name, size):
        with open(tool.file(f"{folder}/{name}", size), "rb") as file:
            return file.read()

    for size in (0, 1, 70_000):
        client.put_object(Bucket="stores", Key=f"etag/{size}", Body=path(f"etag/{size}", size))
        names[f"etag/{size}"] = "MD5, the ETag"
    for algorithm in algorithms:
        tag = algorithm.replace("XXHASH", "XXH")
        name = f"whole/{algorithm}"
        content = path(name, 100_000)
        put(client, name, content, algorithm)
        # The strongest is named.
        weak = tag.startswith(("CRC", "XXH"))
        names[name] = "MD5, the ETag" if weak else tag
        name = f"parts/{algorithm}"
        put_parts(client, name, path(name, PART + 12_345), algorithm)
        # Others are not stronger than the ETag, so either may be named.
        strong = f"{tag} " if tag in composite else ""
        names[name] = f"{strong}of 2 parts of {PART} bytes"
    for algorithm in FULL if "CRC64NVME" in algorithms else []:
        name = f"full/{algorithm}"
        content = path(name, PART + 1)
        put_parts(client, name, content, algorithm, ChecksumType="FULL_OBJECT")
        names[name] = f"of 2 parts of {PART}"
    # In parts, without any checksum; and in a single part.
    put_parts(client, "parts/none", path("parts/none", 2 * PART), None)
    names["parts/none"] = f"MD5 of 2 parts of {PART}"
    put_parts(client, "parts/one", path("parts/one", 1000), None)
    names["parts/one"] = "MD5, the ETag"
    return names


def chosen(algorithm, content):
    """The arguments of boto3 for a checksum."""
    if algorithm == "MD5":
        return {"ChecksumMD5": base64.b64encode(hashlib.md5(content).digest()).decode()}
    return {"ChecksumAlgorithm": algorithm} if algorithm else {}


def put(client, name, content, algorithm):
    client.put_object(Bucket="stores", Key=name, Body=content, **chosen(algorithm, content))


def put_parts(client, name, content, algorithm, **more):
    ids = {"Bucket": "stores", "Key": name}
    begun = {"ChecksumAlgorithm": algorithm, **more} if algorithm else {}
    ids["UploadId"] = client.create_multipart_upload(**ids, **begun)["UploadId"]
    parts = []
    for at in range(0, len(content), PART):
        piece = content[at : at + PART]
        number = {"PartNumber": len(parts) + 1}
        done = client.upload_part(Body=piece, **number, **ids, **chosen(algorithm, piece))
        sums = {key: value for key, value in done.items() if key.startswith("Checksum")}
        parts.append({"ETag": done["ETag"], **number, **sums})
    client.complete_multipart_upload(MultipartUpload={"Parts": parts}, **ids, **more)


def compare(tool, server, folder, url, names, environment):
    """The folder is that of the objects: nothing is downloaded to see that."""
    command = ["check", "--stored", "--download=never", "-r", folder, url]
    lines = said(tool.run(*command, environment=environment)[0])
    for name, proof in names.items():
        status, why = lines.pop(name)
        tool.same(status, "unchanged", f"{server}: {name}: {why}")
        if proof not in why:
            sys.exit(f"{server}: {name}: the proof is {why}, not {proof}")
    tool.same(lines, {}, f"{server}: other names")
    # Every file is changed, without changing its length: none is taken to be the same, and those
    # that prove nothing are downloaded.
    flip(tool, folder, names)
    changed = said(tool.run(*command, environment=environment, status=1)[0])
    for name in names:
        empty = name.endswith("/0")
        status, why = changed[name]
        if status == "unchanged" and not empty:
            sys.exit(f"{server}: {name}: was changed, but is the same by {why}")
        tool.compared += 1
    command[2] = "--download=missing"
    changed = said(tool.run(*command, environment=environment, status=1)[0])
    for name, (status, why) in changed.items():
        expected = "unchanged" if name.endswith("/0") else "changed"
        tool.same(status, expected, f"{server}: {name}: {why}")
    flip(tool, folder, names)


def flip(tool, folder, names):
    for name in names:
        path = os.path.join(tool.folder, folder, name)
        with open(path, "rb") as file:
            content = bytearray(file.read())
        if content:
            content[-1] ^= 1
        with open(path, "wb") as file:
            file.write(content)


def said(output):
    """The status of each name, with its reason."""
    lines = {}
    for line in output.splitlines():
        name, separator, rest = line.partition(": ")
        if separator:
            status, _, why = rest.partition(" ")
            lines[name] = (status, why.strip("()"))
    return lines


def digests(tool, folder, url, environment):
    """The digests of objects are those of the files that were uploaded."""
    files, _ = tool.run("sum", "-r", "--base", folder, folder)
    objects, _ = tool.run("sum", "-r", url, environment=environment)
    tool.same(objects, files, f"digests of {url}")
    # A manifest, with digests of a function that no store has.
    tool.file(f"{folder}.manifest", files.encode())
    lines, _ = tool.run("check", "--quiet", f"{folder}.manifest", url, environment=environment)
    tool.same(lines, "", f"check of {url}")
    stored = ["check", "--stored", f"{folder}.manifest", url]
    lines = said(tool.run(*stored, environment=environment)[0])
    tool.same({status for status, _ in lines.values()}, {"unchanged"}, f"check --stored of {url}")


def azure(tool, url):
    from azure.storage.blob import BlobBlock, BlobServiceClient

    service = BlobServiceClient(f"{url}/{AZURE_ACCOUNT}", credential=AZURE_KEY)
    container = service.create_container("stores")
    folder, names = "stores-azure", {}
    for name, size in (("one", 1), ("small", 70_000), ("blocks", 100_000), ("a b/é", 10)):
        path = tool.file(f"{folder}/{name}", size)
        with open(path, "rb") as file:
            content = file.read()
        blob = container.get_blob_client(name)
        if name == "blocks":
            # The service computes no MD5 of blocks.
            blob.stage_block("aa==", content)
            blob.commit_block_list([BlobBlock("aa==")])
        else:
            blob.upload_blob(content)
            names[name] = "MD5, stated by the uploader"
    environment = {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": url}
    command = ["check", "--stored", "--download=never", "-r", folder, "az://stores"]
    lines = said(tool.run(*command, environment=environment, status=1)[0])
    tool.same(lines["blocks"][0], "unproven", "azure: blocks")
    for name, proof in names.items():
        tool.same(lines[name], ("unchanged", proof), f"azure: {name}")
    digests(tool, folder, "az://stores", environment)


def gcs(tool, url):
    import json
    import urllib.parse
    import urllib.request

    def post(path, body, kind):
        request = urllib.request.Request(url + path, body, {"Content-Type": kind})
        urllib.request.urlopen(request).read()

    post("/storage/v1/b", json.dumps({"name": "stores"}).encode(), "application/json")
    folder, names = "stores-gcs", {}
    for name, size in (("one", 1), ("small", 70_000), ("a b/é", 10)):
        with open(tool.file(f"{folder}/{name}", size), "rb") as file:
            query = urllib.parse.urlencode({"uploadType": "media", "name": name})
            post(f"/upload/storage/v1/b/stores/o?{query}", file.read(), "text/plain")
        names[name] = "MD5"
    environment = {"STORAGE_EMULATOR_HOST": url}
    compare(tool, "gcs", folder, "gs://stores", names, environment)
    digests(tool, folder, "gs://stores", environment)
