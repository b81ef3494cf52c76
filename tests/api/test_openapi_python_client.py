"""The Python client that openapi-python-client makes of the API's description."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from api_description import api_description, example_of
from heliograph.core.events.model import EventType
from python_generator import need_python_generator

pytestmark = pytest.mark.timeout(300)  # the generator may have to be installed first

NAME = "described_client"
USE = f"""
import importlib
import json
import pkgutil
import sys

import {NAME}
from {NAME}.models import EventPage, LoggedDeviceConnectedEvent, LoggedMessageReceivedEvent
from {NAME}.models import LoggedUnknownEvent, Message, SendMessageInput, TextInput, UnknownContent


def tell(page: EventPage) -> list[str]:
    told = []
    for event in page.events:
        if isinstance(event, LoggedMessageReceivedEvent):
            told.append(event.data.content)
        elif isinstance(event, LoggedDeviceConnectedEvent):
            told.append(event.data.session_name)
        elif isinstance(event, LoggedUnknownEvent):
            told.append(event.type_)
    return told


def say(message: Message) -> str:
    content = message.typed_content
    return content.type_ if isinstance(content, UnknownContent) else "known"


for module in pkgutil.walk_packages({NAME}.__path__, "{NAME}."):
    importlib.import_module(module.name)
given = json.load(sys.stdin)
page = EventPage.from_dict(given["page"])
text = TextInput(type_="text", body="Hi")
print(
    json.dumps(
        {{
            "told": tell(page),
            "classes": [type(event).__name__ for event in page.events],
            "said": [say(Message.from_dict(message)) for message in given["messages"]],
            "sent": SendMessageInput(content=text, phone_number="+15550100001").to_dict(),
        }}
    )
)
"""


@pytest.fixture(scope="module")
def client(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with the generated package, and with a program that uses it."""
    programs = need_python_generator()
    folder = tmp_path_factory.mktemp("client")
    (folder / "openapi.json").write_text(json.dumps(api_description()))
    # as it comes from the generator: ruff, which it would run, changes types in code of its own
    config = {"package_name_override": NAME, "post_hooks": []}
    (folder / "config.json").write_text(json.dumps(config))
    (folder / "use.py").write_text(USE)
    files = ("--path", "openapi.json", "--config", "config.json", "--output-path", NAME)
    options = ("--meta", "none", "--fail-on-warning")
    told = run(folder, str(programs / "openapi-python-client"), "generate", *files, *options)
    assert told.split() == ["Generating", NAME]
    return folder


def run(folder: Path, *command: str, given: str = "") -> str:
    """What the command prints; one that fails or warns is shown with all it said."""
    done = subprocess.run(
        command,
        cwd=folder,
        input=given,
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    return done.stdout


def test_it_is_made_without_a_warning_and_its_types_fit(client: Path) -> None:
    run(client, sys.executable, "-m", "mypy", "--strict", "--cache-dir=cache", NAME, "use.py")


def test_an_event_is_of_the_class_of_its_type_and_one_added_later_of_another(client: Path) -> None:
    event_id = {"id": "01939b1e-7c3a-7b6e-9d5f-2f7a3c1e8b40"}
    events = [event_id | example_of(event_type) for event_type in EventType]
    later = event_id | example_of(EventType.MESSAGE_RECEIVED) | {"type": "added.later"}
    message = events[0]["data"]
    contents = {"type": "text", "body": "Hi"}, {"type": "added_later", "body": "Hi"}
    given = {
        "page": {"events": [*events, later], "next_cursor": "c"},
        "messages": [message | {"typed_content": content} for content in contents],
    }
    found = json.loads(run(client, sys.executable, "use.py", given=json.dumps(given)))
    connected = example_of(EventType.DEVICE_CONNECTED)["data"]["session_name"]
    assert found["told"] == [message["content"], connected, "added.later"]
    assert found["classes"] == [*map(class_of, EventType), "LoggedUnknownEvent"]
    assert found["said"] == ["known", "added_later"]
    assert found["sent"] == {
        "content": {"type": "text", "body": "Hi"},
        "phone_number": "+15550100001",
    }


def class_of(event_type: EventType) -> str:
    words = event_type.replace(".", "_").split("_")
    return f"Logged{''.join(word.capitalize() for word in words)}Event"
