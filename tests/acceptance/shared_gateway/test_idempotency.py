"""Idempotency-Key: of repeats at the same moment, one is carried out."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx

from acceptance.running_program import BUTTONS, Program, buttons

GROUPS = "/api/v1/conversations/groups"
REPLAYED = "idempotent-replayed"


def test_twins_at_the_same_moment_are_one_message(program: Program) -> None:
    text, headers = f"Twins {uuid4()}", {"Idempotency-Key": str(uuid4())}

    def send(_: int) -> httpx.Response:
        return program.ask("POST", BUTTONS, json=buttons(program.phone, text), headers=headers)

    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(send, range(16)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["message_id"] for answer in answers}) == 1
    assert [REPLAYED in answer.headers for answer in answers].count(False) == 1
    assert len(program.rows("SELECT 1 FROM messages WHERE content ->> 'body' = $1", text)) == 1


def test_a_group_is_made_once(program: Program) -> None:
    subject, key = f"Once {uuid4()}", str(uuid4())
    body = {
        "chat_account_id": program.account_id,
        "subject": subject,
        "participants": [program.phone],
    }

    def create(_: int) -> httpx.Response:
        return program.ask("POST", GROUPS, json=body, headers={"Idempotency-Key": key})

    with ThreadPoolExecutor(4) as pool:
        twins = list(pool.map(create, range(4)))
    repeat = create(0)
    assert {answer.status_code for answer in twins} <= {201, 409}
    assert repeat.status_code == 201
    assert repeat.headers[REPLAYED] == "true"
    made = program.rows("SELECT 1 FROM sandbox.groups WHERE subject = $1", subject)
    assert len(made) == 1
