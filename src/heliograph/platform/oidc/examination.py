"""Whether a provider can be used, for `heliograph doctor`."""

from heliograph.platform.oidc.claims import ALGORITHMS, usable_algorithms
from heliograph.platform.oidc.discovery import read_keys, read_metadata
from heliograph.platform.oidc.errors import SignInError
from heliograph.platform.oidc.http import ProviderHttp


async def find_problem(issuer: str) -> str | None:
    """What keeps people from signing in there: it does not answer, calls itself otherwise, lacks
    an endpoint, or has no key that we can use."""
    http = ProviderHttp()
    try:
        metadata = await read_metadata(http, issuer)
        await read_keys(http, metadata.jwks_uri)
    except SignInError as error:
        return error.reason
    if not usable_algorithms(metadata):
        return f"{issuer} signs with none of {', '.join(sorted(ALGORITHMS))}"
    return None
