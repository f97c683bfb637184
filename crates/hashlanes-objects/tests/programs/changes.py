"""Objects that `hashlanes` annotates, counts, or finds in several versions."""

import os
import shutil
import sys

from servers import AZURE_ACCOUNT, AZURE_KEY, s3_client, s3_environment, urls


def check(tool):
    for server in ("moto", "versitygw"):
        if server in urls():
            written_back(tool, server, urls()[server])
    if "moto" in urls():
        refused(tool, urls()["moto"])
        versions(tool, urls()["moto"])
        duplicates(tool, urls()["moto"])
    if "azurite" in urls():
        written_back_to_azure(tool, urls()["azurite"])


# Of everything that a client sees, only these may differ.
CHANGES = ("LastModified", "Metadata", "ResponseMetadata", "Body")


def written_back(tool, server, url):
    """`sum --store` adds the digest to the metadata, and keeps everything else."""
    client = s3_client(url)
    client.create_bucket(Bucket="written")
    stated = {
        "CacheControl": "no-cache, max-age=3",
        "ContentDisposition": 'attachment; filename="a  b"',
        "ContentEncoding": "identity",
        "ContentLanguage": "de, en",
        "ContentType": "text/x-test; charset=utf-8",
        "Expires": "Wed, 21 Oct 2037 07:28:00 GMT",
        "Metadata": {"owner": "me, too", "hashlanes_sha256": "that of earlier content"},
        "Tagging": "a=1&b=two%20words",
    }
    names = {"a b+%/é": b"one", "a&b=#?c": b"two", "empty": b"", "long": bytes(100_000)}
    for name, content in names.items():
        client.put_object(Bucket="written", Key=name, Body=content, **stated)
    seen = {name: everything(client, name) for name in names}
    environment = s3_environment(url)
    command = ["sum", "-r", "--store", "s3://written"]
    lines, _ = tool.run(*command, environment=environment)
    digests = {line[66:]: line[:64] for line in lines.splitlines()}
    tool.same(sorted(digests), sorted(names), f"{server}: names")
    times = {}
    for name in names:
        head = client.head_object(Bucket="written", Key=name)
        expected = {"owner": "me, too", "hashlanes_sha256": digests[name]}
        tool.same(head["Metadata"], expected, f"{server}: the metadata of {name}")
        tool.same(everything(client, name), seen[name], f"{server}: the rest of {name}")
        times[name] = head["LastModified"]
    tool.run(*command, environment=environment)
    for name in names:
        time = client.head_object(Bucket="written", Key=name)["LastModified"]
        tool.same(time, times[name], f"{server}: the time of {name}, which was written again")
    tool.file(f"written-{server}", lines.encode())
    stored = ["check", "--stored", "--download=never", f"written-{server}", "s3://written"]
    told, _ = tool.run(*stored, environment=environment)
    if told.count("SHA256, stated by the uploader") != len(names):
        sys.exit(f"{server}: the digests are not found again: {told}")


def everything(client, name):
    """What a client sees of an object besides its metadata."""
    names = {"Bucket": "written", "Key": name}
    seen = client.get_object(ChecksumMode="ENABLED", **names)
    rest = {key: value for key, value in seen.items() if key not in CHANGES}
    tags = client.get_object_tagging(**names)["TagSet"]
    return rest, seen["Body"].read(), sorted((tag["Key"], tag["Value"]) for tag in tags)


def refused(tool, url):
    """A copy would lose who has access, or the context of the encryption."""
    client = s3_client(url)
    client.create_bucket(Bucket="refused")
    client.put_object(Bucket="refused", Key="public", Body=b"x", ACL="public-read")
    key = {"ServerSideEncryption": "aws:kms", "SSEKMSKeyId": "key"}
    client.put_object(Bucket="refused", Key="encrypted", Body=b"x", **key)
    command = ["sum", "-r", "--store", "s3://refused"]
    _, messages = tool.run(*command, environment=s3_environment(url), status=1)
    for name, why in (("public", "access control list"), ("encrypted", "key management service")):
        line = [line for line in messages.splitlines() if f"s3://refused/{name}'" in line]
        if len(line) != 1 or why not in line[0]:
            sys.exit(f"{name}: the message does not name its {why}: {messages}")
        metadata = client.head_object(Bucket="refused", Key=name)["Metadata"]
        tool.same(metadata, {}, f"{name}: the metadata")


def versions(tool, url):
    """A listing has the latest versions, and none of a deleted object."""
    client = s3_client(url)
    client.create_bucket(Bucket="versions")
    status = {"Status": "Enabled"}
    client.put_bucket_versioning(Bucket="versions", VersioningConfiguration=status)
    ids = []
    for content in (b"old", b"new"):
        ids.append(client.put_object(Bucket="versions", Key="kept", Body=content)["VersionId"])
        client.put_object(Bucket="versions", Key="gone", Body=content)
    client.delete_object(Bucket="versions", Key="gone")
    environment = s3_environment(url)
    lines, _ = tool.run("sum", "-r", "-a", "md5", "s3://versions", environment=environment)
    tool.same(lines, "22af645d1859cb5ca6da0c484f1f37ea  kept\n", "the latest versions")
    # An older version has a URL, whose signature is not shown.
    names = {"Bucket": "versions", "Key": "kept", "VersionId": ids[0]}
    older = client.generate_presigned_url("get_object", Params=names)
    lines, _ = tool.run("sum", "-a", "md5", older)
    tool.same(lines, f"149603e6c03516362a8da23f624db945  {url}/versions/kept\n", "an older version")
    # moto does not say that it is a delete marker.
    _, messages = tool.run("sum", "s3://versions/gone", environment=environment, status=1)
    if "'s3://versions/gone': not found" not in messages:
        sys.exit(f"the message does not say that the object is gone: {messages}")


def duplicates(tool, url):
    """`dedup` and `tree chunks` cut objects as they cut files."""
    client = s3_client(url)
    client.create_bucket(Bucket="duplicates")
    sizes = {"big": 30_000_000, "small": 70_000, "none": 0, **{f"f/{i}": i * 997 for i in range(90)}}
    for name, size in {**sizes, "again": sizes["big"]}.items():
        path = tool.file(f"duplicates/{name}", size)
        if name == "again":
            # A copy, since a second name of one file is no duplicate.
            shutil.copyfile(os.path.join(tool.folder, "duplicates/big"), path)
        client.upload_file(path, "duplicates", name)
    environment = s3_environment(url)
    options = ["dedup", "--json", "--top", "5"]
    ours, _ = tool.run(*options, "duplicates")
    theirs, _ = tool.run(*options, "s3://duplicates", environment=environment)
    tool.same(theirs, ours, "duplicates")
    ours, _ = tool.run("tree", "chunks", "duplicates/big")
    theirs, _ = tool.run("tree", "chunks", "s3://duplicates/big", environment=environment)
    tool.same(theirs.replace("s3://", ""), ours, "chunks")


def written_back_to_azure(tool, url):
    from azure.storage.blob import BlobServiceClient

    service = BlobServiceClient(f"{url}/{AZURE_ACCOUNT}", credential=AZURE_KEY)
    container = service.create_container("written")
    blob = container.get_blob_client("a b/é")
    blob.upload_blob(b"abc")
    other = container.get_blob_client("other")
    other.upload_blob(b"abc", metadata={"Owner": "me"})
    environment = {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": url}
    command = ["sum", "-r", "-a", "md5", "--store", "az://written"]
    _, messages = tool.run(*command, environment=environment, status=1)
    if "az://written/other'" not in messages or "capital letters" not in messages:
        sys.exit(f"azure: the message does not name the metadata: {messages}")
    digest = "900150983cd24fb0d6963f7d28e17f72"
    expected = {"hashlanes_md5": digest}
    tool.same(blob.get_blob_properties().metadata, expected, "azure: the metadata")
    tool.same(blob.download_blob().readall(), b"abc", "azure: the content")
    tool.same(other.get_blob_properties().metadata, {"Owner": "me"}, "azure: other metadata")
    # With another digest, ours are no reason to refuse.
    command[3] = "crc32"
    tool.run(*command, environment=environment, status=1)
    expected["hashlanes_crc32"] = "352441c2"
    tool.same(blob.get_blob_properties().metadata, expected, "azure: two digests")
