"""A real XMPP server of a test's own: Prosody on loopback, with a certificate made for it."""

import contextlib
import os
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import trustme

from debian_programs import need_program
from free_ports import free_port

DOMAIN = "xmpp.test"
GROUPS = f"groups.{DOMAIN}"
UPLOADS = f"files.{DOMAIN}"
LARGEST_UPLOAD = 4 * 1024 * 1024
CROWD = f"crowd.{DOMAIN}"
PASSWORD = "correct horse"
COMPONENT_SECRET = "crowded"

_CONFIGURATION = """
run_as_root = true
pidfile = "{folder}/prosody.pid"
data_path = "{folder}/data"
log = {{ info = "{folder}/prosody.log" }}
interfaces = {{ "127.0.0.1" }}
c2s_ports = {{ {port} }}
c2s_direct_tls_ports = {{ }}
component_ports = {{ {component_port} }}
s2s_ports = {{ }}
http_ports = {{ }}
https_ports = {{ {https_port} }}
https_interfaces = {{ "127.0.0.1" }}
https_certificate = "{folder}/certificate.pem"
https_ssl = {{ key = "{folder}/key.pem", certificate = "{folder}/certificate.pem" }}
modules_enabled = {{
    "roster", "saslauth", "tls", "disco", "ping", "carbons", "pep", "private", "smacks",
    "vcard_legacy", "bookmarks", "blocklist", "admin_shell", "time", "version", {more}
}}
modules_disabled = {{ "s2s" }}
authentication = "internal_plain"
storage = "internal"
archive_expires_after = "1w"
max_archive_query_results = {largest_page}
c2s_require_encryption = {require_tls}
smacks_hibernation_time = 300
component_stanza_size_limit = 32 * 1024 * 1024
limits = {{ }}
{tls}

VirtualHost "{domain}"

Component "{groups}" "muc"
    modules_enabled = {{ {group_modules} }}
    muc_log_by_default = true
    muc_log_presences = false

{uploads}

Component "{crowd}"
    component_secret = "{secret}"
    validate_from_addresses = true
"""


_UPLOADS = """
Component "{uploads}" "http_file_share"
    http_external_url = "https://localhost:{https_port}/"
    http_host = "localhost"
    http_paths = {{ file_share = "/upload" }}
    http_file_share_size_limit = {largest_upload}
"""
_TLS = 'ssl = {{ key = "{folder}/key.pem", certificate = "{folder}/certificate.pem" }}'


@dataclass
class ProsodyServer:
    """What it keeps is in its folder: started again, it goes on where it was."""

    folder: Path
    port: int
    component_port: int
    https_port: int
    process: "subprocess.Popen[bytes] | None" = field(default=None)

    @property
    def ca_file(self) -> str:
        return str(self.folder / "ca.pem")

    @property
    def ca(self) -> str:
        """Its certificate authority, in PEM."""
        return Path(self.ca_file).read_text()

    def start(self) -> None:
        self.process = subprocess.Popen(
            ["prosody", "-F", "--config", str(self.folder / "prosody.cfg.lua")],
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "stderr").open("ab"),
            start_new_session=True,
        )
        deadline = time.monotonic() + 60
        while not self._listens():
            assert self.process.poll() is None, self.log
            assert time.monotonic() < deadline, self.log
            time.sleep(0.05)

    def stop(self) -> None:
        """In good order."""
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        self._end(signal.SIGKILL)

    @property
    def log(self) -> str:
        log = self.folder / "prosody.log"
        return log.read_text(errors="replace")[-4000:] if log.exists() else "no log"

    def add_person(self, local: str, password: str = PASSWORD) -> str:
        """An account of this name; its JID. Written as Prosody's own store writes it."""
        folder = self.folder / "data" / _file_name(DOMAIN) / "accounts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{_file_name(local)}.dat").write_text(
            f'return {{ ["password"] = "{password}"; }};'
        )
        return f"{local}@{DOMAIN}"

    def add_contact(self, jid: str, contact: str, name: str) -> None:
        """Put somebody into a person's roster, who may be there at the moment."""
        local, _, host = jid.partition("@")
        self.shell(
            '>local manager = require "core.rostermanager"; '
            f'local roster = manager.load_roster("{local}", "{host}"); '
            f'roster["{contact}"] = {{ subscription = "both", name = "{name}", groups = {{}} }}; '
            f'manager.save_roster("{local}", "{host}", roster)'
        )

    def shell(self, command: str) -> str:
        """What the running server's own console answers."""
        call = ["prosodyctl", "--config", str(self.folder / "prosody.cfg.lua"), "shell", command]
        done = subprocess.run(call, check=False, capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def remove_person(self, jid: str) -> None:
        self.shell(f'user:delete("{jid}")')

    def _end(self, how: int) -> None:
        if self.process is not None:
            self.process.send_signal(how)
            self.process.wait(60)
        self.process = None

    def _listens(self) -> bool:
        return all(_answers(port) for port in (self.port, self.component_port))


def _file_name(text: str) -> str:
    return "".join(each if each.isalnum() else f"%{ord(each):02x}" for each in text)


def _answers(port: int) -> bool:
    with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
        return True
    return False


@contextlib.contextmanager
def running_prosody(
    *, archive: bool = True, tls: bool = True, largest_page: int = 50
) -> Iterator[ProsodyServer]:
    """A server until the block ends, with message archives or without, with TLS or without. Its
    archives give so many messages at once, by default as many as those of any Prosody."""
    need_program("prosody", "prosody")
    with tempfile.TemporaryDirectory(prefix="heliograph-prosody-") as name:
        folder = Path(name)
        server = ProsodyServer(folder, free_port(), free_port(), free_port())
        _write_certificate(folder)
        (folder / "prosody.cfg.lua").write_text(
            _CONFIGURATION.format(
                folder=folder,
                port=server.port,
                component_port=server.component_port,
                domain=DOMAIN,
                groups=GROUPS,
                crowd=CROWD,
                largest_page=largest_page,
                secret=COMPONENT_SECRET,
                https_port=server.https_port,
                uploads=_UPLOADS.format(
                    uploads=UPLOADS, https_port=server.https_port, largest_upload=LARGEST_UPLOAD
                )
                if tls
                else "",
                more='"mam"' if archive else '"offline"',
                group_modules='"muc_mam"' if archive else "",
                require_tls=str(tls).lower(),
                tls=_TLS.format(folder=folder) if tls else 'modules_disabled = { "s2s", "tls" }',
            )
        )
        (folder / "data").mkdir()
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _write_certificate(folder: Path) -> None:
    authority = trustme.CA()
    certificate = authority.issue_cert(DOMAIN, GROUPS, "localhost")
    authority.cert_pem.write_to_path(str(folder / "ca.pem"))
    certificate.private_key_pem.write_to_path(str(folder / "key.pem"))
    with (folder / "certificate.pem").open("wb") as chain:
        for part in certificate.cert_chain_pems:
            chain.write(part.bytes())
    os.chmod(folder / "key.pem", 0o600)
