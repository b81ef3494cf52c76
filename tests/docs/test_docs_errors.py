"""`docs/errors.md` names every error there is, and no other."""

import re

from heliograph.errors import GatewayError
from repository import DOCS

DOCUMENT = (DOCS / "errors.md").read_text(encoding="utf-8")
LAST_RESORT = (500, "internal_error")


def documented() -> set[tuple[int, str]]:
    """Each table row's code with the status of the section it stands in."""
    found = set()
    for section in re.split(r"^## ", DOCUMENT, flags=re.MULTILINE)[1:]:
        status = int(section[:3])
        found |= {(status, code) for code in re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE)}
    return found


def test_every_code_is_documented_and_every_documented_code_exists() -> None:
    existing = {(error.status, error.code) for error in GatewayError.every()}
    assert documented() == existing | {LAST_RESORT}


def test_members_of_an_error_are_named() -> None:
    for member in ("required_scope", "group_jid", "retry_after", "maybe_stored", "request_id"):
        assert f"`{member}`" in DOCUMENT
