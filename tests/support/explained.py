"""Connections that explain each statement before they run it, and the plans they have seen."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from core_scene import Scene
from databases import fresh_database
from heliograph.platform.database.pool import PoolConnection

_EXPLAIN = "EXPLAIN (ANALYZE, VERBOSE, FORMAT JSON)"
_REMOVED = (
    "Rows Removed by Filter",
    "Rows Removed by Index Recheck",
    "Rows Removed by Join Filter",
)


@dataclass(frozen=True, slots=True)
class Plan:
    """How the server ran a statement: planned for its values (`custom`), or for any (`generic`)."""

    statement: str
    kind: str
    root: dict[str, Any]

    def steps(self) -> Iterator[dict[str, Any]]:
        waiting = [self.root]
        while waiting:
            step = waiting.pop()
            waiting += step.get("Plans", ())
            yield step

    def scanned_tables(self) -> set[str]:
        """The tables that the plan reads from end to end."""
        return {_table(step) for step in self.steps() if step["Node Type"] == "Seq Scan"}

    def most_read(self) -> int:
        """How many rows the step looked at that looked at most."""
        return max(_rows_read(step) for step in self.steps())

    def __str__(self) -> str:
        steps = [
            f"{step['Node Type']} {_table(step)} {step.get('Index Name', '')}: "
            f"{_rows_read(step)} rows"
            for step in self.steps()
        ]
        return f"{self.kind}: {' '.join(self.statement.split())[:300]}\n  " + "\n  ".join(steps)


def _table(step: dict[str, Any]) -> str:
    """Its name; with its schema where that is not the usual one."""
    name, schema = step.get("Relation Name", ""), step.get("Schema", "public")
    return name if schema == "public" else f"{schema}.{name}"


def _rows_read(step: dict[str, Any]) -> int:
    each = sum(float(step.get(key, 0)) for key in ("Actual Rows", *_REMOVED))
    return round(each * float(step.get("Actual Loops", 0)))


class ExplainingConnection(PoolConnection):
    """Runs each statement that has arguments twice: explained and undone, then for good."""

    plans: list[Plan] | None = None
    """Where plans go; None explains nothing."""

    async def fetch(self, query: str, *args: Any, **more: Any) -> Any:
        await self._explain(query, args)
        return await super().fetch(query, *args, **more)

    async def fetchrow(self, query: str, *args: Any, **more: Any) -> Any:
        await self._explain(query, args)
        return await super().fetchrow(query, *args, **more)

    async def fetchval(self, query: str, *args: Any, **more: Any) -> Any:
        await self._explain(query, args)
        return await super().fetchval(query, *args, **more)

    async def execute(self, query: str, *args: Any, **more: Any) -> str:
        await self._explain(query, args)
        return await super().execute(query, *args, **more)

    async def _explain(self, query: str, args: tuple[Any, ...]) -> None:
        plans = type(self).plans
        if plans is None or not args or "pg_notify" in query:
            return
        plans.append(Plan(query, "custom", await self._undone(f"{_EXPLAIN} {query}", *args)))
        types = [parameter.name for parameter in (await self.prepare(query)).get_parameters()]
        values = ", ".join(f"quote_nullable(${n}::{name}::text)" for n, name in enumerate(types, 1))
        literals = await super().fetchrow(f"SELECT {values}", *args)
        await super().execute(f"PREPARE explained ({', '.join(types)}) AS {query}")
        try:
            call = f"{_EXPLAIN} EXECUTE explained ({', '.join(literals or ())})"
            plans.append(Plan(query, "generic", await self._undone(call)))
        finally:
            await super().execute("DEALLOCATE explained")

    async def _undone(self, explain: str, *args: Any) -> dict[str, Any]:
        """The plan of what is done and taken back."""
        begin, undo = "BEGIN", "ROLLBACK"
        if self.is_in_transaction():  # begun by hand, perhaps: asyncpg would make no savepoint
            begin, undo = "SAVEPOINT explained", "ROLLBACK TO explained"
        await super().execute(begin)
        try:
            await super().execute("SET LOCAL plan_cache_mode = force_generic_plan")
            found = await super().fetchval(explain, *args)
        finally:
            await super().execute(undo)
        root: dict[str, Any] = json.loads(found)[0]["Plan"]
        return root


@contextmanager
def explaining() -> Iterator[list[Plan]]:
    """The plans of what runs in the block."""
    plans: list[Plan] = []
    ExplainingConnection.plans = plans
    try:
        yield plans
    finally:
        ExplainingConnection.plans = None


def complaints(plans: Iterable[Plan], tables: Iterable[str], most: int) -> str:
    """The plans that read one of these tables from end to end, or more rows than `most`."""
    return "\n".join(
        str(plan)
        for plan in plans
        if plan.most_read() > most or plan.scanned_tables() & set(tables)
    )


@pytest.fixture(scope="module", params=[True, False], ids=["analyzed", "never analyzed"])
def analyzed(request: pytest.FixtureRequest) -> bool:
    return bool(request.param)


@pytest.fixture(scope="module")
def explained_url(postgres_url: str, template_database: str, analyzed: bool) -> Iterator[str]:
    """A database for each, of which the server knows nothing from other tests."""
    with fresh_database(postgres_url, template_database) as url:
        yield url


@asynccontextmanager
async def without_index(scene: Scene, name: str) -> AsyncIterator[None]:
    """The planner does not see this index meanwhile. Dropping it and making it anew would let the
    server count the table's rows."""
    see = "UPDATE pg_index SET indisvalid = $1 WHERE indexrelid = $2::text::regclass RETURNING true"
    assert await scene.rows(see, False, name)
    try:
        yield
    finally:
        assert await scene.rows(see, True, name)
