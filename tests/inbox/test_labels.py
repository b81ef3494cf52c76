"""Labels are an organization's own, one of each name, and are gone when they are deleted."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from uuid import UUID

import pytest

from heliograph.core.inbox.model import InboxFilter
from heliograph.core.labels import service
from heliograph.core.labels.model import Label
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import (
    InvalidInputError,
    MissingScopeError,
    NotFoundError,
    OtherOrganizationError,
)
from inbox_scene import NOBODY, Desk, jid_of, open_desk

ANA, RED = jid_of(1), "#ff0000"


@pytest.fixture
async def desk(database_url: str) -> AsyncIterator[Desk]:
    async with open_desk(database_url) as desk:
        yield desk


async def names(desk: Desk) -> list[str]:
    return [label.name for label in await desk.labels.list(desk.owner)]


async def labeled(desk: Desk, *names: str) -> list[Label]:
    """New labels that Ana's conversation has."""
    await desk.arrive(1)
    ana = await desk.id_of(ANA)
    made = [await desk.labels.create(desk.owner, name, RED) for name in names]
    for label in made:
        await desk.inbox.add_label(desk.owner, ana, label.id)
    return made


async def test_labels_are_listed_by_name(desk: Desk) -> None:
    for name in ("vip", "Late", "  New \n customer "):
        await desk.labels.create(desk.owner, name, "#2F7A3C")
    assert await names(desk) == ["Late", "New customer", "vip"]
    assert {label.color for label in await desk.labels.list(desk.owner)} == {"#2f7a3c"}
    assert await desk.labels.list(desk.stranger) == ()


async def test_no_two_differ_in_capitals_alone(desk: Desk) -> None:
    first = await desk.labels.create(desk.owner, "Ärger", RED)
    await desk.labels.create(desk.stranger, "Ärger", RED)
    other = await desk.labels.create(desk.owner, "Other", RED)
    with pytest.raises(InvalidInputError, match="Ärger"):
        await desk.labels.create(desk.owner, "ÄRGER", RED)
    with pytest.raises(InvalidInputError, match="Ärger"):
        await desk.labels.change(desk.owner, other.id, "ärger")
    assert (await desk.labels.change(desk.owner, first.id, "ÄRGER")).name == "ÄRGER"
    assert await names(desk) == ["Other", "ÄRGER"]


async def test_who_takes_a_name_at_the_same_moment_is_refused(desk: Desk) -> None:
    wanted = ("VIP", "vip", "Vip", "vIP")
    made = await asyncio.gather(
        *[desk.labels.create(desk.owner, name, RED) for name in wanted], return_exceptions=True
    )
    assert [type(outcome) for outcome in made].count(Label) == 1
    assert [type(outcome) for outcome in made].count(InvalidInputError) == 3
    assert len(await names(desk)) == 1


async def test_names_and_colors_that_are_none_are_refused(desk: Desk) -> None:
    label = await desk.labels.create(desk.owner, "x" * 50, RED)
    for name, color in (
        ("", RED),
        (" \n ", RED),
        ("x" * 51, RED),
        ("a\0b", RED),
        ("a\u202eb", RED),
        ("VIP", "red"),
        ("VIP", "#ff00"),
        ("VIP", "#ff0000 "),
        ("VIP", "#gg0000"),
    ):
        with pytest.raises(InvalidInputError):
            await desk.labels.create(desk.owner, name, color)
        with pytest.raises(InvalidInputError):
            await desk.labels.change(desk.owner, label.id, name, color)
    assert await desk.labels.list(desk.owner) == (label,)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("\u200b", "A label's name needs at least one visible character."),
        ("a\u202eb", "change the writing direction, such as U\\+202E"),
        ("Order\u200b", "A label's name can't contain invisible characters."),
    ],
)
async def test_a_name_is_refused_for_what_nobody_sees(desk: Desk, name: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        await desk.labels.create(desk.owner, name, RED)


async def test_only_so_many_are_made(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(service, "MAX_LABELS", 2)
    for name in ("a", "b"):
        await desk.labels.create(desk.owner, name, RED)
    with pytest.raises(InvalidInputError, match="2 labels"):
        await desk.labels.create(desk.owner, "c", RED)
    await desk.labels.create(desk.stranger, "c", RED)


async def test_a_renamed_label_is_renamed_everywhere(desk: Desk) -> None:
    vip, _ = await labeled(desk, "VIP", "Late")
    renamed = await desk.labels.change(desk.owner, vip.id, "Regular")
    assert (renamed.name, renamed.color, renamed.id) == ("Regular", RED, vip.id)
    recolored = await desk.labels.change(desk.owner, vip.id, "Regular", "#00FF00")
    assert await desk.labels.get(desk.owner, vip.id) == recolored
    [shown] = (await desk.inbox.list(desk.owner)).conversations
    assert [label.name for label in shown.labels] == ["Late", "Regular"]
    assert shown.labels[1].color == "#00ff00"


async def test_a_conversation_has_a_label_once(desk: Desk) -> None:
    [vip] = await labeled(desk, "VIP")
    ana = await desk.id_of(ANA)
    before = (await desk.inbox.list(desk.owner)).conversations[0]
    assert await desk.inbox.add_label(desk.owner, ana, vip.id) == before
    without = await desk.inbox.remove_label(desk.owner, ana, vip.id)
    assert (without.labels, without.updated_at > before.updated_at) == ((), True)
    assert await desk.inbox.remove_label(desk.owner, ana, vip.id) == without


async def test_a_deleted_label_is_gone_from_all_conversations(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_REMOVAL_BATCH", 2)
    vip, _ = await labeled(desk, "VIP", "Late")
    await desk.arrive(2, 3, 4)
    for number in (2, 3, 4):
        await desk.inbox.add_label(desk.owner, await desk.id_of(jid_of(number)), vip.id)
    await desk.labels.delete(desk.owner, vip.id)
    assert await names(desk) == ["Late"]
    assert await desk.shown(InboxFilter(label_id=vip.id)) == []
    shown = (await desk.inbox.list(desk.owner)).conversations
    assert [label.name for conversation in shown for label in conversation.labels] == ["Late"]
    with pytest.raises(NotFoundError):
        await desk.labels.delete(desk.owner, vip.id)


async def test_a_label_may_be_deleted_while_it_is_given(desk: Desk) -> None:
    [vip] = await labeled(desk, "VIP")
    people = range(10, 18)
    await desk.arrive(*people)
    ids = [await desk.id_of(jid_of(number)) for number in people]
    added = [desk.inbox.add_label(desk.owner, id_, vip.id) for id_ in ids]
    deleted = desk.labels.delete(desk.owner, vip.id)
    outcomes = await asyncio.gather(*added, deleted, return_exceptions=True)
    assert {type(outcome) for outcome in outcomes if isinstance(outcome, Exception)} <= {
        NotFoundError
    }
    assert outcomes[-1] is None
    assert await desk.scene.count("conversation_labels") == 0


Operation = Callable[[Desk, Principal, UUID], Awaitable[object]]
OPERATIONS: dict[str, Operation] = {
    "get": lambda desk, who, it: desk.labels.get(who, it),
    "rename": lambda desk, who, it: desk.labels.change(who, it, "Mine"),
    "delete": lambda desk, who, it: desk.labels.delete(who, it),
}


@pytest.mark.parametrize("name", OPERATIONS)
async def test_another_organizations_label_is_refused(desk: Desk, name: str) -> None:
    [vip] = await labeled(desk, "VIP")
    with pytest.raises(OtherOrganizationError):
        await OPERATIONS[name](desk, desk.stranger, vip.id)
    with pytest.raises(NotFoundError):
        await OPERATIONS[name](desk, desk.owner, NOBODY)
    assert await desk.labels.list(desk.owner) == (vip,)


async def test_another_organizations_label_is_not_given(desk: Desk) -> None:
    [vip] = await labeled(desk, "VIP")
    theirs = await desk.labels.create(desk.stranger, "Theirs", RED)
    ana = await desk.id_of(ANA)
    with pytest.raises(OtherOrganizationError):
        await desk.inbox.add_label(desk.owner, ana, theirs.id)
    with pytest.raises(NotFoundError):
        await desk.inbox.add_label(desk.owner, ana, NOBODY)
    assert (await desk.inbox.list(desk.owner)).conversations[0].labels == (vip,)
    assert await desk.shown(InboxFilter(label_id=theirs.id)) == []


@pytest.mark.parametrize("name", ["list", "create", *OPERATIONS])
async def test_each_needs_its_scope(desk: Desk, name: str) -> None:
    [vip] = await labeled(desk, "VIP")
    operations = {
        "list": lambda desk, who, _: desk.labels.list(who),
        "create": lambda desk, who, _: desk.labels.create(who, "Mine", RED),
        **OPERATIONS,
    }
    scope = f"conversations:{'read' if name in ('list', 'get') else 'write'}"
    lacking = Principal(desk.owner.tenant, frozenset(SCOPES) - {scope})
    with pytest.raises(MissingScopeError, match=scope):
        await operations[name](desk, lacking, vip.id)
    assert await desk.labels.list(desk.owner) == (vip,)
    await operations[name](desk, Principal(desk.owner.tenant, frozenset({scope})), vip.id)
