"""Clients that upload files and send them, and what the gateway keeps of those."""

import asyncio
import hashlib
import random
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

import httpx

from chaos.ledger import Promise
from chaos.load import Outcomes, until_accepted
from chaos.machine import Machine
from chaos.world import World

MEDIA, MESSAGES = "/api/v1/media", "/api/v1/messages"
SIZE = 700_000
"""Bytes of a file: it arrives, and is handed on, in more than two pieces."""

STORED = "SELECT id, object_key, size, sha256, stored_at, organization_id FROM media"
ON_PHONES = """
SELECT coalesce(m.content::json->>'body', m.content::json->>'caption') AS tag,
    string_agg(c.data, ''::bytea ORDER BY c.position) AS data
FROM sandbox.messages AS m JOIN sandbox.file_chunks AS c USING (chat_message_id)
GROUP BY m.account_id, m.chat_message_id
"""


def bytes_of(tag: str, size: int = SIZE) -> bytes:
    """A text that no other tag has."""
    return f"{hashlib.sha256(tag.encode()).hexdigest()}\n".encode() * (size // 65 + 1)


@dataclass
class Files:
    """Files by tag: `uploaded` has every media id that a client was answered. `storage` gives the
    uploads that the object storage has; the default is the world's folder."""

    world: World
    client: httpx.AsyncClient
    storage: Callable[[], dict[str, bytes]] | None = None
    outcomes: Outcomes = field(default_factory=Outcomes)
    uploaded: dict[str, set[str]] = field(default_factory=dict)

    async def upload(self, machine: Machine, promise: Promise) -> bool:
        """Upload its file once; whether that was accepted."""
        body = bytes_of(promise.tag)
        headers = {"Content-Type": "text/plain", "Idempotency-Key": f"file of {promise.tag}"}
        answer = await self.post(machine, MEDIA, promise, headers, content=body)
        if answer is None or answer.status_code != 201:
            return False
        assert answer.json()["sha256"] == hashlib.sha256(body).hexdigest()
        self.uploaded.setdefault(promise.tag, set()).add(answer.json()["id"])
        return True

    async def send(self, machine: Machine, promise: Promise) -> bool:
        """Send its file, which has been uploaded, once; whether that was accepted."""
        content = {
            "type": "document",
            "media_id": min(self.uploaded[promise.tag]),
            "caption": promise.tag,
        }
        to = {"phone_number": promise.phone, "chat_account_id": promise.account_id}
        headers = {"Idempotency-Key": promise.tag}
        self.world.ledger.sent[promise.tag] = promise
        answer = await self.post(
            machine, MESSAGES, promise, headers, json=to | {"content": content}
        )
        if answer is None or not answer.is_success:
            return False
        self.world.ledger.answers[promise.tag].append(answer.json()["message_id"])
        return True

    async def post(
        self,
        machine: Machine,
        path: str,
        promise: Promise,
        headers: Mapping[str, str],
        **body: object,
    ) -> httpx.Response | None:
        """None when the connection broke."""
        headers = {
            "Authorization": f"Bearer {self.world.tenant(promise.tenant).api_key}",
            **headers,
        }
        began = time.monotonic()
        try:
            answer = await self.client.post(machine.base_url + path, headers=headers, **body)  # type: ignore[arg-type]  # content or json
        except httpx.TransportError:
            self.outcomes.broken += 1
            return None
        if answer.status_code != 201:
            self.outcomes.note(answer, time.monotonic() - began)
        return answer

    async def upload_until_accepted(self, machine: Machine, promise: Promise) -> None:
        await until_accepted(partial(self.upload, machine, promise), f"the file of {promise}")

    async def send_until_accepted(self, machine: Machine, promise: Promise) -> None:
        await until_accepted(partial(self.send, machine, promise), promise)

    async def faults(self) -> list[str]:
        """What is not as it should be once all is sent and swept."""
        return [*self._doubled(), *await self._rows(), *await self._on_phones()]

    def _doubled(self) -> list[str]:
        return [f"{tag} became {ids}" for tag, ids in self.uploaded.items() if len(ids) > 1]

    async def _rows(self) -> list[str]:
        """Each file is a row and an object of its bytes, and there are no others."""
        wanted = {hashlib.sha256(bytes_of(tag)).digest(): tag for tag in self.uploaded}
        rows = await self.world.database.fetch(STORED)
        objects = self._objects()
        wrong = [f"{dict(row)} is nobody's" for row in rows if row["sha256"] not in wanted]
        found = [row["sha256"] for row in rows]
        wrong += [
            f"{tag} has {found.count(digest)} rows"
            for digest, tag in wanted.items()
            if found.count(digest) != 1
        ]
        for row in rows:
            data = objects.pop(row["object_key"], b"")
            if hashlib.sha256(data).digest() != row["sha256"] or len(data) != row["size"]:
                wrong.append(f"{dict(row)} has an object of {len(data)} bytes")
        return wrong + [f"the object {key} has no row" for key in objects]

    async def _on_phones(self) -> list[str]:
        rows = await self.world.database.fetch(ON_PHONES)
        got = {row["tag"]: bytes(row["data"]) for row in rows}
        return [
            f"{tag} is not whole on the phone"
            for tag in self.uploaded.keys() & self.world.ledger.answers.keys()
            if got.get(tag) != bytes_of(tag)
        ]

    async def is_swept(self) -> bool:
        """Whether nothing is left of what did not become whole."""
        rows = await self.world.database.fetch("SELECT 1 FROM media WHERE stored_at IS NULL")
        stored = await self.world.database.fetch(STORED)
        return not rows and self._objects().keys() == {row["object_key"] for row in stored}

    def _objects(self) -> dict[str, bytes]:
        return dict(_in_folder(self.world.folder)) if self.storage is None else self.storage()


def _in_folder(folder: Path) -> "list[tuple[str, bytes]]":
    """Everything in the storage, files that were arriving as well."""
    root, found = folder / "objects", []
    for path in root.rglob("*"):
        with suppress(FileNotFoundError):
            if path.is_file():
                found.append((str(path.relative_to(root)), path.read_bytes()))
    return found


async def cut_off(machine: Machine, api_key: str, tag: str, sent: int) -> asyncio.StreamWriter:
    """An upload of which so many bytes have been sent, and its connection."""
    size = len(bytes_of(tag))
    assert sent < size
    _, writer = await asyncio.open_connection("127.0.0.1", machine.port)
    head = (
        f"POST {MEDIA} HTTP/1.1\r\nHost: 127.0.0.1\r\nAuthorization: Bearer {api_key}\r\n"
        f"Content-Type: text/plain\r\nContent-Length: {size}\r\n\r\n"
    )
    writer.write(head.encode() + bytes_of(tag)[:sent])
    await writer.drain()
    return writer


def any_of(machines: list[Machine]) -> Machine:
    return random.choice([machine for machine in machines if machine.is_running])
