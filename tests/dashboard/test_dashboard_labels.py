"""Labels in the dashboard: made, renamed, colored and deleted by who may change conversations."""

import re

import pytest

from dashboard_inbox_scene import InboxScene
from dashboard_scene import Person
from heliograph.faces.dashboard.organization.labels import PALETTE


async def labels(inbox: InboxScene) -> dict[str, str]:
    found = await inbox.dashboard.gateway.labels.list(inbox.principal)
    return {label.name: label.color for label in found}


async def test_a_label_is_made_renamed_and_deleted(inbox: InboxScene, ada: Person) -> None:
    assert "There are no labels yet" in (await ada.get(inbox.path("inbox/labels"))).text
    answer = await ada.post(inbox.path("inbox/labels/create"), name="VIP", color="#C0392B")
    assert answer.headers["location"] == inbox.path("inbox/labels?done=saved")
    assert await labels(inbox) == {"VIP": "#c0392b"}
    [label] = await inbox.dashboard.gateway.labels.list(inbox.principal)
    path = inbox.path(f"inbox/labels/{label.id}")
    await ada.post(f"{path}/rename", name="Very important", color="#2f7a3c")
    assert await labels(inbox) == {"Very important": "#2f7a3c"}
    page = (await ada.get(inbox.path("inbox/labels"))).text
    assert 'color="#2f7a3c"' in page
    assert "style=" not in page
    assert "In the inbox" in page
    assert [color for color in PALETTE if f'<option value="{color}">' not in page] == []
    await ada.post(f"{path}/delete")
    assert await labels(inbox) == {}
    assert (await ada.post(f"{path}/delete")).status_code == 404


@pytest.mark.parametrize(
    ("name", "color", "problem"),
    [
        ("x" * 51, "#ff0000", "1 to 50 characters"),
        (" ", "#ff0000", "This is required"),
        ("vip", "#ff0000", "There is already a label &#39;VIP&#39;"),
        ("Late", "red", "A color is written #rrggbb"),
        ("Late", '"><b>', "A color is written #rrggbb"),
    ],
)
async def test_what_is_no_label_is_shown_again_with_the_reason(
    inbox: InboxScene, ada: Person, name: str, color: str, problem: str
) -> None:
    await inbox.dashboard.gateway.labels.create(inbox.principal, "VIP", "#ff0000")
    other = await inbox.dashboard.gateway.labels.create(inbox.principal, "Other", "#00ff00")
    dialogs = {
        "inbox/labels/create": "new",
        f"inbox/labels/{other.id}/rename": f"label-{other.id}",
    }
    for path, dialog in dialogs.items():
        answer = await ada.post(inbox.path(path), name=name, color=color)
        assert answer.status_code == 422
        assert re.findall(r'<dialog id="([^"]+)"[^>]* open>', answer.text) == [dialog]
        assert problem in answer.text
        assert f'maxlength="50" value="{name}"' in answer.text
        assert "<b>" not in answer.text
    assert await labels(inbox) == {"VIP": "#ff0000", "Other": "#00ff00"}
