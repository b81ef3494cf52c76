"""Pages: the scope that each requires, and what its handler gets.

A page is a function from a `Visit` to a response. It is registered with its path within the
organization and the scope that it requires, so that none is without; a test checks them all.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode
from uuid import UUID, uuid4

from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from heliograph.core.members.model import Membership, User
from heliograph.core.services import Services
from heliograph.core.tenants.model import Principal
from heliograph.errors import InvalidInputError
from heliograph.faces.api_calls import ApiCalls

BASE = "/dashboard"

Render = Callable[..., Response]
Handler = Callable[["Visit"], Awaitable[Response]]


class SubmittedFile(NamedTuple):
    """A file as a browser sends it; its name and type are not to be trusted."""

    name: str
    media_type: str
    data: bytes


_SAID = {"open", "done", "sent"}
"""Query parameters with which a page says or opens something once."""
_MAX_QUERY_LENGTH = 1000
"""Characters of a query; more than any form of ours makes."""


@dataclass(slots=True)
class Visit:
    """One request of somebody who has signed in, in one of their organizations.

    `session` is the hash of the browser's session, `base` where the browser finds the dashboard,
    and `address` the page that is shown; for a form, the one that it is on. `is_draining` says
    whether the node is stopping: an endless response has to end then.
    """

    request: Request
    services: Services
    user: User
    membership: Membership
    memberships: list[Membership]
    principal: Principal
    session: bytes
    base: str
    address: str
    form: FormData
    calls: ApiCalls
    is_draining: Callable[[], bool]
    _render: Render

    @property
    def is_partial(self) -> bool:
        """Whether a script of the page asks for a part of it."""
        return "hx-request" in self.request.headers

    def new_form_id(self) -> str:
        """Make the id of a form, so that sending it twice does its work once."""
        return uuid4().hex

    @property
    def home(self) -> str:
        """Return where the browser finds the organization's first page."""
        return f"{self.base}/{self.principal.organization_id}"

    def path(self, rest: str) -> str:
        """Return where the browser finds a page of this organization."""
        return f"{self.home}/{rest}"

    def may(self, scope: str) -> bool:
        """Return whether the visitor's role grants the scope."""
        return scope in self.principal.scopes

    def render(self, template: str, *, status: int = 200, **values: Any) -> Response:
        return self._render(template, status=status, visit=self, **values)

    def go_to(self, rest: str, *, done: str | None = None) -> Response:
        """Redirect to a page after something was done; the page then shows the sentence of `DONE`
        that `done` names."""
        path, mark, part = rest.partition("#")
        if done is not None:
            path += f"{'&' if '?' in path else '?'}done={done}"
        return RedirectResponse(f"{BASE}/{self.principal.organization_id}/{path}{mark}{part}", 303)

    def text(self, name: str) -> str:
        """Return a value of the form without blanks around it; empty where there is none."""
        value = self.form.get(name)
        return value.strip() if isinstance(value, str) else ""

    async def file(self, name: str) -> SubmittedFile | None:
        """Return the file in the form; None where none was chosen."""
        given = self.form.get(name)
        if not isinstance(given, UploadFile) or not given.filename:
            return None
        return SubmittedFile(given.filename, given.content_type or "", await given.read())

    def field(self, name: str) -> str:
        """Return a value of the form. Raises `InvalidInputError` where there is none."""
        value = self.text(name)
        if not value:
            raise InvalidInputError.at((name,), "This is required.")
        return value

    def query(self, name: str) -> str | None:
        """Return a value of the address's query."""
        return self.request.query_params.get(name)

    def opening(self, dialog: str) -> str:
        """Return the address of this page with a dialog open, for browsers without JavaScript."""
        kept = f"{query}&" if (query := self._kept_query) else ""
        return f"{self.address}?{kept}{urlencode({'open': dialog})}#{dialog}"

    @property
    def closing(self) -> str:
        """Return the address of this page with no dialog open, for the same browsers."""
        return f"{self.address}?{query}" if (query := self._kept_query) else self.address

    @property
    def _kept_query(self) -> str:
        """Return the part of the query that stays when a dialog opens; nothing of one longer than
        any form makes, which a page of many dialogs would repeat for each."""
        given = self.request.query_params
        if len(str(given)) > _MAX_QUERY_LENGTH:
            return ""
        return urlencode([pair for pair in given.multi_items() if pair[0] not in _SAID])

    def number(self, name: str) -> int | None:
        """Return a number of the address's query; None for anything else."""
        given = self.query(name) or ""
        is_number = given.isascii() and given.isdecimal() and len(given) < 19
        return int(given) if is_number else None

    def id(self, name: str) -> UUID:
        """Return an id in the path."""
        found: UUID = self.request.path_params[name]
        return found


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """`path` is within the organization; `scope` is what the visitor's role has to grant.

    `takes_file` lets its form contain a file; `SecurityHeaders` knows the path of it, too. A page
    that `is_part` is fetched by an open page and shown on it.
    """

    method: Literal["GET", "POST"]
    path: str
    scope: str
    handler: Handler
    takes_file: bool = False
    is_part: bool = False


@dataclass(slots=True)
class Pages:
    """The pages of one area."""

    pages: list[DashboardPage] = field(default_factory=list)

    def get(self, path: str, *, scope: str, is_part: bool = False) -> Callable[[Handler], Handler]:
        return self._add("GET", path, scope, is_part=is_part)

    def post(
        self, path: str, *, scope: str, takes_file: bool = False
    ) -> Callable[[Handler], Handler]:
        return self._add("POST", path, scope, takes_file)

    def _add(
        self,
        method: Literal["GET", "POST"],
        path: str,
        scope: str,
        takes_file: bool = False,
        is_part: bool = False,
    ) -> Callable[[Handler], Handler]:
        def add(handler: Handler) -> Handler:
            self.pages.append(DashboardPage(method, path, scope, handler, takes_file, is_part))
            return handler

        return add
