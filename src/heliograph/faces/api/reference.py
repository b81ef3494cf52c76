"""`/openapi.json`, and `/docs`: Swagger UI with all its files from this machine.

The files are those of the installed package `fastapi_swagger`. No page has inline script, so that
the content security policy can forbid all that is not ours.
"""

from importlib.resources import files
from pathlib import Path

from fastapi import FastAPI, Response
from starlette.responses import FileResponse, HTMLResponse

from heliograph.errors import NotFoundError

_RESOURCES = Path(str(files("fastapi_swagger") / "resources"))
_MEDIA_TYPES = {
    "swagger-ui-bundle.js": "text/javascript",
    "swagger-ui.css": "text/css",
    "favicon-32x32.png": "image/png",
}
_READING = ["GET", "HEAD"]  # as RFC 9110, 9.1 wants of what can be read
_POLICY = (
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
)
_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Heliograph API</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<nav style="padding: .75rem 1.25rem 0; font: 15px sans-serif"><a href="help/">Help</a></nav>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
"""
_START = """\
// Swagger UI reads a whole description anew, and resolves all of it, for each part that it shows.
// For ours that is seconds: it gets the part, and what that refers to.
function excerpt(description, path) {
  const {paths, webhooks, components, ...kept} = description;
  const keep = (keys) => {
    const value = keys.reduce((from, key) => from?.[key], description);
    const parent = keys.slice(0, -1).reduce((into, key) => into[key] ??= {}, kept);
    if (value === undefined || parent[keys.at(-1)] === value) return;
    parent[keys.at(-1)] = value;
    JSON.stringify(value, (_, inner) => {
      if (typeof inner === "string" && inner.startsWith("#/")) keep(inner.slice(2).split("/"));
      return inner;
    });
  };
  keep(path.slice(0, path[0] === "components" ? 3 : 2));
  return kept;
}
const readExcerpts = () => ({
  afterLoad({fn}) {
    const {resolveSubtree} = fn;
    fn.resolveSubtree = (description, path, ...more) =>
      resolveSubtree(excerpt(description, path), path, ...more);
  },
});
const here = new URL(".", location.href).href.replace(/[/]$/, "");
let server = here;
// requests go to where this page is from: its policy allows no other address
SwaggerUIBundle({
  responseInterceptor(response) {
    if (response.url.endsWith("/openapi.json") && response.obj?.servers) {
      server = new URL(response.obj.servers[0].url, response.url).href.replace(/[/]$/, "");
    }
    return response;
  },
  requestInterceptor(request) {
    if (request.url.startsWith(`${server}/`)) request.url = here + request.url.slice(server.length);
    return request;
  },
  url: "openapi.json",
  dom_id: "#swagger-ui",
  plugins: [readExcerpts],
  deepLinking: true,
  tryItOutEnabled: true,
  displayRequestDuration: true,
  validatorUrl: null,
});
"""


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
        headers = {"Cache-Control": "max-age=3600", "X-Content-Type-Options": "nosniff"}
        if name == "start.js":
            return Response(_START, media_type="text/javascript", headers=headers)
        if name not in _MEDIA_TYPES:
            raise NotFoundError
        # by pieces, so that who does not read holds no 1.6 MB of the node's memory
        return FileResponse(_RESOURCES / name, media_type=_MEDIA_TYPES[name], headers=headers)
