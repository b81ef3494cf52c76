"""Somebody who pastes the requests of `docs/switching.md` into a shell."""

import json
import os
import re
import subprocess
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import httpx

from acceptance.hook_receiver import HookReceiver
from acceptance.running_program import wait_for
from heliograph.core.services import Services
from heliograph.core.tenants.model import operator
from heliograph.networks.port import SimulatedMessage, Simulator
from live_gateway import LiveGateway
from switching_page import Request, Variable, list_variables

ADA, BRUNO, CLARA = "15550100001", "15550100002", "15550100003"
"""To whom the page writes, and who else is in its group."""
HOOK = "http://127.0.0.1:9000/hook"
"""Where the page's webhook leads."""
T = TypeVar("T")
_STATUS = """curl() { command curl -w '\\n%{http_code}' "$@"; }\n"""


@dataclass(frozen=True)
class Answer:
    """`json` is None where the body is not JSON, or there is none."""

    status: int
    json: Any


@dataclass
class Reader:
    """`variables` are what the page has its reader export, filled from `answers` as it says."""

    gateway: LiveGateway
    hooks: HookReceiver
    folder: Path
    variables: dict[str, str] = field(default_factory=dict)
    answers: dict[str, Answer] = field(default_factory=dict)

    def paste(self, request: Request) -> Answer:
        """Run the block as it stands, but for the webhook's port. An id that no answer has given
        yet is an error of the shell."""
        code = _STATUS + request.code.replace(HOOK, self.hooks.url)
        done = subprocess.run(
            ["bash", "-euc", code],
            cwd=self.folder,
            env={"PATH": os.environ["PATH"], **self.variables},
            capture_output=True,
            text=True,
            timeout=60,
            check=False,
        )
        assert done.returncode == 0, f"{request.code}\n{done.stderr}"
        body, _, status = done.stdout.rpartition("\n")
        answer = Answer(int(status), json.loads(body) if body.startswith("{") else None)
        self._keep(request, answer)
        return answer

    def _keep(self, request: Request, answer: Answer) -> None:
        self.answers[request.name] = answer
        if answer.status < 300:
            for variable in list_variables():
                if variable.anchor == request.anchor:
                    self.variables[variable.name] = _value_of(answer.json, variable)

    @property
    def device_id(self) -> UUID:
        return UUID(self.variables["DEVICE"])

    def get(self, path: str) -> dict[str, Any]:
        answer = httpx.get(
            f"{self.gateway.base_url}/api/v1{path}", headers=self.gateway.headers, timeout=60
        )
        assert answer.status_code == 200, answer.text
        return dict(answer.json())

    def upload(self, file: bytes, media_type: str) -> None:
        """Upload another file than the page does, and keep its id as the page says."""
        answer = httpx.post(
            f"{self.gateway.base_url}/api/v1/media",
            content=file,
            headers=self.gateway.headers | {"Content-Type": media_type},
            timeout=60,
        )
        assert answer.status_code == 201, answer.text
        self.variables["MEDIA"] = answer.json()["id"]

    def phone(self, work: Callable[[Simulator], Awaitable[T]]) -> T:
        """What the phones that this device writes to do, or show."""

        async def go(running: Services) -> T:
            [organization] = await running.organizations.list()
            account = await running.accounts.get(operator(organization.tenant), self.device_id)
            return await work(running.simulator.of(account))

        return self.gateway.run(go)

    def shown(self, message_id: str, *, group_jid: str | None = None) -> SimulatedMessage:
        """The bubble on Ada's phone, once the message has gone out."""
        record = wait_for(lambda: self._sent(message_id), 30)
        bubbles = self.phone(lambda phones: phones.receive(ADA, group_jid=group_jid))
        wanted = record["chat_message_id"]
        [bubble] = [bubble for bubble in bubbles if bubble.chat_message_id == wanted]
        return bubble

    def _sent(self, message_id: str) -> dict[str, Any] | None:
        message = self.get(f"/messages/{message_id}")
        return message if message["sent_at"] else None

    def said(self, answer: Answer, *, group_jid: str | None = None) -> Any:
        """What the message that was answered so says on Ada's phone."""
        assert answer.json["success"]
        assert answer.json["status"] == "queued"
        return self.shown(answer.json["message_id"], group_jid=group_jid).content


def _value_of(found: Any, variable: Variable) -> str:
    for step in re.findall(r"\w+", variable.path):
        found = found[int(step)] if step.isdigit() else found[step]
    assert isinstance(found, str)
    return found
