"""What people see: one form, and one page for what is wrong."""

from html import escape
from pathlib import Path
from string import Template
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse

_FOLDER = Path(__file__).parent / "templates"
_PROBLEM = Template('<p class="problem" id="problem" role="alert">$text</p>')


class Pages:
    """`gateway` is where forms lead to, besides to us: browsers ask after each redirect."""

    def __init__(self, gateway: str) -> None:
        parts = urlsplit(gateway)
        self._dashboard = f"{gateway}/dashboard"
        self._frame = Template((_FOLDER / "frame.html").read_text())
        self._form = Template((_FOLDER / "form.html").read_text())
        self._headers = {
            "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; "
            "img-src data:; "
            f"form-action 'self' {parts.scheme}://{parts.netloc}; base-uri 'none'; "
            "frame-ancestors 'none'",
            "Cache-Control": "no-store",
            "Referrer-Policy": "no-referrer",
            "X-Content-Type-Options": "nosniff",
        }

    def form(
        self, *, code: str, email: str, cancel: str, problem: str = "", status: int = 200
    ) -> HTMLResponse:
        """Everything as people have typed it."""
        told = _PROBLEM.substitute(text=escape(problem)) if problem else ""
        content = self._form.substitute(
            problem=told,
            code=escape(code),
            email=escape(email),
            cancel=escape(cancel),
            code_focus="" if code else "autofocus",
            button_focus="autofocus" if code else "",
        )
        return self._page("Sign in to the demo", content, status)

    def error(self, text: str, status: int = 400) -> HTMLResponse:
        link = f'<a href="{escape(self._dashboard)}">Open the dashboard</a>'
        return self._page("Nothing to sign in to", f"<p>{escape(text)} {link}.</p>", status)

    def _page(self, title: str, content: str, status: int) -> HTMLResponse:
        page = self._frame.substitute(title=title, content=content)
        return HTMLResponse(page, status, self._headers)
