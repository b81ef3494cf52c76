"""What goes wrong on the way to a server, in words for a person."""

import ssl

from heliograph.networks.errors import NetworkError
from heliograph.networks.xmpp.stanzas import Refusal


class AnswerError(NetworkError):
    """The server, or who was asked through it, refused; `refusal` says how."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.sentence, permanent=refusal.is_permanent)
        self.refusal = refusal


class ReplacedError(NetworkError):
    """Another connection of the same account has taken this one's place."""


class SessionGoneError(NetworkError):
    """The server answers, and has not kept the session that was to be resumed."""


def untrusted(error: ssl.SSLError) -> NetworkError:
    """A certificate that does not hold, or TLS that does not come about."""
    reason = getattr(error, "verify_message", "") or error.reason or str(error)
    return NetworkError(f"The server's certificate is not trusted ({reason}).")


def because(reason: object) -> str:
    """The reason in brackets, if there is one."""
    text = str(reason or "").strip().rstrip(".")
    return f" ({text})" if text else ""
