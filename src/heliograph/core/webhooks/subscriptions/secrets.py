"""Webhook secrets: stored encrypted and bound to their webhook; several sign during a rotation.

The values of custom headers are encrypted as well, since most of them are tokens.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

import msgspec

from heliograph.core.secrets.model import list_valid
from heliograph.core.tenants.model import Tenant
from heliograph.core.webhooks.model import SealedSecrets
from heliograph.platform.crypto.secret_box import SecretBox
from heliograph.platform.crypto.webhook_signing import SigningKey


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    """A webhook's decrypted secrets, ready to sign; each old one with its expiry time. `headers`
    are the custom headers."""

    current: SigningKey = field(repr=False)
    old: Sequence[tuple[SigningKey, datetime]] = field(default=(), repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)

    def signing(self, now: datetime) -> Sequence[SigningKey]:
        """List the secrets that sign at this time, the newest first."""
        if not self.old:
            return (self.current,)
        return (self.current, *(key for key, expires_at in self.old if expires_at > now))


def seal_secret(box: SecretBox, tenant: Tenant, webhook_id: UUID, secret: str) -> bytes:
    return box.encrypt(secret.encode(), "webhooks", tenant.organization_id, webhook_id)


def seal_headers(
    box: SecretBox, tenant: Tenant, webhook_id: UUID, headers: Mapping[str, str]
) -> bytes | None:
    """Encrypt a webhook's custom headers; None if it has none."""
    if not headers:
        return None
    return box.encrypt(
        msgspec.json.encode(headers), "webhooks.headers", tenant.organization_id, webhook_id
    )


def open_secrets(
    box: SecretBox,
    tenant: Tenant,
    webhook_id: UUID,
    sealed: SealedSecrets,
    now: datetime,
    headers: bytes | None = None,
) -> WebhookSecrets:
    """Decrypt the valid secrets and the headers. Raises `DecryptError`."""

    def unseal(secret: bytes) -> SigningKey:
        opened = box.decrypt(secret, "webhooks", tenant.organization_id, webhook_id)
        return SigningKey(opened.decode())

    old = list_valid(sealed.old, now)
    return WebhookSecrets(
        unseal(sealed.current),
        [(unseal(secret.stored), secret.expires_at) for secret in old],
        {} if headers is None else _open_headers(box, tenant, webhook_id, headers),
    )


def _open_headers(
    box: SecretBox, tenant: Tenant, webhook_id: UUID, sealed: bytes
) -> dict[str, str]:
    opened = box.decrypt(sealed, "webhooks.headers", tenant.organization_id, webhook_id)
    return msgspec.json.decode(opened, type=dict[str, str])
