"""API keys against the real database: rotation, revocation, other nodes, an outage."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import timedelta
from uuid import uuid4

import pytest

from core_scene import changes_of
from databases import CONNECT_TIMEOUT
from each_case import for_each
from heliograph.core.keys.service import KeyService
from heliograph.core.organizations.service import OrganizationService
from heliograph.core.secrets.model import MAX_OLD_SECRETS
from heliograph.core.tenants.model import Principal, Tenant, operator
from heliograph.core.tenants.plans import FREE, NO_LIMITS, PRO, UNLIMITED
from heliograph.core.tenants.scopes import implied_scopes
from heliograph.errors import (
    ExpiredApiKeyError,
    InvalidApiKeyError,
    InvalidInputError,
    MissingScopeError,
    NotFoundError,
    RevokedApiKeyError,
    TooManySecretsError,
    UnavailableError,
)
from heliograph.platform.crypto import mint_api_key, parse_api_key
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Database


@dataclass
class Node:
    """One process of the gateway, as far as keys go."""

    database: Database
    notifications: Notifications
    organizations: OrganizationService
    keys: KeyService

    async def accepts(self, key: str) -> bool:
        try:
            await self.keys.authenticate(f"Bearer {key}")
        except (InvalidApiKeyError, RevokedApiKeyError, ExpiredApiKeyError):
            return False
        return True


@asynccontextmanager
async def open_node(url: str, *, listens: bool = True) -> AsyncIterator[Node]:
    database = await Database.open(url, connect_timeout=CONNECT_TIMEOUT)
    notifications = Notifications(url)
    if listens:
        await notifications.start()
    try:
        changes = changes_of(database, notifications)
        organizations = OrganizationService(database, changes, 1)
        keys = KeyService(database, notifications, changes)
        yield Node(database, notifications, organizations, keys)
    finally:
        await notifications.stop()
        await database.close()


@pytest.fixture
async def node(database_url: str) -> AsyncIterator[Node]:
    async with open_node(database_url) as node:
        yield node


@pytest.fixture
async def acme(node: Node) -> Principal:
    return operator((await node.organizations.create("Acme")).tenant)


async def test_a_new_key_opens_with_its_scopes(node: Node, acme: Principal) -> None:
    minted = await node.keys.mint(acme, "backend", scopes=["messages:write"])
    principal = await node.keys.authenticate(f"bearer  {minted.text} ")
    assert principal.tenant == acme.tenant
    assert principal.scopes == implied_scopes(["messages:write"])
    assert principal.key_id == minted.record.key_id


@pytest.mark.parametrize("plan", [FREE, PRO, UNLIMITED])
async def test_a_key_knows_its_organizations_plan(node: Node, plan: str) -> None:
    organization = await node.organizations.create("Bench", plan=plan)
    minted = await node.keys.mint(operator(organization.tenant), "bench")
    found = (await node.keys.authenticate(f"Bearer {minted.text}")).plan
    assert found.name == plan
    assert (found == NO_LIMITS) is (plan == UNLIMITED)


async def test_the_secret_is_not_kept(node: Node, acme: Principal) -> None:
    minted = await node.keys.mint(acme, "backend")
    secret = parse_api_key(minted.text).secret
    row = await node.database.pool.fetchrow("SELECT * FROM api_keys")
    assert row is not None
    assert secret not in repr(dict(row))
    assert secret not in repr(minted.record)


async def test_each_secret_keeps_the_time_it_was_promised(node: Node, acme: Principal) -> None:
    first = await node.keys.mint(acme, "backend")
    key_id = first.record.key_id
    second = await node.keys.rotate(acme, key_id, grace=timedelta(minutes=30))
    third = await node.keys.rotate(acme, key_id, grace=timedelta(minutes=10))
    fourth = await node.keys.rotate(acme, key_id, grace=timedelta(0))

    async def good() -> list[bool]:
        return [await node.accepts(key.text) for key in (first, second, third, fourth)]

    assert await good() == [True, True, False, True]
    assert len(fourth.record.old_secrets_expire_at) == 2
    node.database.clock.set_offset(node.database.clock.offset + 601)
    assert await good() == [True, False, False, True]
    node.database.clock.set_offset(node.database.clock.offset + 1200)
    assert await good() == [False, False, False, True]


async def test_no_secret_goes_before_its_time_to_make_room(node: Node, acme: Principal) -> None:
    made = [await node.keys.mint(acme, "backend")]
    key_id = made[0].record.key_id
    grace = timedelta(minutes=5)
    made += [await node.keys.rotate(acme, key_id, grace=grace) for _ in range(MAX_OLD_SECRETS)]
    with pytest.raises(TooManySecretsError, match="The first ends at"):
        await node.keys.rotate(acme, key_id, grace=grace)
    assert all([await node.accepts(key.text) for key in made])

    made.append(await node.keys.rotate(acme, key_id, grace=timedelta(0)))
    assert [await node.accepts(key.text) for key in made] == [True] * 4 + [False, True]
    node.database.clock.set_offset(node.database.clock.offset + 301)
    await node.keys.rotate(acme, key_id, grace=timedelta(minutes=5))
    await node.keys.revoke(acme, key_id)
    assert not any([await node.accepts(key.text) for key in made])


@pytest.mark.parametrize("grace", [timedelta(seconds=-1), timedelta(days=7, seconds=1)])
async def test_a_grace_beyond_a_week_is_refused(
    node: Node, acme: Principal, grace: timedelta
) -> None:
    minted = await node.keys.mint(acme, "backend")
    with pytest.raises(InvalidInputError):
        await node.keys.rotate(acme, minted.record.key_id, grace=grace)


async def test_a_revoked_key_can_neither_be_used_nor_rotated(node: Node, acme: Principal) -> None:
    minted = await node.keys.mint(acme, "backend")
    first = await node.keys.revoke(acme, minted.record.key_id)
    again = await node.keys.revoke(acme, minted.record.key_id)
    assert first.revoked_at == again.revoked_at
    with pytest.raises(RevokedApiKeyError):
        await node.keys.authenticate(f"Bearer {minted.text}")
    with pytest.raises(NotFoundError):
        await node.keys.rotate(acme, minted.record.key_id)


@pytest.mark.parametrize("listens", [True, False])
async def test_a_revocation_reaches_another_node_within_a_second(
    database_url: str, node: Node, acme: Principal, listens: bool
) -> None:
    """Also one that hears no notifications."""
    async with open_node(database_url, listens=listens) as other:
        minted = await node.keys.mint(acme, "backend")
        assert await other.accepts(minted.text)
        await node.keys.revoke(acme, minted.record.key_id)
        revoked_at = time.monotonic()
        while time.monotonic() - revoked_at < 1.0:
            if not await other.accepts(minted.text):
                break
            await asyncio.sleep(0.02)
        assert not await other.accepts(minted.text)


async def test_an_organization_sees_and_changes_only_its_own_keys(
    node: Node, acme: Principal
) -> None:
    globex = operator((await node.organizations.create("Globex")).tenant)
    minted = await node.keys.mint(acme, "backend")
    assert await node.keys.list(globex) == []
    for change in (node.keys.rotate, node.keys.revoke):
        with pytest.raises(NotFoundError):
            await change(globex, minted.record.key_id)
    assert await node.accepts(minted.text)
    assert [key.name for key in await node.keys.list(acme)] == ["backend"]


async def test_managing_keys_needs_admin_write(node: Node, acme: Principal) -> None:
    reader = Principal(acme.tenant, implied_scopes(["admin:read"]))
    with pytest.raises(MissingScopeError):
        await node.keys.mint(reader, "x")
    with pytest.raises(MissingScopeError):
        await node.keys.revoke(reader, "x")


@for_each(
    ("name", "scopes"), [("", None), (" ", None), ("x" * 101, None), ("x", []), ("x", ["all:read"])]
)
async def test_a_key_of_no_use_is_refused(
    node: Node, acme: Principal, name: str, scopes: list[str] | None
) -> None:
    with pytest.raises(InvalidInputError):
        await node.keys.mint(acme, name, scopes=scopes)


async def test_an_expiry_in_the_past_is_refused(node: Node, acme: Principal) -> None:
    with pytest.raises(InvalidInputError):
        await node.keys.mint(acme, "x", expires_at=node.database.clock.now())


async def test_use_is_written_in_one_batch_and_never_backwards(node: Node, acme: Principal) -> None:
    keys = [await node.keys.mint(acme, f"key {number}") for number in range(3)]
    for key in keys:
        await node.keys.authenticate(f"Bearer {key.text}")
    assert [key.last_used_at for key in await node.keys.list(acme)] == [None, None, None]
    await node.keys.usage.flush()
    first = [key.last_used_at for key in await node.keys.list(acme)]
    assert None not in first
    node.database.clock.set_offset(node.database.clock.offset - 100)
    await node.keys.authenticate(f"Bearer {keys[0].text}")
    await node.keys.usage.flush()
    assert [key.last_used_at for key in await node.keys.list(acme)] == first


async def test_the_address_of_the_last_use_is_kept(node: Node, acme: Principal) -> None:
    key = await node.keys.mint(acme, "backend")

    async def use(address: str | None) -> str | None:
        await node.keys.authenticate(f"Bearer {key.text}", address)
        await node.keys.usage.flush()
        return (await node.keys.list(acme))[0].last_used_address

    assert await use(None) is None
    assert await use("203.0.113.7") == "203.0.113.7"
    assert await use("2001:db8::1") == "2001:db8::1"
    assert await use(None) == "2001:db8::1"


async def test_a_failed_attempt_is_no_use(node: Node, acme: Principal) -> None:
    minted = await node.keys.mint(acme, "backend")
    forged = mint_api_key(minted.record.key_id)
    assert not await node.accepts(forged.text)
    await node.keys.usage.flush()
    assert [key.last_used_at for key in await node.keys.list(acme)] == [None]


@pytest.mark.usefixtures("hasty_requests")
async def test_without_a_database_nobody_is_told_that_a_key_is_wrong(database_url: str) -> None:
    async with open_node(database_url) as node:
        acme = operator(Tenant(0, uuid4()))
        minted = await node.keys.mint(acme, "backend")
        node.database.pool.terminate()
        with pytest.raises(UnavailableError):
            await node.keys.authenticate(f"Bearer {minted.text}")
