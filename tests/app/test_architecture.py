"""What may import what, where a contract in `pyproject.toml` can't say it.

In a subject of the core: `worker | service > sql > model`. A file of any other name stands with the
services. What ends in `_sql` is a second `sql` of a large subject.
"""

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path

import grimp
import pytest

import heliograph
from each_case import for_each
from repository import ROOT

CORE, FACES = "heliograph.core", "heliograph.faces"
SOURCE = Path(heliograph.__file__).parent
DRIVERS = tuple(
    sorted(
        f"heliograph.networks.{path.parent.name}" for path in SOURCE.glob("networks/*/driver.py")
    )
)

Import = tuple[str, str]
"""Who imports, and what."""

_STATEMENT = re.compile(r"\s*(SELECT|INSERT INTO|UPDATE|DELETE FROM|WITH|LOCK|COPY)\s")
_OLD_WORDS = re.compile(
    r"(^|_)(PATIENCE|LONGEST|SHORTEST|LARGEST|SMALLEST|MOST|LEAST|FEWEST|SECONDS|DEADLINE)(_|$)"
    r"|_EVERY$|RETRY_AFTER|^patience$|^longest$|_every$"
)
_RANKS = {"model": 0, "plans": 0, "scopes": 0, "sql": 1, "worker": 3}
"""`plans` and `scopes` are parts of the model of tenants."""


@pytest.fixture(scope="module")
def imports() -> list[Import]:
    graph = grimp.build_graph("heliograph", include_external_packages=True, cache_dir=None)
    return sorted(
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
    )


def kind_of(module: str) -> str:
    """`sql` of both `sql` and `deliveries_sql`."""
    return module.rpartition(".")[2].rpartition("_")[2]


def subject_of(module: str) -> str:
    """`webhooks` of `heliograph.core.webhooks.posting.worker`; empty of what is in no subject."""
    inside = module.removeprefix(f"{CORE}.").split(".")
    return inside[0] if module.startswith(f"{CORE}.") and len(inside) > 1 else ""


def reaching_below(imports: Iterable[Import]) -> Iterator[Import]:
    """Faces that import statements, a driver of a network, or that of the database."""
    for importer, imported in imports:
        is_statement = imported.startswith("heliograph.") and kind_of(imported) == "sql"
        is_driver = imported == "asyncpg" or imported.startswith(DRIVERS)
        if importer.startswith(FACES) and (is_statement or is_driver):
            yield importer, imported


def pointing_up(imports: Iterable[Import]) -> Iterator[Import]:
    """Files that import what stands above them in their subject, or beside them as worker and
    service do."""
    for importer, imported in imports:
        if not subject_of(importer) or subject_of(importer) != subject_of(imported):
            continue
        above, below = _RANKS.get(kind_of(importer), 2), _RANKS.get(kind_of(imported), 2)
        beside = {"worker", "service"} == {kind_of(importer), kind_of(imported)}
        if above < below or beside:
            yield importer, imported


def statements_in(tree: ast.Module) -> Iterator[int]:
    """The lines with SQL."""
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and _STATEMENT.match(node.value)
        ):
            yield node.lineno


def named_in(tree: ast.Module) -> Iterator[str]:
    """The constants of a module and of its classes, and the parameters of its functions."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id.isupper():
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def named_by_old_words(names: Iterable[str]) -> set[str]:
    return {name for name in names if _OLD_WORDS.search(name)}


def test_waiting_times_and_sizes_have_one_vocabulary() -> None:
    found = {
        f"{path.relative_to(SOURCE)}: {name}"
        for path in SOURCE.rglob("*.py")
        for name in named_by_old_words(named_in(ast.parse(path.read_text("utf-8"))))
    }
    assert found == set(), "see house rule 9 in CONTRIBUTING.md"


def test_a_word_beside_the_vocabulary_is_found() -> None:
    wrong = {"PATIENCE", "_LONGEST", "MOST_KEPT", "LOOK_SECONDS", "SWEEP_EVERY", "RETRY_AFTER"}
    right = {"LOCK_TIMEOUT", "MAX_TEXT_LENGTH", "_EVERYTHING", "ON_EVERY_COMMAND", "retry_after"}
    assert named_by_old_words(wrong | {"patience", "sweep_every"} | right) == {
        *wrong,
        "patience",
        "sweep_every",
    }


def test_faces_call_services_and_nothing_below(imports: list[Import]) -> None:
    assert list(reaching_below(imports)) == []


def test_every_driver_is_in_each_list_of_them() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    entry_points = project["project"]["entry-points"]["heliograph.networks"].values()
    assert sorted(point.partition(":")[0] for point in entry_points) == list(DRIVERS)
    lists = [
        {module for module in modules if module.startswith(DRIVERS)}
        for contract in project["tool"]["importlinter"]["contracts"]
        for modules in contract.values()
        if isinstance(modules, list)
    ]
    assert [found for found in lists if found] == [set(DRIVERS)] * 3


def test_the_files_of_a_subject_are_layered(imports: list[Import]) -> None:
    assert list(pointing_up(imports)) == []


def test_statements_of_the_core_are_in_its_sql_files() -> None:
    found = {
        str(path.relative_to(SOURCE))
        for path in (SOURCE / "core").rglob("*.py")
        if kind_of(path.stem) != "sql"
        for _ in statements_in(ast.parse(path.read_text("utf-8")))
    }
    # a process of its own, started beside a supervisor: it loads nothing but what it needs
    assert found == {"core/cluster/ended_nodes.py"}


@for_each(
    "wrong",
    [
        ("heliograph.faces.cli.keys", "heliograph.core.keys.sql"),
        ("heliograph.faces.api.app", "heliograph.core.webhooks.queue.sql"),
        ("heliograph.faces.mcp.app", "heliograph.networks.sandbox.driver"),
        ("heliograph.faces.api.app", "asyncpg"),
    ],
)
def test_a_face_that_reaches_below_is_found(wrong: Import) -> None:
    right = ("heliograph.faces.cli.keys", "heliograph.core.keys.service")
    assert list(reaching_below([right, wrong])) == [wrong]


@for_each(
    "wrong",
    [
        ("heliograph.core.keys.sql", "heliograph.core.keys.service"),
        ("heliograph.core.keys.model", "heliograph.core.keys.sql"),
        ("heliograph.core.webhooks.queue.sql", "heliograph.core.webhooks.posting.queue"),
        ("heliograph.core.webhooks.posting.queue", "heliograph.core.webhooks.posting.worker"),
        (
            "heliograph.core.webhooks.posting.worker",
            "heliograph.core.webhooks.subscriptions.service",
        ),
    ],
)
def test_a_file_that_imports_what_is_above_it_is_found(wrong: Import) -> None:
    right = [
        ("heliograph.core.keys.service", "heliograph.core.keys.sql"),
        ("heliograph.core.keys.sql", "heliograph.core.keys.model"),
        ("heliograph.core.keys.sql", "heliograph.core.audit.service"),
        ("heliograph.core.webhooks.posting.worker", "heliograph.core.webhooks.posting.queue"),
    ]
    assert list(pointing_up([*right, wrong])) == [wrong]


def test_a_statement_is_found() -> None:
    code = "A = 'SELECT 1'\nB = 'Select one'\nC = '''\nUPDATE x SET y = 1'''"
    assert list(statements_in(ast.parse(code))) == [1, 3]
