"""The types of arguments for Spark and for Ray."""

import os
from typing import Any, BinaryIO, Literal, Mapping, Union

Destination = Union[str, "os.PathLike[str]", BinaryIO]
Format = Literal["text", "tagged", "json", "csv", "hashdeep", "sfv", "bagit"]
# Arguments of `boto3.client`.
Options = Mapping[str, Any]
Parts = Literal["s3-etag", "s3-sha1", "s3-sha256"]
