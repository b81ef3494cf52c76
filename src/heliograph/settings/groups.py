"""The settings, in groups. An empty variable counts as unset.

A field of a group is one environment variable: the group's prefix and the field's name in capitals.
The text below a field is its description in the reference (`docs/configuration.md`).
"""

from enum import StrEnum
from ipaddress import IPv4Network, IPv6Network, ip_network
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, SecretStr, field_validator
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from heliograph.settings.checks import (
    check_hosts,
    check_scheme,
    is_example,
    is_loopback_url,
    split_list,
)

MAKE_KEY = (
    "make a key with: python3 -c "
    '"import base64, os; print(base64.urlsafe_b64encode(os.urandom(32)).decode())"'
)


class Role(StrEnum):
    """What a node does: answer requests, hold accounts' sessions, post webhooks."""

    API = "api"
    SESSIONS = "sessions"
    DELIVERIES = "deliveries"


class AllowPrivate(StrEnum):
    """Which non-public addresses a webhook may be posted to."""

    NONE = "none"
    LOOPBACK = "loopback"
    ALL = "all"


class LogFormat(StrEnum):
    """`auto` is `console` on a terminal and `json` elsewhere."""

    AUTO = "auto"
    CONSOLE = "console"
    JSON = "json"


class LogLevel(StrEnum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class TracingMode(StrEnum):
    """Whether spans are recorded, and who decides which traces are: see `TelemetrySettings`."""

    OFF = "off"
    ON = "on"
    TRUST_CALLERS = "trust-callers"


_ROLES = ", ".join(Role)


def _config(prefix: str) -> SettingsConfigDict:
    return SettingsConfigDict(
        env_prefix=prefix,
        env_ignore_empty=True,
        frozen=True,
        extra="forbid",
        use_attribute_docstrings=True,
    )


class ServerSettings(BaseSettings):
    """Where the gateway listens and how many nodes it starts."""

    model_config = _config("HELIOGRAPH_")

    host: str = Field("127.0.0.1", min_length=1)
    """Address to listen on. `0.0.0.0` listens on every interface."""
    port: int = Field(8000, ge=0, le=65535)
    """TCP port to listen on. `0` takes any free port."""
    public_url: str | None = None
    """Base of every link that the gateway gives out, as clients see it. If it has a path, the proxy
    in front must strip that path. Default: `http://<host>:<port>`."""
    trusted_proxies: Annotated[tuple[IPv4Network | IPv6Network, ...], NoDecode] = ()
    """Addresses or networks of the proxies in front of the gateway, such as `127.0.0.1` or
    `10.0.0.0/8`, separated by commas. For limits by address, the client is the one they name in
    `X-Forwarded-For`. Default: none; the client is the connecting address."""
    nodes: int = Field(1, ge=1, le=256)
    """Number of node processes that `heliograph serve` starts; one for each core is best."""
    roles: Annotated[frozenset[Role], NoDecode] = Field(frozenset(Role), min_length=1)
    """What the nodes of this machine do, separated by commas: `api` answers requests, `sessions`
    holds accounts' connections, `deliveries` posts webhooks."""
    shards: int = Field(1, ge=1, le=1024)
    """Number of shards over which new organizations are spread. Set 64 from the start if one
    PostgreSQL may not be enough one day."""

    network_timeout: float = Field(30.0, gt=0, le=300)
    """Seconds that a request waits for a chat network before it is answered 504. The network itself
    has twice as long, counted from the request, so that a repeat with the same `Idempotency-Key`
    still gets a late answer. Clients and a proxy in front must wait longer than this: the clients
    for Python and TypeScript give up after 60 seconds unless they are given another `timeout`. Two
    things are not bounded by it as a whole: a contact sync, each page of which has twice this time,
    and sending a message, each attempt at which has 60 seconds."""

    @field_validator("roles", mode="before")
    @classmethod
    def _split_roles(cls, value: Any) -> Any:
        if not isinstance(value, str):
            return value
        names = split_list(value)
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
            return tuple(ip_network(text) for text in split_list(value))
        except ValueError as error:
            raise ValueError(
                f"has an entry that is neither an address nor a network: {error}"
            ) from None

    @field_validator("public_url")
    @classmethod
    def _check_public_url(cls, value: str | None) -> str | None:
        if value is None:
            return None
        check_scheme(value, "http", "https")
        return value.rstrip("/")


class IntervalSettings(BaseSettings):
    """How soon nodes notice what no notification told them."""

    model_config = _config("HELIOGRAPH_")

    lease_timeout: float = Field(15.0, ge=5, le=300)
    """Seconds after which other nodes take over from a node that has not renewed its lease. A node
    renews it five times as often."""
    sweep_interval: float = Field(60.0, gt=0, le=3600)
    """Seconds between sweeps for forgotten work: deliveries whose wake-up got lost, expired keys,
    removed accounts, uploads of dead nodes."""
    health_check_interval: float = Field(60.0, gt=0, le=3600)
    """Seconds between pings of a connected account."""


class ConnectionSettings(BaseSettings):
    """Connections of clients to the gateway's port."""

    model_config = _config("HELIOGRAPH_CONNECTION_")

    idle_timeout: int = Field(75, ge=1, le=3600)
    """Seconds that a connection stays open between two requests. It has to be longer than the idle
    time of the proxy in front."""
    limit: int = Field(4096, ge=1)
    """Maximum connections to one node; never more than half of the files that its process may
    open."""
    limit_per_address: int = Field(256, ge=1)
    """Maximum connections to one node from one address. This machine and trusted proxies are
    exempt."""


class DataSettings(BaseSettings):
    """What the gateway keeps on this machine."""

    model_config = _config("HELIOGRAPH_DATA_")

    dir: Path = Path(".heliograph")
    """Folder for the embedded database, the secret key, the demo's credentials and stored pictures.
    Made with mode 0700."""


class DatabaseSettings(BaseSettings):
    """The PostgreSQL to use, and how."""

    model_config = _config("HELIOGRAPH_DATABASE_")

    url: SecretStr | None = None
    """PostgreSQL 15 or newer, as `postgresql://user:password@host:5432/name`; for failover, several
    hosts with `target_session_attrs=read-write`. Default: a private PostgreSQL in the data
    directory."""
    pool_size: int = Field(10, ge=2, le=1000)
    """Connections in the pool of one node. It opens two more: one for notifications, one for its
    lease. At most half of the pool serves reads."""
    connect_timeout: float = Field(2.0, gt=0, le=60)
    """Seconds to wait for a new connection."""
    statement_timeout: float = Field(5.0, gt=0, le=3600)
    """Seconds that one statement may take. A frozen process keeps its rows locked for twice as
    long: with a value above 5, failover takes longer than 20 s."""

    @field_validator("url")
    @classmethod
    def _check_url(cls, value: SecretStr | None) -> SecretStr | None:
        if value is not None:
            check_scheme(value.get_secret_value(), "postgresql", "postgres")
            check_hosts(value.get_secret_value())
        return value


class EmbeddedSettings(BaseSettings):
    """The private PostgreSQL, used when no database URL is set."""

    model_config = _config("HELIOGRAPH_EMBEDDED_")

    user: str | None = None
    """System user that runs the private PostgreSQL when the gateway is started as root. Default:
    the first of `heliograph`, `postgres` and `nobody` that exists."""
    dir: Path | None = None
    """Folder for the private PostgreSQL's files. Default: inside the data directory; as root, if
    the server's user can't reach that, a folder for this installation under
    `/var/lib/heliograph`."""


class SecretSettings(BaseSettings):
    """Keys for what is stored encrypted."""

    model_config = _config("HELIOGRAPH_SECRET_")

    keys: Annotated[tuple[SecretStr, ...], NoDecode] = ()
    """Keys that encrypt webhook secrets and network credentials: each 32 random bytes in URL-safe
    base64, separated by commas, newest first; the example keys of this documentation are refused.
    Needed with a database URL. Default for the private PostgreSQL: made once as `secret.key` in the
    data directory."""

    _split_keys = field_validator("keys", mode="before")(split_list)

    @field_validator("keys")
    @classmethod
    def _check_newest(cls, value: tuple[SecretStr, ...]) -> tuple[SecretStr, ...]:
        """Older ones are accepted: what they encrypted still has to be read."""
        if value and is_example(value[0].get_secret_value()):
            raise ValueError(
                f"the first key is an example and not random, so anybody may know it; {MAKE_KEY}, "
                "and put it first: behind it, the example still decrypts what it has encrypted"
            )
        return value


class WebhookSettings(BaseSettings):
    """Posting webhooks."""

    model_config = _config("HELIOGRAPH_WEBHOOK_")

    allow_private: AllowPrivate | None = None
    """Addresses besides public ones that are allowed for webhooks, and for servers named in
    accounts' forms: `none`, `loopback` or `all`. The gateway's own ports are never allowed.
    Default: `loopback` with the private PostgreSQL while the address listened on and the public URL
    are on loopback, otherwise `none`."""


class LogSettings(BaseSettings):
    """What is logged, and how."""

    model_config = _config("HELIOGRAPH_LOG_")

    format: LogFormat = LogFormat.AUTO
    """`console` for people, `json` for machines, `auto` for `console` on a terminal and `json`
    otherwise."""
    level: LogLevel = LogLevel.INFO
    """Lowest level that is logged: `debug`, `info`, `warning` or `error`."""
    file: Path | None = None
    """File that the gateway's log is appended to, instead of standard error. It is reopened after
    it is renamed or removed, so `logrotate` needs no signal."""

    @property
    def path(self) -> str | None:
        """Where the file is, whichever folder a process works in."""
        return None if self.file is None else str(self.file.expanduser().absolute())

    @field_validator("format", "level", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value


class MetricsSettings(BaseSettings):
    """`GET /metrics`."""

    model_config = _config("HELIOGRAPH_METRICS_")

    token: SecretStr | None = None
    """Bearer token that `/metrics` requires. Without it, `/metrics` answers only clients on this
    machine, and only while both the address listened on and the public URL are on loopback."""


class TelemetrySettings(BaseSettings):
    """Traces (OpenTelemetry)."""

    model_config = _config("HELIOGRAPH_")

    tracing: TracingMode = TracingMode.OFF
    """Whether traces are recorded and sent to an OTLP endpoint: `off`, `on` or `trust-callers`.
    With `trust-callers`, clients that send a `traceparent` also influence whether its trace is
    recorded, if `OTEL_TRACES_SAMPLER` follows parents."""

    @field_validator("tracing", mode="before")
    @classmethod
    def _lower(cls, value: Any) -> Any:
        return value.lower() if isinstance(value, str) else value


class ObjectSettings(BaseSettings):
    """Where pictures and media are kept."""

    model_config = _config("HELIOGRAPH_OBJECTS_")

    url: str | None = None
    """Object storage for pictures and media, such as `s3://bucket/prefix` or
    `file:///srv/heliograph`. Default: the folder `objects` in the data directory."""


class SignInSettings(BaseSettings):
    """The OpenID Connect provider with which people sign in to the dashboard."""

    model_config = _config("HELIOGRAPH_OIDC_")

    issuer: str | None = None
    """Issuer of the OpenID Connect provider through which people sign in, such as
    `https://login.example.com`. Default: nobody can sign in, unless `serve --demo` starts a
    provider for this machine only."""
    client_id: str = Field("heliograph", min_length=1)
    """The client id that the provider has assigned to the gateway."""
    client_secret: SecretStr | None = None
    """The secret for the client id, if there is one."""
    trust_email: bool = False
    """`true` takes the e-mail addresses of a provider that does not say whether they are verified,
    such as Microsoft Entra ID. Only for a provider where people can't choose their own address:
    whoever has an invited address there can accept the invitation."""

    @field_validator("issuer")
    @classmethod
    def _check_issuer(cls, value: str | None) -> str | None:
        if value is not None and not (value.startswith("https://") or is_loopback_url(value)):
            raise ValueError("must begin with https://, or be on this machine")
        return value


class McpSettings(BaseSettings):
    """The tool server for AI coding tools, at `/mcp`."""

    model_config = _config("HELIOGRAPH_MCP_")

    hosts: Annotated[tuple[str, ...], NoDecode] = ()
    """Further host names that the tool server accepts in `Host`, each with its port if that is not
    the default one, separated by commas. The names of the public URL and of this machine are always
    accepted."""
    origins: Annotated[tuple[str, ...], NoDecode] = ()
    """Web pages that may call the tool server, such as `https://tools.example.com`, separated by
    commas. Only pages in a browser need this."""

    _split_lists = field_validator("hosts", "origins", mode="before")(split_list)

    @field_validator("origins")
    @classmethod
    def _check_origins(cls, value: tuple[str, ...]) -> tuple[str, ...]:
        for origin in value:
            check_scheme(origin, "http", "https")
        return value


class RateLimitSettings(BaseSettings):
    """Where requests are counted; how many are allowed with a key is the plan's."""

    model_config = _config("HELIOGRAPH_RATE_LIMIT_")

    url: SecretStr | None = None
    """Where to count rates if there is more than one API node, such as `redis://host:6379/0`.
    Default: in each node's memory, with the full rate on each."""
    address: int = Field(1200, ge=1)
    """Requests a minute from one address without a key or session, or with a wrong one. This
    machine and trusted proxies may send ten times as many."""
    person: int = Field(900, ge=1)
    """Dashboard pages a minute for one person, including requests that pages make by themselves."""


class RetentionSettings(BaseSettings):
    """How long finished records are kept. Messages are kept as long as the plan says."""

    model_config = _config("HELIOGRAPH_RETENTION_")

    hour: int = Field(3, ge=0, le=23)
    """Hour of the day, in UTC, from which one node deletes old data."""
    event_days: int = Field(30, ge=1, le=36500)
    """Days that an event is kept, with its payload, for redelivery and `GET /events`; longer while
    one of its deliveries waits."""
    delivery_days: int = Field(30, ge=1, le=36500)
    """Days that a webhook delivery is kept after it ends, with its attempts."""
    job_days: int = Field(30, ge=1, le=36500)
    """Days that a job, such as a contact synchronization, is kept after it ends."""
