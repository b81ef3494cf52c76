"""API keys: made, listed, rotated, revoked, and above all authenticated.

A key is cached for 900 ms, counted from the start of the read, so that a revocation holds on every
node within a second even when no notification arrives. Whether a key has expired is judged at each
request, by the database's clock.
"""

import re
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime, timedelta
from typing import NamedTuple
from uuid import UUID

from heliograph import errors
from heliograph.core import topics
from heliograph.core.audit.model import AuditAction
from heliograph.core.audit.refusals import AuditedRefusal, RefusalAudit
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.cluster.chores import Chore
from heliograph.core.keys import sql
from heliograph.core.keys.limits import is_within, require_within
from heliograph.core.keys.model import ApiKeyCheck, ApiKeyRecord, KeyUse, MintedKey, NewApiKey
from heliograph.core.organizations.service import require_room
from heliograph.core.secrets.model import (
    DEFAULT_GRACE,
    MAX_OLD_SECRETS,
    check_grace,
    list_valid,
    replace_secret,
)
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.core.tenants.names import check_name
from heliograph.core.tenants.scopes import SCOPES, implied_scopes
from heliograph.core.tenants.sql import missing_error
from heliograph.platform.aio.cache import TtlCache
from heliograph.platform.aio.periodic import PeriodicWriter
from heliograph.platform.crypto import (
    ApiKey,
    MalformedApiKeyError,
    find_key_id,
    mint_api_key,
    parse_api_key,
)
from heliograph.platform.database.notify import Notifications
from heliograph.platform.database.pool import Connection, Database

MINT = Write(scope="admin:write", audits=(AuditAction.KEY_CREATED,), is_repeatable=True)
ROTATE = Write(scope="admin:write", audits=(AuditAction.KEY_ROTATED,), is_repeatable=True)
REVOKE = Write(scope="admin:write", audits=(AuditAction.KEY_REVOKED,))

_MIN_NAME_LENGTH = 6
MAX_NAME_LENGTH = 100
USAGE_INTERVAL = 60.0

# RFC 6750, 2.1: the scheme's name in any case, one or more blanks, and a b64token
_BEARER = re.compile(rb"bearer +([A-Za-z0-9._~+/-]+=*)", re.IGNORECASE)


class _KnownKey(NamedTuple):
    """A key as it is cached, with the caller that it stands for, who is made once and not at each
    request."""

    check: ApiKeyCheck
    principal: Principal


class KeyService:
    """`usage` records when keys are used; the builder of the service runs and flushes it.

    `require_rates` raises while request rates can't be counted together. A caller with an API key
    gets no new secret then: nobody would notice how often they try.
    """

    def __init__(
        self,
        database: Database,
        notifications: Notifications,
        changes: Changes,
        require_rates: Callable[[], Awaitable[None]] | None = None,
        refusals: RefusalAudit | None = None,
    ) -> None:
        self._database = database
        self._require_rates = require_rates
        self._refusals = refusals or RefusalAudit(database)
        self._changes = changes
        self._cache: TtlCache[str, _KnownKey | None] = TtlCache(self._read_key)
        self.usage: PeriodicWriter[str, KeyUse] = PeriodicWriter(
            lambda used: database.transact(sql.update_last_used, used),
            interval=USAGE_INTERVAL,
            chore=Chore.RECORD_KEY_USE,
        )
        notifications.subscribe(topics.API_KEYS, self._cache.clear)

    # --- authentication -----------------------------------------------------------------------

    async def authenticate(
        self, authorization: bytes | str | None, address: str | None = None
    ) -> Principal:
        """Find the caller of a request, by its Authorization header; `address` is the client's.

        Raises an `UnauthorizedError`, or `UnavailableError` when the database can't be asked. An
        unknown key and a wrong secret take the same way and the same time.
        """
        return await self.authenticate_key(parse_authorization(authorization), address)

    async def authenticate_key(self, text: str, address: str | None = None) -> Principal:
        """Find the caller with this API key. Raises what `authenticate` raises."""
        try:
            key = parse_api_key(text)
        except MalformedApiKeyError:
            error = errors.InvalidApiKeyError()
            await self._note_malformed(text, error, address)
            raise error from None
        known = await self._cache.find(key.key_id)
        now = self._database.clock.now()
        try:
            principal = _judge(key, known, now)
        except errors.UnauthorizedError as error:
            if known is not None:
                self._note_refusal(known, error, address)
            raise
        self.usage.record(key.key_id, KeyUse(now, address))
        return principal

    async def _note_malformed(
        self, text: str, error: errors.UnauthorizedError, address: str | None
    ) -> None:
        """Note that somebody tried an existing key id with a malformed secret."""
        key_id = find_key_id(text)
        known = None if key_id is None else await self._cache.find(key_id)
        if known is not None:
            self._note_refusal(known, error, address)

    def _note_refusal(
        self, known: "_KnownKey", error: errors.UnauthorizedError, address: str | None
    ) -> None:
        reason = _REFUSED.get(type(error), "wrong secret")
        refusal = AuditedRefusal(
            known.check.tenant, AuditAction.KEY_REFUSED, known.check.key_id, reason
        )
        self._refusals.note(refusal, address)

    async def _read_key(self, key_id: str) -> "_KnownKey | None":
        check = await self._database.read(sql.find_api_key_check, key_id)
        return None if check is None else _KnownKey(check, _principal_of(check))

    # --- managing ----------------------------------------------------------------------------

    async def mint(
        self,
        principal: Principal,
        name: str,
        *,
        scopes: Sequence[str] | None = None,
        expires_at: datetime | None = None,
        account_ids: Sequence[UUID] | None = None,
    ) -> MintedKey:
        """Make a new key of the caller's organization; `scopes` None grants everything, and
        `account_ids` None all accounts, also those that are connected later.

        Raises `InvalidInputError` for a bad name, an empty or unknown scope, a past expiry, no or
        an unknown account, `PlanLimitReachedError`, and what `require_within` raises.
        """
        await self._require_counted(MINT, principal)
        now = self._database.clock.now()
        name = check_name(name, MAX_NAME_LENGTH)
        _check_new_key(scopes, expires_at, now)
        _check_accounts(account_ids)
        require_within(principal, scopes, account_ids, expires_at)
        key = mint_api_key()
        new = NewApiKey(
            id=self._database.clock.new_id(),
            key_id=key.key_id,
            organization_id=principal.organization_id,
            name=name,
            display_prefix=key.display,
            secret_hash=key.secret_hash,
            scopes=None if scopes is None else tuple(dict.fromkeys(scopes)),
            expires_at=expires_at,
            created_at=now,
            account_ids=None if account_ids is None else tuple(dict.fromkeys(account_ids)),
        )
        return await self._changes.run(MINT, principal, _insert, new, key.text)

    async def _require_counted(self, write: Write, principal: Principal) -> None:
        write.require(principal)
        if principal.key_id is not None and self._require_rates is not None:
            await self._require_rates()

    async def list(self, principal: Principal) -> list[ApiKeyRecord]:
        """List all keys of the caller's organization, oldest first, revoked ones too.

        A caller who is limited to some accounts sees the keys that are limited to them, too.
        """
        principal.require("admin:read")
        keys = await self._database.read(
            sql.list_api_keys, principal.organization_id, self._database.clock.now()
        )
        return [key for key in keys if is_within(principal, key.account_ids)]

    async def get(self, principal: Principal, id_: UUID) -> ApiKeyRecord:
        """Get a key. Raises `ApiKeyNotFoundError`, or `OtherOrganizationError` for another's."""
        principal.require("admin:read")
        return await self._database.read(_get_key, principal.tenant, id_)

    async def find(self, principal: Principal, name: str) -> ApiKeyRecord:
        """Find the organization's key of this id or key id, or the only one whose id or key id
        begins so.

        For people at a terminal. Raises `NotFoundError`, and `InvalidInputError` where several
        match.
        """
        keys = await self.list(principal)
        exact = [key for key in keys if name in (str(key.id), key.key_id)]
        if not exact and len(name) < _MIN_NAME_LENGTH:
            raise errors.NotFoundError(
                f"Give at least {_MIN_NAME_LENGTH} characters of a key's id."
            )
        fitting = exact or [
            key for key in keys if str(key.id).startswith(name) or key.key_id.startswith(name)
        ]
        if len(fitting) > 1:
            names = ", ".join(f"{key.name} ({key.key_id})" for key in fitting)
            raise errors.InvalidInputError.at(
                ("key_id",), f"Several keys begin like that; name one: {names}."
            )
        return _existing(fitting[0] if fitting else None)

    async def rotate(
        self, principal: Principal, key_id: str, *, grace: timedelta = DEFAULT_GRACE
    ) -> MintedKey:
        """Give this key a new secret.

        The secret before stays valid for `grace`, at most 7 days, and each that was replaced
        earlier for the time that it was promised. Raises `NotFoundError` for an unknown or revoked
        key, `InvalidInputError` for the grace, `TooManySecretsError`, and what `require_within`
        raises for a key that may do more than the caller.
        """
        await self._require_counted(ROTATE, principal)
        check_grace(grace)
        return await self._changes.run(ROTATE, principal, _rotate, mint_api_key(key_id), grace)

    async def rotate_by_id(
        self, principal: Principal, id_: UUID, *, grace: timedelta = DEFAULT_GRACE
    ) -> MintedKey:
        """Do the same by the key's id. Raises `ApiKeyNotFoundError`, also for a revoked key, and
        `OtherOrganizationError`."""
        found = await self.get(principal, id_)
        if found.revoked_at is not None:
            raise errors.ApiKeyNotFoundError(id_)
        return await self.rotate(principal, found.key_id, grace=grace)

    async def revoke(self, principal: Principal, key_id: str) -> ApiKeyRecord:
        """Make this key useless for good, on every node within a second.

        Raises `NotFoundError`, and what `require_within` raises for a key that may do more than the
        caller. Revoking twice keeps the first time.
        """
        return await self._changes.run(REVOKE, principal, _revoke, key_id)


async def _insert(change: Change, new: NewApiKey, text: str) -> MintedKey:
    connection, owner = change.connection, new.organization_id
    await _require_accounts(connection, change.tenant, new.account_ids or ())
    await require_room(
        connection,
        owner,
        "api_keys",
        change.now,
        lambda: sql.count_other_api_keys(connection, owner, new.id, change.now),
    )
    await sql.insert_api_key(connection, new)
    limits = {} if new.account_ids is None else {"account_ids": new.account_ids}
    details = {"name": new.name, "scopes": new.scopes, "expires_at": new.expires_at, **limits}
    change.audit(AuditAction.KEY_CREATED, new.key_id, **details)
    change.wake(topics.API_KEYS)
    return MintedKey(_existing(await sql.find_api_key(connection, owner, new.key_id)), text)


async def _rotate(change: Change, key: ApiKey, grace: timedelta) -> MintedKey:
    connection, owner, key_id = change.connection, change.tenant.organization_id, key.key_id
    await _require_key_within(change, key_id)
    found = await sql.lock_key_secrets(connection, owner, key_id)
    if found is not None and found[0] != key.secret_hash:  # else an earlier try wrote it
        old = replace_secret(found[1], found[0], grace, change.now)
        await sql.update_key_secrets(connection, owner, key_id, key.secret_hash, old, change.now)
        change.audit(AuditAction.KEY_ROTATED, key_id, grace_seconds=grace.total_seconds())
    record = _existing(await sql.find_api_key(connection, owner, key_id))
    if record.revoked_at is not None:
        raise errors.NotFoundError("This API key has been revoked; make a new one.")
    change.wake(topics.API_KEYS)
    return MintedKey(record, key.text)


async def _revoke(change: Change, key_id: str) -> ApiKeyRecord:
    owner = change.tenant.organization_id
    await _require_key_within(change, key_id)
    if await sql.revoke_api_key(change.connection, owner, key_id, change.now):
        change.audit(AuditAction.KEY_REVOKED, key_id)
    change.wake(topics.API_KEYS)
    return _existing(await sql.find_api_key(change.connection, owner, key_id))


def parse_authorization(header: bytes | str | None) -> str:
    """Parse the token of `Bearer <token>`.

    Raises `MissingApiKeyError` and `MalformedAuthorizationError`.
    """
    if header is None:
        raise errors.MissingApiKeyError
    raw = header.encode("utf-8", "surrogatepass") if isinstance(header, str) else header
    match = _BEARER.fullmatch(raw.strip(b" \t"))
    if match is None:
        raise errors.MalformedAuthorizationError
    return match[1].decode("ascii")


_REFUSED: dict[type[errors.UnauthorizedError], str] = {
    errors.RevokedApiKeyError: "revoked",
    errors.ExpiredApiKeyError: "expired",
}


def _judge(key: ApiKey, known: _KnownKey | None, now: datetime) -> Principal:
    is_valid = key.matches_any(_valid_hashes(None if known is None else known.check, now))
    if known is None or not is_valid:
        raise errors.InvalidApiKeyError
    if known.check.revoked_at is not None:
        raise errors.RevokedApiKeyError
    if known.check.expires_at is not None and known.check.expires_at <= now:
        raise errors.ExpiredApiKeyError
    return known.principal


def _principal_of(check: ApiKeyCheck) -> Principal:
    return Principal(
        tenant=check.tenant,
        scopes=implied_scopes(check.scopes),
        key_id=check.key_id,
        name=check.name,
        plan=check.plan,
        account_ids=check.account_ids,
        expires_at=check.expires_at,
    )


def _valid_hashes(check: ApiKeyCheck | None, now: datetime) -> list[bytes | None]:
    """List the hashes of the key's valid secrets, filled up with None."""
    hashes: list[bytes | None] = []
    if check is not None:
        hashes = [check.secret_hash]
        if check.old_secrets:
            hashes += [old.stored for old in list_valid(check.old_secrets, now)]
    # always as many, so that an unknown key takes as long as one with a wrong secret
    return hashes + [None] * (1 + MAX_OLD_SECRETS - len(hashes))


def _check_new_key(
    scopes: Sequence[str] | None, expires_at: datetime | None, now: datetime
) -> None:
    if scopes is not None and not scopes:
        raise errors.InvalidInputError.at(
            ("scopes",), "A key needs at least one scope; leave scopes out to grant everything."
        )
    for position, scope in enumerate(scopes or ()):
        if scope not in SCOPES:
            raise errors.InvalidInputError.at(
                ("scopes", position), f"There is no scope '{scope}'; there are {', '.join(SCOPES)}."
            )
    if expires_at is not None and expires_at <= now:
        raise errors.InvalidInputError.at(("expires_at",), "The expiry must be in the future.")


def _check_accounts(account_ids: Sequence[UUID] | None) -> None:
    if account_ids is not None and not account_ids:
        raise errors.InvalidInputError.at(
            ("chat_account_ids",),
            "A key needs at least one device; leave the devices out for a key of all of them.",
        )


async def _require_accounts(
    connection: Connection, tenant: Tenant, account_ids: Sequence[UUID]
) -> None:
    known = await sql.list_account_ids(connection, tenant, account_ids)
    for position, account_id in enumerate(account_ids):
        if account_id not in known:
            problem = f"This organization has no device with the id {account_id}."
            raise errors.InvalidInputError.at(
                ("chat_account_ids", position), problem, input=account_id
            )


async def _get_key(connection: Connection, tenant: Tenant, id_: UUID) -> ApiKeyRecord:
    found = await sql.find_api_key_by_id(connection, tenant.organization_id, id_)
    if found is None:
        raise await missing_error(connection, "api_keys", id_, errors.ApiKeyNotFoundError(id_))
    return found


async def _require_key_within(change: Change, key_id: str) -> None:
    owner = change.tenant.organization_id
    record = _existing(await sql.find_api_key(change.connection, owner, key_id))
    require_within(change.principal, record.scopes, record.account_ids, record.expires_at)


def _existing(record: ApiKeyRecord | None) -> ApiKeyRecord:
    if record is None:
        raise errors.NotFoundError("This organization has no API key with this id.")
    return record
