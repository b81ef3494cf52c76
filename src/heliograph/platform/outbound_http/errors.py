"""Why a request to a customer's address came to nothing.

    OutboundError              address, duration_ms
    ├── InvalidUrlError        the URL can't be one that we post to
    ├── RefusedAddressError    it leads to an address that is not allowed (refused)
    ├── DnsError               its name has no address, or nobody could tell
    ├── ConnectError           no connection; nothing was sent
    ├── TlsError               a connection, and no trust; nothing was sent
    ├── DeadlineError          the exchange took too long; it may have been received
    ├── ProtocolError          closed or no valid HTTP in return; it may have been received
    └── NoDownloadError        an answer, and not the file that was to be fetched

`str(error)` is a sentence for the delivery log, which the customer reads.
"""

import os
import ssl


class OutboundError(Exception):
    """No answer. `address` is the one dialed, None when none was; `duration_ms` counts it all."""

    def __init__(self, sentence: str, *, address: str | None = None) -> None:
        super().__init__(sentence)
        self.address = address
        self.duration_ms = 0.0


class InvalidUrlError(OutboundError):
    pass


class RefusedAddressError(OutboundError):
    """`refused` is the address, for the operator's log.

    It stays out of the sentence: otherwise whoever may register a webhook could read the internal
    DNS.
    """

    def __init__(self, host: str, kind: str, refused: str) -> None:
        super().__init__(f"{host} leads to {kind}, which this gateway does not connect to.")
        self.refused = refused


class DnsError(OutboundError):
    pass


class ConnectError(OutboundError):
    pass


class TlsError(OutboundError):
    pass


class DeadlineError(OutboundError):
    pass


class ProtocolError(OutboundError):
    pass


class NoDownloadError(OutboundError):
    pass


def describe_failure(error: OSError) -> str:
    """Say what went wrong with a connection in the words of the system or of OpenSSL."""
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"the certificate is not valid: {error.verify_message.rstrip('.')}"
    if isinstance(error, ssl.SSLEOFError):
        return "it was closed without an end of TLS"
    if isinstance(error, ssl.SSLError):
        return (error.reason or "TLS failed").replace("_", " ").lower()
    if error.errno:
        return os.strerror(error.errno)  # a loop's own text names the address once more
    return "it was reset" if isinstance(error, ConnectionResetError) else "it was closed"
