"""Settings: names, defaults, what depends on what, and errors that name the variable."""

import base64
import secrets
from pathlib import Path

import pytest
from pydantic import SecretStr

from each_case import for_each
from heliograph.errors import ConfigurationError
from heliograph.platform.crypto import generate_secret_key
from heliograph.settings import (
    AllowPrivate,
    LogLevel,
    Role,
    SecretSettings,
    Settings,
    child_environment,
    list_unknown_variables,
    list_variables,
    load_settings,
    local_sign_in_environment,
)

KEY = generate_secret_key()


def with_environment(monkeypatch: pytest.MonkeyPatch, **variables: str) -> Settings:
    for name, value in variables.items():
        monkeypatch.setenv(f"HELIOGRAPH_{name}", value)
    return load_settings()


def test_defaults_are_the_private_database_on_loopback() -> None:
    settings = load_settings()
    assert settings.is_embedded
    assert settings.public_url == "http://127.0.0.1:8000"
    assert settings.data_dir == Path(".heliograph").absolute()
    assert settings.objects_url == (Path(".heliograph").absolute() / "objects").as_uri()
    assert settings.allow_private is AllowPrivate.LOOPBACK
    assert settings.server.roles == set(Role)


def test_an_external_database_is_reached_and_private_addresses_are_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    settings = with_environment(
        monkeypatch, DATABASE_URL="postgresql://a:hunter2@db/x", SECRET_KEYS=f"{KEY}, {KEY}"
    )
    assert settings.database_url == "postgresql://a:hunter2@db/x"
    assert settings.allow_private is AllowPrivate.NONE
    assert len(settings.secret.keys) == 2
    assert "hunter2" not in repr(settings)
    assert KEY not in repr(settings)


@pytest.mark.parametrize(
    ("variables", "allowed"),
    [
        ({"PUBLIC_URL": "http://localhost:8000"}, AllowPrivate.LOOPBACK),
        ({"PUBLIC_URL": "https://gateway.example"}, AllowPrivate.NONE),
        ({"PUBLIC_URL": "http://192.168.1.2:8000"}, AllowPrivate.NONE),
        ({"HOST": "::"}, AllowPrivate.NONE),
        ({"HOST": "::", "PUBLIC_URL": "http://localhost:8000"}, AllowPrivate.NONE),
        (
            {"PUBLIC_URL": "https://gateway.example", "WEBHOOK_ALLOW_PRIVATE": "loopback"},
            AllowPrivate.LOOPBACK,
        ),
    ],
)
def test_loopback_is_for_webhooks_of_a_gateway_that_nobody_reaches_from_outside(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], allowed: AllowPrivate
) -> None:
    assert with_environment(monkeypatch, **variables).allow_private is allowed


@pytest.mark.parametrize(
    ("variables", "ports"),
    [
        ({}, {8000}),
        ({"PORT": "81", "OIDC_ISSUER": "https://login.example:9000"}, {81}),
        ({"OIDC_ISSUER": "http://127.0.0.1:9000"}, {8000, 9000}),
        ({"OIDC_ISSUER": "http://localhost"}, {8000, 80}),
    ],
)
def test_the_gateways_own_ports(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], ports: set[int]
) -> None:
    assert with_environment(monkeypatch, **variables).own_ports == ports


def test_a_database_url_without_keys_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigurationError, match="HELIOGRAPH_SECRET_KEYS"):
        with_environment(monkeypatch, DATABASE_URL="postgresql://db/x")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PORT", "eighty"),
        ("PORT", "70000"),
        ("NODES", "0"),
        ("ROLES", "api,cook"),
        ("ROLES", ","),
        ("SHARDS", "-1"),
        ("DATABASE_URL", "mysql://db/hunter2"),
        ("DATABASE_URL", "postgresql://a:hunter2#b@db/x"),
        ("DATABASE_URL", "postgresql://a:hunter2/b@db/x"),
        ("DATABASE_URL", "postgresql://a:b@db:hunter2/x"),
        ("DATABASE_URL", "postgresql://a:hunter2@db:99999/x"),
        ("PUBLIC_URL", "gateway.example"),
        ("WEBHOOK_ALLOW_PRIVATE", "some"),
        ("LOG_LEVEL", "loud"),
        ("LOG_FORMAT", "xml"),
        ("DATABASE_POOL_SIZE", "many"),
    ],
)
def test_a_wrong_value_is_one_sentence_that_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, value: str
) -> None:
    with pytest.raises(ConfigurationError) as caught:
        with_environment(monkeypatch, **{name: value})
    assert str(caught.value).startswith(f"HELIOGRAPH_{name} ")
    assert "\n" not in str(caught.value)
    assert "hunter2" not in str(caught.value)


def test_an_empty_variable_is_unset(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = with_environment(monkeypatch, PORT="", ROLES="", DATABASE_URL="")
    assert settings == Settings()


def test_lists_and_choices_are_read_generously(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = with_environment(monkeypatch, ROLES=" api , deliveries,", LOG_LEVEL="DEBUG")
    assert settings.server.roles == {Role.API, Role.DELIVERIES}
    assert settings.log.level is LogLevel.DEBUG


def test_a_node_reads_what_the_supervisor_settled(monkeypatch: pytest.MonkeyPatch) -> None:
    url = "postgresql://heliograph:p@/heliograph?host=/run/x"
    settled = Settings().with_database(url, [SecretStr(KEY), SecretStr(KEY)]).with_port(4711)
    for name, value in child_environment(settled).items():
        monkeypatch.setenv(name, value)

    node = load_settings()

    assert node.database_url == url
    assert node.secret.keys == settled.secret.keys
    assert node.public_url == "http://127.0.0.1:4711"
    assert node.allow_private is AllowPrivate.LOOPBACK


def test_a_node_does_what_an_option_of_the_supervisor_said(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HELIOGRAPH_ROLES", "sessions")
    monkeypatch.setenv("HELIOGRAPH_NODES", "no number, but the option holds")
    settled = load_settings(nodes="3", roles="api,deliveries").with_database("postgresql:///x", [])
    for name, value in (child_environment(settled) | {"HELIOGRAPH_SECRET_KEYS": KEY}).items():
        monkeypatch.setenv(name, value)

    node = load_settings()

    assert node.server.roles == {Role.API, Role.DELIVERIES}
    assert node.server.nodes == settled.server.nodes == 3


def test_without_options_the_variables_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIOGRAPH_NODES", "2")
    assert load_settings(nodes=None, roles=None).server.nodes == 2


@for_each(
    "options",
    [
        {"nodes": "0"},
        {"nodes": "257"},
        {"nodes": "two"},
        {"nodes": ""},
        {"roles": "api,cook"},
        {"roles": ","},
        {"roles": ""},
    ],
)
def test_a_wrong_option_is_one_sentence_that_names_it(options: dict[str, str]) -> None:
    with pytest.raises(ConfigurationError) as caught:
        load_settings(**options)
    [name] = options
    assert str(caught.value).startswith(f"--{name} is not usable: ")
    assert "\n" not in str(caught.value)


def test_a_wrong_variable_beside_a_right_option_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HELIOGRAPH_ROLES", "cook")
    with pytest.raises(ConfigurationError, match=r"^HELIOGRAPH_ROLES .*no role 'cook'"):
        load_settings(nodes="2")


def test_ipv6_hosts_are_bracketed_in_links(monkeypatch: pytest.MonkeyPatch) -> None:
    assert with_environment(monkeypatch, HOST="::1").public_url == "http://[::1]:8000"


def test_every_variable_is_described_and_read_from_its_path() -> None:
    variables = list_variables()
    assert len({variable.name for variable in variables}) == len(variables) > 20
    settings = Settings()
    for variable in variables:
        group, _, name = variable.path.partition(".")
        assert getattr(getattr(settings, group), name) == variable.default
        assert variable.description.endswith((".", "."))


def test_a_typing_error_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    with_environment(monkeypatch, PROT="8000", PORT="8001")
    assert "HELIOGRAPH_PROT" in list_unknown_variables()
    assert "HELIOGRAPH_PORT" not in list_unknown_variables()


def test_the_readers_own_key_is_no_typing_error(monkeypatch: pytest.MonkeyPatch) -> None:
    with_environment(monkeypatch, API_KEY="hg_…")
    assert list_unknown_variables() == []


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, True),
        ({"HOST": "127.0.0.1", "PUBLIC_URL": "http://localhost:8000"}, True),
        ({"HOST": "0.0.0.0"}, False),  # noqa: S104 - not bound here
        ({"PUBLIC_URL": "https://gateway.example.com"}, False),
        ({"ROLES": "sessions"}, False),
        ({"OIDC_ISSUER": "https://login.example.com"}, False),
        ({"DATABASE_URL": "postgresql://a:b@db/x", "SECRET_KEYS": KEY}, False),
    ],
    ids=lambda given: ",".join(given) or "defaults" if isinstance(given, dict) else str(given),
)
def test_a_sign_in_of_its_own_is_for_loopback_alone(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wanted: bool
) -> None:
    assert with_environment(monkeypatch, **variables).allows_local_sign_in is wanted


@pytest.mark.parametrize("issuer", ["http://login.example.com", "login.example.com", "ftp://x"])
def test_a_sign_in_that_could_be_overheard_is_refused(
    monkeypatch: pytest.MonkeyPatch, issuer: str
) -> None:
    with pytest.raises(ConfigurationError, match="HELIOGRAPH_OIDC_ISSUER"):
        with_environment(monkeypatch, OIDC_ISSUER=issuer)


def test_an_issuer_on_this_machine_is_not_taken_for_a_demos_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found = with_environment(monkeypatch, OIDC_ISSUER="http://127.0.0.1:8080/realms/x")
    assert not found.has_local_sign_in
    assert found.with_local_sign_in("http://127.0.0.1:4711").has_local_sign_in


def test_a_demos_own_sign_in_gets_an_environment_without_secrets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("HELIOGRAPH_SECRET_KEYS", "AWS_SECRET_ACCESS_KEY", "PGPASSWORD", "MY_PATH"):
        monkeypatch.setenv(name, "hunter2")
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    found = local_sign_in_environment()
    assert "hunter2" not in found.values()
    assert found["LC_ALL"] == "C.UTF-8"
    assert "PATH" in found


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({"PORT": "8000"}, "http://127.0.0.1:8000/try-out"),
        ({"PUBLIC_URL": "https://gateway.example"}, None),
        ({"WEBHOOK_ALLOW_PRIVATE": "none"}, None),
        ({"HOST": "0.0.0.0"}, None),  # noqa: S104 - not bound here
    ],
)
def test_a_try_out_endpoint_is_there_where_webhooks_may_lead_to_this_machine(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], wanted: str | None
) -> None:
    assert with_environment(monkeypatch, **variables).try_out_url == wanted


@pytest.mark.parametrize("material", [bytes(32), b"k" * 32, b"ab" * 16, bytes(range(32))])
def test_a_key_that_is_an_example_is_refused(
    monkeypatch: pytest.MonkeyPatch, material: bytes
) -> None:
    key = base64.urlsafe_b64encode(material).decode()
    with pytest.raises(ConfigurationError) as refused:
        with_environment(monkeypatch, SECRET_KEYS=f"{key},{KEY}")
    assert "HELIOGRAPH_SECRET_KEYS" in str(refused.value)
    assert "is an example" in str(refused.value)
    assert key not in str(refused.value)
    assert with_environment(monkeypatch, SECRET_KEYS=f"{KEY},{key}"), "behind a new one, to read"


def test_keys_that_are_random_are_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(1000):
        assert SecretSettings(keys=(SecretStr(generate_secret_key()),)).keys
    hexadecimal = base64.urlsafe_b64encode(secrets.token_hex(16).encode()).decode()
    assert with_environment(monkeypatch, SECRET_KEYS=hexadecimal)
