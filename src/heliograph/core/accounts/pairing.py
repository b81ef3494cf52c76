"""Pairing an account by the method that a program chooses, and what there is to show for it.

The network's form decides how its accounts are paired: one with the field `phone_number` pairs by a
code to type where that is set, and by a QR code where it is not.
"""

import asyncio
from collections.abc import Sequence
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
from heliograph.core.accounts.restrictions_sql import release_held
from heliograph.core.accounts.secrets import reseal_secrets
from heliograph.core.accounts.serializers import add_device_event
from heliograph.core.accounts.service import AccountService
from heliograph.core.audit.model import AuditAction
from heliograph.core.changes.model import Change, Write
from heliograph.core.changes.service import Changes
from heliograph.core.events.model import EventType
from heliograph.core.tenants.model import Principal
from heliograph.networks.errors import NetworkError
from heliograph.networks.phone_numbers import PhoneNumberError, read_phone_number
from heliograph.networks.port import AccountStatus, FormField, Network
from heliograph.networks.registry import NetworkRegistry
from heliograph.platform.crypto import SecretBox
from heliograph.untrusted import UntrustedText

PHONE_NUMBER = "phone_number"
PairingMethod = Literal["qr", "code"]

START = Write(
    scope="admin:write",
    audits=(AuditAction.ACCOUNT_PAIRED_AGAIN,),
    events=(EventType.DEVICE_PAIRING,),
    is_repeatable=True,
)


class PairingRecord(TypedDict):
    """What a person must do to pair a device: scan a QR code, or type a code on the phone."""

    chat_account_id: UUID
    status: AccountStatus
    kind: Annotated[
        str | None,
        Doc("What `payload` is, `qr` or `code`; null while there is nothing to show."),
    ]
    payload: Annotated[str | None, Doc("What the QR code holds, or the code to type.")]
    expires_at: Annotated[datetime | None, Doc("When another one takes its place.")]
    reason: Annotated[UntrustedText | None, Doc("Why the device is in this state, for a person.")]


def list_methods(network: Network) -> list[PairingMethod]:
    """List the ways in which accounts of this network are paired; none where they just connect."""
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


@dataclass(eq=False)
class PairingService:
    _changes: Changes
    _networks: NetworkRegistry
    _accounts: AccountService
    _secret_box: SecretBox

    async def get(self, principal: Principal, account_id: UUID) -> PairingRecord:
        """Get what there is to show. Raises what `AccountService.get` raises."""
        principal.require("admin:read")
        return pairing_record(await self._accounts.get(principal, account_id))

    async def get_png(self, principal: Principal, account_id: UUID) -> bytes:
        """Draw the QR code that there is to scan. Raises `NoQrCodeError` where there is none."""
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
        """Have an account paired by this method; what to show follows.

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
        form = self._networks.get_for_account(old.network).form
        new = await pair_anew(change, old, settings, form, self._secret_box)
        change.wake(topics.account_changed(account_id), topics.live(tenant))
        return pairing_record(new)


async def pair_anew(
    change: Change,
    locked: Account,
    settings: dict[str, str],
    form: Sequence[FormField],
    secret_box: SecretBox,
) -> Account:
    """Have a locked account paired by these settings, and return it as it is then. What the network
    had it store is forgotten; the values of its form stay."""
    connection, tenant, id_ = change.connection, change.tenant, locked.id
    found = await sql.find_for_session(connection, tenant, id_)
    sealed = None if found is None else found.encrypted_secrets
    kept = reseal_secrets(secret_box, tenant, id_, sealed, {field.name for field in form})
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
    await start_pairing(connection, new, kept)
    if locked.restriction is not None:
        await release_held(connection, tenant, id_, locked.restriction.until, change.now)
    change.audit(AuditAction.ACCOUNT_PAIRED_AGAIN, id_)
    if locked.status is not AccountStatus.PAIRING:
        add_device_event(change.events, new)
    return new


def _settings_for(
    network: Network, account: Account, method: PairingMethod, phone_number: str | None
) -> dict[str, str]:
    """Return the account's settings that have it paired by this method."""
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
