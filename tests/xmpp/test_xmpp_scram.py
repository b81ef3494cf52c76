"""The slow step of a log-in gives what RFC 7677 says, and is done for no server without bounds."""

import hashlib
import hmac
import sys
from base64 import b64decode
from types import SimpleNamespace

import pytest
from slixmpp.util.sasl.client import SASLCancelled
from slixmpp.util.sasl.mechanisms import SCRAM

from each_case import for_each
from heliograph.networks.xmpp.stream import Stream
from heliograph.networks.xmpp.wire import MAX_ROUNDS, salted_password

SHA256 = SimpleNamespace(hash=hashlib.sha256)
SALT = b64decode("W22ZaJ0SNY7soEsUEjb6gQ==")


def test_the_example_of_the_rfc_comes_out() -> None:
    """RFC 7677, section 3: `v` is what the server's key, made of this, signs."""
    salted = salted_password(SHA256, "pencil", SALT, 4096)
    key = signed(salted, b"Server Key")
    said = (
        "n=user,r=rOprNGfwEbeRWgbNEkqO,"
        "r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096,"
        "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0"
    )
    signature = signed(key, said.encode())
    assert signature == b64decode("6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")


def signed(key: bytes, text: bytes) -> bytes:
    return hmac.digest(key, text, "sha256")


@for_each("rounds", [0, -1, MAX_ROUNDS + 1, 10**12])
def test_a_server_that_asks_for_too_much_gets_no_answer(rounds: int) -> None:
    with pytest.raises(SASLCancelled):
        salted_password(SHA256, "pencil", SALT, rounds)


def test_every_log_in_is_done_so() -> None:
    """The module of the streams sees to it."""
    assert Stream.__module__ in sys.modules
    assert SCRAM.Hi is salted_password
