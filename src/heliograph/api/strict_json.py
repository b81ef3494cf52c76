"""Request bodies that are JSON and nothing looser: what Python's parser lets through is refused.

Refused with 422 in FastAPI's own shape: bytes that are not UTF-8, NaN and Infinity, numbers too
large for a double or of thousands of digits, nesting deeper than 64, lone surrogates and NUL
characters.
"""

import json
import math
from email.message import Message
from typing import Any, NoReturn

from heliograph.errors import InvalidInputError, UnsupportedMediaTypeError

MAX_DEPTH = 64

Path = tuple[str | int, ...]


def check_content_type(content_type: str | None) -> None:
    """Raise `UnsupportedMediaTypeError` for a body that does not say it is JSON."""
    message = Message()
    message["content-type"] = content_type or "application/octet-stream"
    subtype = message.get_content_subtype()
    is_json = subtype == "json" or subtype.endswith("+json")
    if message.get_content_maintype() != "application" or not is_json:
        raise UnsupportedMediaTypeError


def check_json(body: bytes) -> None:
    """Return when every value in the body can be stored and echoed. Raises `InvalidInputError`."""
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError as error:
        _refuse_json(error.start, "The body is not UTF-8")
    try:
        value = json.loads(text, parse_constant=_refuse_constant)
    except json.JSONDecodeError as error:
        _refuse_json(error.pos, error.msg)
    except _LooseConstantError as error:
        _refuse_json(0, f"{error} is not JSON")
    except RecursionError:
        _refuse_json(0, f"Nesting deeper than {MAX_DEPTH}")
    except ValueError:  # Python's own limit on the digits of an integer
        _refuse_json(0, "A number has too many digits")
    check_value(value, ("body",), 1)


class _LooseConstantError(ValueError):
    """NaN, Infinity or -Infinity, which Python's parser knows and JSON does not."""


def _refuse_constant(name: str) -> NoReturn:
    raise _LooseConstantError(name)


def _refuse_json(position: int, reason: str) -> NoReturn:
    raise InvalidInputError.at(
        ("body", position),
        "JSON decode error",
        type="json_invalid",
        input={},
        ctx={"error": reason},
    )


def check_value(value: Any, path: Path, depth: int = 1) -> None:
    """Return when everything in a decoded value can be stored and echoed; `path` is the way to it.

    Raises `InvalidInputError`.
    """
    if isinstance(value, str):
        _check_text(value, path)
    elif isinstance(value, (dict, list)):
        if depth > MAX_DEPTH:
            _refuse_json(0, f"Nesting deeper than {MAX_DEPTH}")
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if isinstance(key, str):
                _check_text(key, path)
            check_value(item, (*path, key), depth + 1)
    elif isinstance(value, float) and not math.isfinite(value):
        _refuse(path, "Number is out of range")


def _check_text(text: str, path: Path) -> None:
    if "\x00" in text:
        _refuse(path, "Text must not contain NUL characters")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            _refuse(path, "Text must not contain lone surrogates")


def _refuse(path: Path, reason: str) -> NoReturn:
    raise InvalidInputError.at(path, f"Value error, {reason}", ctx={"error": reason})
