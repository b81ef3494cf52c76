"""Group subjects as the network gets them: what helps to read them stays."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from api_scene import GROUPS, Scene, group_of, open_scene
from inbox_rows import insert_conversation

SUBJECTS = [
    ("\u200f\u05e9\u05dc\u05d5\u05dd", "\u200f\u05e9\u05dc\u05d5\u05dd"),
    ("\u0645\u0631\u062d\u0628\u0627\u200e!", "\u0645\u0631\u062d\u0628\u0627\u200e!"),
    (
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    ),
    ("a\u200bb", "a\u200bb"),
    ("Donau\u00addampfer", "Donau\u00addampfer"),
    ("\U0001f468\u200d\U0001f469\u200d\U0001f467", "\U0001f468\u200d\U0001f469\u200d\U0001f467"),
    ("\u202eevil\u202c", "evil"),
]


@pytest.fixture
async def scene(database_url: str, tmp_path: Path) -> AsyncIterator[Scene]:
    async with open_scene(database_url, tmp_path) as scene:
        await scene.set_connected(scene.acme.account)
        yield scene


@pytest.mark.parametrize(("given", "kept"), SUBJECTS)
async def test_a_subject_keeps_the_marks_that_help_and_loses_those_that_turn(
    scene: Scene, given: str, kept: str
) -> None:
    group = await insert_conversation(scene, "1@g.sandbox", is_group=True)
    await scene.as_acme("POST", GROUPS, json=group_of(scene.acme.account, subject=given))
    await scene.as_acme("PATCH", f"/api/v1/groups/{group}", json={"subject": given})

    asked = await scene.database.pool.fetch("SELECT request->>'subject' AS subject FROM jobs")
    assert [row["subject"] for row in asked] == [kept, kept]


@pytest.mark.parametrize("nothing", ["\u200f", "\u3164", " \u200b "])
async def test_a_subject_that_shows_nothing_is_refused(scene: Scene, nothing: str) -> None:
    group = await insert_conversation(scene, "1@g.sandbox", is_group=True)
    path = f"/api/v1/groups/{group}"
    assert (await scene.as_acme("PATCH", path, json={"subject": nothing})).status_code == 422
