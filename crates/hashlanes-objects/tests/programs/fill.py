"""Uploads a folder to a bucket of the same name: fill.py PROGRAM FOLDER BUCKET."""

import os
import sys

from servers import s3_client, urls


def main():
    _, folder, bucket = sys.argv[1:]
    (url,) = urls().values()
    client = s3_client(url)
    client.create_bucket(Bucket=bucket)
    root = os.path.join(folder, bucket)
    for at, _, names in os.walk(root):
        for file in names:
            path = os.path.join(at, file)
            client.upload_file(path, bucket, os.path.relpath(path, root))


main()
