"""What a variable's value has to be like, and how it is read."""

import base64
import re
from itertools import pairwise
from typing import Any
from urllib.parse import urlsplit

LOOPBACK_HOSTS = ("127.0.0.1", "::1", "localhost")

_KEY_BYTES = 32
_MIN_DISTINCT = 8
_HOST = re.compile(r"(?:\[[^\]]*\]|[^:\[\]]*)(?::([0-9]{1,5}))?")


def split_list(value: Any) -> Any:
    """Return the parts of a comma-separated variable, without blanks and empty ones."""
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    return value


def check_scheme(url: str, *schemes: str) -> None:
    if urlsplit(url).scheme not in schemes:
        raise ValueError("must begin with " + " or ".join(f"{scheme}://" for scheme in schemes))


def check_hosts(url: str) -> None:
    """Check `host:port`, and several of them with commas, without showing what is wrong.

    An unescaped character in a password turns a part of it into the port.
    """
    for host in urlsplit(url).netloc.rpartition("@")[2].split(","):
        match = _HOST.fullmatch(host)
        if match is None or int(match[1] or 0) > 65_535:
            raise ValueError(
                "has a port that is not a number; in a password write / as %2F, # as %23, ? as %3F,"
                " @ as %40, : as %3A"
            )


def is_example(key: str) -> bool:
    """Return whether a key's bytes repeat or count up, as 32 random bytes never do."""
    try:
        material = base64.urlsafe_b64decode(key.rstrip("=") + "=")
    except ValueError:  # whoever reads the keys says what is wrong
        return False
    if len(material) != _KEY_BYTES:
        return False
    steps = {(after - before) % 256 for before, after in pairwise(material)}
    return len(steps) == 1 or len(set(material)) < _MIN_DISTINCT


def is_loopback_url(url: str) -> bool:
    """Return whether an http URL leads to this very machine."""
    parts = urlsplit(url)
    return parts.scheme == "http" and parts.hostname in LOOPBACK_HOSTS
