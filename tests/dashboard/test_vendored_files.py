"""Files of others in the dashboard are what their authors have published, named, and used."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path

from jinja2 import Environment, nodes

import heliograph
from heliograph.faces.dashboard.inbox.content_forms import FORMS
from heliograph.faces.dashboard.pages.navigation import NAVIGATION
from heliograph.faces.dashboard.rendering import badges
from heliograph.faces.dashboard.rendering.icons import ICONS

DASHBOARD = Path(heliograph.__path__[0]) / "faces" / "dashboard"
FOLDER = DASHBOARD / "static" / "vendor"
ROW = re.compile(r"^\| (\S+) \| .+ \| \S+, (\S+LICENSE) \| ([0-9a-f]{64}) \|$", re.MULTILINE)


def test_each_is_named_with_its_digest_and_has_its_licence() -> None:
    rows = ROW.findall((FOLDER / "README.md").read_text())
    there = {f"{path.name}/" if path.is_dir() else path.name for path in FOLDER.iterdir()}
    licences = {name for name in there if name.endswith(".LICENSE")}
    assert {name for name, _, _ in rows} == there - licences - {"README.md"}
    assert {licence for _, licence, _ in rows} == licences
    for name, licence, digest in rows:
        assert digest_of(FOLDER / name) == digest, name
        assert (FOLDER / licence).stat().st_size > 100


def digest_of(path: Path) -> str:
    """A file's digest; a folder's is that of the lines `sha256sum *` prints in it."""
    if path.is_file():
        return hashlib.sha256(path.read_bytes()).hexdigest()
    lines = [f"{digest_of(each)}  {each.name}\n" for each in sorted(path.iterdir())]
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def test_each_icon_is_used_and_each_that_is_used_is_there() -> None:
    there = {path.stem for path in (FOLDER / "icons").glob("*.svg")}
    assert set(ICONS) == there
    states = [badge.icon for kind in badges.BADGES.values() for badge in kind.values()]
    places = [
        place.icon for groups in NAVIGATION.values() for group in groups for place in group.places
    ]
    forms = [form.icon for form in FORMS.values() if form.icon]
    unheard_of = badges.badge_of("message", "unheard of").icon
    assert {unheard_of, *states, *places, *forms, *icons_of_templates()} == there


def icons_of_templates() -> set[str]:
    """The names that templates give to `icon`, or to a macro that gives them to it."""
    folder = DASHBOARD / "templates"
    language = Environment(autoescape=True)
    templates = [language.parse(path.read_text()) for path in folder.rglob("*.html")]
    macros = [macro for template in templates for macro in template.find_all(nodes.Macro)]
    drawn = {"icon": 0, **dict(drawing_macros(macros))}
    given = [
        name
        for template in templates
        for call in template.find_all(nodes.Call)
        for name in names_in(argument_of(call, drawn.get(name_of(call.node))))
    ]
    return {*given, *[name for macro in macros for name in names_in(default_of(macro, drawn))]}


def drawing_macros(macros: list[nodes.Macro]) -> Iterator[tuple[str, int]]:
    """Macros that draw one of their parameters, and which."""
    for macro in macros:
        parameters = [parameter.name for parameter in macro.args]
        for call in macro.find_all(nodes.Call):
            given = argument_of(call, 0) if name_of(call.node) == "icon" else None
            if isinstance(given, nodes.Name) and given.name in parameters:
                yield macro.name, parameters.index(given.name)


def argument_of(call: nodes.Call, at: int | None) -> nodes.Node | None:
    """What stands at this place; icons are never given by keyword but as `name`."""
    if at is None:
        return None
    by_name = [keyword.value for keyword in call.kwargs if keyword.key == "name"]
    return next(iter([*call.args[at : at + 1], *by_name]), None)


def default_of(macro: nodes.Macro, drawn: dict[str, int]) -> nodes.Node | None:
    without = len(macro.args) - len(macro.defaults)
    at = drawn.get(macro.name, -1) - without
    return macro.defaults[at] if at >= 0 else None


def names_in(given: nodes.Node | None) -> Iterator[str]:
    """The name that it is, or both of a choice; none of what is known only to Python."""
    if isinstance(given, nodes.CondExpr):
        yield from [*names_in(given.expr1), *names_in(given.expr2)]
    elif isinstance(given, nodes.Const) and isinstance(given.value, str):
        yield given.value


def name_of(called: nodes.Node) -> str:
    """`head` of both `head(…)` and `ui.head(…)`."""
    return str(getattr(called, "attr", getattr(called, "name", "")))
