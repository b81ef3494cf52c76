"""Move the scripts that the theme writes into its pages to files of their own.

So the gateway can forbid every script but its own files, on these pages as on the dashboard's.
"""

import hashlib
import posixpath
import re
from pathlib import Path

_INLINE = re.compile(r"<script>(.*?)</script>", re.DOTALL)
_FROM_ROOT = re.compile(r'((?:href|src)="?|"(?:base|search)":"|URL\(")/')
_NOT_FOUND = "404.html"
_SERVED_AT = "/help"


def move_scripts(site: Path) -> None:
    """Rewrite all pages; that for what is not found, too, which is shown at any address."""
    for page in site.rglob("*.html"):
        text = page.read_text("utf-8")
        if page == site / _NOT_FOUND:
            text = _without_inline(_FROM_ROOT.sub(rf"\1{_SERVED_AT}/", text), site, _SERVED_AT)
        else:
            up = posixpath.relpath(".", page.relative_to(site).parent.as_posix())
            text = _without_inline(text, site, up)
        page.write_text(text, "utf-8")


def _without_inline(text: str, site: Path, up: str) -> str:
    """Return the page's text; `up` leads from the page to the site."""
    return _INLINE.sub(lambda script: _move(script[1], site, up), text)


def _move(script: str, site: Path, up: str) -> str:
    """Write the script to a file, and return the element that loads it."""
    digest = hashlib.sha256(script.encode()).hexdigest()[:8]
    path = f"assets/javascripts/inline.{digest}.min.js"
    (site / path).write_text(script, "utf-8")
    return f'<script src="{up}/{path}"></script>'
