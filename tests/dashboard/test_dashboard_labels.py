"""Labels in the dashboard: made, renamed, colored and deleted by who may change conversations."""

import re
from collections.abc import AsyncIterator
from pathlib import Path
from uuid import uuid4

import pytest

from dashboard_inbox_scene import InboxScene, open_inbox
from heliograph.core.members.model import MemberRole
from heliograph.faces.dashboard.organization.labels import PALETTE


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[InboxScene]:
    async with open_inbox(database_url, tmp_path) as scene:
        yield scene


async def labels(scene: InboxScene) -> dict[str, str]:
    found = await scene.dashboard.gateway.labels.list(scene.principal)
    return {label.name: label.color for label in found}


async def test_a_label_is_made_renamed_and_deleted(scene: InboxScene) -> None:
    ada = await scene.member("ada")
    assert "There are no labels yet" in (await ada.get(scene.path("inbox/labels"))).text
    answer = await ada.post(scene.path("inbox/labels/create"), name="VIP", color="#C0392B")
    assert answer.headers["location"] == scene.path("inbox/labels?done=saved")
    assert await labels(scene) == {"VIP": "#c0392b"}
    [label] = await scene.dashboard.gateway.labels.list(scene.principal)
    path = scene.path(f"inbox/labels/{label.id}")
    await ada.post(f"{path}/rename", name="Very important", color="#2f7a3c")
    assert await labels(scene) == {"Very important": "#2f7a3c"}
    page = (await ada.get(scene.path("inbox/labels"))).text
    assert 'color="#2f7a3c"' in page
    assert "style=" not in page
    assert "In the inbox" in page
    assert [color for color in PALETTE if f'<option value="{color}">' not in page] == []
    await ada.post(f"{path}/delete")
    assert await labels(scene) == {}
    assert (await ada.post(f"{path}/delete")).status_code == 404


async def test_a_deleted_label_is_off_every_conversation(scene: InboxScene) -> None:
    ada, ana = await scene.member("ada"), await scene.arrive(1, name="Ana")
    gateway = scene.dashboard.gateway
    label = await gateway.labels.create(scene.principal, "VIP", "#ff0000")
    await gateway.inbox.add_label(scene.principal, ana, label.id)
    assert "VIP" in (await ada.get(scene.path(f"inbox/{ana}"))).text
    await ada.post(scene.path(f"inbox/labels/{label.id}/delete"))
    assert "VIP" not in (await ada.get(scene.path(f"inbox/{ana}"))).text


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
    scene: InboxScene, name: str, color: str, problem: str
) -> None:
    ada = await scene.member("ada")
    await scene.dashboard.gateway.labels.create(scene.principal, "VIP", "#ff0000")
    other = await scene.dashboard.gateway.labels.create(scene.principal, "Other", "#00ff00")
    dialogs = {
        "inbox/labels/create": "new",
        f"inbox/labels/{other.id}/rename": f"label-{other.id}",
    }
    for path, dialog in dialogs.items():
        answer = await ada.post(scene.path(path), name=name, color=color)
        assert answer.status_code == 422
        assert re.findall(r'<dialog id="([^"]+)"[^>]* open>', answer.text) == [dialog]
        assert problem in answer.text
        assert f'maxlength="50" value="{name}"' in answer.text
        assert "<b>" not in answer.text
    assert await labels(scene) == {"VIP": "#ff0000", "Other": "#00ff00"}


async def test_a_viewer_sees_labels_and_changes_none(scene: InboxScene) -> None:
    viewer = await scene.member("vera", MemberRole.VIEWER)
    label = await scene.dashboard.gateway.labels.create(scene.principal, "VIP", "#ff0000")
    page = (await viewer.get(scene.path("inbox/labels"))).text
    assert "VIP" in page
    assert re.findall(r'action="[^"]*/labels/[^"]*"', page) == []
    for path in ("create", f"{label.id}/rename", f"{label.id}/delete"):
        answer = await viewer.post(scene.path(f"inbox/labels/{path}"), name="x", color="#000000")
        assert answer.status_code == 403
    assert await labels(scene) == {"VIP": "#ff0000"}


async def test_another_organizations_label_is_refused(scene: InboxScene) -> None:
    label = await scene.dashboard.gateway.labels.create(scene.principal, "VIP", "#ff0000")
    globex = await scene.dashboard.organization("Globex")
    mallory = await scene.dashboard.member("mallory", globex, MemberRole.OWNER)
    for act in ("rename", "delete"):
        for label_id, status in ((label.id, 403), (uuid4(), 404)):
            answer = await mallory.post(
                f"/dashboard/{globex.id}/inbox/labels/{label_id}/{act}", name="x", color="#000000"
            )
            assert (answer.status_code, "VIP" in answer.text) == (status, False)
    assert await labels(scene) == {"VIP": "#ff0000"}
