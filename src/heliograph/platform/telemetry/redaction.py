"""What still has the form of a secret when a line is complete is blotted out."""

import re

_KEY = re.compile(r"(hg_[0-9A-Za-z]{4})[0-9A-Za-z]{8,}_[0-9A-Za-z]{16,}|(whsec_)[0-9A-Za-z+/=_-]+")
# what no `@` follows is matched too, else the same text would be gone through from each `://` in it
_PASSWORD = re.compile(r"(://[^\s:/?#@\"']*:)([^\s@\"']+)(@?)")


def redact(line: str) -> str:
    """The line without API keys, webhook secrets and passwords in URLs."""
    if "hg_" in line or "whsec_" in line:
        line = _KEY.sub(r"\1\2…", line)
    if "://" in line:
        line = _PASSWORD.sub(_blot_password, line)
    return line


def _blot_password(match: re.Match[str]) -> str:
    return f"{match[1]}…@" if match[3] else match[0]
