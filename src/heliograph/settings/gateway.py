"""All settings together, and what follows from several of them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, Field, SecretStr, model_validator

from heliograph.errors import ConfigurationError
from heliograph.settings.checks import LOOPBACK_HOSTS, is_loopback_url
from heliograph.settings.groups import (
    MAKE_KEY,
    AllowPrivate,
    ConnectionSettings,
    DatabaseSettings,
    DataSettings,
    EmbeddedSettings,
    IntervalSettings,
    LogSettings,
    McpSettings,
    MetricsSettings,
    ObjectSettings,
    RateLimitSettings,
    RetentionSettings,
    Role,
    SecretSettings,
    ServerSettings,
    SignInSettings,
    TelemetrySettings,
    WebhookSettings,
)

LOCAL_CLIENT_ID = "heliograph"
"""The gateway's client id at the demo's own sign-in."""
CALLBACK_PATH = "/dashboard/callback"
TRY_OUT_PATH = "/try-out"


class Settings(BaseModel):
    """All groups. The properties answer what depends on several of them."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    server: ServerSettings = Field(default_factory=ServerSettings)
    interval: IntervalSettings = Field(default_factory=IntervalSettings)
    connection: ConnectionSettings = Field(default_factory=ConnectionSettings)
    data: DataSettings = Field(default_factory=DataSettings)
    database: DatabaseSettings = Field(default_factory=DatabaseSettings)
    embedded: EmbeddedSettings = Field(default_factory=EmbeddedSettings)
    secret: SecretSettings = Field(default_factory=SecretSettings)
    webhook: WebhookSettings = Field(default_factory=WebhookSettings)
    log: LogSettings = Field(default_factory=LogSettings)
    metrics: MetricsSettings = Field(default_factory=MetricsSettings)
    telemetry: TelemetrySettings = Field(default_factory=TelemetrySettings)
    objects: ObjectSettings = Field(default_factory=ObjectSettings)
    sign_in: SignInSettings = Field(default_factory=SignInSettings)
    rate_limit: RateLimitSettings = Field(default_factory=RateLimitSettings)
    retention: RetentionSettings = Field(default_factory=RetentionSettings)
    mcp: McpSettings = Field(default_factory=McpSettings)
    has_local_sign_in: bool = False  # set by the supervisor, never by the environment

    @model_validator(mode="after")
    def _check_keys(self) -> Self:
        if self.database.url is not None and not self.secret.keys:
            raise ValueError(
                "HELIOGRAPH_SECRET_KEYS must be set together with HELIOGRAPH_DATABASE_URL: to the "
                "keys of a database that was in use or is to be restored; for a new one " + MAKE_KEY
            )
        return self

    @property
    def is_embedded(self) -> bool:
        """Whether the gateway brings its own PostgreSQL."""
        return self.database.url is None

    @property
    def database_url(self) -> str:
        """The database to connect to. Raises `ConfigurationError` when none is set yet."""
        if self.database.url is None:
            raise ConfigurationError("HELIOGRAPH_DATABASE_URL is not set.")
        return self.database.url.get_secret_value()

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
    def public_path(self) -> str:
        """The path of that base, which a proxy takes off before it passes a request on; "" for
        none."""
        return urlsplit(self.public_url).path

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
        """Whether only this machine is meant to reach the gateway."""
        return is_loopback_url(self.public_url) and self.server.host in LOOPBACK_HOSTS

    @property
    def is_behind_a_proxy(self) -> bool:
        """Whether a proxy takes connections for the gateway: it is reached by https, which it does
        not speak, or listens on loopback alone and is reached from elsewhere."""
        return self.public_url.startswith("https://") or self.is_behind_a_local_proxy

    @property
    def is_behind_a_local_proxy(self) -> bool:
        """Whether that proxy is on this machine."""
        return self.server.host in LOOPBACK_HOSTS and not is_loopback_url(self.public_url)

    @property
    def own_ports(self) -> frozenset[int]:
        """Ports at which the gateway and the demo's sign-in listen on this machine; nodes choose
        their own when they start."""
        issuer = self.sign_in.issuer
        if issuer is None or not is_loopback_url(issuer):
            return frozenset({self.server.port})
        return frozenset({self.server.port, urlsplit(issuer).port or 80})

    @property
    def try_out_url(self) -> str | None:
        """An endpoint of the gateway's own that takes every webhook; None where webhooks may not be
        posted to this machine."""
        if self.allow_private is AllowPrivate.NONE or not is_loopback_url(self.public_url):
            return None
        return self.public_url + TRY_OUT_PATH

    @property
    def redirect_uri(self) -> str:
        """Where the sign-in provider sends people back to (RFC 6749, 3.1.2)."""
        return self.public_url + CALLBACK_PATH

    @property
    def allows_sessions(self) -> bool:
        """Whether people can sign in: only where nobody can overhear a session."""
        return self.public_url.startswith("https://") or is_loopback_url(self.public_url)

    @property
    def allows_local_sign_in(self) -> bool:
        """Whether a demo may have its own sign-in: no provider is set, nobody outside can reach the
        gateway, and the database is the private one."""
        return (
            self.is_embedded
            and self.sign_in.issuer is None
            and Role.API in self.server.roles
            and self.is_for_this_machine_alone
        )

    def with_local_sign_in(self, issuer: str) -> "Settings":
        """Return these settings with the demo's own provider, which gives out no secrets."""
        found = {"issuer": issuer, "client_id": LOCAL_CLIENT_ID, "client_secret": None}
        sign_in = self.sign_in.model_copy(update=found)
        return self.model_copy(update={"sign_in": sign_in, "has_local_sign_in": True})

    def with_database(self, url: str, keys: Sequence[SecretStr]) -> "Settings":
        """Return these settings with the private PostgreSQL that was found or started.

        Settings that default to another value with a private PostgreSQL keep that value.
        """
        return self.model_copy(
            update={
                "database": self.database.model_copy(update={"url": SecretStr(url)}),
                "secret": self.secret.model_copy(update={"keys": tuple(keys)}),
                "webhook": self.webhook.model_copy(update={"allow_private": self.allow_private}),
            }
        )

    def with_address(self, host: str, port: int, public_url: str | None) -> "Settings":
        """Return these settings with the address at which a gateway answers."""
        update = {"host": host, "port": port, "public_url": public_url}
        return self.model_copy(update={"server": self.server.model_copy(update=update)})

    def with_port(self, port: int) -> "Settings":
        """Return these settings with the port that was really bound."""
        return self.model_copy(update={"server": self.server.model_copy(update={"port": port})})
