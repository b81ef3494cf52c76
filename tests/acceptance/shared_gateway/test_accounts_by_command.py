"""An account's whole life by commands, while a gateway runs."""

import json

import pytest

from acceptance.running_program import Program, wait_for

SESSION = "by-command"


def accounts(program: Program, *arguments: str) -> str:
    return program.cli("accounts", *arguments)


def status(program: Program) -> str:
    shown: dict[str, str] = json.loads(accounts(program, "show", SESSION, "--json"))
    return shown["status"]


def pair(program: Program) -> None:
    def code() -> str | None:
        pairing = json.loads(accounts(program, "pair", SESSION, "--json"))["pairing"]
        return str(pairing["payload"]) if pairing else None

    program.cli("sandbox", "scan", wait_for(code))
    wait_for(lambda: status(program) == "connected")


def test_an_account_is_paired_logged_out_paired_again_and_removed(program: Program) -> None:
    accounts(
        program,
        *("create", "--network", "sandbox", "--name", "By command", "--session-name", SESSION),
    )
    pair(program)

    with pytest.raises(AssertionError, match="log it out first"):
        accounts(program, "remove", SESSION, "--yes")
    logged_out = accounts(program, "log-out", SESSION)
    assert "logged out" in logged_out
    assert f"accounts reconnect {SESSION}" in logged_out
    assert f"accounts reconnect {SESSION}" in accounts(program, "pair", SESSION)

    assert f"accounts pair {SESSION}" in accounts(program, "reconnect", SESSION)
    pair(program)

    accounts(program, "log-out", SESSION)
    assert "'By command' is removed" in accounts(program, "remove", SESSION, "--yes")
    assert SESSION not in accounts(program, "list")
