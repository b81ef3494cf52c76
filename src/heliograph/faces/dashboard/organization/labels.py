"""Labels: the organization's own words for its conversations, each with a color."""

from starlette.responses import Response

from heliograph.errors import InvalidInputError
from heliograph.faces.dashboard.pages.registry import Pages, Visit

PALETTE = (
    "#2563eb",
    "#16a34a",
    "#dc2626",
    "#c27803",
    "#7c3aed",
    "#0d9488",
    "#db2777",
    "#6b7280",
)
"""The colors suggested for a new label; any other can be chosen, too."""

pages = Pages()


@pages.get("inbox/labels", scope="conversations:read")
async def show_labels(visit: Visit) -> Response:
    return await _show(visit)


@pages.post("inbox/labels/create", scope="conversations:write")
async def create(visit: Visit) -> Response:
    try:
        await visit.services.labels.create(
            visit.principal, visit.field("name"), visit.field("color")
        )
    except InvalidInputError as error:
        return await _show(visit, error)
    return visit.go_to("inbox/labels", done="saved")


@pages.post("inbox/labels/{label_id:uuid}/rename", scope="conversations:write")
async def rename(visit: Visit) -> Response:
    label_id = visit.id("label_id")
    await visit.services.labels.get(visit.principal, label_id)
    try:
        await visit.services.labels.change(
            visit.principal, label_id, visit.field("name"), visit.field("color")
        )
    except InvalidInputError as error:
        return await _show(visit, error)
    return visit.go_to("inbox/labels", done="saved")


@pages.post("inbox/labels/{label_id:uuid}/delete", scope="conversations:write")
async def delete(visit: Visit) -> Response:
    await visit.services.labels.delete(visit.principal, visit.id("label_id"))
    return visit.go_to("inbox/labels", done="deleted")


async def _show(visit: Visit, error: InvalidInputError | None = None) -> Response:
    """Show the labels, with refused input as it was typed; `typed_for` is a label's id, or None."""
    return visit.render(
        "labels.html",
        status=422 if error else 200,
        labels=await visit.services.labels.list(visit.principal),
        problem=error.problems[0].msg if error else None,
        typed_for=visit.request.path_params.get("label_id"),
        palette=PALETTE,
        typed={name: str(visit.form.get(name) or "") for name in ("name", "color")},
    )
