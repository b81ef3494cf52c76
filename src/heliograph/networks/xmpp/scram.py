"""SCRAM's slow step (RFC 5802, `Hi`), done by OpenSSL and within bounds.

slixmpp does it in Python, a loop over as many rounds as the server likes: 60 ms of a whole node for
each log-in with the usual 10,000, and minutes for a server that means harm.
"""

import hashlib
from typing import Any

from slixmpp.util.sasl.client import SASLCancelled
from slixmpp.util.sasl.mechanisms import SCRAM

MOST_ROUNDS = 500_000
"""0.2 s. Servers ask for 4,096 to 100,000."""


def salted_password(mechanism: Any, password: bytes | str, salt: bytes, rounds: int) -> bytes:
    """In place of `SCRAM.Hi`. Raises `SASLCancelled` for a number of rounds that nobody needs."""
    if not 1 <= rounds <= MOST_ROUNDS:
        cancelled: Any = SASLCancelled  # it has no types
        raise cancelled(f"the server asks for {rounds} rounds of hashing")
    secret = password.encode() if isinstance(password, str) else password
    return hashlib.pbkdf2_hmac(mechanism.hash().name, secret, salt, rounds)


def use_openssl() -> None:
    """From here on, for every log-in of this process."""
    setattr(SCRAM, "Hi", salted_password)  # noqa: B010 - mypy lets nobody assign a method
