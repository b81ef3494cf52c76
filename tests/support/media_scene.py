"""Media as tests use it: the service over a storage of the test's own, files, and a server that
files are fetched from."""

import io
import ssl
import struct
import zipfile
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

import trustme

from heliograph.core.media.fetching import FetchService
from heliograph.core.media.links import MediaLinks
from heliograph.core.media.service import MediaService
from heliograph.core.media.uploads import UploadService
from heliograph.platform.crypto.secret_box import SecretKey
from heliograph.platform.database.pool import Database
from heliograph.platform.objects import Objects
from heliograph.platform.outbound_http import AddressPolicy, Downloader, GuardedClient
from resolvers import resolving_to

KEY = SecretKey(bytes(range(32)))
_HEAD = struct.pack(">I4sIIBBBBB", 13, b"IHDR", 1, 1, 8, 2, 0, 0, 0)
PNG = b"\x89PNG\r\n\x1a\n" + _HEAD + b"\0" * 64
HTML = b"<!doctype html><html><script>alert(1)</script></html>"
HOST = "files.invalid"
"""A name that no name server knows: tests say where it leads."""


def media_of(database: Database, url: str) -> MediaService:
    """The service, with the objects at this URL and links that begin with http://test."""
    links = MediaLinks([KEY], "http://test", database.clock.now)
    return MediaService(database, Objects(url), links)


class Authority:
    """A certificate authority of the test's own, and what servers under it speak TLS with."""

    def __init__(self) -> None:
        self._authority = trustme.CA()
        self.certificate = self._authority.cert_pem.bytes()

    def context(self, host: str = HOST) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(host).configure_cert(context)
        return context


@asynccontextmanager
async def fetching(
    uploads: UploadService,
    authority: Authority,
    *answers: Sequence[str],
    policy: AddressPolicy = AddressPolicy.LOOPBACK,
    seconds: float = 10,
) -> AsyncIterator[FetchService]:
    """The service that fetches, as the gateway has it, but that it may fetch from this machine."""
    client = GuardedClient(
        policy,
        resolving_to(*(answers or (["127.0.0.1"],))),
        root_certificates=authority.certificate,
        timeout=seconds,
    )
    service = FetchService(uploads, Downloader(client, seconds=seconds))
    try:
        yield service
    finally:
        await service.close()


def archive(*names: str) -> bytes:
    """A ZIP file with members of these names."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as file:
        for name in names:
            file.writestr(name, "<x/>")
    return packed.getvalue()
