"""Reads SQL as Citus would, and says which forms it refuses, crashes on, or takes otherwise.

Found with Citus 13.2, by having it run every statement. A database that is not distributed refuses
none of them, so other tests would not notice.
"""

from collections.abc import Container, Iterator

from sqlglot import exp

from sql_tenancy import SHARD, list_conditions, list_sources, parse

VOLATILE = {"CLOCK_TIMESTAMP", "GEN_RANDOM_UUID", "UUIDV7", "RANDOM", "RAND", "UUID"}
START = "PG_POSTMASTER_START_TIME"
OF_TIME = {"CURRENT_TIMESTAMP", "CURRENT_DATE", "NOW", START}

SEVERAL_SHARDS = "joins rows that are given with tables of several shards"
CUT_SHORT = "joins tables of several shards after LIMIT"
TIME_IN_CASE = "changes rows with a function of the time in CASE or COALESCE"
TIME_IN_CONFLICT = "has a function of the time in ON CONFLICT DO UPDATE"
CHANCE = "has a function that returns something else each time"
NO_COLUMN = "has a SELECT without a column"
PLACE = "looks for a place, ctid, in tables of several shards"
RECORD = "has a function whose columns are listed with their types"
WORKERS_START = "asks a worker, not the coordinator, since when it runs"
ELEMENT = "sets a column to an element of a parameter, which crashes the server"


def list_refusals(statement: str, tables: Container[str]) -> list[str]:
    """List what Citus refuses in a statement on these distributed tables, each kind once.

    Raises sqlglot's `SqlglotError` for what is no SQL.
    """
    tree = parse(statement)
    return list(
        dict.fromkeys(
            (
                *_odd_forms(tree),
                *_in_changes(tree),
                *_in_reads(tree, tables),
                *_in_joins(tree, tables),
            )
        )
    )


def _odd_forms(tree: exp.Expr) -> Iterator[str]:
    if any(_name(function) in VOLATILE for function in tree.find_all(exp.Func)):
        yield CHANCE
    if any(not query.expressions for query in tree.find_all(exp.Select)):
        yield NO_COLUMN
    if any(alias.find(exp.ColumnDef) for alias in tree.find_all(exp.TableAlias)):
        yield RECORD


def _in_changes(tree: exp.Expr) -> Iterator[str]:
    if tree.find(exp.Insert, exp.Update, exp.Delete) is None:
        return
    if any(_is_of_time(part) for part in tree.find_all(exp.Case, exp.Coalesce)):
        yield TIME_IN_CASE
    if any(_is_of_time(part) for part in tree.find_all(exp.OnConflict)):
        yield TIME_IN_CONFLICT
    for update in tree.find_all(exp.Update):
        if any(_is_element(change.expression) for change in update.expressions):
            yield ELEMENT


def _in_reads(tree: exp.Expr, tables: Container[str]) -> Iterator[str]:
    """What a worker answers. A floor may do without: times 0, it is where the rows begin."""
    if tree.find(exp.Insert, exp.Update, exp.Delete) is not None:
        return
    if not any(table.name in tables for table in tree.find_all(exp.Table)):
        return
    starts = (each for each in tree.find_all(exp.Func) if _name(each) == START)
    if any(each.find_ancestor(exp.Mul) is None for each in starts):
        yield WORKERS_START


def _is_of_time(part: exp.Expr) -> bool:
    return any(_name(function) in OF_TIME for function in part.find_all(exp.Func))


def _name(function: exp.Func) -> str:
    return function.name.upper() if isinstance(function, exp.Anonymous) else function.sql_name()


def _is_element(value: exp.Expr) -> bool:
    return isinstance(value, exp.Bracket) and value.this.find(exp.Placeholder) is not None


# --- joins ---------------------------------------------------------------------------------------


def _in_joins(tree: exp.Expr, tables: Container[str]) -> Iterator[str]:
    """What only matters where tables of more than one shard are read."""
    temporary = {each.alias for each in tree.find_all(exp.CTE)}
    distributed = [
        table
        for table in tree.find_all(exp.Table)
        if table.name in tables and table.name not in temporary and not _is_target(table)
    ]
    pinned = _pinned_aliases(tree)
    if all(table.alias_or_name in pinned for table in distributed):
        return
    if any(column.name == "ctid" for column in tree.find_all(exp.Column)):
        yield PLACE
    if tree.find(exp.Unnest) is not None:
        yield SEVERAL_SHARDS
    for query in tree.find_all(exp.Select):
        sources = list(list_sources(query))
        if len(sources) > 1 and any(_is_cut_short(source, distributed) for source in sources):
            yield CUT_SHORT


def _is_target(table: exp.Table) -> bool:
    """Whether rows are inserted into it: whatever shard they name."""
    inner = table.parent if isinstance(table.parent, exp.Schema) else table
    return isinstance(inner.parent, exp.Insert) and inner.parent.this is inner


def _pinned_aliases(tree: exp.Expr) -> set[str]:
    """The names of tables whose shard is equal to a parameter, or to that of one that is."""
    links = [link for query in tree.find_all(*_QUERIES) for link in _links(query)]
    pinned = {""}
    for _ in links:
        for left, right in links:
            if left in pinned or right in pinned:
                pinned |= {left, right}
    return pinned


_QUERIES = (exp.Select, exp.Update, exp.Delete)


def _links(query: exp.Expr) -> Iterator[tuple[str, str]]:
    """Pairs of names of tables whose shards must be equal; that of a parameter is empty."""
    for source in list_sources(query):
        if isinstance(source, exp.Subquery):  # a row of it is of the shard of its tables' rows
            yield from ((source.alias, inner.alias_or_name) for inner in list_sources(source.this))
    for condition in list_conditions(query):
        part = condition.unnest()
        if isinstance(part, exp.EQ):
            left, right = (_owner(side, query) for side in (part.left, part.right))
            if left is not None and right is not None:
                yield left, right


def _owner(side: exp.Expr, query: exp.Expr) -> str | None:
    """The table whose shard this is, nothing for a parameter, and None for anything else."""
    value = side.this if isinstance(side, exp.Cast) else side
    if isinstance(value, exp.Placeholder | exp.Literal):
        return ""
    if not (isinstance(value, exp.Column) and value.name == SHARD):
        return None
    return value.table or next((source.alias_or_name for source in list_sources(query)), None)


def _is_cut_short(source: exp.Expr, distributed: list[exp.Table]) -> bool:
    """Whether a sub-select with LIMIT reads tables of all shards: none has its shard named."""
    inner = source.this if isinstance(source, exp.Subquery) else None
    if not isinstance(inner, exp.Select) or inner.args.get("limit") is None:
        return False
    owners = {owner for link in _links(inner) for owner in link}
    own = [each for each in list_sources(inner) if each in distributed]
    return any(table.alias_or_name not in owners for table in own)
