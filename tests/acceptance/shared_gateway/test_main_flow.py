"""The main job: the printed curl, the phone, the button, and everything read back."""

import json
import subprocess
from dataclasses import dataclass
from typing import Any

import pytest
from standardwebhooks import Webhook, WebhookVerificationError

from acceptance.hook_receiver import Hook, Subscribed
from acceptance.running_program import Program, wait_for

STEPS = ["message.sent", "message.delivered", "message.read"]


@dataclass(frozen=True)
class Story:
    """What the printed curl was answered, and what it led to."""

    answer: dict[str, Any]
    steps: list[Hook]
    reply: Hook

    @property
    def message_id(self) -> str:
        return str(self.answer["message_id"])

    @property
    def conversation_id(self) -> str:
        return str(self.reply.data["conversation_id"])


def printed_curl(program: Program) -> str:
    """The command as it stands in what `serve --demo` printed."""
    lines = wait_for(lambda: program.printed if "curl" in program.printed else None).splitlines()
    first = next(number for number, line in enumerate(lines) if line.startswith("curl "))
    last = next(number for number in range(first, len(lines)) if not lines[number].endswith("\\"))
    return "\n".join(lines[first : last + 1])


@pytest.fixture(scope="module")
def story(program: Program, hooks: Subscribed) -> Story:
    done = subprocess.run(
        ["bash", "-c", printed_curl(program)], check=True, capture_output=True, text=True
    )
    answer = json.loads(done.stdout)
    steps = hooks.receiver.wait_for(answer["message_id"], *STEPS)
    program.cli("sandbox", "press", program.phone, "yes")
    reply = wait_for(
        lambda: next((hook for hook in hooks.receiver.hooks if hook.data.get("button")), None)
    )
    return Story(answer, steps, reply)


def test_the_printed_curl_sends_buttons(story: Story) -> None:
    assert story.answer["success"] is True
    assert story.answer["status"] == "queued"
    assert story.answer["run_id"]


def test_each_step_arrives_once_and_in_order(story: Story) -> None:
    assert [hook.type for hook in story.steps] == STEPS
    assert {hook.data["run_id"] for hook in story.steps} == {story.answer["run_id"]}


def test_signatures_hold_for_the_standard_library_and_for_no_other_secret(
    story: Story, hooks: Subscribed
) -> None:
    for hook in [*story.steps, story.reply]:
        hook.verify(hooks.secret)
        with pytest.raises(WebhookVerificationError):
            Webhook("whsec_" + "A" * 43 + "=").verify(hook.body, hook.headers)


def test_a_pressed_button_comes_back_with_the_message_it_answers(story: Story) -> None:
    assert story.reply.type == "message.received"
    assert story.reply.data["button"] == {"id": "yes", "title": "Yes, please"}
    assert story.reply.data["reply_to_message_id"] == story.message_id
    assert story.reply.data["direction"] == "inbound"


def test_the_message_shows_its_whole_timeline(program: Program, story: Story) -> None:
    message = program.get(f"/api/v1/messages/{story.message_id}")
    times = [message[f"{step}_at"] for step in ("queued", "sent", "delivered", "read")]
    assert message["status"] == "read"
    assert times == sorted(times)
    assert all(times)
    assert message["failed_at"] is None
    assert message["content"] == "Shall we deliver tomorrow?"


def test_the_conversation_shows_the_answer_as_unread(program: Program, story: Story) -> None:
    conversation = program.get(f"/api/v1/conversations/{story.conversation_id}")
    assert conversation["status"] == "open"
    assert conversation["unread_count"] >= 1
    assert conversation["last_message_preview"] == "Yes, please"
    assert conversation["phone_number"] == program.phone
    assert conversation["display_name"] == conversation["contact_name"]
    assert conversation["last_inbound_at"] >= conversation["last_outbound_at"]


def test_the_counts_are_those_of_the_table(program: Program, story: Story) -> None:
    told, rows = program.statistics("direction, status")
    outbound = {row["status"]: row["n"] for row in rows if row["direction"] == "outbound"}
    assert told["total"] == sum(row["n"] for row in rows)
    assert told["outbound_by_status"] == outbound
    assert told["by_direction"] == {
        "inbound": sum(row["n"] for row in rows if row["direction"] == "inbound"),
        "outbound": sum(outbound.values()),
    }
    assert all(count > 0 for count in told["by_status"].values())
    assert told["last_7_days"] == told["last_30_days"] == told["total"]


def test_the_deliveries_are_listed(program: Program, story: Story, hooks: Subscribed) -> None:
    def all_delivered() -> list[dict[str, Any]] | None:
        events = program.get("/api/v1/webhooks/subscriptions/events?limit=100")["events"]
        return events if {event["status"] for event in events} == {"delivered"} else None

    events = wait_for(all_delivered)
    assert {*STEPS, "message.received"} <= {event["event_type"] for event in events}
    assert {event["webhook_id"] for event in events} == {hooks.webhook_id}
    assert {event["response_code"] for event in events} == {200}
    assert {event["retry_count"] for event in events} == {0}


def test_a_number_that_nobody_has_fails_with_a_reason(program: Program, hooks: Subscribed) -> None:
    message_id = program.send("+15550109001")
    told = hooks.receiver.wait_for(message_id, "message.failed")
    message = program.get(f"/api/v1/messages/{message_id}")
    assert message["status"] == "failed"
    assert message["failed_at"]
    assert "not on the network" in message["failure_reason"]
    assert [hook.type for hook in told] == ["message.failed"]
