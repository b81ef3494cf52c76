"""Devices: list them, connect, pair and change one."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from starlette.responses import Response

from heliograph.core.accounts.devices import MAX_SEND_RATE, DeviceUpdate
from heliograph.core.accounts.form import MAX_NAME_LENGTH
from heliograph.core.accounts.model import COUNTED, Account, AccountQueue, Restriction
from heliograph.core.accounts.qr_codes import draw_svg
from heliograph.core.accounts.warm_up import allowance_on, sent_on
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.devices.state import find_restriction, state_of
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.networks.form import FormField
from heliograph.networks.port import AccountStatus, Network

pages = Pages()

SETTING = "setting."
"""The prefix of the network's own fields in the form."""


@dataclass(frozen=True, slots=True)
class ShownDevice:
    """An account with what a page shows besides its row; `waiting` is in seconds."""

    account: Account
    network: str
    queued: int
    waiting: float | None
    warm_up: str | None
    has_phone: bool
    restriction: Restriction | None

    @property
    def state(self) -> str:
        return state_of(self.account)

    @property
    def reason(self) -> str | None:
        if self.restriction and self.state == "restricted":
            return self.restriction.reason
        return self.account.status_reason

    @property
    def queue(self) -> str:
        return f"{self.queued:,}" + ("+" if self.queued >= COUNTED else "")


@pages.get("devices", scope="admin:read")
async def show_devices(visit: Visit) -> Response:
    accounts = await visit.services.accounts.list(visit.principal)
    return visit.render("devices.html", devices=await _devices(visit, accounts))


@pages.get("devices/connect", scope="admin:write")
async def show_form(visit: Visit) -> Response:
    """Show the network's form; without `network`, where there are several, ask for one."""
    networks = visit.services.accounts.list_offered_networks()
    name = visit.query("network")
    chosen = [network for network in networks if name in (None, network.name)]
    if len(chosen) == 1:
        return _form(visit, chosen[0])
    return visit.render("device_networks.html", networks=networks, missing=_missing(visit))


@pages.post("devices/connect", scope="admin:write")
async def connect(visit: Visit) -> Response:
    network = _network(visit, visit.field("network"))
    name = visit.text("name")
    try:
        account = await visit.services.accounts.create(
            visit.principal,
            network.name,
            name,
            visit.text("session_name") or None,
            {field.name: _value(visit, field) for field in network.form},
        )
    except InvalidInputError as error:
        return _form(visit, network, error)
    return visit.go_to(f"devices/{account.id}/pair")


@pages.get("devices/{account_id:uuid}", scope="admin:read")
async def show_device(visit: Visit) -> Response:
    account = await _account(visit)
    [device] = await _devices(visit, [account])
    return visit.render(
        "device.html",
        device=device,
        changes=await visit.services.account_maintenance.list_changes(visit.principal, account.id),
        most=MAX_SEND_RATE,
        longest_name=MAX_NAME_LENGTH,
        is_new="paired" in visit.request.query_params,
    )


@pages.get("devices/{account_id:uuid}/pair", scope="admin:write")
async def show_pairing(visit: Visit) -> Response:
    account = await _account(visit)
    if account.status is AccountStatus.CONNECTED:
        page = f"devices/{account.id}?paired"
        if visit.is_partial:  # a script that asked for a part goes there with the whole page
            return Response(headers={"HX-Redirect": visit.path(page)})
        return visit.go_to(page)
    return visit.render(
        "device_pairing.html",
        account=account,
        pairing=account.pairing,
        image=await pairing_image(account),
        has_phone=visit.services.simulator.is_offered(account),
    )


@pages.post("devices/{account_id:uuid}/settings", scope="admin:write")
async def change(visit: Visit) -> Response:
    account = await _account(visit)
    update = _update(visit, account)
    if update.given():
        await visit.services.devices.change(visit.principal, account.id, update)
    return visit.go_to(f"devices/{account.id}", done="saved")


@pages.post("devices/{account_id:uuid}/reconnect", scope="admin:write")
async def reconnect(visit: Visit) -> Response:
    account = await _account(visit)
    await visit.services.account_maintenance.reconnect(visit.principal, account.id)
    is_paired = account.status not in (AccountStatus.LOGGED_OUT, AccountStatus.PAIRING)
    if not is_paired:
        return visit.go_to(f"devices/{account.id}/pair")
    return visit.go_to(f"devices/{account.id}", done="connecting")


@pages.post("devices/{account_id:uuid}/log-out", scope="admin:write")
async def log_out(visit: Visit) -> Response:
    await visit.services.account_maintenance.log_out(visit.principal, visit.id("account_id"))
    return visit.go_to(f"devices/{visit.id('account_id')}", done="logged-out")


@pages.post("devices/{account_id:uuid}/remove", scope="admin:write")
async def remove(visit: Visit) -> Response:
    account_id = visit.id("account_id")
    await visit.services.removals.remove(visit.principal, account_id, visit.text("name"))
    return visit.go_to("devices", done="removed")


async def pairing_image(account: Account) -> str | None:
    """Return the account's QR code as an image; None where there is none, or it is too long for
    one."""
    pairing = account.pairing or {}
    if pairing.get("kind") != "qr":
        return None
    return await asyncio.to_thread(draw_svg, str(pairing["payload"]))


async def _account(visit: Visit) -> Account:
    return await visit.services.accounts.get(visit.principal, visit.id("account_id"))


async def _devices(visit: Visit, accounts: Sequence[Account]) -> list[ShownDevice]:
    queues = await visit.services.account_maintenance.list_queues(visit.principal)
    titles = {network.name: network.title for network in visit.services.accounts.list_networks()}
    now = datetime.now(UTC)
    return [_device(visit, account, queues, titles, now) for account in accounts]


def _device(
    visit: Visit,
    account: Account,
    queues: Mapping[UUID, AccountQueue],
    titles: Mapping[str, str],
    now: datetime,
) -> ShownDevice:
    queue = queues.get(account.id)
    oldest = queue.oldest_at if queue else None
    allowance = allowance_on(account, now.date())
    return ShownDevice(
        account=account,
        network=titles.get(account.network, account.network),
        queued=queue.count if queue else 0,
        waiting=max(0.0, (now - oldest).total_seconds()) if oldest else None,
        warm_up=None if allowance is None else f"{sent_on(account, now.date()):,} of {allowance:,}",
        has_phone=visit.services.simulator.is_offered(account),
        restriction=find_restriction(account),
    )


def _update(visit: Visit, account: Account) -> DeviceUpdate:
    """Return what the form changes: what stays the same does not reopen the session."""
    wanted = DeviceUpdate(
        name=visit.text("name"),
        send_rate=_rate(visit.text("send_rate")),
        auto_warmer_enabled=bool(visit.text("warm_up")),
        message_logging_enabled=bool(visit.text("log_messages")),
        is_primary=account.is_primary or bool(visit.text("primary")),
    )
    changed = {
        name: value for name, value in wanted.given().items() if value != getattr(account, name)
    }
    return DeviceUpdate(**changed)


def _form(visit: Visit, network: Network, error: InvalidInputError | None = None) -> Response:
    """Return the form as it was filled in, without secrets."""
    values = {
        field.name: visit.text(SETTING + field.name) if error else field.default or ""
        for field in network.form
    }
    return visit.render(
        "device_form.html",
        status=422 if error else 200,
        network=network,
        missing=_missing(visit),
        has_choice=len(visit.services.accounts.list_offered_networks()) > 1,
        prefix=SETTING,
        values=values,
        name=visit.text("name"),
        session_name=visit.text("session_name"),
        longest_name=MAX_NAME_LENGTH,
        problems=[problem.msg for problem in error.problems] if error else [],
    )


def _missing(visit: Visit) -> Mapping[str, str]:
    """Return the networks that are not offered, with the reasons as far as the visitor can act on
    them: whoever signed in by the demo's code has the terminal in which to install something."""
    unusable = visit.services.accounts.list_unusable_networks()
    is_operator = visit.services.settings.has_local_sign_in
    return unusable if is_operator else dict.fromkeys(unusable, "")


def _network(visit: Visit, name: str) -> Network:
    for network in visit.services.accounts.list_offered_networks():
        if network.name == name:
            return network
    raise InvalidInputError.at(("network",), "There is no such network.")


def _value(visit: Visit, field: FormField) -> str:
    given = visit.text(SETTING + field.name)
    if field.kind == "boolean":
        return "true" if given else "false"
    return given


def _rate(text: str) -> int | None:
    if not text:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) < 10):
        raise InvalidInputError.at(("send_rate",), "A send rate is a whole number, or empty.")
    return int(text)
