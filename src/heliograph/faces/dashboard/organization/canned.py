"""Canned replies: texts that are written once, and inserted by `/` and a shortcut."""

from starlette.responses import Response

from heliograph.core.canned.service import MAX_SHORTCUT
from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages.registry import Pages, Visit
from heliograph.networks.content.texts import MAX_TEXT

pages = Pages()

_HERE = "inbox/canned"


@pages.get(_HERE, scope="conversations:read")
async def show_replies(visit: Visit) -> Response:
    return await _show(visit)


@pages.post(f"{_HERE}/create", scope="conversations:write")
async def create(visit: Visit) -> Response:
    try:
        await visit.services.canned_replies.create(
            visit.principal, visit.text("shortcut"), _body(visit)
        )
    except InvalidInputError as error:
        return await _show(visit, error)
    return visit.go_to(_HERE, done="saved")


@pages.post(f"{_HERE}/{{reply_id:uuid}}/change", scope="conversations:write")
async def change(visit: Visit) -> Response:
    try:
        await visit.services.canned_replies.change(
            visit.principal, visit.id("reply_id"), visit.text("shortcut"), _body(visit)
        )
    except InvalidInputError as error:
        return await _show(visit, error)
    return visit.go_to(_HERE, done="saved")


@pages.post(f"{_HERE}/{{reply_id:uuid}}/delete", scope="conversations:write")
async def delete(visit: Visit) -> Response:
    await visit.services.canned_replies.delete(visit.principal, visit.id("reply_id"))
    return visit.go_to(_HERE, done="deleted")


def _body(visit: Visit) -> str:
    return visit.text("body").replace("\r\n", "\n")


async def _show(visit: Visit, error: InvalidInputError | None = None) -> Response:
    """Show the replies, with refused input as it was typed; `typed_for` is a reply's id, or
    None."""
    return visit.render(
        "canned.html",
        status=422 if error else 200,
        replies=await visit.services.canned_replies.list(visit.principal),
        problem=error.problems[0].msg if error else None,
        typed_for=visit.request.path_params.get("reply_id"),
        typed={"shortcut": visit.text("shortcut"), "body": _body(visit)},
        longest_shortcut=MAX_SHORTCUT,
        longest_text=MAX_TEXT,
    )
