"""The other side of the telegraph: an office for stations, and people who are written to.

    python office.py STATION KEY [PORT]

opens one on loopback in which everybody says again what they are told.
"""

import asyncio
import json
import sys
from collections import defaultdict
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

DOMAIN = "@telegraph"


@dataclass
class Station:
    """An account. Without a key it is logged out. `waiting` is what it has not acknowledged."""

    key: str | None
    jid: str
    writer: asyncio.StreamWriter | None = None
    count: int = 0
    waiting: list[dict[str, Any]] = field(default_factory=list)
    taken: dict[str, dict[str, Any]] = field(default_factory=dict)
    unread: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    chats: dict[str, dict[str, str]] = field(default_factory=lambda: defaultdict(dict))

    def post(self, event: str, chat: str, **fields: str) -> None:
        """Have the station hear of something, now or when it connects again."""
        self.count += 1
        at = datetime.now(UTC).isoformat()
        said = {"event": event, "number": self.count, "chat": chat, "at": at, **fields}
        self.waiting.append(said)
        self.write(said)

    def write(self, said: dict[str, Any]) -> None:
        if self.writer is not None and not self.writer.is_closing():
            self.writer.write(json.dumps(said).encode() + b"\n")

    def hang_up(self, why: str) -> None:
        self.write({"event": "bye", "why": why})
        if self.writer is not None:
            self.writer.close()
        self.writer = None


class Office:
    """`unknown` are the numbers that nobody has."""

    def __init__(self, unknown: frozenset[str] = frozenset(), *, echo: bool = False) -> None:
        self.stations: dict[str, Station] = {}
        self._unknown = unknown
        self._echo = echo
        self._server: asyncio.Server | None = None

    async def open(self, port: int = 0) -> int:
        """Listen on loopback; returns the port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", port)
        return int(self._server.sockets[0].getsockname()[1])

    def close(self) -> None:
        if self._server is not None:
            self._server.close()
        for station in self.stations.values():
            station.hang_up("closed")

    def add_station(self, name: str, key: str) -> None:
        self.stations[name] = Station(key, f"{7000000 + len(self.stations)}{DOMAIN}")

    # --- what people do ---

    def say(self, station: str, chat: str, text: str) -> str:
        """Write to the station as somebody; returns the message's id."""
        message_id = uuid4().hex
        self.stations[station].post("message", chat, id=message_id, text=text)
        return message_id

    def draw(self, station: str, chat: str, picture: str) -> str:
        """Send the station a drawing, which its driver does not know; returns the message's id."""
        message_id = uuid4().hex
        self.stations[station].post("message", chat, id=message_id, drawing=picture)
        return message_id

    def read(self, station: str, chat: str) -> dict[str, str]:
        """Read what somebody has got from the station: texts by their ids, oldest first."""
        at = self.stations[station]
        for message_id in at.unread.pop(chat, ()):
            at.post("receipt", chat, id=message_id, kind="read")
        return dict(at.chats[chat])

    def cut(self, station: str) -> None:
        writer = self.stations[station].writer
        if writer is not None:
            writer.transport.abort()

    def expel(self, station: str) -> None:
        self.stations[station].key = None
        self.stations[station].hang_up("logged_out")

    # --- what stations ask ---

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        name: str | None = None
        try:
            async for line in reader:
                asked = json.loads(line)
                if asked["do"] == "log_in":
                    name = self._log_in(asked, writer)
                elif name is not None:
                    self._answer(name, asked)
        except ConnectionError:
            return
        finally:
            writer.close()

    def _log_in(self, asked: dict[str, Any], writer: asyncio.StreamWriter) -> str | None:
        station = self.stations.get(asked["station"])
        if station is None or station.key is None or station.key != asked["key"]:
            refusal = {"re": asked["n"], "error": "logged_out"}
            writer.write(json.dumps(refusal).encode() + b"\n")
            return None
        station.hang_up("replaced")
        station.writer = writer
        for said in [{"re": asked["n"], "jid": station.jid}, *station.waiting]:
            station.write(said)
        return str(asked["station"])

    def _answer(self, name: str, asked: dict[str, Any]) -> None:
        station = self.stations[name]
        if asked["do"] == "ack":
            station.waiting = [said for said in station.waiting if said["number"] > asked["upto"]]
            return
        station.write({"re": asked["n"], **(self._take(name, asked) if "id" in asked else {})})
        if asked["do"] == "log_out":
            self.expel(name)

    def _take(self, name: str, asked: dict[str, Any]) -> dict[str, Any]:
        """Take a message from a station: the same id twice is one message."""
        station, message_id, chat = self.stations[name], asked["id"], asked["to"]
        if chat.removesuffix(DOMAIN) in self._unknown:
            return {"error": "unknown"}
        if message_id not in station.taken:
            station.taken[message_id] = {"at": datetime.now(UTC).isoformat()}
            station.chats[chat][message_id] = asked["text"]
            station.unread[chat].append(message_id)
            station.post("receipt", chat, id=message_id, kind="delivered")
            if self._echo:
                self.read(name, chat)
                self.say(name, chat, asked["text"])
        return station.taken[message_id]


async def main(station: str, key: str, port: str = "7070") -> None:
    office = Office(echo=True)
    office.add_station(station, key)
    await office.open(int(port))
    await asyncio.Event().wait()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
