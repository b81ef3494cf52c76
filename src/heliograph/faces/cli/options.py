"""Options that commands of many subjects take."""

import shlex
from collections.abc import Callable
from typing import Annotated
from uuid import UUID

import typer

JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
OrganizationOption = Annotated[
    str | None,
    typer.Option("--organization", "-o", help="Id or name. Default: the demo's, or the only one."),
]

ACCOUNT_FORMS = "its id, session name, name, phone number or JID, or ORGANIZATION/SESSION_NAME"
"""The forms in which commands accept an account."""


def repeat_organization(organization: str | None) -> str:
    """Return the option as it was typed, to append to a command that is to be copied."""
    return "" if organization is None else f" -o {shlex.quote(organization)}"


def id_parser(owner: str, listed_by: str) -> Callable[[str], UUID]:
    """Return a parser of ids; for any other text it says where ids are listed."""

    def parse(text: str) -> UUID:
        try:
            return UUID(text)
        except ValueError:
            raise typer.BadParameter(
                f"'{text}' is not {owner}'s id; `heliograph {listed_by}` shows them."
            ) from None

    return parse


parse_webhook_id = id_parser("a webhook", "webhooks list")
