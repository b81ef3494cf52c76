"""Pairing of accounts by a chosen method, and the codes to show for it.

The network's form determines how its accounts are paired: with a field `phone_number`, by a code to
type if that is set, and by a QR code otherwise.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Literal, TypedDict
from uuid import UUID

from msgspec.structs import replace
from typing_extensions import Doc

from heliograph import errors
from heliograph.core import topics
from heliograph.core.accounts import sql
from heliograph.core.accounts.devices_sql import start_pairing
from heliograph.core.accounts.model import Account
from heliograph.core.accounts.qr_codes import draw_png
from heliograph.core.accounts.reopening import ask_to_reopen_session
from heliograph.core.accounts.secrets import reseal_secrets
from heliograph.core.accounts.serializers import add_device_event
from heliograph.core.accounts.service import AccountService
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.model import EventType
from heliograph.core.tenants.model import Principal, Tenant
from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number
from heliograph.networks.port import AccountStatus, Network
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import SecretBox
from heliograph.platform.database.pool import Connection
from heliograph.untrusted import UntrustedText

PHONE_NUMBER = "phone_number"
PairingMethod = Literal["qr", "code"]

START = Write(
    scope="admin:write",
    audits=(AuditAction.ACCOUNT_PAIRED_AGAIN,),
    events=(EventType.DEVICE_PAIRING,),
    is_repeatable=True,
)

ReleaseHeld = Callable[[Connection, Tenant, UUID, datetime, datetime], Awaitable[None]]
"""Releases the messages of an account that are held until the first of these times, as of the
second."""


class PairingRecord(TypedDict):
    """What a person must do to pair a device: scan a QR code, or type a code on the phone."""

    chat_account_id: UUID
    status: AccountStatus
    kind: Annotated[
        str | None,
        Doc("What `payload` is, `qr` or `code`; null while there is nothing to show."),
    ]
    payload: Annotated[str | None, Doc("The text of the QR code, or the code to type.")]
    expires_at: Annotated[datetime | None, Doc("When another one replaces it.")]
    reason: Annotated[UntrustedText | None, Doc("Why the device is in this state, for a person.")]


def list_methods(network: Network) -> list[PairingMethod]:
    """List the ways in which accounts of this network are paired; none if they just connect."""
    if not network.capabilities.pairing:
        return []
    has_number = any(field.name == PHONE_NUMBER for field in network.form)
    return ["qr", "code"] if has_number else ["qr"]


def pairing_record(account: Account) -> PairingRecord:
    step = account.pairing or {}
    expires_at = step.get("expires_at")
    return {
        "chat_account_id": account.id,
        "status": account.status,
        "kind": step.get("kind"),
        "payload": step.get("payload"),
        "expires_at": datetime.fromisoformat(expires_at) if expires_at else None,
        "reason": account.status_reason,
    }


class Pairer:
    """Pairs accounts anew. `release_held` is passed in, since accounts are a layer below
    messages."""

    def __init__(
        self, networks: NetworkRegistry, secret_box: SecretBox, release_held: ReleaseHeld
    ) -> None:
        self._networks = networks
        self._secret_box = secret_box
        self._release_held = release_held

    async def pair_anew(self, change: Change, locked: Account, settings: dict[str, str]) -> Account:
        """Start pairing a locked account by these settings, and return it. Secrets of its former
        session are deleted; the values of its form stay."""
        connection, tenant, id_ = change.connection, change.tenant, locked.id
        new = replace(
            locked,
            status=AccountStatus.PAIRING,
            status_reason=None,
            pairing=None,
            remote_jid=None,
            phone_number=None,
            restriction=None,
            settings=settings,
            updated_at=change.now,
        )
        await start_pairing(connection, new, await self._kept_secrets(connection, locked))
        if locked.restriction is not None:
            until = locked.restriction.until
            await self._release_held(connection, tenant, id_, until, change.now)
        change.audit(AuditAction.ACCOUNT_PAIRED_AGAIN, id_)
        if locked.status is not AccountStatus.PAIRING:
            add_device_event(change.events, new)
        return new

    async def _kept_secrets(self, connection: Connection, account: Account) -> bytes | None:
        """Return the account's secrets, sealed, with nothing but the values of its form."""
        form = self._networks.get_for_account(account.network).form
        found = await sql.find_for_session(connection, account.tenant, account.id)
        sealed = None if found is None else found.encrypted_secrets
        names = {field.name for field in form}
        return reseal_secrets(self._secret_box, account.tenant, account.id, sealed, names)


@dataclass(eq=False)
class PairingService:
    _changes: Changes
    _networks: NetworkRegistry
    _accounts: AccountService
    _pairer: Pairer

    async def get(self, principal: Principal, account_id: UUID) -> PairingRecord:
        """Get the code to show at present. Raises what `AccountService.get` raises."""
        principal.require("admin:read")
        return pairing_record(await self._accounts.get(principal, account_id))

    async def get_png(self, principal: Principal, account_id: UUID) -> bytes:
        """Draw the QR code to scan. Raises `NoQrCodeError` if there is none."""
        principal.require("admin:read")
        account = await self._accounts.get(principal, account_id)
        step, image = account.pairing or {}, None
        if step.get("kind") == "qr":
            image = await asyncio.to_thread(draw_png, str(step["payload"]))
        if image is None:
            raise errors.NoQrCodeError(account.name, account.status)
        return image

    async def start(
        self,
        principal: Principal,
        account_id: UUID,
        method: PairingMethod,
        phone_number: str | None,
    ) -> PairingRecord:
        """Start pairing an account by this method; the code to show follows.

        Raises `InvalidInputError`, `NotSupportedByNetworkError`, `ChatAccountConnectedError`, and
        what `AccountService.get` raises.
        """
        START.require(principal)
        account = await self._accounts.get(principal, account_id)
        network = self._networks.get_for_account(account.network)
        settings = _settings_for(network, account, method, phone_number)
        return await self._changes.run(START, principal, self._start, account_id, settings)

    async def _start(
        self, change: Change, account_id: UUID, settings: dict[str, str]
    ) -> PairingRecord:
        tenant = change.tenant
        keys = [(tenant.organization_id, account_id)]
        old = (await sql.lock_accounts(change.connection, tenant.shard, keys)).get(account_id)
        if old is None:
            raise errors.ChatAccountNotFoundError(account_id)
        if old.status is not AccountStatus.LOGGED_OUT and old.remote_jid is not None:
            raise errors.ChatAccountConnectedError(old.name)
        new = await self._pairer.pair_anew(change, old, settings)
        await ask_to_reopen_session(change, account_id)
        change.wake(topics.live(tenant))
        return pairing_record(new)


def _settings_for(
    network: Network, account: Account, method: PairingMethod, phone_number: str | None
) -> dict[str, str]:
    """Return the account's settings for pairing by this method."""
    if method not in list_methods(network):
        raise errors.NotSupportedByNetworkError(network.name, f"pair by {_WORDS[method]}")
    settings = {name: text for name, text in account.settings.items() if name != PHONE_NUMBER}
    if method == "qr":
        if phone_number is not None:
            raise errors.InvalidInputError.at(
                (PHONE_NUMBER,), "A QR code is scanned without a phone number.", input=phone_number
            )
        return settings
    number = phone_number or account.settings.get(PHONE_NUMBER)
    if number is None:
        raise errors.InvalidInputError.at(
            (PHONE_NUMBER,), "Name the number of the phone on which the code is typed."
        )
    try:
        digits = read_phone_number(number).digits
        network.recipient(digits, account.settings)
    except (NetworkError, PhoneNumberError) as error:
        raise errors.InvalidInputError.at((PHONE_NUMBER,), error.reason, input=number) from error
    return settings | {PHONE_NUMBER: f"+{digits}"}


_WORDS = {"qr": "a QR code", "code": "a code to type"}
