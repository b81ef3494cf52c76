"""`/openapi.json`, and `/docs`: Swagger UI with the dashboard's look, all of it from this machine.

Its files are those of the installed package `fastapi_swagger`. No page has inline script, so that
the content security policy can forbid all that is not ours.
"""

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import FileResponse, HTMLResponse

from heliograph import __version__
from heliograph.errors import NotFoundError

_SWAGGER = Path(str(files("fastapi_swagger") / "resources"))
_OURS = Path(__file__).parent
_FILES = {
    "swagger-ui-bundle.js": (_SWAGGER, "text/javascript"),
    "swagger-ui.css": (_SWAGGER, "text/css"),
    "start.js": (_OURS, "text/javascript"),
    "look.css": (_OURS, "text/css"),
}
_READING = ["GET", "HEAD"]  # HEAD wherever there is GET: RFC 9110, 9.1
_POLICY = (
    "default-src 'self'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)


_PAGE = (_OURS / "page.html").read_text(encoding="utf-8")
_PAGE = _PAGE.replace("STATIC", f"dashboard/static/{__version__}")


def add_reference(app: FastAPI, description: bytes) -> None:
    """Serve the description, and the page that shows it."""

    @app.api_route("/openapi.json", methods=_READING, include_in_schema=False)
    async def openapi() -> Response:
        return Response(description, media_type="application/json")

    @app.api_route("/docs", methods=_READING, include_in_schema=False)
    async def docs() -> Response:
        return HTMLResponse(_PAGE, headers={"Content-Security-Policy": _POLICY})

    @app.api_route("/docs/{name}", methods=_READING, include_in_schema=False)
    async def docs_file(name: str) -> Response:
        headers = {"Cache-Control": "max-age=3600"}
        if name not in _FILES:
            raise NotFoundError
        folder, media_type = _FILES[name]
        # in pieces, so that a client that does not read holds no 1.6 MB of the node's memory
        return FileResponse(folder / name, media_type=media_type, headers=headers)
