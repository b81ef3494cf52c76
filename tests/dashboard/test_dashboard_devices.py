"""Devices in the dashboard: connected by a form, paired by a code, looked after, removed."""

import html
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import pytest
from msgspec.structs import replace

from dashboard_inbox_scene import open_inbox
from dashboard_scene import DashboardScene, Person, path_of
from heliograph.core.accounts.model import Account
from heliograph.core.members.model import MemberRole
from heliograph.core.removals.service import finish_removals
from heliograph.core.tenants.model import Organization, operator
from heliograph.core.topics import account_changed
from heliograph.faces.dashboard.sessions.cookies import FIELD, csrf_token
from heliograph.networks.content import Text
from heliograph.networks.errors import NetworkError
from heliograph.networks.form import FormField
from heliograph.networks.phone_actions import Scan
from heliograph.networks.port import AccountStatus, Restricted, SessionState
from heliograph.networks.sandbox.connection import Pace
from heliograph.networks.sandbox.driver import SandboxNetwork
from heliograph.platform.database.notify import Notifications


async def connect(scene: DashboardScene, ada: Person, acme: Organization, **form: str) -> Account:
    """By the form; the account whose pairing page comes then."""
    answer = await ada.post(path_of(acme, "devices/connect"), network="sandbox", **form)
    assert answer.status_code == 303
    found = re.fullmatch(rf"{path_of(acme)}/devices/(\S+)/pair", answer.headers["location"])
    assert found
    [account] = [
        account
        for account in await scene.gateway.accounts.list(operator(acme.tenant))
        if str(account.id) == found[1]
    ]
    return account


async def shown_code(scene: DashboardScene, account: Account) -> str:
    """The payload that the account shows, once it shows one."""

    async def payload() -> str:
        return str(((await scene.account(account)).pairing or {}).get("payload", ""))

    return await scene.until(payload, bool)


def image_in(page: str) -> str:
    found = re.search(r'<img src="(data:image/svg\+xml;[^"]+)"', page)
    assert found
    return html.unescape(found[1])


async def test_a_device_is_connected_by_the_form_of_its_network(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    choice = (await ada.get(path_of(acme, "devices/connect"))).text
    assert "devices/connect?network=sandbox" in choice
    page = (await ada.get(path_of(acme, "devices/connect?network=sandbox"))).text
    assert "Skip the QR code" in page, "the help of a field"
    account = await connect(scene, ada, acme, name="Front desk", **{"setting.contacts": "3"})
    assert (account.name, account.session_name) == ("Front desk", "front-desk")
    assert account.settings["contacts"] == "3"
    assert account.settings["pair_automatically"] == "false"
    assert "Front desk" in (await ada.get(path_of(acme, "devices"))).text


async def test_a_form_that_is_refused_is_shown_as_it_was_filled_in(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    form = {"name": "Front <b>desk", "setting.contacts": "many"}
    answer = await ada.post(path_of(acme, "devices/connect"), network="sandbox", **form)
    assert answer.status_code == 422
    assert "&#39;contacts&#39; must be a whole number from 0 to 8999" in answer.text
    assert 'value="Front &lt;b&gt;desk"' in answer.text
    assert 'value="many"' in answer.text


async def test_a_number_is_asked_for_within_its_bounds(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    page = await ada.get(path_of(acme, "devices/connect?network=sandbox"))
    assert 'type="number" step="1" min="0" max="8999"' in page.text
    assert 'type="number" step="any" min="0" max="86400"' in page.text


async def test_a_secret_is_asked_for_as_a_password_and_never_shown(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    secret = FormField("password", "Password", secret=True, required=True)
    monkeypatch.setattr(SandboxNetwork, "form", (*SandboxNetwork.form, secret))
    acme, ada = await scene.acme(MemberRole.OWNER)
    page = await ada.get(path_of(acme, "devices/connect?network=sandbox"))
    assert 'type="password"' in page.text
    form = {"name": "", "setting.password": "canary"}
    refused = await ada.post(path_of(acme, "devices/connect"), network="sandbox", **form)
    assert "canary" not in refused.text
    account = await connect(scene, ada, acme, **{**form, "name": "Desk"})
    assert "password" not in account.settings
    async with scene.at_work():
        await shown_code(scene, account)  # its session could open what the form has sealed


async def test_the_code_is_shown_and_renewed(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    network = scene.gateway.networks.get_network("sandbox")
    resources = network._started()  # type: ignore[attr-defined]
    with_short_codes = replace(resources, pace=Pace(qr_seconds=0.5))
    monkeypatch.setattr(network, "_resources", with_short_codes)
    account = await connect(scene, ada, acme, name="Desk")
    path = path_of(acme, f"devices/{account.id}/pair")
    async with scene.at_work():
        await shown_code(scene, account)
        page = (await ada.get(path)).text
        assert 'hx-trigger="sse:look, sse:devices' in page

        async def image() -> str:
            return image_in((await ada.get(path)).text)

        await scene.until(image, lambda shown: shown != image_in(page))


async def test_scanning_the_code_connects_and_leads_to_the_device(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    account = await connect(scene, ada, acme, name="Desk")
    path = path_of(acme, f"devices/{account.id}")
    async with scene.at_work():
        scan = Scan(await shown_code(scene, account))
        await scene.gateway.simulator.of(account).act(scan)
        now = await scene.connected(account)
        assert (await ada.get(f"{path}/pair")).headers["location"] == f"{path}?paired"
        partial = await ada.browser.get(f"{path}/pair", headers={"HX-Request": "true"})
        assert partial.headers["hx-redirect"] == f"{path}?paired"
        page = (await ada.get(f"{path}?paired")).text
    assert "can send and receive now" in page
    assert str(now.phone_number) in page
    assert "connected" in page.partition("Recent history")[2]


async def test_a_number_of_its_own_pairs_by_a_code_to_type(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    form = {"name": "Desk", "setting.phone_number": "+49 30 1234567"}
    account = await connect(scene, ada, acme, **form)
    async with scene.at_work():
        code = await shown_code(scene, account)
        page = (await ada.get(path_of(acme, f"devices/{account.id}/pair"))).text
    assert re.fullmatch(r"\w{4}-\w{4}", code)
    assert f'<p class="code">{code}</p>' in page


async def test_what_waits_is_shown_with_its_age(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    for text in ("one", "two"):
        await scene.send(device, Text(text))
    await scene.rows("UPDATE message_queue SET queued_at = now() - interval '2 hours'")
    assert "for 2 h<" in (await ada.get(path_of(acme, "devices"))).text
    page = (await ada.get(path_of(acme, f"devices/{device.id}"))).text
    assert "<strong>2</strong> waiting, the oldest for 2 h" in page


async def test_the_history_says_of_a_restriction_what_it_is(
    database_url: str, tmp_path: Path
) -> None:
    async with open_inbox(database_url, tmp_path) as scene:
        ada = await scene.member("ada", MemberRole.OWNER)
        until = datetime.now(UTC) + timedelta(hours=2)
        await scene.report(SessionState(AccountStatus.CONNECTED))
        await scene.report(Restricted("new_conversations", until, "Too many people."))
        page = (await ada.get(scene.path(f"devices/{scene.account.id}"))).text
    newest, before = page.partition("Recent history")[2].partition("</ol>")[0].split("<li>")[1:3]
    assert re.search(r"restricted</span> <span>until <time [^>]+>[^<]+</time>: Too many", newest)
    assert f'datetime="{until.isoformat()}"' in newest
    assert "connected</span>" in before


async def test_settings_are_changed(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    path = path_of(acme, f"devices/{device.id}")
    answer = await ada.post(f"{path}/settings", name=device.name, send_rate="30", warm_up="yes")
    assert answer.headers["location"] == f"{path}?done=saved"
    now = await scene.account(device)
    assert (now.send_rate, now.auto_warmer_enabled, now.message_logging_enabled) == (
        30,
        True,
        False,
    )
    assert "0 of 20" in (await ada.get(path)).text
    for bad in ({"send_rate": "fast"}, {"name": " "}, {"name": "x" * 101}):
        answer = await ada.post(f"{path}/settings", **{"name": device.name, "send_rate": ""} | bad)
        assert answer.status_code == 422, bad
    assert await scene.account(device) == now


async def test_a_device_is_renamed_and_made_the_primary_one(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []
    notify = Notifications.notify

    def listen(self: Notifications, *which: str) -> None:
        told.extend(which)
        notify(self, *which)

    monkeypatch.setattr(Notifications, "notify", listen)
    acme, ada = await scene.acme(MemberRole.OWNER)
    first, other = await scene.device(acme), await scene.device(acme, name="Old desk")
    path = path_of(acme, f"devices/{other.id}")
    assert "Make it the primary device" in (await ada.get(path)).text
    same = {"send_rate": str(other.send_rate or ""), "log_messages": "yes"}
    await ada.post(f"{path}/settings", name="  New desk ", primary="yes", **same)
    changed = await scene.account(other)
    assert (changed.name, changed.is_primary) == ("New desk", True)
    assert not (await scene.account(first)).is_primary
    page = (await ada.get(path)).text
    assert "<title>New desk" in page
    assert "Make it the primary device" not in page
    audit = (await ada.get(path_of(acme, "audit"))).text
    assert re.search(r"name before.{0,40}Old desk", re.sub(r"<[^>]+>", " ", audit), re.DOTALL)
    assert account_changed(other.id) not in told, "its connection does not depend on that"
    updated_at = changed.updated_at
    await ada.post(f"{path}/settings", name="New desk", **same)
    assert (await scene.account(other)).updated_at == updated_at, "nothing was to be changed"
    await ada.post(f"{path}/settings", name="New desk", **same | {"send_rate": "7"})
    assert account_changed(other.id) in told


async def test_a_device_is_logged_out_and_paired_again(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    path = path_of(acme, f"devices/{device.id}")
    async with scene.at_work():
        first = await scene.connected(device)
        answer = await ada.post(f"{path}/log-out")
        assert answer.headers["location"] == f"{path}?done=logged-out"
        await scene.until_status(device, AccountStatus.LOGGED_OUT)
        assert "Pair again" in (await ada.get(path)).text
        assert (await ada.post(f"{path}/reconnect")).headers["location"] == f"{path}/pair"
        again = await scene.connected(device)
    assert again.last_connected_at != first.last_connected_at
    told = await scene.actions(acme)
    assert {"account_log_out_asked", "account_logged_out", "account_paired_again"} <= set(told)
    page = (await ada.get(path)).text.partition("Recent history")[2]
    assert page.index("connected") < page.index("pairing") < page.index("logged out")


async def test_a_device_connects_anew_when_it_is_told_to(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    async with scene.at_work():
        before = await scene.connected(device)
        await ada.post(path_of(acme, f"devices/{device.id}/reconnect"))
        await scene.until(
            lambda: scene.account(device),
            lambda now: now.last_connected_at != before.last_connected_at,
        )
    assert "account_reconnected" in await scene.actions(acme)


async def test_a_device_is_removed_with_what_waits_for_it(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device, other = await scene.device(acme), await scene.device(acme, "Second")
    await scene.send(device, Text("Hello"))
    path = path_of(acme, f"devices/{device.id}/remove")
    assert (await ada.post(path, name="front desk")).status_code == 422, "not its name"
    assert (await ada.post(path, name="Front desk")).status_code == 303
    assert [account.id for account in await scene.gateway.accounts.list(operator(acme.tenant))] == [
        other.id
    ]
    assert (await scene.account(other)).is_primary
    assert await scene.rows("SELECT status FROM messages") == [{"status": "canceled"}]
    assert await told_of_messages(scene) == ["message.canceled"]
    assert await counted(scene) == {"canceled": 1, "queued": 0}
    assert (await scene.actions(acme))[0] == "account_removed"


async def test_a_removal_that_was_cut_short_is_finished_by_whoever_looks_next(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    await scene.send(device, Text("Hello"))
    with monkeypatch.context() as patched:
        patched.setattr("heliograph.core.removals.service.end_waiting", die)
        with pytest.raises(ConnectionError):
            await ada.post(path_of(acme, f"devices/{device.id}/remove"), name="Front desk")
    assert await scene.rows("SELECT status FROM messages") == [{"status": "queued"}]

    await finish(scene)

    assert await scene.rows("SELECT status FROM messages") == [{"status": "canceled"}]
    assert await told_of_messages(scene) == ["message.canceled"]
    assert await counted(scene) == {"canceled": 1, "queued": 0}
    assert len(await scene.rows("SELECT 1 FROM removed_accounts")) == 1, "a late one may come"
    await scene.rows("UPDATE removed_accounts SET removed_at = now() - interval '2 minutes'")
    await finish(scene)
    assert await scene.rows("SELECT 1 FROM removed_accounts") == []


async def test_networks_forget_a_removed_account_even_if_they_could_not_at_once(
    scene: DashboardScene, monkeypatch: pytest.MonkeyPatch
) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    networks, forgotten = scene.gateway.networks, []

    async def forget(account_id: UUID) -> None:
        forgotten.append(account_id)
        if len(forgotten) == 1:
            raise NetworkError("The database is away.")

    monkeypatch.setattr(networks.get_network("sandbox"), "forget", forget)
    await ada.post(path_of(acme, f"devices/{device.id}/remove"), name="Front desk")
    await finish(scene)
    assert forgotten == [], "its session may not be closed yet"
    await scene.rows("UPDATE removed_accounts SET removed_at = now() - interval '2 minutes'")

    with pytest.raises(NetworkError):  # the chore is seen to fail
        await finish(scene)
    assert len(await scene.rows("SELECT 1 FROM removed_accounts")) == 1
    await finish(scene)
    assert await scene.rows("SELECT 1 FROM removed_accounts") == []
    assert forgotten == [device.id, device.id]


async def finish(scene: DashboardScene) -> None:
    gateway = scene.gateway
    await finish_removals(gateway.database, gateway.notifications, gateway.networks)


async def die(*_: object, **__: object) -> None:
    raise ConnectionError


async def told_of_messages(scene: DashboardScene) -> list[str]:
    rows = await scene.rows("SELECT type FROM events WHERE type LIKE 'message.%' ORDER BY seq")
    return [row["type"] for row in rows]


async def counted(scene: DashboardScene) -> dict[str, int]:
    rows = await scene.rows(
        "SELECT status, sum(n)::int AS n FROM message_counts GROUP BY status ORDER BY status"
    )
    return {row["status"]: row["n"] for row in rows}


async def test_a_connected_device_is_not_removed(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    device = await scene.device(acme)
    async with scene.at_work():
        await scene.connected(device)
        path = path_of(acme, f"devices/{device.id}/remove")
        answer = await ada.post(path, name="Front desk")
    assert answer.status_code == 409
    assert "log it out first" in answer.text


async def test_an_organization_without_devices_is_led_to_its_first(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    assert path_of(acme, "devices/connect") in (await ada.get(path_of(acme))).text
    device = await scene.device(acme)
    assert path_of(acme, f"devices/{device.id}") in (await ada.get(path_of(acme))).text


async def test_a_part_of_a_page_is_not_filled_with_the_sign_in(scene: DashboardScene) -> None:
    acme, ada = await scene.acme(MemberRole.OWNER)
    await ada.browser.post("/dashboard/sign-out", data={FIELD: csrf_token(ada.token)})
    answer = await ada.browser.get(path_of(acme, "devices"), headers={"HX-Request": "true"})
    assert answer.status_code == 401
    assert answer.text == ""
