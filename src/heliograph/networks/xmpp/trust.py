"""Whom an account trusts to vouch for its server: the system's authorities, or its own."""

import base64
import binascii
import re
import ssl

from heliograph.networks.errors import NetworkError

_CERTIFICATE = re.compile(r"-----BEGIN CERTIFICATE-----([^-]*)-----END CERTIFICATE-----")


def trust(certificates: str | None) -> ssl.SSLContext:
    """For TLS with servers that these certificates vouch for, in PEM; None is the system's.

    A form of one line may have made blanks of the line ends. Raises `NetworkError` for what is no
    certificate.
    """
    if certificates is None:
        return ssl.create_default_context()
    try:
        found = [
            base64.b64decode("".join(body.split()), validate=True)
            for body in _CERTIFICATE.findall(certificates)
        ]
        if found:
            return ssl.create_default_context(cadata=b"".join(found))
    except (ssl.SSLError, binascii.Error):
        pass
    raise NetworkError(
        "The certificate authority is no certificate in PEM: it must hold what stands from "
        "-----BEGIN CERTIFICATE----- to -----END CERTIFICATE-----.",
        permanent=True,
    )
