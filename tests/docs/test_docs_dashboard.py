"""`docs/dashboard.md` has every role with the scopes it grants, and no other."""

import re

from heliograph.core.members.model import ROLES
from repository import DOCS

DOCUMENT = (DOCS / "dashboard.md").read_text(encoding="utf-8")
ROW = re.compile(r"^\| `(\w+)` \| (.*) \|$", re.MULTILINE)


def test_every_role_is_documented_with_its_scopes() -> None:
    documented = {
        role: tuple(re.findall(r"`([^`]+)`", scopes)) for role, scopes in ROW.findall(DOCUMENT)
    }
    assert documented == {str(role): scopes for role, scopes in ROLES.items()}
