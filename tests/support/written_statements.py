"""Every SQL statement of the gateway, read from all modules, wherever they stand in them.

The tables are read from the migrations.
"""

import ast
import importlib
import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path

import heliograph
from sql_tenancy import find_tables

SOURCE = Path(heliograph.__path__[0])
MIGRATIONS = SOURCE / "platform" / "database" / "migrations"
NO_TENANT = {
    "organizations",
    "plans",
    "chores",
    "chore_failures",
    "api_keys",
    "nodes",
    "secret_canaries",
    "word_marks",
    "counter_rounds",
    "alembic_version",
    "users",
    "browser_sessions",
}
SQL = re.compile(r"\s*(?:WITH|SELECT|INSERT INTO|UPDATE|DELETE FROM)\s+(?!\d+$)")


FRAGMENTS = {
    "core.accounts.sql.COLUMNS": "begins statements, each of which is read as a whole",
}


def _tenant_tables() -> set[str]:
    text = "".join(path.read_text() for path in MIGRATIONS.rglob("*.py"))
    return set(re.findall(r"CREATE TABLE (?:IF NOT EXISTS )?([a-z_]+)", text)) - NO_TENANT


TABLES = _tenant_tables()


def list_modules() -> Iterator[tuple[str, Path]]:
    """Each module's name below `heliograph`, and its file."""
    for path in sorted(SOURCE.rglob("*.py")):
        if MIGRATIONS not in path.parents and path.name != "__main__.py" and path.parent != SOURCE:
            yield ".".join(path.relative_to(SOURCE).with_suffix("").parts), path


def _texts(value: object, name: str) -> Iterator[tuple[str, str]]:
    """The strings in a module's value: itself, those in a collection, the fields of a record."""
    if isinstance(value, str):
        yield name, value
    elif isinstance(value, tuple | list):
        for number, item in enumerate(value):
            yield from _texts(item, f"{name}.{number}")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from _texts(item, f"{name}:{key}")
    elif is_dataclass(value) and not isinstance(value, type):
        for field in fields(value):
            yield from _texts(getattr(value, field.name), f"{name}.{field.name}")


def _of_module(module: str) -> Iterator[tuple[str, str]]:
    """What a module has made of its statements once it is loaded, templates filled in."""
    name = f"heliograph.{module}".removesuffix(".__init__")
    for variable, value in vars(importlib.import_module(name)).items():
        if not variable.startswith("__"):
            yield from _texts(value, f"{module}.{variable}")


def within_functions(source: str, module: str) -> Iterator[tuple[str, str]]:
    """Statements that stand where they are run, by line; those glued together are refused."""
    for function in ast.walk(ast.parse(source)):
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            for node in ast.walk(function):
                if isinstance(node, ast.JoinedStr):
                    start = node.values[0] if node.values else None
                    if isinstance(start, ast.Constant) and SQL.match(str(start.value)):
                        raise AssertionError(f"{module}:{node.lineno} glues a statement together")
                elif isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield f"{module}.{function.name}:{node.lineno}", node.value


@cache
def list_places() -> list[tuple[str, str]]:
    """Every statement and each lock, at each place where it is found: also where it is imported."""
    return [
        (name, text)
        for module, path in list_modules()
        for name, text in (*_of_module(module), *within_functions(path.read_text(), module))
        if SQL.match(text) or text.lstrip().startswith("LOCK TABLE")
    ]


@cache
def list_statements() -> dict[str, str]:
    """Every statement that names a tenant's table, by the first place it is found at."""
    found: dict[str, str] = {}
    for name, text in list_places():
        if find_tables(text) & TABLES:
            found.setdefault(text, name)
    return {name: text for text, name in found.items() if name not in FRAGMENTS}


@cache
def list_all_statements() -> dict[str, str]:
    """Every statement of any table, and each lock, by the first place it is found at; those of
    drivers, too."""
    found: dict[str, str] = {}
    for name, text in list_places():
        found.setdefault(text, name)
    return {f"{name}#{number}": text for number, (text, name) in enumerate(found.items())}


def last_name(name: str) -> str:
    """Return the variable, the record's field or the function that a statement is in."""
    return name.rpartition(".")[2].partition(":")[0]
