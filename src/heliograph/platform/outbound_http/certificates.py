"""Whom the gateway trusts: the system's root certificates, wherever they lie."""

import os
import ssl
from collections.abc import Sequence
from pathlib import Path

BUNDLES = (
    Path("/etc/ssl/certs/ca-certificates.crt"),  # Debian, Arch, Alpine
    Path("/etc/pki/tls/certs/ca-bundle.crt"),  # Fedora, RHEL
    Path("/etc/ssl/ca-bundle.pem"),  # SUSE
)
_NAMED_BY = ("SSL_CERT_FILE", "SSL_CERT_DIR")
"""What OpenSSL looks at; set by an operator, nothing else is believed."""


def make_context(
    root_certificates: bytes | None = None, *, bundles: Sequence[Path] = BUNDLES
) -> ssl.SSLContext:
    """Make the TLS context of a client of HTTP/1.1. `root_certificates` (PEM) are trusted besides
    the usual ones."""
    context = ssl.create_default_context()
    context.set_alpn_protocols(["http/1.1"])
    if not context.get_ca_certs() and not any(name in os.environ for name in _NAMED_BY):
        _trust_system(context, bundles)
    if root_certificates is not None:
        context.load_verify_locations(cadata=root_certificates.decode("ascii"))
    return context


def _trust_system(context: ssl.SSLContext, bundles: Sequence[Path]) -> None:
    """Trust the system's bundle: a Python that was built elsewhere may look in another place."""
    bundle = next((bundle for bundle in bundles if bundle.is_file()), None)
    if bundle is not None:
        context.load_verify_locations(cafile=bundle)
