"""Everything that can be set, and the only reader of the environment.

A group is a small class; a field of it is one environment variable: the group's prefix and the
field's name in capitals (`settings.database.url` is `HELIOGRAPH_DATABASE_URL`). An empty variable
counts as unset. `load_settings` raises `ConfigurationError`, one sentence that names the variable.
"""

import base64
import os
import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network, ip_network
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any, Self
from urllib.parse import parse_qs, urlsplit

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    SecretStr,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from heliograph.errors import ConfigurationError


class Role(StrEnum):
    """What a node does: answer requests, hold accounts' sessions, post webhooks."""

    API = "api"
    SESSIONS = "sessions"
    DELIVERIES = "deliveries"


class AllowPrivate(StrEnum):
    """Which addresses that are not public a webhook may be posted to."""

    NONE = "none"
    LOOPBACK = "loopback"
    ALL = "all"


class LogFormat(StrEnum):
    """`auto` is `console` on a terminal and `json` elsewhere."""

    AUTO = "auto"
    CONSOLE = "console"
    JSON = "json"


_ROLES = ", ".join(Role)
_LEAST_DISTINCT = 8
MAKE_KEY = (
    "make a key with: python3 -c "
    '"import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())"'
)
_HOST = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::([0-9]{1,5}))?")


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def _config(prefix: str) -> SettingsConfigDict:
    return SettingsConfigDict(env_prefix=prefix, env_ignore_empty=True, frozen=True, extra="forbid")


def _split(value: Any) -> Any:
    """A comma-separated variable as its parts, without blanks and empty ones."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def _check_scheme(url: str, *schemes: str) -> None:
    if urlsplit(url).scheme not in schemes:
        raise ValueError("must begin with " + " or ".join(f"{scheme}://" for scheme in schemes))


def _check_hosts(url: str) -> None:
    """`host:port` and several of them with commas. What is wrong is not shown: an unescaped sign in
    a password makes a part of it the port."""
    for host in urlsplit(url).netloc.rpartition("@")[2].split(","):
        match = _HOST.fullmatch(host)
        if match is None or int(match[1] or 0) > 65_535:
            raise ValueError(
                "has a port that is none; in a password write / as %2F, # as %23, ? as %3F, "
                "@ as %40, : as %3A"
            )


class ServerSettings(BaseSettings):
    """Where the gateway listens and how many nodes it starts."""

    model_config = _config("HELIOGRAPH_")

    host: str = Field(
        default="127.0.0.1",
        min_length=1,
        description="Address to listen on. `0.0.0.0` listens on every interface.",
    )
    port: int = Field(
        default=8000,
        ge=0,
        le=65535,
        description="TCP port to listen on. `0` takes any free port.",
    )
    public_url: str | None = Field(
        default=None,
        description="Base of every link that the gateway hands out, as clients reach it. "
        "Default: `http://<host>:<port>`.",
    )
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = Field(
        default=(),
        description="Addresses or networks of the proxies before the gateway, such as `127.0.0.1` "
        "or `10.0.0.0/8`, separated by commas: whom they name in `X-Forwarded-For` is who the "
        "client is, for limits by address. Default: none, the client is who connects.",
    )
    nodes: int = Field(
        default=1,
        ge=1,
        le=256,
        description="How many node processes `heliograph serve` starts: one for each core.",
    )
    roles: Annotated[frozenset[Role], NoDecode] = Field(
        default=frozenset(Role),
        min_length=1,
        description="What the nodes of this machine do, separated by commas: `api` answers "
        "requests, `sessions` holds accounts' connections, `deliveries` posts webhooks.",
    )
    shards: int = Field(
        default=1,
        ge=1,
        le=1024,
        description="How many shards new organizations are spread over. An installation that "
        "means to outgrow one PostgreSQL sets 64 from the start.",
    )

    @field_validator("roles", mode="before")
    @classmethod
    def _split_roles(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        names = _split(value)
        if strange := [name for name in names if name not in set(Role)]:
            raise ValueError(f"there is no role {strange[0]!r}; there are {_ROLES}")
        if not names:
            raise ValueError(f"it names no role; there are {_ROLES}")
        return names

    @field_validator("trusted_proxies", mode="before")
    @classmethod
    def _read_networks(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        try:
            return tuple(ip_network(text) for text in _split(value))
        except ValueError as error:
            raise ValueError(f"has what is neither an address nor a network: {error}") from None

    @field_validator("public_url")
    @classmethod
    def _check_public_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        _check_scheme(value, "http", "https")
        return value.rstrip("/")


class ConnectionSettings(BaseSettings):
    """Connections of clients to the gateway's port."""

    model_config = _config("HELIOGRAPH_CONNECTION_")

    idle_seconds: int = Field(
        default=75,
        ge=1,
        le=3600,
        description="Seconds that a connection stays open between two requests: longer than the "
        "proxy before the gateway keeps its own, or requests meet connections that just close.",
    )
    limit: int = Field(
        default=4096,
        ge=1,
        description="Connections to one node at most; and never more than half of the files that "
        "its process may open.",
    )
    limit_per_address: int = Field(
        default=256,
        ge=1,
        description="Connections to one node from one address at most. This machine and trusted "
        "proxies are free of it.",
    )


class DataSettings(BaseSettings):
    """What the gateway keeps on this machine."""

    model_config = _config("HELIOGRAPH_DATA_")

    dir: Path = Field(
        default=Path(".heliograph"),
        description="Folder for the embedded database, the secret key, the demo's credentials "
        "and stored pictures. Made with mode 0700.",
    )


class DatabaseSettings(BaseSettings):
    """The PostgreSQL to use, and how."""

    model_config = _config("HELIOGRAPH_DATABASE_")

    url: SecretStr | None = Field(
        default=None,
        description="PostgreSQL 15 or newer, as `postgresql://user:password@host:5432/name`; "
        "several hosts with `target_session_attrs=read-write` for one that fails over. "
        "Default: a private PostgreSQL in the data directory.",
    )
    pool_size: int = Field(
        default=10,
        ge=2,
        le=1000,
        description="Connections that one node keeps at most, besides two: for notifications and "
        "for its lease.",
    )
    connect_timeout: float = Field(
        default=2.0, gt=0, le=60, description="Seconds to wait for a connection to be made."
    )
    statement_timeout: float = Field(
        default=5.0,
        gt=0,
        le=3600,
        description="Seconds that one statement may take. A process that stands still keeps its "
        "rows from the others for twice as long: above 5, its accounts move later than in 20 s.",
    )

    @field_validator("url")
    @classmethod
    def _check_url(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            _check_scheme(value.get_secret_value(), "postgresql", "postgres")
            _check_hosts(value.get_secret_value())
        return value


class EmbeddedSettings(BaseSettings):
    """The private PostgreSQL, used when no database URL is set."""

    model_config = _config("HELIOGRAPH_EMBEDDED_")

    user: str | None = Field(
        default=None,
        description="System user that runs the private PostgreSQL when the gateway is started as "
        "root. Default: the first of `heliograph`, `postgres` and `nobody` that exists.",
    )
    dir: Path | None = Field(
        default=None,
        description="Folder for the private PostgreSQL's files. Default: inside the data "
        "directory; as root, where the server's user can't reach that, a folder of this "
        "installation's own under `/var/lib/heliograph`.",
    )


class SecretSettings(BaseSettings):
    """Keys for what is stored encrypted."""

    model_config = _config("HELIOGRAPH_SECRET_")

    keys: Annotated[tuple[SecretStr, ...], NoDecode] = Field(
        default=(),
        description="Keys that encrypt webhook secrets and network credentials: each 32 random "
        "bytes in URL-safe base64, separated by commas, newest first; examples are refused. Needed "
        "with a database URL. Default for the private PostgreSQL: made once as `secret.key` in the "
        "data directory.",
    )

    _split_keys = field_validator("keys", mode="before")(_split)

    @field_validator("keys")
    @classmethod
    def _check_newest(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        """Older ones are let through: what they have encrypted is still to be read."""
        if value and _is_example(value[0].get_secret_value()):
            raise ValueError(
                f"the first key is an example and not random, so that anybody has it; {MAKE_KEY}, "
                "and put it first: what the other has encrypted stays readable behind it"
            )
        return value


def _is_example(key: str) -> bool:
    """Whether a key repeats itself or counts, as no 32 random bytes do."""
    try:
        material = base64.urlsafe_b64decode(key.rstrip("=") + "=")
    except ValueError:  # who reads the keys says what is wrong
        return False
    steps = {(after - before) % 256 for before, after in pairwise(material)}
    return len(steps) == 1 or len(set(material)) < _LEAST_DISTINCT


class WebhookSettings(BaseSettings):
    """Posting webhooks."""

    model_config = _config("HELIOGRAPH_WEBHOOK_")

    allow_private: AllowPrivate | None = Field(
        default=None,
        description="Addresses beyond public ones that webhooks may be posted to, and where the "
        "servers of accounts may be that are named in their forms: `none`, `loopback` or `all`. "
        "The gateway's own ports are never among them. Default: `loopback` with the private "
        "PostgreSQL while the address listened on and the public URL are on loopback, else `none`.",
    )


class LogSettings(BaseSettings):
    """What is logged, and how."""

    model_config = _config("HELIOGRAPH_LOG_")

    format: LogFormat = Field(
        default=LogFormat.AUTO,
        description="`console` for people, `json` for machines, `auto` for the one that fits: "
        "`console` on a terminal, else `json`.",
    )
    level: LogLevel = Field(
        default=LogLevel.INFO,
        description="The least level that is logged: `debug`, `info`, `warning` or `error`.",
    )

    @field_validator("format", "level", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value


class MetricsSettings(BaseSettings):
    """`GET /metrics`."""

    model_config = _config("HELIOGRAPH_METRICS_")

    token: SecretStr | None = Field(
        default=None,
        description="Bearer token that `/metrics` asks for. Without it, `/metrics` answers "
        "to clients on this machine alone, and only while the gateway listens on loopback and its "
        "public URL leads there, too.",
    )


class ObjectSettings(BaseSettings):
    """Where pictures and media are kept."""

    model_config = _config("HELIOGRAPH_OBJECTS_")

    url: str | None = Field(
        default=None,
        description="Object storage for pictures and media, such as `s3://bucket/prefix` or "
        "`file:///srv/heliograph`. Default: the folder `objects` in the data directory.",
    )


class SignInSettings(BaseSettings):
    """The OpenID Connect provider with which people sign in to the dashboard."""

    model_config = _config("HELIOGRAPH_OIDC_")

    issuer: str | None = Field(
        default=None,
        description="Issuer of the OpenID Connect provider with which people sign in, such as "
        "`https://login.example.com`. Default: nobody can sign in, unless `serve --demo` brings a "
        "provider for this machine alone.",
    )
    client_id: str = Field(
        default="heliograph", min_length=1, description="Who the gateway is to that provider."
    )
    client_secret: SecretStr | None = Field(
        default=None, description="The secret that goes with the client id, where there is one."
    )

    @field_validator("issuer")
    @classmethod
    def _check_issuer(cls, value: str | None) -> str | None:
        if value is not None and not (value.startswith("https://") or is_loopback_url(value)):
            raise ValueError("must begin with https://, or be on this machine")
        return value


LOCAL_CLIENT_ID = "heliograph"
"""Who the gateway is to the demo's own sign-in."""
TRY_OUT_PATH = "/try-out"
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


def is_loopback_url(url: str) -> bool:
    """Whether an http URL leads to this very machine."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname in _LOOPBACK


class McpSettings(BaseSettings):
    """The tool server for AI coding tools, at `/mcp`."""

    model_config = _config("HELIOGRAPH_MCP_")

    hosts: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Names, each with its port where that is not the usual one, under which the "
        "tool server answers besides the public URL's and this machine's own: what clients send as "
        "`Host`, separated by commas.",
    )
    origins: Annotated[tuple[str, ...], NoDecode] = Field(
        default=(),
        description="Pages that may call the tool server, such as `https://tools.example.com`, "
        "separated by commas. What is no page in a browser needs none of this.",
    )

    _split_lists = field_validator("hosts", "origins", mode="before")(_split)

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            _check_scheme(origin, "http", "https")
        return value


class RateLimitSettings(BaseSettings):
    """Where requests are counted; how many are allowed with a key is the plan's."""

    model_config = _config("HELIOGRAPH_RATE_LIMIT_")

    url: SecretStr | None = Field(
        default=None,
        description="Where rates are counted when there is more than one API node, such as "
        "`redis://host:6379/0`. Default: in each node's memory, the full rate on each.",
    )
    address: int = Field(
        default=1200,
        ge=1,
        description="Requests a minute from one address that need no key or session, or come "
        "with a wrong one; ten times as many from this machine and from trusted proxies.",
    )
    person: int = Field(
        default=900,
        ge=1,
        description="Pages of the dashboard a minute for one person, with all that pages fetch by "
        "themselves.",
    )


class RetentionSettings(BaseSettings):
    """How long what is over is kept. Messages are kept as long as the plan says."""

    model_config = _config("HELIOGRAPH_RETENTION_")

    hour: int = Field(
        default=3,
        ge=0,
        le=23,
        description="Hour of the day, in UTC, from which one node deletes what is too old.",
    )
    event_days: int = Field(
        default=30,
        ge=1,
        le=36500,
        description="Days that an event is kept, with its payload, for redelivery; longer while a "
        "delivery of it waits.",
    )
    delivery_days: int = Field(
        default=30,
        ge=1,
        le=36500,
        description="Days that a webhook delivery is kept after its end, with its attempts.",
    )
    job_days: int = Field(
        default=30,
        ge=1,
        le=36500,
        description="Days that a job, such as a contact synchronisation, is kept after its end.",
    )


class Settings(BaseModel):
    """All groups. Fields that depend on one another are answered by the properties."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: ServerSettings = Field(default_factory=ServerSettings)
    connection: ConnectionSettings = Field(default_factory=ConnectionSettings)
    data: DataSettings = Field(default_factory=DataSettings)
    database: DatabaseSettings = Field(default_factory=DatabaseSettings)
    embedded: EmbeddedSettings = Field(default_factory=EmbeddedSettings)
    secret: SecretSettings = Field(default_factory=SecretSettings)
    webhook: WebhookSettings = Field(default_factory=WebhookSettings)
    log: LogSettings = Field(default_factory=LogSettings)
    metrics: MetricsSettings = Field(default_factory=MetricsSettings)
    objects: ObjectSettings = Field(default_factory=ObjectSettings)
    sign_in: SignInSettings = Field(default_factory=SignInSettings)
    rate_limit: RateLimitSettings = Field(default_factory=RateLimitSettings)
    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    mcp: McpSettings = Field(default_factory=McpSettings)
    has_local_sign_in: bool = False  # as the supervisor settles it, never by the environment

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        if self.database.url is not None and not self.secret.keys:
            raise ValueError(
                "HELIOGRAPH_SECRET_KEYS must be set together with HELIOGRAPH_DATABASE_URL; "
                + MAKE_KEY
            )
        return self

    @property
    def is_embedded(self) -> bool:
        """Whether the gateway brings its own PostgreSQL."""
        return self.database.url is None

    @property
    def database_url(self) -> str:
        """The database to connect to. Raises `ConfigurationError` when none is settled yet."""
        if self.database.url is None:
            raise ConfigurationError("HELIOGRAPH_DATABASE_URL is not set.")
        return self.database.url.get_secret_value()

    @property
    def has_several_database_hosts(self) -> bool:
        """Whether the database is one that can fail over to another host."""
        url = urlsplit("" if self.database.url is None else self.database.url.get_secret_value())
        return "," in url.netloc.rpartition("@")[2] or any(
            "," in host for host in parse_qs(url.query).get("host", [])
        )

    @property
    def data_dir(self) -> Path:
        """The data directory as an absolute path."""
        return self.data.dir.expanduser().absolute()

    @property
    def public_url(self) -> str:
        """The base of every link, without a slash at its end."""
        if self.server.public_url is not None:
            return self.server.public_url
        host = f"[{self.server.host}]" if ":" in self.server.host else self.server.host
        return f"http://{host}:{self.server.port}"

    @property
    def objects_url(self) -> str:
        """Where pictures and media are kept, as a URL."""
        return self.objects.url or (self.data_dir / "objects").as_uri()

    @property
    def allow_private(self) -> AllowPrivate:
        """Which addresses that are not public a webhook may be posted to."""
        if self.webhook.allow_private is not None:
            return self.webhook.allow_private
        return (
            AllowPrivate.LOOPBACK
            if self.is_embedded and self.is_for_this_machine_alone
            else AllowPrivate.NONE
        )

    @property
    def is_for_this_machine_alone(self) -> bool:
        """Whether nobody is meant to come from outside."""
        return is_loopback_url(self.public_url) and self.server.host in _LOOPBACK

    @property
    def is_behind_a_proxy(self) -> bool:
        """Whether it listens on loopback alone, and is reached from elsewhere."""
        return self.server.host in _LOOPBACK and not is_loopback_url(self.public_url)

    @property
    def own_ports(self) -> frozenset[int]:
        """Ports at which the gateway, or what signs people in beside it, listens on this machine;
        the nodes' own are chosen when they start."""
        issuer = self.sign_in.issuer
        if issuer is None or not is_loopback_url(issuer):
            return frozenset({self.server.port})
        return frozenset({self.server.port, urlsplit(issuer).port or 80})

    @property
    def try_out_url(self) -> str | None:
        """An endpoint of the gateway's own that takes every webhook; None where none may lead to
        this very machine."""
        if self.allow_private is AllowPrivate.NONE or not is_loopback_url(self.public_url):
            return None
        return self.public_url + TRY_OUT_PATH

    @property
    def allows_sessions(self) -> bool:
        """Whether people can sign in: nobody must be able to overhear a session."""
        return self.public_url.startswith("https://") or is_loopback_url(self.public_url)

    @property
    def allows_local_sign_in(self) -> bool:
        """Whether a demo may bring a provider for who sits at this machine: where there is none,
        nobody from outside can come, and nothing but its own database is used."""
        return (
            self.is_embedded
            and self.sign_in.issuer is None
            and Role.API in self.server.roles
            and is_loopback_url(self.public_url)
            and self.server.host in _LOOPBACK
        )

    def with_local_sign_in(self, issuer: str) -> "Settings":
        """These settings with the demo's own provider, which gives out no secrets."""
        found = {"issuer": issuer, "client_id": LOCAL_CLIENT_ID, "client_secret": None}
        sign_in = self.sign_in.model_copy(update=found)
        return self.model_copy(update={"sign_in": sign_in, "has_local_sign_in": True})

    def with_database(self, url: str, keys: Sequence[SecretStr]) -> "Settings":
        """These settings with the private PostgreSQL that was found or started.

        What defaults to another value beside a private PostgreSQL keeps that value.
        """
        return self.model_copy(
            update={
                "database": self.database.model_copy(update={"url": SecretStr(url)}),
                "secret": self.secret.model_copy(update={"keys": tuple(keys)}),
                "webhook": self.webhook.model_copy(update={"allow_private": self.allow_private}),
            }
        )

    def with_address(self, host: str, port: int, public_url: str | None) -> "Settings":
        """These settings with the address at which a gateway answers."""
        update = {"host": host, "port": port, "public_url": public_url}
        return self.model_copy(update={"server": self.server.model_copy(update=update)})

    def with_port(self, port: int) -> "Settings":
        """These settings with the port that was really bound."""
        return self.model_copy(update={"server": self.server.model_copy(update={"port": port})})


def load_settings(**options: str | None) -> Settings:
    """The settings of this process. Raises `ConfigurationError`.

    `options` are a command's own, by the fields of `ServerSettings`; one that is not None holds
    instead of its variable.
    """
    given: dict[str, Any] = {name: text for name, text in options.items() if text is not None}
    try:
        return Settings(server=ServerSettings(**given))
    except ValidationError as error:
        raise ConfigurationError(_sentence(error, given)) from None


def _sentence(error: ValidationError, options: Container[str]) -> str:
    first = error.errors(include_url=False)[0]
    message = first["msg"].removeprefix("Value error, ").rstrip(".")
    if not first["loc"]:
        return message + "."
    field = str(first["loc"][0])
    is_option = error.title == ServerSettings.__name__ and field in options
    name = f"--{field}" if is_option else _variable(error.title, field)
    return f"{name} is not usable: {message[0].lower()}{message[1:]}."


def _variable(class_name: str, field: str) -> str:
    for _, group in _groups():
        if group.__name__ == class_name:
            return str(group.model_config.get("env_prefix", "")) + field.upper()
    return field


def _groups() -> Iterator[tuple[str, type[BaseSettings]]]:
    for name, field in Settings.model_fields.items():
        group = field.annotation
        if isinstance(group, type) and issubclass(group, BaseSettings):
            yield name, group


@dataclass(frozen=True, slots=True)
class Variable:
    """One environment variable: `path` is where it is read as, `settings.<path>`."""

    name: str
    path: str
    default: Any
    description: str


def list_variables() -> list[Variable]:
    """Every variable the gateway reads, for the reference in the documentation and `doctor`."""
    return [
        Variable(
            name=_variable(group.__name__, field),
            path=f"{name}.{field}",
            default=info.get_default(call_default_factory=False),
            description=info.description or "",
        )
        for name, group in _groups()
        for field, info in group.model_fields.items()
    ]


def list_unknown_variables() -> list[str]:
    """Variables that begin with HELIOGRAPH_ and mean nothing: most likely typing errors."""
    known = {variable.name for variable in list_variables()}
    return sorted(
        name for name in os.environ if name.startswith("HELIOGRAPH_") and name not in known
    )


def child_environment(settings: Settings) -> dict[str, str]:
    """The environment of a node: this process's own, with what the supervisor has settled."""
    return os.environ | {
        "HELIOGRAPH_DATABASE_URL": settings.database_url,
        "HELIOGRAPH_SECRET_KEYS": ",".join(key.get_secret_value() for key in settings.secret.keys),
        "HELIOGRAPH_HOST": settings.server.host,
        "HELIOGRAPH_PORT": str(settings.server.port),
        "HELIOGRAPH_NODES": str(settings.server.nodes),
        "HELIOGRAPH_ROLES": ",".join(sorted(settings.server.roles)),
        "HELIOGRAPH_WEBHOOK_ALLOW_PRIVATE": settings.allow_private.value,
        "HELIOGRAPH_DATA_DIR": str(settings.data_dir),
    }


_HARMLESS = re.compile(r"PATH|HOME|LANG|LC_\w+|TZ|TMPDIR|LD_LIBRARY_PATH|PYTHON\w+")


def local_sign_in_environment() -> dict[str, str]:
    """The environment of the demo's own sign-in: what a Python program needs to run, and nothing of
    the gateway's. It is given the little that it has to know on its command line."""
    return {name: value for name, value in os.environ.items() if _HARMLESS.fullmatch(name)}
