"""Pydantic's errors about a value, as clauses for people."""

from pydantic_core import ErrorDetails

_WRONG = {
    "enum": "is not {expected}",
    "finite_number": "is not a finite number",
    "float_parsing": "is not a number",
    "greater_than": "is not more than {gt}",
    "greater_than_equal": "is not at least {ge}",
    "int_parsing": "is not a whole number",
    "int_parsing_size": "is too long for a whole number",
    "less_than": "is not less than {lt}",
    "less_than_equal": "is not at most {le}",
}
"""These repeat the value. None occurs for a secret, which can be any text."""


def describe_problem(problem: ErrorDetails) -> str:
    """Return what is wrong as a clause without a full stop."""
    if wrong := _WRONG.get(problem["type"]):
        limits = {name: _shorten(limit) for name, limit in problem.get("ctx", {}).items()}
        return f"'{problem['input']}' {wrong.format(**limits)}"
    message = problem["msg"].removeprefix("Value error, ").rstrip(".")
    return message[:1].lower() + message[1:]


def _shorten(limit: object) -> object:
    return int(limit) if isinstance(limit, float) and limit.is_integer() else limit
