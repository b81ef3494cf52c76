"""`heliograph doctor`: each fault is found, named and comes with its remedy."""

import asyncio
import os
import shutil
import signal
import socket
from collections.abc import Callable, Iterator
from importlib.metadata import EntryPoint
from pathlib import Path
from uuid import uuid4

import asyncpg
import pytest
from pydantic import SecretStr

from citus import fetch
from connections import connected
from core_scene import playing, register
from databases import name_database, run
from free_ports import free_port
from heliograph.core.health import doctor
from heliograph.core.health.configuration import check_networks
from heliograph.core.health.doctor import examine
from heliograph.core.health.guard import guard_awaited
from heliograph.core.health.model import Check, CheckStatus
from heliograph.networks.registry import GROUP, NetworkRegistry
from heliograph.platform.crypto import SecretBox, generate_secret_key, parse_secret_keys
from heliograph.platform.embedded.server import EmbeddedPostgres
from heliograph.settings import (
    AllowPrivate,
    DatabaseSettings,
    DataSettings,
    RateLimitSettings,
    SecretSettings,
    ServerSettings,
    Settings,
    SignInSettings,
    WebhookSettings,
)
from local_provider import running_local_provider
from prepared_data import prepare_data

KEY = generate_secret_key()
ROLE = "role"


@pytest.fixture
def port() -> int:
    return free_port()


@pytest.fixture
def fresh(tmp_path: Path, port: int) -> Settings:
    """Of a gateway that has never been started."""
    return Settings(server=ServerSettings(port=port), data=DataSettings(dir=tmp_path / "data"))


@pytest.fixture
def external(fresh: Settings) -> Callable[[str], Settings]:
    secret = SecretSettings(keys=(SecretStr(KEY),))

    def settings(url: str) -> Settings:
        database = DatabaseSettings(url=SecretStr(url))
        return fresh.model_copy(update={"database": database, "secret": secret})

    return settings


@pytest.fixture
def private(reachable_dir: Path, port: int) -> Settings:
    """Where the server of a private database can lie."""
    data = DataSettings(dir=reachable_dir / "doctor")
    return Settings(server=ServerSettings(port=port), data=data)


@pytest.fixture
def running(private: Settings) -> Iterator[Settings]:
    """Settings of a private database whose gateway is running."""
    prepare_data(private.data_dir)
    server = EmbeddedPostgres(private)
    try:
        server.start()
        yield private
    finally:
        server.stop()


def faults(settings: Settings) -> dict[str, Check]:
    checks = asyncio.run(examine(settings))
    assert all(check.remedy for check in checks if check.status is not CheckStatus.OK)
    found = {check.name: check for check in checks if check.status is not CheckStatus.OK}
    found.pop(ROLE, None)  # the tests' own role is a superuser
    return found


async def _store_canary(url: str, keys: list[str]) -> None:
    box = SecretBox(parse_secret_keys(keys))
    async with connected(url) as connection:
        await connection.execute(
            "INSERT INTO secret_canaries (key_id, ciphertext, created_at) VALUES ($1, $2, now())",
            parse_secret_keys(keys)[0].key_id,
            box.make_canary(),
        )


def test_nothing_is_wrong_before_the_first_start(fresh: Settings) -> None:
    assert faults(fresh) == {}
    assert not fresh.data.dir.exists()


def test_nothing_is_wrong_with_a_running_gateway(running: Settings) -> None:
    subjects = {check.name for check in asyncio.run(examine(running))}
    assert {"database", "migrations", "secret keys", "clock"} <= subjects
    assert faults(running) == {}


def test_a_driver_that_can_not_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    def check(**drivers: str) -> Check:
        return check_networks(
            NetworkRegistry({name: EntryPoint(name, at, GROUP) for name, at in drivers.items()})
        )

    ours = {
        "sandbox": "heliograph.networks.sandbox:network",
        "xmpp": "heliograph.networks.xmpp:network",
    }
    monkeypatch.setattr("heliograph.networks.xmpp.is_installed", lambda package: False)
    found = check(**ours, pigeon="no_such_module:network")
    assert found.status is CheckStatus.FAILED
    assert "'pigeon' can't be loaded: No module named 'no_such_module'" in found.detail
    assert "xmpp" not in found.detail
    assert "restart" in found.remedy
    assert check(**ours) == Check("networks", CheckStatus.OK, "Drivers are installed for sandbox.")


def test_a_library_that_an_extra_would_bring(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("heliograph.networks.whatsapp.library.PACKAGE", "no_such_package")
    at = "heliograph.networks.whatsapp:network"
    networks = NetworkRegistry({"whatsapp": EntryPoint("whatsapp", at, GROUP)})
    assert "whatsapp" not in check_networks(networks).detail
    assert "heliograph[whatsapp]" in networks.list_unusable()["whatsapp"]


def test_a_storage_of_rates_that_does_not_answer(fresh: Settings) -> None:
    rates = RateLimitSettings(url=SecretStr("redis://:hunter2@127.0.0.1:1/0"))
    found = faults(fresh.model_copy(update={"rate_limit": rates}))["rates"]
    assert found.status is CheckStatus.WARNING
    assert "hunter2" not in found.detail


def test_webhooks_that_may_lead_to_a_machine_which_strangers_use(fresh: Settings) -> None:
    def found(allowed: AllowPrivate | None) -> dict[str, Check]:
        server = ServerSettings(port=fresh.server.port, public_url="https://gateway.example")
        webhook = WebhookSettings(allow_private=allowed)
        return faults(fresh.model_copy(update={"server": server, "webhook": webhook}))

    told = found(AllowPrivate.LOOPBACK)["webhooks"]
    assert (told.status, "this machine" in told.detail) == (CheckStatus.WARNING, True)
    assert "private" in found(AllowPrivate.ALL)["webhooks"].detail
    assert "webhooks" not in found(None)


def test_a_proxy_that_nobody_has_named(fresh: Settings) -> None:
    def is_missed(**server: str) -> bool:
        own = {"port": fresh.server.port, "public_url": "https://gateway.example"}
        found = ServerSettings.model_validate(own | server)
        return "proxies" in faults(fresh.model_copy(update={"server": found}))

    assert is_missed()
    assert not is_missed(trusted_proxies="127.0.0.1")
    assert not is_missed(trusted_proxies="::1,10.0.0.0/8")
    assert is_missed(trusted_proxies="10.0.0.0/8")
    assert is_missed(host="::")  # it speaks no https itself
    assert not is_missed(host="::", trusted_proxies="10.0.0.0/8")
    assert not is_missed(host="::", public_url="http://gateway.example")


def test_a_port_held_by_this_gateway_is_in_order(running: Settings) -> None:
    with socket.create_server(("127.0.0.1", running.server.port)):
        assert faults(running) == {}


def test_a_port_that_something_else_holds(fresh: Settings, port: int) -> None:
    with socket.create_server(("127.0.0.1", port)):
        fault = faults(fresh)["port"]
    assert fault.status is CheckStatus.FAILED
    assert fault.detail == f"Port {port} of 127.0.0.1 is taken: another program listens there."
    assert f"HELIOGRAPH_PORT={port + 1}" in fault.remedy


def test_a_data_directory_that_can_not_be_written(fresh: Settings) -> None:
    found = faults(fresh.model_copy(update={"data": DataSettings(dir=Path("/dev/null/data"))}))
    assert "HELIOGRAPH_DATA_DIR" in found["data directory"].remedy


def examine_provider(settings: Settings, issuer: str) -> Check:
    sign_in = SignInSettings(issuer=issuer)
    checks = asyncio.run(examine(settings.model_copy(update={"sign_in": sign_in})))
    return next(check for check in checks if check.name == "sign-in")


def test_a_sign_in_provider_that_can_be_used(running: Settings, tmp_path: Path) -> None:
    with running_local_provider(tmp_path) as provider:
        found = examine_provider(running, provider.url)
        assert (found.status, provider.url in found.detail) == (CheckStatus.OK, True)
        assert "/dashboard/callback" in found.detail
        found = examine_provider(running, provider.url + "/")
        assert found.status is CheckStatus.FAILED
        assert "is not the issuer" in found.detail
    found = examine_provider(running, provider.url)
    assert found.status is CheckStatus.FAILED
    assert "does not answer" in found.detail


def test_a_database_that_does_not_answer(external: Callable[[str], Settings]) -> None:
    fault = faults(external("postgresql://a:hunter2@127.0.0.1:1/x"))["database"]
    assert fault.status is CheckStatus.FAILED
    assert "hunter2" not in fault.detail


def test_a_database_that_says_nothing(external: Callable[[str], Settings]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        settings = external(f"postgresql://a@127.0.0.1:{port}/x")
        hasty = settings.database.model_copy(update={"connect_timeout": 0.5})
        fault = faults(settings.model_copy(update={"database": hasty}))["database"]
    assert fault.detail == "The database can't be reached: it does not answer."


def test_a_private_database_that_is_down_is_no_matter_of_a_setting(private: Settings) -> None:
    prepare_data(private.data_dir)
    server = EmbeddedPostgres(private)
    try:
        server.start()
        os.kill(server.postmaster.pid or 0, signal.SIGKILL)  # it leaves its socket behind
        fault = faults(private)["database"]
    finally:
        server.stop()
    assert fault.status is CheckStatus.FAILED
    assert "HELIOGRAPH_DATABASE_URL" not in fault.remedy
    assert "postgres.log" in fault.remedy


def test_a_private_database_on_a_full_disk_does_not_start_again_by_itself(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=DataSettings(dir=tmp_path))
    gone = ConnectionRefusedError()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10 * 1024**3))
    assert "What frees space" not in doctor._advise_on_connecting(settings, gone)
    assert "What frees space" in doctor._advise_on_connecting(settings, asyncpg.DiskFullError())
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=1024))
    assert "What frees space" in doctor._advise_on_connecting(settings, gone)


async def test_a_check_that_ends_in_an_exception_says_so() -> None:
    async def fail(error: Exception) -> Check:
        raise error

    for error, told in (
        (asyncpg.InsufficientPrivilegeError("permission denied for table nodes"), "The role a"),
        (PermissionError(13, "Permission denied", "/x"), "This can't be checked: [Errno 13]"),
        (KeyError("keys"), "KeyError: 'keys'"),
    ):
        check = await guard_awaited("nodes", fail(error), "a")
        assert (check.name, check.status) == ("nodes", CheckStatus.FAILED)
        assert told in check.detail
        assert check.remedy


def test_migrations_that_are_missing(
    external: Callable[[str], Settings], empty_database_url: str
) -> None:
    found = faults(external(empty_database_url))
    assert set(found) == {"migrations"}
    assert "heliograph migrate" in found["migrations"].remedy


def test_a_comma_in_a_database_url_is_no_second_host(
    external: Callable[[str], Settings], database_url: str
) -> None:
    separator = "&" if "?" in database_url else "?"
    found = faults(external(f"{database_url}{separator}application_name=one,two"))
    assert "standby" not in found


def test_webhooks_that_lead_where_nothing_is_posted(
    external: Callable[[str], Settings], database_url: str
) -> None:
    async def make_webhooks() -> None:
        async with playing(database_url) as scene:
            for url in ("http://127.0.0.1:9000/hook?token=hunter2", "https://example.com/hook"):
                await scene.webhooks.create(scene.principal, url)

    asyncio.run(make_webhooks())
    settings = external(database_url)
    fault = faults(settings)["endpoints"]
    assert fault.status is CheckStatus.WARNING
    assert fault.detail.startswith("Nothing is posted to enabled webhooks (1): 127.0.0.1 leads")
    assert "hunter2" not in fault.detail
    assert "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE" in fault.remedy
    allowing = WebhookSettings(allow_private=AllowPrivate.LOOPBACK)
    assert "endpoints" not in faults(settings.model_copy(update={"webhook": allowing}))


def test_a_role_that_no_living_node_has(
    external: Callable[[str], Settings], database_url: str
) -> None:
    async def start_a_node() -> None:
        async with playing(database_url) as scene:
            await register(scene.database, uuid4())

    asyncio.run(start_a_node())
    assert "no webhook is posted" in faults(external(database_url))["nodes"].detail


def test_a_database_that_knows_capitals_of_a_to_z_alone(
    external: Callable[[str], Settings], postgres_url: str
) -> None:
    name = f"test_{uuid4().hex}"
    locale = "ENCODING 'UTF8' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0"
    run(fetch(postgres_url, f"CREATE DATABASE {name} {locale}"))
    try:
        found = faults(external(name_database(postgres_url, name)))["letters"]
    finally:
        run(fetch(postgres_url, f"DROP DATABASE {name} WITH (FORCE)"))
    assert "élodie" in found.detail
    assert "LOCALE 'C.UTF-8'" in found.remedy


def test_a_superuser_of_an_external_database_is_advised_against(
    external: Callable[[str], Settings], database_url: str
) -> None:
    found = {check.name: check for check in asyncio.run(examine(external(database_url)))}
    assert found[ROLE].status is CheckStatus.WARNING
    assert "superuser" in found[ROLE].detail
    assert "HELIOGRAPH_DATABASE_URL" in str(found[ROLE].remedy)


def test_the_private_database_is_not_used_as_its_superuser(running: Settings) -> None:
    found = {check.name: check for check in asyncio.run(examine(running))}
    assert found[ROLE].status is CheckStatus.OK
    assert "heliograph_node is not a superuser" in found[ROLE].detail


def test_a_database_in_order(external: Callable[[str], Settings], database_url: str) -> None:
    asyncio.run(_store_canary(database_url, [KEY]))
    assert faults(external(database_url)) == {}


def test_keys_that_do_not_open_what_is_stored(
    external: Callable[[str], Settings], database_url: str
) -> None:
    asyncio.run(_store_canary(database_url, [generate_secret_key()]))
    fault = faults(external(database_url))["secret keys"]
    assert fault.status is CheckStatus.FAILED
    assert KEY not in fault.detail + fault.remedy


def test_a_key_that_the_gateway_does_not_work_with(
    external: Callable[[str], Settings], database_url: str
) -> None:
    settings = external(database_url)
    asyncio.run(_store_canary(database_url, [KEY]))
    new = [SecretStr(generate_secret_key()), SecretStr(KEY)]
    fault = faults(settings.with_database(database_url, new))["secret keys"]
    assert fault.status is CheckStatus.WARNING
    assert "does not have the newest secret key" in fault.detail


def test_accounts_whose_driver_is_not_installed(
    external: Callable[[str], Settings], database_url: str
) -> None:
    async def lose_a_driver() -> None:
        async with playing(database_url) as scene:
            await scene.rows("UPDATE accounts SET network = 'pigeon'")

    asyncio.run(lose_a_driver())
    fault = faults(external(database_url))["accounts"]
    assert fault.status is CheckStatus.FAILED
    assert "pigeon (1)" in fault.detail
