"""How the gateway proves to the provider who it is (OpenID Connect Core 1.0, 9)."""

import base64
from urllib.parse import quote_plus

from heliograph.platform.oidc.discovery import Metadata

BY_SECRET = ("client_secret_basic", "client_secret_post")


def authenticate(
    client_id: str, client_secret: str | None, metadata: Metadata
) -> tuple[dict[str, str], dict[str, str]]:
    """Return form fields and headers that say who we are to the token endpoint.

    Without a secret we are a public client, which PKCE protects. Where the provider says nothing,
    `client_secret_basic` is taken (Discovery 1.0, 3). Pushed requests are authenticated in the same
    way (RFC 9126, 2).
    """
    if client_secret is None:
        return {"client_id": client_id}, {}
    methods = metadata.token_endpoint_auth_methods_supported or ("client_secret_basic",)
    if "client_secret_basic" not in methods and "client_secret_post" in methods:
        return {"client_id": client_id, "client_secret": client_secret}, {}
    # each part is form-encoded before they are joined (RFC 6749, 2.3.1)
    pair = f"{quote_plus(client_id)}:{quote_plus(client_secret)}"
    return {}, {"Authorization": "Basic " + base64.b64encode(pair.encode()).decode()}
