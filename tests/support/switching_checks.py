"""What is checked of the requests of `docs/switching.md`, by the heading above each."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from switching_reader import Answer, Reader

Effect = Callable[[Reader, Answer], None]
Preparation = Callable[[Reader], None]


@dataclass(frozen=True)
class Checks:
    """`effects` is what a request has to answer, and what is different afterwards; `preparations`
    what somebody else does before, such as a person who writes; `statuses` those that are not 200.
    """

    effects: dict[str, Effect] = field(default_factory=dict)
    preparations: dict[str, Preparation] = field(default_factory=dict)
    statuses: dict[str, int] = field(default_factory=dict)

    def effect_of(self, name: str, status: int = 200) -> Callable[[Effect], Effect]:
        def keep(effect: Effect) -> Effect:
            self.effects[name] = effect
            self.statuses[name] = status
            return effect

        return keep

    def before(self, name: str) -> Callable[[Preparation], Preparation]:
        def keep(preparation: Preparation) -> Preparation:
            self.preparations[name] = preparation
            return preparation

        return keep

    def __or__(self, other: "Checks") -> "Checks":
        return Checks(
            self.effects | other.effects,
            self.preparations | other.preparations,
            self.statuses | other.statuses,
        )


def device(reader: Reader) -> dict[str, Any]:
    return reader.get(f"/devices/{reader.device_id}")


def conversation(reader: Reader, variable: str = "CONVERSATION") -> dict[str, Any]:
    return reader.get(f"/conversations/{reader.variables[variable]}")


def group_jid(reader: Reader) -> str:
    return str(conversation(reader, "GROUP")["remote_jid"])


def members(reader: Reader) -> set[str]:
    group = reader.get(f"/groups/{reader.variables['GROUP']}")
    return {person["phone_number"] for person in group["participants"]}


def ids_in(entries: list[dict[str, Any]]) -> list[str]:
    return [entry["id"] for entry in entries]
