"""Keys, ciphertexts, signatures. Imports nothing else of the gateway; nothing here does I/O.

api_keys         mint, parse and compare API keys
secret_box       encrypt what is stored and used again; the keys that do it
webhook_signing  Standard Webhooks 1.0.0: sign and verify
links            links that work without a key, for a while
"""

from heliograph.platform.crypto.api_keys import (
    ApiKey,
    MalformedApiKeyError,
    find_key_id,
    mint_api_key,
    parse_api_key,
)
from heliograph.platform.crypto.links import InvalidLinkError, sign_link, verify_link
from heliograph.platform.crypto.secret_box import (
    DamagedCiphertextError,
    DecryptError,
    InvalidSecretKeyError,
    SecretBox,
    SecretKey,
    UnknownSecretKeyError,
    generate_secret_key,
    parse_secret_keys,
)
from heliograph.platform.crypto.webhook_signing import (
    InvalidSignatureError,
    InvalidWebhookSecretError,
    SigningKey,
    generate_webhook_secret,
    sign_webhook,
    verify_webhook,
)
