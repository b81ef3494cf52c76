"""Webhook secrets: stored encrypted, each bound to its webhook; several sign during a rotation."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from uuid import UUID

from heliograph.crypto.secret_box import SecretBox
from heliograph.model.organizations import Tenant
from heliograph.store.webhooks import SealedSecrets


@dataclass(frozen=True, slots=True)
class WebhookSecrets:
    """A webhook's secrets in the clear."""

    current: str = field(repr=False)
    previous: str | None = field(default=None, repr=False)
    previous_expires_at: datetime | None = None

    def signing(self, now: datetime) -> Sequence[str]:
        """Those that sign at this moment, the newest first."""
        expires_at = self.previous_expires_at
        if self.previous is None or expires_at is None or expires_at <= now:
            return (self.current,)
        return (self.current, self.previous)


def seal_secret(box: SecretBox, tenant: Tenant, webhook_id: UUID, secret: str) -> bytes:
    return box.encrypt(secret.encode(), "webhooks", tenant.organization_id, webhook_id)


def open_secrets(
    box: SecretBox, tenant: Tenant, webhook_id: UUID, sealed: SealedSecrets
) -> WebhookSecrets:
    """Raises `DecryptError`."""
    context = ("webhooks", tenant.organization_id, webhook_id)
    previous = None if sealed.previous is None else box.decrypt(sealed.previous, *context).decode()
    return WebhookSecrets(
        current=box.decrypt(sealed.current, *context).decode(),
        previous=previous,
        previous_expires_at=sealed.previous_expires_at,
    )
