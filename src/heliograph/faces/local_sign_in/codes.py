"""One-time codes for the demo: whoever may read the data directory may sign in.

There is always one valid code, in a file of mode 0600. It is made when the demo starts and replaced
whenever it is used, so that whoever runs the demo can look it up and nobody else on the machine
can.
"""

import hmac
import time
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlencode

from heliograph.platform.files.private import write_private
from heliograph.platform.typed_codes import make_typed_code, normalize_typed_code

FILE = "sign-in-code"
DELAY = 1.0
"""Seconds before a wrong code is answered."""

_GROUPS = 2  # 39 bits; with all connections waiting for `DELAY`, half of them take 130 years
_REPEAT_LIFETIME = 60.0


def make_code(path: Path) -> str:
    """Make a new code in place of the previous one."""
    code = make_typed_code(_GROUPS)
    write_private(path, f"{code}\n")
    return code


def read_code(path: Path) -> str | None:
    """Read the current code; None where there is no demo, or it is another user's."""
    try:
        return path.read_text().strip() or None
    except OSError:
        return None


def sign_in_link(base_url: str, code: str) -> str:
    """Return the address at which a sign-in begins with the code filled in."""
    return f"{base_url}/dashboard/sign-in/start?{urlencode({'login_hint': code})}"


class Codes:
    """Check codes. `announce` gets each new one; `now` is monotonic, in seconds."""

    def __init__(
        self, path: Path, announce: Callable[[str], None], now: Callable[[], float] = time.monotonic
    ) -> None:
        self._path = path
        self._announce = announce
        self._now = now
        self._last: tuple[str, str, float] | None = None

    def use(self, given: str, request: str) -> bool:
        """Return whether the code is right, and use it up. `request` is everything that was asked
        for.

        The same request may use it again within a minute, as people press a button twice. Only a
        wrong code has to wait: the right code is never refused.
        """
        now = self._now()
        code = normalize_typed_code(given)
        if self._is_repeated(code, request, now):
            return True
        wanted = normalize_typed_code(read_code(self._path) or "")
        if not wanted or not hmac.compare_digest(code.encode(), wanted.encode()):
            return False
        self._last = (code, request, now)
        self._announce(make_code(self._path))
        return True

    def _is_repeated(self, code: str, request: str, now: float) -> bool:
        if self._last is None or now - self._last[2] > _REPEAT_LIFETIME:
            return False
        return hmac.compare_digest(f"{code} {request}".encode(), " ".join(self._last[:2]).encode())
