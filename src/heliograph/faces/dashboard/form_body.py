"""The form that a request brings: of ours, so it is short and plain."""

from starlette.datastructures import FormData
from starlette.exceptions import HTTPException
from starlette.requests import Request

MOST_FIELDS = 200
_MEDIA_TYPE = "application/x-www-form-urlencoded"


async def read_form(request: Request) -> FormData:
    """Raises `HTTPException`, 415 for what browsers don't make of our forms, and 400, 413.

    The parser's own limit counts fields that have a name, and takes its time for the others.
    """
    media_type = request.headers.get("content-type", _MEDIA_TYPE).partition(";")[0].strip()
    encoding = request.headers.get("content-encoding", "identity").strip().lower()
    if media_type.lower() != _MEDIA_TYPE or encoding != "identity":
        raise HTTPException(415, f"A form is sent as {_MEDIA_TYPE}, uncompressed.")
    if (await request.body()).count(b"&") >= MOST_FIELDS:
        raise HTTPException(400, f"A form has at most {MOST_FIELDS} fields.")
    return await request.form(max_fields=MOST_FIELDS)
