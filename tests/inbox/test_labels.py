"""Labels are an organization's own, one of each name, and are gone when they are deleted."""

import asyncio
import dataclasses
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any
from uuid import UUID

import pytest

from each_case import for_each
from heliograph.core.inbox.model import InboxFilter
from heliograph.core.labels import service, sql
from heliograph.core.labels.model import Label
from heliograph.core.labels.service import LabelService
from heliograph.core.tenants.model import Principal
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import (
    AccountNotAllowedError,
    InvalidInputError,
    MissingScopeError,
    NotFoundError,
    OtherOrganizationError,
)
from heliograph.platform.database.pool import Connection
from inbox_scene import NOBODY, Desk, jid_of

ANA, RED = jid_of(1), "#ff0000"


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


@for_each(
    ("first", "second"),
    [
        ("Caf\u00e9", "Cafe\u0301"),
        ("Caf\u00e9", "CAFE"),
        ("Straße", "STRASSE"),
        ("\u0130stanbul", "istanbul"),
        ("Łódź", "lodz"),
        ("مرحبا", "مــرحبا"),
        ("ガ", "カ\u3099"),
        ("ＶＩＰ", "vip"),
        ("Σίσυφος", "ΣΙΣΥΦΟΣ"),
        ("٣", "3"),
    ],
)
async def test_no_two_are_the_same_to_a_search(desk: Desk, first: str, second: str) -> None:
    for taken, wanted in ((first, second), (second, first)):
        label = await desk.labels.create(desk.owner, taken, RED)
        other = await desk.labels.create(desk.owner, "Other", RED)
        with pytest.raises(InvalidInputError, match="There is already a label"):
            await desk.labels.create(desk.owner, wanted, RED)
        with pytest.raises(InvalidInputError, match="There is already a label"):
            await desk.labels.change(desk.owner, other.id, wanted)
        assert (await desk.labels.change(desk.owner, label.id, wanted)).name == wanted
        for made in (label, other):
            await desk.labels.delete(desk.owner, made.id)


async def test_labels_that_collided_before_stay_and_take_another_color(desk: Desk) -> None:
    labels = [await desk.labels.create(desk.owner, name, RED) for name in ("Caf\u00e9", "Other")]
    rename = "UPDATE labels SET name = $2 WHERE id = $1"
    await desk.scene.rows(rename, labels[1].id, "Cafe\u0301")
    for label in labels:
        changed = await desk.labels.change(desk.owner, label.id, None, "#00ff00")
        assert (changed.color, changed.name in ("Caf\u00e9", "Cafe\u0301")) == ("#00ff00", True)
    with pytest.raises(InvalidInputError, match="There is already a label"):
        await desk.labels.change(desk.owner, labels[1].id, "CAFÉ")
    assert (await desk.labels.change(desk.owner, labels[1].id, "Bar")).name == "Bar"


@pytest.mark.parametrize(
    "wanted", [("VIP", "vip", "Vip", "vIP"), ("Café", "Cafe\u0301", "CAFE", "cafe")]
)
async def test_who_takes_a_name_at_the_same_moment_is_refused(
    desk: Desk, wanted: Sequence[str]
) -> None:
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
        ("\u202e", RED),
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
        ("\u3164", "A label's name needs at least one visible character."),
        ("a\x1bb", "A label's name can't contain control characters."),
    ],
)
async def test_a_name_is_refused_for_what_nobody_sees(desk: Desk, name: str, problem: str) -> None:
    with pytest.raises(InvalidInputError, match=problem):
        await desk.labels.create(desk.owner, name, RED)


async def test_what_hides_in_a_name_makes_no_other_label(desk: Desk) -> None:
    assert (await desk.labels.create(desk.owner, "\u200fOr\u202eder\u200b", RED)).name == "Order"
    with pytest.raises(InvalidInputError, match="already a label 'Order'"):
        await desk.labels.create(desk.owner, "Order\u200b", RED)


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
    monkeypatch.setattr(service, "_BATCH", 2)
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


async def told(desk: Desk, of: str) -> list[tuple[str, list[str]]]:
    """The conversations or contacts that were told of as changed, in order, by address, with the
    labels they have."""
    events = await desk.scene.told(f"{of}.updated")
    assert all(each["changed"] == ["labels"] for each in events)
    assert all(each["changed_by"]["kind"] == "operator" for each in events)
    return [
        (_address_of(each), [f"{label['name']} {label['color']}" for label in each["labels"]])
        for each in events
    ]


def _address_of(record: dict[str, Any]) -> str:
    return str(record.get("remote_jid") or record["addresses"][0]["jid"])


async def news(desk: Desk, of: str, change: Awaitable[object]) -> dict[str, list[str]]:
    """Whom a change is told of, each once, with the labels they have then."""
    before = len(await told(desk, of))
    await change
    found = (await told(desk, of))[before:]
    assert len(found) == len(dict(found))
    return dict(found)


async def test_conversations_are_told_of_when_a_label_of_theirs_changes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_BATCH", 2)
    vip, _ = await labeled(desk, "VIP", "Late")
    for number in (2, 3, 4):
        await desk.arrive(number)
        await desk.inbox.add_label(desk.owner, await desk.id_of(jid_of(number)), vip.id)
    await desk.arrive(5)
    everybody = {jid_of(number) for number in (1, 2, 3, 4)}

    news_of = partial(news, desk, "conversation")
    renamed = await news_of(desk.labels.change(desk.owner, vip.id, name="Important"))
    assert renamed.keys() == everybody
    assert renamed[ANA] == [f"Important {RED}", f"Late {RED}"]
    assert renamed[jid_of(4)] == [f"Important {RED}"]
    assert await news_of(desk.labels.change(desk.owner, vip.id, name="Important")) == {}
    painted = await news_of(desk.labels.change(desk.owner, vip.id, color="#00ff00"))
    assert painted == {jid: ["Important #00ff00", *more[1:]] for jid, more in renamed.items()}
    gone = await news_of(desk.labels.delete(desk.owner, vip.id))
    assert gone == {jid: more[1:] for jid, more in renamed.items()}


async def test_a_renaming_that_was_cut_short_is_finished_by_whoever_looks_next(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_BATCH", 2)
    [vip] = await labeled(desk, "VIP")
    for number in (2, 3, 4, 5):
        await desk.arrive(number)
        await desk.inbox.add_label(desk.owner, await desk.id_of(jid_of(number)), vip.id)
    before = len(await told(desk, "conversation"))

    async def die(*_: object) -> None:
        raise asyncio.CancelledError

    with monkeypatch.context() as dying:
        dying.setattr(LabelService, "_tell_rest", die)
        with pytest.raises(asyncio.CancelledError):
            await desk.labels.change(desk.owner, vip.id, name="Important")
    await desk.labels.finish_changes()
    assert len(await told(desk, "conversation")) - before == 2, "its own node may be at work on it"
    await desk.scene.rows("UPDATE label_changes SET told_at = told_at - interval '1 minute'")
    await desk.labels.finish_changes()
    news = (await told(desk, "conversation"))[before:]
    everybody = [jid_of(number) for number in (1, 2, 3, 4, 5)]
    assert sorted(jid for jid, _ in news) == everybody, "each is told of once"
    assert [labels for _, labels in news] == [[f"Important {RED}"]] * 5
    assert await desk.scene.rows("SELECT 1 FROM label_changes") == []


async def test_contacts_are_told_of_when_a_label_of_theirs_changes(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(service, "_BATCH", 2)
    vip, _ = await labeled(desk, "VIP", "Late")  # Ana's conversation has them, and she does not
    people = (2, 3, 4)
    for number in people:
        await desk.arrive(number)
        rows = await desk.scene.rows(
            "SELECT contact_id FROM contact_addresses WHERE remote_jid = $1", jid_of(number)
        )
        await add_to_contact(desk, rows[0]["contact_id"], vip.id)
    everybody = {jid_of(number) for number in people}

    news_of = partial(news, desk, "contact")
    renamed = await news_of(desk.labels.change(desk.owner, vip.id, name="Important"))
    assert renamed == {jid: [f"Important {RED}"] for jid in everybody}
    assert await news_of(desk.labels.change(desk.owner, vip.id, name="Important")) == {}
    painted = await news_of(desk.labels.change(desk.owner, vip.id, color="#00ff00"))
    assert painted == {jid: ["Important #00ff00"] for jid in everybody}
    assert await news_of(desk.labels.delete(desk.owner, vip.id)) == {jid: [] for jid in everybody}


async def add_to_contact(desk: Desk, contact_id: UUID, label_id: UUID) -> None:
    async def work(connection: Connection) -> None:
        await sql.add_labels(connection, desk.owner.tenant, "contact", contact_id, [label_id])

    await desk.scene.database.transact(work)


async def test_who_is_limited_to_some_accounts_makes_no_label(desk: Desk) -> None:
    limited = dataclasses.replace(desk.owner, account_ids=frozenset({NOBODY}))
    with pytest.raises(AccountNotAllowedError):
        await desk.labels.create(limited, "VIP", RED)
    assert await names(desk) == []
