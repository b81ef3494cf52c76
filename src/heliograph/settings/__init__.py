"""Everything that can be set, and the only reader of the environment.

    checks.py        what a value has to be like
    groups.py        the settings, in groups, each a small class
    gateway.py       `Settings`: all groups, and what follows from several of them
    environment.py   the environment of this process, and of those that it starts

`settings.database.url` is the variable `HELIOGRAPH_DATABASE_URL`. `load_settings` raises
`ConfigurationError`, one sentence that names the variable.
"""

from heliograph.settings.checks import is_loopback_url
from heliograph.settings.environment import (
    API_KEY_VARIABLE,
    child_environment,
    list_unknown_variables,
    list_variables,
    load_settings,
    local_sign_in_environment,
)
from heliograph.settings.gateway import CALLBACK_PATH, LOCAL_CLIENT_ID, TRY_OUT_PATH, Settings
from heliograph.settings.groups import (
    AllowPrivate,
    ConnectionSettings,
    DatabaseSettings,
    DataSettings,
    EmbeddedSettings,
    LogFormat,
    LogLevel,
    LogSettings,
    McpSettings,
    RateLimitSettings,
    RetentionSettings,
    Role,
    SecretSettings,
    ServerSettings,
    SignInSettings,
    TelemetrySettings,
    TracingMode,
    WebhookSettings,
)
