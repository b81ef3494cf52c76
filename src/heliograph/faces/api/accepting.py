"""Which forms of an answer a client takes, by the header `Accept`."""

import re

_REFUSED = re.compile(r"\s*q\s*=\s*0(?:\.0*)?\s*", re.IGNORECASE)


def accepted_types(accept: str) -> list[str]:
    """Return the media types that the header names, in its order, in lower case, without their
    parameters; one that it refuses (`;q=0`) is not among them.
    """
    named = (part.split(";") for part in accept.split(","))
    return [
        media_type.strip().lower()
        for media_type, *parameters in named
        if not any(map(_REFUSED.fullmatch, parameters))
    ]
