"""Objects that `hashlanes` annotates, counts, or finds in several versions."""

import os
import sys

from servers import AZURE_ACCOUNT, AZURE_KEY, s3_client, s3_environment, urls


def check(tool):
    for server in ("moto", "versitygw"):
        if server in urls():
            written_back(tool, server, urls()[server])
    if "moto" in urls():
        versions(tool, urls()["moto"])
        duplicates(tool, urls()["moto"])
    if "azurite" in urls():
        written_back_to_azure(tool, urls()["azurite"])


def written_back(tool, server, url):
    """`sum --store` adds the digest to the metadata, and keeps everything else."""
    client = s3_client(url)
    client.create_bucket(Bucket="written")
    before = {"ContentType": "text/x-test", "CacheControl": "no-cache", "Metadata": {"owner": "me"}}
    names = {"a b+%/é": b"one", "empty": b"", "long": bytes(100_000)}
    for name, content in names.items():
        client.put_object(Bucket="written", Key=name, Body=content, **before)
    environment = s3_environment(url)
    command = ["sum", "-r", "--store", "s3://written"]
    lines, _ = tool.run(*command, environment=environment)
    digests = {line[66:]: line[:64] for line in lines.splitlines()}
    tool.same(sorted(digests), sorted(names), f"{server}: names")
    times = {}
    for name, content in names.items():
        head = client.get_object(Bucket="written", Key=name)
        tool.same(head["Body"].read(), content, f"{server}: the content of {name}")
        expected = {"owner": "me", "hashlanes_sha256": digests[name]}
        tool.same(head["Metadata"], expected, f"{server}: the metadata of {name}")
        for key in ("ContentType", "CacheControl"):
            tool.same(head[key], before[key], f"{server}: {key} of {name}")
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


def versions(tool, url):
    """A listing has the latest versions, and a deleted object is named as such."""
    client = s3_client(url)
    client.create_bucket(Bucket="versions")
    status = {"Status": "Enabled"}
    client.put_bucket_versioning(Bucket="versions", VersioningConfiguration=status)
    for content in (b"old", b"new"):
        client.put_object(Bucket="versions", Key="kept", Body=content)
        client.put_object(Bucket="versions", Key="gone", Body=content)
    client.delete_object(Bucket="versions", Key="gone")
    environment = s3_environment(url)
    lines, _ = tool.run("sum", "-r", "-a", "md5", "s3://versions", environment=environment)
    tool.same(lines, "22af645d1859cb5ca6da0c484f1f37ea  kept\n", "the latest versions")
    _, messages = tool.run("sum", "s3://versions/gone", environment=environment, status=1)
    if "delete marker" not in messages:
        sys.exit(f"the message does not name the delete marker: {messages}")


def duplicates(tool, url):
    """`dedup` and `tree chunks` cut objects as they cut files."""
    client = s3_client(url)
    client.create_bucket(Bucket="duplicates")
    sizes = {"big": 30_000_000, "small": 70_000, "none": 0, **{f"f/{i}": i * 997 for i in range(90)}}
    for name, size in {**sizes, "again": sizes["big"]}.items():
        path = tool.file(f"duplicates/{name}", size)
        if name == "again":
            os.remove(path)
            os.link(os.path.join(tool.folder, "duplicates/big"), path)
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
    blob.upload_blob(b"abc", metadata={"owner": "me"})
    environment = {"AZURE_STORAGE_USE_EMULATOR": "true", "AZURITE_BLOB_STORAGE_URL": url}
    command = ["sum", "-r", "-a", "md5", "--store", "az://written"]
    tool.run(*command, environment=environment)
    digest = "900150983cd24fb0d6963f7d28e17f72"
    expected = {"owner": "me", "hashlanes_md5": digest}
    tool.same(blob.get_blob_properties().metadata, expected, "azure: the metadata")
    tool.same(blob.download_blob().readall(), b"abc", "azure: the content")
