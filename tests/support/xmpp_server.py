"""A real XMPP server of a test's own, on loopback, with a certificate made for it."""

import os
import signal
import subprocess
import time
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import trustme

from free_ports import takes_connections

DOMAIN = "xmpp.test"
GROUPS = f"groups.{DOMAIN}"
UPLOADS = f"files.{DOMAIN}"
LARGEST_UPLOAD = 4 * 1024 * 1024
CROWD = f"crowd.{DOMAIN}"
PASSWORD = "correct horse"
COMPONENT_SECRET = "crowded"


@dataclass
class XmppServer(ABC):
    """What it keeps is in its folder: started again, it goes on where it was."""

    folder: Path
    port: int
    component_port: int
    https_port: int
    process: "subprocess.Popen[bytes] | None" = field(default=None)
    remembers_closed_rooms: bool = True

    @abstractmethod
    def add_person(self, local: str, password: str = PASSWORD) -> str:
        """An account of this name; its JID."""

    @abstractmethod
    def add_contact(self, jid: str, contact: str, name: str) -> None:
        """Put somebody into a person's roster, who may be there at the moment."""

    @abstractmethod
    def remove_person(self, jid: str) -> None: ...

    @property
    @abstractmethod
    def _log_file(self) -> Path: ...

    @abstractmethod
    def _run(self) -> "subprocess.Popen[bytes]": ...

    @property
    def ca_file(self) -> str:
        return str(self.folder / "ca.pem")

    @property
    def ca(self) -> str:
        """Its certificate authority, in PEM."""
        return Path(self.ca_file).read_text()

    @property
    def log(self) -> str:
        log = self._log_file
        return log.read_text(errors="replace")[-4000:] if log.exists() else "no log"

    def start(self) -> None:
        self.process = self._run()
        deadline = time.monotonic() + 60
        while not all(takes_connections(port) for port in self._ports):
            assert self.process.poll() is None, self.log
            assert time.monotonic() < deadline, self.log
            time.sleep(0.05)

    def stop(self) -> None:
        """In good order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    @property
    def _ports(self) -> tuple[int, ...]:
        return self.port, self.component_port

    def _end(self, how: int) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
        self.process = None


def write_certificate(folder: Path) -> None:
    """`ca.pem`, and of the server `key.pem` and `certificate.pem`."""
    authority = trustme.CA()
    a_year_on = datetime.now(UTC) + timedelta(days=365)  # ejabberd can't wait for the year 3000
    certificate = authority.issue_cert(DOMAIN, GROUPS, UPLOADS, "localhost", not_after=a_year_on)
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    with (folder / "certificate.pem").open("wb") as chain:
        for part in certificate.cert_chain_pems:
            chain.write(part.bytes())
    os.chmod(folder / "key.pem", 0o600)
