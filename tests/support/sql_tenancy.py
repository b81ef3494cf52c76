"""Reads SQL as PostgreSQL would, and says where a tenant's table is used without its tenant.

A table counts as held by a column (`shard`, `organization_id`) when, in the very query that names
it, a condition that must hold makes that column equal to something from outside: a parameter, or a
column of another query's row. Two tables that are only equal to each other are held by nothing.
"""

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache

import sqlglot
from sqlglot import exp

SHARD, ORGANIZATION = "shard", "organization_id"


@dataclass(frozen=True)
class Fault:
    """`table` is used in a `kind` of query without `column`."""

    kind: str
    table: str
    column: str

    def __str__(self) -> str:
        return f"{self.kind} {self.table} without {self.column}"


def list_faults(statement: str, tenant_tables: Container[str]) -> list[Fault]:
    """Every fault of one statement. Raises sqlglot's `SqlglotError` for what is no SQL."""
    tree = parse(statement)
    temporary = {each.alias for each in tree.find_all(exp.CTE)}

    def is_tenants(table: exp.Expr) -> bool:
        return (
            isinstance(table, exp.Table)
            and table.db in ("", "public")
            and table.name in tenant_tables
            and table.name not in temporary
        )

    faults: list[Fault] = []
    for query in tree.find_all(exp.Select, exp.Update, exp.Delete):
        tables = [relation for relation in list_sources(query) if is_tenants(relation)]
        faults += _unheld(query, tables)
    for insert in tree.find_all(exp.Insert):
        faults += _bad_insert(insert, is_tenants(_target(insert)))
    return faults


def find_tables(statement: str) -> set[str]:
    """Every table that a statement names, those of other schemas and its own CTEs left out."""
    tree = parse(statement)
    temporary = {each.alias for each in tree.find_all(exp.CTE)}
    tables = [table for table in tree.find_all(exp.Table) if table.db in ("", "public")]
    return {table.name for table in tables} - temporary


def find_written(statement: str) -> set[str]:
    """Every table whose rows a statement inserts, changes or deletes, those of other schemas left
    out."""
    writes = parse(statement).find_all(exp.Insert, exp.Update, exp.Delete)
    targets = [target for target in map(_target, writes) if isinstance(target, exp.Table)]
    return {table.name for table in targets if table.db in ("", "public")}


@cache
def parse(statement: str) -> exp.Expr:
    # sqlglot takes some pairs of `$n` for a quoted text that lies between them
    named = re.sub(r"\$(\d+)", r":p\1", statement)
    return sqlglot.parse_one(named, read="postgres")


# --- SELECT, UPDATE, DELETE --------------------------------------------------------------------


def list_sources(query: exp.Expr) -> Iterator[exp.Expr]:
    """What a query reads and writes itself, its sub-queries' tables left out."""
    if isinstance(query, exp.Update | exp.Delete):
        yield query.this
    for name in ("from_", "from", "using"):
        found = query.args.get(name)
        for each in found if isinstance(found, list) else [found]:
            if each is not None:
                yield each.this if isinstance(each, exp.From) else each
    for join in _joins(query):
        yield join.this


def _joins(query: exp.Expr) -> list[exp.Join]:
    """Joins of the query itself, and of a table within FROM or USING (as sqlglot keeps some)."""
    joins: list[exp.Join] = list(query.args.get("joins") or ())
    sources = [query.args.get(name) for name in ("from_", "from", "using", "this")]
    for source in sources:
        for each in source if isinstance(source, list) else [source]:
            inner = each.this if isinstance(each, exp.From) else each
            if isinstance(inner, exp.Table):
                joins += inner.args.get("joins") or ()
    return joins


def _unheld(query: exp.Expr, tables: list[exp.Expr]) -> Iterator[Fault]:
    aliases = [table.alias_or_name for table in tables]
    conditions = list(list_conditions(query))
    for column in (SHARD, ORGANIZATION):
        held = _held_aliases(conditions, aliases, column)
        for table, alias in zip(tables, aliases, strict=True):
            if alias not in held:
                yield Fault(query.key.upper(), table.name, column)


def list_conditions(query: exp.Expr) -> Iterator[exp.Expr]:
    """What must hold for a row: the parts that AND connects, of WHERE and of every ON."""
    where = query.args.get("where")
    wholes = [where.this] if where is not None else []
    wholes += [join.args["on"] for join in _joins(query) if join.args.get("on") is not None]
    for whole in wholes:
        for part in whole.flatten() if isinstance(whole, exp.And) else [whole]:
            inner = _is_true(part)
            yield from inner.flatten() if isinstance(inner, exp.And) else [part]


def _is_true(part: exp.Expr) -> exp.Expr | None:
    """What must hold for `(…) IS TRUE` to hold; None for anything else."""
    is_so = isinstance(part, exp.Is) and part.expression == exp.true()
    return part.this.unnest() if is_so else None


def _held_aliases(conditions: list[exp.Expr], aliases: list[str], column: str) -> set[str]:
    """The aliases whose column is equal to something from outside, or to one whose is."""
    links = [_sides(part, aliases, column) for part in conditions]
    pairs = [pair for link in links for pair in link]
    held: set[str] = set()
    for _ in aliases:
        for left, right in pairs:
            if left == right:
                continue
            if left is None or left in held:
                held |= {right} if right is not None else set()
            if right is None or right in held:
                held |= {left} if left is not None else set()
    return held


def _sides(part: exp.Expr, aliases: list[str], column: str) -> list[tuple[str | None, str | None]]:
    """Which alias's column stands on either side of an equation; None is anything else."""
    inner = part.unnest()
    if isinstance(inner, exp.In):
        return [(_alias_of(member, aliases, column), None) for member in _members(inner.this)]
    if not isinstance(inner, exp.EQ | exp.NullSafeEQ):
        return []
    left, right = _members(inner.left), _members(inner.right)
    if len(left) != len(right):
        right = [inner.right] * len(left)
    return [
        (_alias_of(one, aliases, column), _alias_of(other, aliases, column))
        for one, other in zip(left, right, strict=True)
    ]


def _members(side: exp.Expr) -> list[exp.Expr]:
    """The members of a row, `(a, b)`, or the one value that it is."""
    return list(side.expressions) if isinstance(side, exp.Tuple) else [side.unnest()]


def _alias_of(value: exp.Expr, aliases: list[str], column: str) -> str | None:
    """The table whose column this is; without a name it is that of the only table there is."""
    if not isinstance(value, exp.Column) or value.name != column:
        return None
    if value.table in aliases:
        return value.table
    return aliases[0] if not value.table and len(aliases) == 1 else None


# --- INSERT ------------------------------------------------------------------------------------


def _target(write: exp.Expr) -> exp.Expr:
    table: exp.Expr = write.this.this if isinstance(write.this, exp.Schema) else write.this
    return table


def _bad_insert(insert: exp.Insert, is_tenants: bool) -> Iterator[Fault]:
    if not is_tenants:
        return
    target = insert.this
    named = (
        {expression.name for expression in target.expressions}
        if isinstance(target, exp.Schema)
        else set()
    )
    conflict = insert.args.get("conflict")
    keys = {each.name for each in (conflict.args.get("conflict_keys") or ())} if conflict else set()
    for column in (SHARD, ORGANIZATION):
        if column not in named:
            yield Fault("INSERT", _target(insert).name, column)
        if keys and column not in keys:
            yield Fault("ON CONFLICT", _target(insert).name, column)
