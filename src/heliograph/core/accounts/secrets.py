"""Account secrets: values of a network's form and of its sessions, stored encrypted and bound to
their account."""

from collections.abc import Collection, Mapping
from uuid import UUID

import msgspec

from heliograph.core.tenants.model import Tenant
from heliograph.platform.crypto.secret_box import SecretBox


def seal_secrets(
    box: SecretBox, tenant: Tenant, account_id: UUID, secrets: Mapping[str, str]
) -> bytes:
    plain = msgspec.json.encode(dict(secrets))
    return box.encrypt(plain, *_context(tenant, account_id))


def open_secrets(
    box: SecretBox, tenant: Tenant, account_id: UUID, sealed: bytes | None
) -> dict[str, str]:
    """Decrypt the secrets; None for an account without secrets. Raises `DecryptError`."""
    if sealed is None:
        return {}
    plain = box.decrypt(sealed, *_context(tenant, account_id))
    return msgspec.json.decode(plain, type=dict[str, str])


def reseal_secrets(
    box: SecretBox, tenant: Tenant, account_id: UUID, sealed: bytes | None, names: Collection[str]
) -> bytes | None:
    """Return only the secrets with these names, encrypted again; None if there are none.

    Raises `DecryptError`.
    """
    secrets = open_secrets(box, tenant, account_id, sealed)
    kept = {name: value for name, value in secrets.items() if name in names}
    return seal_secrets(box, tenant, account_id, kept) if kept else None


def _context(tenant: Tenant, account_id: UUID) -> tuple[str, UUID, UUID]:
    """Return the context to which the ciphertext in `accounts.secrets` is bound: column,
    organization, row."""
    return ("accounts.secrets", tenant.organization_id, account_id)
