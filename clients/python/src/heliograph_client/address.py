"""Where the gateway is and with which key, and how to tell that something else is there."""

import re
from urllib.parse import urlsplit

import httpx

_API = "/api/v1"
_KEY = re.compile(r"[!-~]+")


def read_address(base_url: str) -> str:
    """Return the address without slashes at its end. Raises `ValueError`, which says what is
    wrong with it."""
    if not isinstance(base_url, str):
        raise ValueError(
            f"base_url must be a string such as 'https://gateway.example', not {base_url!r}."
        )
    address = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(address)
    except ValueError as error:
        raise ValueError(f"base_url {base_url!r} is not an address: {error}.") from None
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise ValueError(
            f"base_url {base_url!r} must begin with http:// or https://, as "
            "https://gateway.example does."
        )
    if parts.query or parts.fragment:
        raise ValueError(f"base_url {base_url!r} must end before its '?' or '#'.")
    if parts.path.endswith(_API):
        right = address.removesuffix(_API)
        raise ValueError(f"base_url {base_url!r} must not have {_API!r} at its end: use {right!r}.")
    return address


def read_key(api_key: str) -> str:
    """Return the key without blanks around it, such as the line break of a file. Raises
    `ValueError`, which says what is wrong with the key and never shows it."""
    if not isinstance(api_key, str):
        raise ValueError(f"api_key must be a string, 'hg_…', not {type(api_key).__name__}.")
    key = api_key.strip()
    if not key:
        raise ValueError("api_key is empty: give it one of the gateway's keys, 'hg_…'.")
    if not _KEY.fullmatch(key):
        raise ValueError("api_key has a character that no key has, such as a space.")
    return key


def is_page(response: httpx.Response) -> bool:
    """Return whether a page came, as from a site that has one for every address."""
    return str(response.headers.get("Content-Type", "")).startswith("text/html")


def describe_stranger(response: httpx.Response) -> str:
    """Return what to do about an answer that is not the gateway's; empty where nothing is known."""
    url = _url_of(response)
    is_elsewhere = response.status_code < 400 or response.status_code in (404, 405, 410)
    if url is None or not is_elsewhere:
        return ""
    if response.is_redirect:
        target = response.headers.get("Location", "elsewhere")
        return f"{_base(url)} leads on to {target}: set base_url to where the gateway itself is."
    return f"What answers at {_base(url)} is not the gateway's API: check base_url."


def at_address(sentence: str, response: httpx.Response) -> str:
    """Return the sentence with the address that it is about."""
    url = _url_of(response)
    if url is None:
        return sentence
    return f"{sentence.rstrip('.')}: {_origin(url)}{url.path}. Check base_url."


def _url_of(response: httpx.Response) -> httpx.URL | None:
    try:
        return response.url
    except RuntimeError:  # it was made without a request
        return None


def _base(url: httpx.URL) -> str:
    """Return the address that the operation's path was added to."""
    return _origin(url) + url.path.rpartition(f"{_API}/")[0]


def _origin(url: httpx.URL) -> str:
    return f"{url.scheme}://{url.netloc.decode()}"
