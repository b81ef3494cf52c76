"""Icons: vendored drawings, inlined into pages so that they take the text's color."""

import re
from pathlib import Path

from markupsafe import Markup

_FOLDER = Path(__file__).parents[1] / "static" / "vendor" / "icons"
_AROUND = re.compile(r"<svg[^>]*>(.*)</svg>", re.DOTALL)


def _read() -> dict[str, Markup]:
    found = {}
    for path in sorted(_FOLDER.glob("*.svg")):
        drawing = _AROUND.search(path.read_text(encoding="utf-8"))
        assert drawing is not None, path  # noqa: S101 - the files are ours to choose
        inner = " ".join(drawing[1].split())
        found[path.stem] = Markup(  # noqa: S704 - of a file in this package
            f'<svg class="icon" viewBox="0 0 24 24" aria-hidden="true">{inner}</svg>'
        )
    return found


ICONS = _read()
"""Each icon's drawing by its name at Lucide, the source of all of them."""


def icon(name: str) -> Markup:
    """Return a drawing. Screen readers skip it: the text beside it has to say the same."""
    return ICONS[name]
