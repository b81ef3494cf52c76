"""The client for TypeScript: what is generated is of today, and the types hold."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from api_description import api_description
from node_packages import need_packages_of
from typescript_client import CLIENT, PRELUDE, Project, find_examples

pytest_plugins = ("typescript_fixtures",)
pytestmark = pytest.mark.timeout(300)  # the packages may have to be installed first

GENERATED = CLIENT / "src" / "generated"
TYPES = """
import { type Contact, type GatewayEvent, type Message } from "heliograph-client";

export function tell(event: GatewayEvent): string {
  switch (event.type) {
    case "message.received":
      return event.data.button?.id ?? event.data.content;
    case "device.connected":
      return event.data.session_name;
    // @ts-expect-error  a mistyped type is no type
    case "message.recieved":
      return "";
    default: {
      const type: string = event.type;
      return type + event.id + event.timestamp;
    }
  }
}

// @ts-expect-error  what no known event has is not there before its type is known
export const premature = (event: GatewayEvent) => event.data.content;

export function later(event: GatewayEvent): unknown {
  const type: string = event.type;
  return type === "campaign.finished" ? (event.data as Record<string, unknown>).campaign_id : null;
}

for await (const message of heliograph.iterate("listMessages", { query: { status: "failed" } })) {
  const found: Message = message;
}
for await (const contact of heliograph.iterate("listContacts")) {
  const found: Contact = contact;
}
// @ts-expect-error  this one has no cursor
heliograph.iterate("listNetworks");
// @ts-expect-error  this one needs to know of which webhook
heliograph.iterate("listWebhookDeliveries");
// @ts-expect-error  a body is needed
heliograph.sendMessage({});
"""


@pytest.mark.extra_fault
def test_what_is_generated_is_of_todays_description(tmp_path: Path) -> None:
    packages = need_packages_of(CLIENT)
    folder = tmp_path / "typescript"
    folder.mkdir()
    for name in ("package.json", "openapi-ts.config.ts", "tsconfig.json"):
        shutil.copy(CLIENT / name, folder)
    (folder / "node_modules").symlink_to(packages / "node_modules")
    description = json.dumps(api_description(), indent=2, ensure_ascii=False) + "\n"
    (tmp_path / "openapi.json").write_text(description)
    done = subprocess.run(("npm", "run", "generate"), cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "warn" not in (done.stdout + done.stderr).lower()
    assert read_all(folder / "src" / "generated") == read_all(GENERATED), "run make clients"


def read_all(folder: Path) -> dict[str, str]:
    return {
        str(file.relative_to(folder)): file.read_text()
        for file in folder.rglob("*")
        if file.is_file()
    }


def test_all_of_it_is_marked_as_generated() -> None:
    unmarked = [
        name for name, text in read_all(GENERATED).items() if "do not edit" not in text[:100]
    ]
    assert unmarked == []


def test_the_package_and_its_readmes_examples_pass_the_strict_compiler(project: Project) -> None:
    """The package as it is compiled for the project; its types tell events apart."""
    programs, pieces = find_examples()
    assert programs.keys() == {"ask", "receive"}
    own = """
    import type { GatewayEvent } from "heliograph-client";
    declare function load(): string | null;
    declare function handle(event: GatewayEvent): void;
    declare function save(cursor: string): void;
    """
    project.check(*programs.values(), *(PRELUDE + own + piece for piece in pieces), PRELUDE + TYPES)


def test_the_lock_file_names_no_registry() -> None:
    lock = json.loads((CLIENT / "package-lock.json").read_text())
    installed = {name: package for name, package in lock["packages"].items() if name}
    assert [name for name, package in installed.items() if "resolved" in package] == []
    assert [name for name, package in installed.items() if "integrity" not in package] == []
