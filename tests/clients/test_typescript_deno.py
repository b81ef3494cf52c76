"""The client for TypeScript in Deno, whose `fetch` is stricter than Node's."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from live_gateway import LiveGateway
from node_packages import need_packages
from typescript_client import Project

pytest_plugins = ("live_fixtures", "typescript_fixtures")
pytestmark = [
    pytest.mark.extra_fault,
    pytest.mark.timeout(300),  # the packages may have to be installed first
]

PROGRAM = """
import { Heliograph, verifyWebhook, WebhookVerificationError } from "heliograph-client";

const [baseUrl, apiKey, phone] = Deno.args;
const heliograph = new Heliograph({ baseUrl, apiKey });
const print = (value) => console.log(JSON.stringify(value));

const { next_cursor: after } = await heliograph.listEvents();
const content = { type: "text", body: "Hello from Deno" };
const sent = await heliograph.sendMessage({ body: { phone_number: phone, content } });
for await (const { events } of heliograph.readEvents({ after, types: "message.sent" })) {
  if (events.some(({ data }) => data.id === sent.message_id)) break;
}
for await (const message of heliograph.iterate("listMessages", { query: { limit: 1 } })) {
  print(message.content);
  break;
}
const pdf = "%PDF-1.4\\n1 0 obj<<>>endobj\\ntrailer<<>>\\n%%EOF\\n";
const body = new Blob([pdf], { type: "application/pdf" });
print((await heliograph.uploadMedia({ body, query: { file_name: "menu.pdf" } })).media_type);
try {
  verifyWebhook("whsec_eHh4", "{}", {});
} catch (error) {
  print(error instanceof WebhookVerificationError);
}
"""


@pytest.fixture(scope="module")
def deno() -> Path:
    return need_packages("deno") / "node_modules" / ".bin" / "deno"


async def test_events_are_read_in_deno_and_files_are_uploaded(
    deno: Path, project: Project, gateway: LiveGateway
) -> None:
    (project.folder / "package.json").write_text('{"dependencies": {"heliograph-client": "*"}}')
    (project.folder / "deno.mjs").write_text(PROGRAM)
    given = (gateway.base_url, gateway.demo.api_key, gateway.demo.contact_phone)
    process = await asyncio.create_subprocess_exec(
        *(str(deno), "run", "--no-remote", "--node-modules-dir=manual", "--allow-net"),
        *("--allow-read", "--allow-env", "deno.mjs", *given),
        cwd=project.folder,
        env={**os.environ, "DENO_DIR": str(project.folder / "cache"), "DENO_NO_UPDATE_CHECK": "1"},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        out, err = await asyncio.wait_for(process.communicate(), 120)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode == 0, err.decode()
    printed: list[Any] = [json.loads(line) for line in out.splitlines()]
    assert printed == ["Hello from Deno", "application/pdf", True]
