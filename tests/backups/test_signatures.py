"""Which signatures of an archive count."""

from each_case import for_each
from heliograph.core.backups.signatures import is_signed, list_signers, sign
from heliograph.platform.crypto import generate_secret_key, parse_secret_keys

OURS, THEIRS = (parse_secret_keys([generate_secret_key()]) for _ in range(2))
DIGEST = bytes(32)


def test_one_of_an_installations_keys_is_enough() -> None:
    signatures = sign([*THEIRS, *OURS], DIGEST)
    assert is_signed(OURS, DIGEST, signatures)
    assert list_signers(signatures) == [key.key_id for key in (*THEIRS, *OURS)]
    assert not is_signed(OURS, DIGEST, sign(THEIRS, DIGEST))
    assert not is_signed(OURS, bytes(31) + b"x", signatures)


@for_each("damage", [b"0", b"\xff", b"\n", b""])
def test_a_damaged_signature_is_none(damage: bytes) -> None:
    signed = sign(OURS, DIGEST)
    damaged = signed[:-5] + damage + signed[-3:]
    assert not is_signed(OURS, DIGEST, damaged)
    assert not is_signed(OURS, DIGEST, damage)
