"""How we tell the provider's token endpoint who we are."""

import base64
from urllib.parse import quote_plus

from heliograph.platform.oidc.discovery import Metadata


def authenticate(
    client_id: str, client_secret: str | None, metadata: Metadata
) -> tuple[dict[str, str], dict[str, str]]:
    """Form fields and headers. Without a secret we are a public client, which PKCE protects; where
    nothing is said, `client_secret_basic` is taken (Discovery 1.0, 3)."""
    if client_secret is None:
        return {"client_id": client_id}, {}
    methods = metadata.token_endpoint_auth_methods_supported or ("client_secret_basic",)
    if "client_secret_basic" not in methods and "client_secret_post" in methods:
        return {"client_id": client_id, "client_secret": client_secret}, {}
    # each is form-encoded before they are joined (RFC 6749, 2.3.1)
    pair = f"{quote_plus(client_id)}:{quote_plus(client_secret)}"
    return {}, {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
