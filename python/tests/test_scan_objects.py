"""Scans of a store: `solio.scan("s3://…")` beside a scan of the same files, with moto's server."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import solio

if TYPE_CHECKING:
    from collections.abc import Iterator

pyarrow: Any = pytest.importorskip("pyarrow")
pytest.importorskip("moto.server", reason="moto is not installed")
boto3: Any = pytest.importorskip("boto3")

BUCKET = "shelf"
VARIABLES = "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_ALLOW_HTTP"


class Server:
    """moto, which checks signatures and rights once a user is there."""

    def __init__(self) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.url = f"http://127.0.0.1:{free.getsockname()[1]}"
        port = self.url.rpartition(":")[2]
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", port]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            assert self.process.poll() is None, "moto's server has ended"
            try:
                urllib.request.urlopen(f"{self.url}/moto-api/", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)

    def client(self, name: str) -> Any:
        keys = {"aws_access_key_id": "root", "aws_secret_access_key": "root"}
        return boto3.client(name, endpoint_url=self.url, region_name="us-east-1", **keys)

    def reader(self) -> dict[str, str]:
        """Makes a user who may read; from now on rights are looked at."""
        iam = self.client("iam")
        iam.create_user(UserName="reader")
        rights = '{"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Resource": "*",' \
            ' "Action": ["s3:ListBucket", "s3:GetObject"]}]}'
        iam.put_user_policy(UserName="reader", PolicyName="read", PolicyDocument=rights)
        key = iam.create_access_key(UserName="reader")["AccessKey"]
        url, plain = f"{self.url}/moto-api/reset-auth", {"Content-Type": "text/plain"}
        ask = urllib.request.Request(url, b"0", plain, method="POST")
        urllib.request.urlopen(ask, timeout=10).close()
        values = key["AccessKeyId"], key["SecretAccessKey"], self.url, "true"
        return dict(zip(VARIABLES, values, strict=True))


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    server = Server()
    yield server
    server.process.kill()
    server.process.wait()


FILES = {
    "a b/café %20#?&.obj": b"v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n",
    "a b/broken.ply": b"ply\nformat ascii 1.0\nelement vertex x\n",
    "empty.exr": b"",
    "scene.pbrt": b'Film "rgb"\nWorldBegin\nShape "sphere"\n',
    "zeros.png": bytes(3000),
    "large.ply": b"ply\nformat binary_little_endian 1.0\nelement vertex 30000\nproperty float x\n"
    b"property float y\nproperty float z\nend_header\n" + bytes(360_000),
} | {f"many/beauty.{n:04}.txt": b"%d\n" % n for n in range(60)}


ODD = "odd//a", "odd/a", "odd/a//", "odd/+ =&", "odd/ü/ß"
MORE_THAN_A_PAGE = 1010


@pytest.fixture(scope="module")
def filled(server: Server) -> dict[str, str]:
    """The variables of one who may read the bucket with `FILES` in it, and some odd keys."""
    store = server.client("s3")
    store.create_bucket(Bucket=BUCKET)
    for key, content in FILES.items():
        store.put_object(Bucket=BUCKET, Key=f"p/{key}", Body=content)
    for key in ODD:
        store.put_object(Bucket=BUCKET, Key=key, Body=key.encode())
    for n in range(MORE_THAN_A_PAGE):
        store.put_object(Bucket=BUCKET, Key=f"pages/{n}", Body=b"")
    return server.reader()


@pytest.fixture(autouse=True)
def _variables(monkeypatch: pytest.MonkeyPatch, filled: dict[str, str]) -> None:
    for name in list(os.environ):
        if name.startswith("AWS_") or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name, value in filled.items():
        monkeypatch.setenv(name, value)


def table(scan: solio.Scan) -> Any:
    return pyarrow.table(scan)


def test_objects_are_rows_as_files_are(tmp_path: Path) -> None:
    for key, content in FILES.items():
        (tmp_path / key).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / key).write_bytes(content)
    for deep in (False, True):
        objects = solio.scan(f"s3://{BUCKET}/p", deep=deep, check=True, hash=True)
        assert objects.errors == () and len(objects) == len(FILES)
        files = table(solio.scan(tmp_path, deep=deep, check=True, hash=True))
        rows = table(objects)
        own = {"path", "path_bytes", "folder", "modified", "modified_ns", "born_ns", "inode"}
        own |= {"changed_ns", "blocks", "allocated", "mode", "owner", "owner_group", "device"}
        for name in set(rows.column_names) - own:
            assert rows[name].equals(files[name]), name
        below = [path.removeprefix(f"s3://{BUCKET}/p/") for path in rows["path"].to_pylist()]
        assert sorted(below) == sorted(FILES)
        assert len(set(rows["inode"].to_pylist())) == len(FILES)
    shards = solio.scan(f"s3://{BUCKET}/p").shards(5)
    whole = table(solio.scan(f"s3://{BUCKET}/p", threads=1))
    assert pyarrow.concat_tables([table(shard) for shard in shards]).equals(whole)


def test_odd_keys_are_asked_for_with_good_signatures() -> None:
    rows = table(solio.scan(f"s3://{BUCKET}/odd", hash=True)).to_pylist()
    assert [row["problems"] for row in rows] == [None] * len(ODD)
    found = {row["path"].removeprefix(f"s3://{BUCKET}/"): row["size"] for row in rows}
    assert found == {key: len(key.encode()) for key in ODD}


def test_all_pages_are_listed() -> None:
    names = {path.rpartition(b"/")[2] for path in solio.scan(f"s3://{BUCKET}/pages").files}
    assert names == {b"%d" % n for n in range(MORE_THAN_A_PAGE)}


def test_what_the_store_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    def error(root: str) -> str:
        scan = solio.scan(root)
        assert len(scan) == 0
        return str(scan.errors[0])

    assert "NoSuchBucket" in error("s3://nothing/here")
    assert "no such object, and none below it" in error(f"s3://{BUCKET}/nothing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    assert "SignatureDoesNotMatch" in error(f"s3://{BUCKET}/p")
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "nobody")
    assert "InvalidAccessKeyId" in error(f"s3://{BUCKET}/p")


def test_a_missing_object_is_a_row_that_says_so() -> None:
    scan = solio.scan(f"s3://{BUCKET}/p/scene.pbrt")
    gone = solio.Scan((b"s3://shelf/p/gone.exr", *scan.files), (), scan.options)
    rows = table(gone).to_pylist()
    assert "No such file" in rows[0]["problems"] and rows[0]["size"] is None
    assert rows[1]["kind"] == "pbrt" and rows[1]["problems"] is None
