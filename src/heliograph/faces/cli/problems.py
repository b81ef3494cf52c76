"""What a command says of an error that it ended with."""

from collections.abc import Sequence

from heliograph.errors import HeliographError, InputProblem, InvalidInputError

_OPTIONS = {
    "description": "--description",
    "events": "--event",
    "expires_at": "--expires-in",
    "network": "--network",
    "scopes": "--scope",
    "send_rate": "--send-rate",
    "session_name": "--session-name",
    "since": "--since",
    "until": "--until",
    "url": "--url",
}


def describe(error: HeliographError) -> str:
    """The error's sentences, each with the option that it is about, where there is one."""
    if isinstance(error, InvalidInputError):
        return "; ".join(_describe_problem(problem) for problem in error.problems)
    return str(error)


def _describe_problem(problem: InputProblem) -> str:
    option = _option(problem.loc)
    return problem.msg if option is None else f"{option}: {problem.msg}"


def _option(loc: Sequence[str | int]) -> str | None:
    match loc:
        case ("settings", name):
            return f"--set {name}="
        case (str(name), *_):
            return _OPTIONS.get(name)
    return None
