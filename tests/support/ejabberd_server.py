"""ejabberd, as Debian has it, on loopback: a node without a name, which no other can reach."""

import contextlib
import os
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx

from debian_programs import need_program
from free_ports import free_port
from missing import skip_or_fail
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
hosts: ["{domain}"]
loglevel: info
certfiles: ["{folder}/certificate.pem", "{folder}/key.pem"]
acme: {{auto: false}}
auth_password_format: scram
listen:
  - {{port: {port}, ip: "127.0.0.1", module: ejabberd_c2s, starttls_required: true}}
  - port: {component_port}
    ip: "127.0.0.1"
    module: ejabberd_service
    hosts: {{"{crowd}": {{password: "{secret}"}}}}
  - port: {https_port}
    ip: "127.0.0.1"
    module: ejabberd_http
    tls: true
    request_handlers: {{/upload: mod_http_upload}}
  - port: {commands_port}
    ip: "127.0.0.1"
    module: ejabberd_http
    request_handlers: {{/api: mod_http_api}}
acl:
  local: {{user_regexp: ""}}
access_rules:
  local: {{allow: local}}
api_permissions:
  tests: {{who: [{{ip: "127.0.0.1/32"}}], what: ["*"]}}
modules:
  mod_adhoc: {{}}
  mod_admin_extra: {{}}
  mod_avatar: {{}}
  mod_blocking: {{}}
  mod_caps: {{}}
  mod_carboncopy: {{}}
  mod_disco: {{}}
  mod_http_api: {{}}
  mod_http_upload:
    host: "{uploads}"
    put_url: "https://localhost:{https_port}/upload"
    docroot: "{folder}/files"
    max_size: {largest_upload}
  mod_last: {{}}
  mod_mam: {{default: always}}
  mod_muc:
    host: "{groups}"
    access_mam: [allow]
  mod_offline: {{}}
  mod_ping: {{}}
  mod_privacy: {{}}
  mod_private: {{}}
  mod_pubsub: {{plugins: [flat, pep]}}
  mod_roster: {{versioning: true}}
  mod_stream_mgmt: {{resend_on_timeout: if_offline}}
  mod_vcard: {{search: false}}
  mod_vcard_xupdate: {{}}
  mod_version: {{}}
"""
"""The modules and their options are those of the configuration that Debian's package comes with,
and archives for everybody and files besides, as its own comments offer them."""


@dataclass
class EjabberdServer(XmppServer):
    remembers_closed_rooms: bool = False
    commands_port: int = 0
    libraries: str = ""

    def _run(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            ["erl", "-noinput", "-mnesia", "dir", f'"{self.folder}/data"', "-s", "ejabberd"],
            env={
                **os.environ,
                "HOME": str(self.folder),
                "ERL_LIBS": self.libraries,
                "ERL_CRASH_DUMP": str(self.folder / "crash.dump"),
                # schedulers without work wait asleep rather than by looking around for some
                "ERL_AFLAGS": "+sbwt none +sbwtdcpu none +sbwtdio none",
                "EJABBERD_CONFIG_PATH": str(self.folder / "ejabberd.yml"),
                "EJABBERD_LOG_PATH": str(self._log_file),
            },
            stdout=subprocess.DEVNULL,
            stderr=(self.folder / "stderr").open("ab"),
            start_new_session=True,
        )

    @property
    def _log_file(self) -> Path:
        return self.folder / "ejabberd.log"

    @property
    def _ports(self) -> tuple[int, ...]:
        return *super()._ports, self.https_port, self.commands_port

    def add_person(self, local: str, password: str = PASSWORD) -> str:
        self.command("register", user=local, host=DOMAIN, password=password)
        return f"{local}@{DOMAIN}"

    def add_contact(self, jid: str, contact: str, name: str) -> None:
        (local, _, host), (user, _, server) = jid.partition("@"), contact.partition("@")
        self.command(
            "add_rosteritem",
            localuser=local,
            localhost=host,
            user=user,
            host=server,
            nick=name,
            group="",
            subs="both",
        )

    def remove_person(self, jid: str) -> None:
        local, _, host = jid.partition("@")
        self.command("unregister", user=local, host=host)
        self.command("kick_user", user=local, host=host)

    def command(self, name: str, **arguments: str) -> None:
        """One of the commands that `ejabberdctl` has."""
        answer = httpx.post(
            f"http://127.0.0.1:{self.commands_port}/api/{name}",
            json=arguments,
            timeout=60,
            trust_env=False,
        )
        assert answer.is_success, f"{name}: {answer.text}"


@contextlib.contextmanager
def running_ejabberd() -> Iterator[EjabberdServer]:
    """A server until the block ends."""
    need_program("ejabberdctl", "ejabberd")
    with tempfile.TemporaryDirectory(prefix="heliograph-ejabberd-") as name:
        folder = Path(name)
        server = EjabberdServer(
            folder,
            free_port(),
            free_port(),
            free_port(),
            commands_port=free_port(),
            libraries=_libraries(),
        )
        write_certificate(folder)
        (folder / "ejabberd.yml").write_text(
            _CONFIGURATION.format(
                folder=folder,
                port=server.port,
                component_port=server.component_port,
                https_port=server.https_port,
                commands_port=server.commands_port,
                domain=DOMAIN,
                groups=GROUPS,
                uploads=UPLOADS,
                largest_upload=LARGEST_UPLOAD,
                crowd=CROWD,
                secret=COMPONENT_SECRET,
            )
        )
        server.start()
        try:
            yield server
        finally:
            server.stop()


def _libraries() -> str:
    """Where the package has put its modules: a folder that is named after the processor."""
    found = [*Path("/usr/lib").glob("*/ejabberd-*/ebin"), *Path("/usr/lib").glob("ejabberd-*/ebin")]
    if not found:
        skip_or_fail("needs the modules of Debian's ejabberd below /usr/lib")
    return str(found[0].parents[1])
