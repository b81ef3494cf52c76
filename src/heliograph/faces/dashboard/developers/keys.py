"""API keys, the first of the pages for developers."""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from uuid import UUID

from starlette.responses import Response

from heliograph.core.keys.model import ApiKeyRecord
from heliograph.core.tenants.scopes import SCOPES
from heliograph.errors import InvalidInputError, NotFoundError
from heliograph.faces.dashboard.pages.forms import (
    GRACES,
    explain,
    group_by_prefix,
    list_ticked,
    parse,
    read_grace,
)
from heliograph.faces.dashboard.pages.registry import Pages, Visit

pages = Pages()

_MAX_DAYS = 3650


@pages.get("developers", scope="admin:read")
async def show_developers(visit: Visit) -> Response:
    return visit.go_to("developers/keys")


@pages.get("developers/keys", scope="admin:read")
async def show_keys(visit: Visit) -> Response:
    return await _list(visit)


@pages.post("developers/keys", scope="admin:write")
async def make_key(visit: Visit) -> Response:
    """Make a key and show it, this once; with bad input show the form again."""
    try:
        minted = await visit.services.keys.mint(
            visit.principal,
            visit.text("name"),
            scopes=_scopes(visit),
            expires_at=_expiry(visit),
            account_ids=_account_ids(visit),
        )
    except InvalidInputError as error:
        return await _list(visit, problem=explain(error))
    return visit.render("developers/new_key_secret.html", key=minted, grace=None, earlier=())


@pages.post("developers/keys/{key:uuid}/rotate", scope="admin:write")
async def rotate_key(visit: Visit) -> Response:
    """Rotate a key and show the new secret, this once."""
    grace = read_grace(visit)
    key_id = (await _find(visit)).key_id
    minted = await visit.services.keys.rotate(visit.principal, key_id, grace=grace)
    ends = minted.record.old_secrets_expire_at
    return visit.render(
        "developers/new_key_secret.html",
        key=minted,
        grace=grace,
        earlier=ends[1:] if grace else ends,
    )


@pages.post("developers/keys/{key:uuid}/revoke", scope="admin:write")
async def revoke_key(visit: Visit) -> Response:
    await visit.services.keys.revoke(visit.principal, (await _find(visit)).key_id)
    return visit.go_to("developers/keys", done="revoked")


async def _list(visit: Visit, *, problem: str | None = None) -> Response:
    """Show the keys that work, the newest first, then those that have expired or been revoked."""
    now = datetime.now(UTC)
    keys = (await visit.services.keys.list(visit.principal))[::-1]
    devices = await visit.services.accounts.list(visit.principal)
    return visit.render(
        "developers/keys.html",
        status=422 if problem else 200,
        now=now,
        keys=[key for key in keys if not _is_over(key, now)],
        over=[key for key in keys if _is_over(key, now)],
        scopes=group_by_prefix(SCOPES, ":"),
        graces=GRACES,
        problem=problem,
        given_scopes=list_ticked(visit, "scope"),
        devices=devices,
        device_names={device.id: device.name for device in devices},
        given_devices=list_ticked(visit, "device"),
        longest_days=_MAX_DAYS,
    )


def _is_over(key: ApiKeyRecord, now: datetime) -> bool:
    return key.revoked_at is not None or (key.expires_at is not None and key.expires_at <= now)


def _scopes(visit: Visit) -> Sequence[str] | None:
    """Return the chosen scopes; None is full access, which has to be chosen by name."""
    chosen = list_ticked(visit, "scope")
    if not visit.text("full"):
        if not chosen:
            raise _bad_scopes("Choose what the key may do: single scopes, or full access.")
        return chosen
    if chosen:
        raise _bad_scopes("Choose either single scopes or full access.")
    return None


def _account_ids(visit: Visit) -> Sequence[UUID] | None:
    """Return the chosen devices; none ticked means all of them, including future ones."""
    chosen = list_ticked(visit, "device")
    return [parse(UUID, given, "device", "There is no such device.") for given in chosen] or None


def _bad_scopes(message: str) -> InvalidInputError:
    return InvalidInputError.at(("scopes",), message)


def _expiry(visit: Visit) -> datetime | None:
    days = visit.text("days")
    if not days:
        return None
    is_number = days.isascii() and days.isdecimal() and len(days) < 5
    if not is_number or not 1 <= int(days) <= _MAX_DAYS:
        raise InvalidInputError.at(("days",), f"A key expires in 1 to {_MAX_DAYS} days, or never.")
    return datetime.now(UTC) + timedelta(days=int(days))


async def _find(visit: Visit) -> ApiKeyRecord:
    """Find the key in the path. Raises `NotFoundError`."""
    for key in await visit.services.keys.list(visit.principal):
        if key.id == visit.id("key"):
            return key
    raise NotFoundError("This organization has no such API key.")
