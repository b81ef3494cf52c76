"""The forms of an answer that a client accepts, by the header `Accept`."""

import re

_REFUSED = re.compile(r"\s*q\s*=\s*0(?:\.0*)?\s*", re.IGNORECASE)


def accepted_types(accept: str) -> list[str]:
    """Return the media types in the header, in its order, in lower case and without parameters,
    except those that it refuses (`;q=0`)."""
    named = (part.split(";") for part in accept.split(","))
    return [
        media_type.strip().lower()
        for media_type, *parameters in named
        if not any(map(_REFUSED.fullmatch, parameters))
    ]
