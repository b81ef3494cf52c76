"""Prosody, as Debian has it, on loopback."""

import contextlib
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

from debian_programs import need_program
from free_ports import free_port
from xmpp_server import (
    COMPONENT_SECRET,
    CROWD,
    DOMAIN,
    GROUPS,
    LARGEST_UPLOAD,
    PASSWORD,
    UPLOADS,
    XmppServer,
    write_certificate,
)

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


class ProsodyServer(XmppServer):
    def _run(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            ["prosody", "-F", "--config", str(self.folder / "prosody.cfg.lua")],
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "stderr").open("ab"),
            start_new_session=True,
        )

    @property
    def _log_file(self) -> Path:
        return self.folder / "prosody.log"

    def add_person(self, local: str, password: str = PASSWORD) -> str:
        # as Prosody's own store writes it
        folder = self.folder / "data" / _file_name(DOMAIN) / "accounts"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"{_file_name(local)}.dat").write_text(
            f'return {{ ["password"] = "{password}"; }};'
        )
        return f"{local}@{DOMAIN}"

    def add_contact(self, jid: str, contact: str, name: str) -> None:
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


def _file_name(text: str) -> str:
    return "".join(each if each.isalnum() else f"%{ord(each):02x}" for each in text)


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
        write_certificate(folder)
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
