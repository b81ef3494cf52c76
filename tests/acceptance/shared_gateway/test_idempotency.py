"""Idempotency-Key: a repeat is the first answer again, and nothing happens twice."""

from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import httpx

from acceptance.running_program import BUTTONS, Program, buttons

GROUPS = "/api/v1/conversations/groups"
REPLAYED = "idempotent-replayed"


def ask(program: Program, key: str, text: str = "Once", **changes: str) -> httpx.Response:
    body = buttons(program.phone, text) | changes
    return program.ask("POST", BUTTONS, json=body, headers={"Idempotency-Key": key})


def count_sent(program: Program, text: str) -> int:
    return int(
        program.rows("SELECT count(*) AS n FROM messages WHERE content ->> 'body' = $1", text)[0][
            "n"
        ]
    )


def test_a_repeat_gets_the_first_answer(program: Program) -> None:
    text = f"Once {uuid4()}"
    key = str(uuid4())
    first, repeat, quoted = (ask(program, each, text) for each in (key, key, f'"{key}"'))
    assert first.status_code == repeat.status_code == 200
    assert first.content == repeat.content == quoted.content
    assert REPLAYED not in first.headers
    assert repeat.headers[REPLAYED] == quoted.headers[REPLAYED] == "true"
    assert count_sent(program, text) == 1


def test_twins_at_the_same_moment_are_one_message(program: Program) -> None:
    text, key = f"Twins {uuid4()}", str(uuid4())
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: ask(program, key, text), range(16)))
    assert {answer.status_code for answer in answers} == {200}
    assert len({answer.json()["message_id"] for answer in answers}) == 1
    assert [REPLAYED in answer.headers for answer in answers].count(False) == 1
    assert count_sent(program, text) == 1


def test_another_body_under_the_same_key_is_refused(program: Program) -> None:
    key = str(uuid4())
    ask(program, key, "This")
    refused = ask(program, key, "That")
    assert refused.status_code == 422
    assert refused.json()["detail"][0]["loc"] == ["header", "Idempotency-Key"]


def test_a_refusal_after_validation_is_kept_too(program: Program) -> None:
    key, nobody = str(uuid4()), str(uuid4())
    first, repeat = (ask(program, key, chat_account_id=nobody) for _ in range(2))
    assert first.status_code == repeat.status_code == 404
    assert first.json() == repeat.json()
    assert REPLAYED not in first.headers
    assert repeat.headers[REPLAYED] == "true"


def test_a_request_that_was_not_valid_may_be_mended_under_its_key(program: Program) -> None:
    key = str(uuid4())
    assert ask(program, key, "").status_code == 422
    assert ask(program, key, "Mended").status_code == 200


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
