"""What a check finds."""

from dataclasses import dataclass
from enum import StrEnum


class CheckStatus(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    """What was checked and found; `remedy` is what to do about anything but `ok`."""

    name: str
    status: CheckStatus
    detail: str
    remedy: str = ""


def ok(name: str, detail: str) -> Check:
    return Check(name, CheckStatus.OK, detail)


def warning(name: str, detail: str, remedy: str) -> Check:
    return Check(name, CheckStatus.WARNING, detail, remedy)


def failed(name: str, detail: str, remedy: str) -> Check:
    return Check(name, CheckStatus.FAILED, detail, remedy)
